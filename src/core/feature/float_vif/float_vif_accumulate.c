/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <string.h>

#include "feature/float_vif/float_vif_plan.h"
#include "feature/rows.h"
#include "support/arena.h"

/*
 * Each scale is one pass over its rows: a ring holds the rows under the window, with their
 * products, from which come a row of statistics and, on every second row, a row of the next scale.
 */

enum {
    MARGIN = 64, /* samples of room on both sides of a row; a window reaches 32 */
    HALVES = 2,  /* even and odd columns */
};

typedef struct FloatVifScratch {
    unsigned ring_rows;
    size_t stride;              /* of rows, in samples */
    float *ring[IMAGES];        /* ring_rows rows each */
    float *columns;             /* one row after the vertical filter, with mirrored ends */
    float *halves[HALVES];      /* the same, even and odd columns apart */
    float *filtered[IMAGES];    /* one row after both filters */
    float *num, *den;           /* contributions of one row */
    float *source[PICTURES];    /* whole pictures before they are resized, if they are */
    float *resized[PICTURES];   /* and after */
    float *images[2][PICTURES]; /* of the scale in work and of the next, alternating */
    size_t image_stride;
    void *memory;
} FloatVifScratch;

static float *take_row(Arena *arena, size_t stride)
{
    float *row = arena_take(arena, stride, sizeof(*row));
    return row ? row + MARGIN : NULL;
}

static float *take_image(Arena *arena, unsigned rows, size_t stride)
{
    size_t samples;
    if (!size_mul(rows, stride, &samples))
        arena->overflow = true;
    return arena->overflow ? NULL : arena_take(arena, samples, sizeof(float));
}

static void lay_out(FloatVifScratch *s, Arena *arena, const FloatVifPlan *plan)
{
    s->ring_rows = 2 * (unsigned)plan->max_radius + 1;
    s->stride = size_round_up((size_t)plan->max_w + 2 * MARGIN, MARGIN);
    s->image_stride = size_round_up((size_t)plan->max_w / 2 + 1, MARGIN);
    for (int i = 0; i < IMAGES; i++) {
        s->ring[i] = take_image(arena, s->ring_rows, s->stride);
        s->filtered[i] = take_row(arena, s->stride);
    }
    s->columns = take_row(arena, s->stride);
    for (int i = 0; i < HALVES; i++)
        s->halves[i] = take_row(arena, s->stride);
    s->num = take_row(arena, s->stride);
    s->den = take_row(arena, s->stride);
    for (int p = 0; p < PICTURES; p++) {
        for (int i = 0; i < 2; i++)
            s->images[i][p] = take_image(arena, plan->max_h / 2 + 1, s->image_stride);
        s->source[p] =
            plan->resizes ? take_image(arena, plan->format.h[0], plan->format.w[0]) : NULL;
        s->resized[p] = plan->resizes ? take_image(arena, plan->max_h, plan->max_w) : NULL;
    }
}

int float_vif_scratch_create(void **out, const void *plan)
{
    FloatVifScratch *scratch = memory_alloc_zeroed(1, sizeof(*scratch));
    if (!scratch)
        return -ENOMEM;
    Arena arena = {0};
    lay_out(scratch, &arena, plan);
    if (arena_allocate(&arena)) {
        memory_free(scratch);
        return -ENOMEM;
    }
    lay_out(scratch, &arena, plan);
    scratch->memory = arena.block;
    *out = scratch;
    return 0;
}

void float_vif_scratch_destroy(void *opaque)
{
    FloatVifScratch *scratch = opaque;
    if (scratch)
        memory_free(scratch->memory);
    memory_free(scratch);
}

/* One scale in work. */
typedef struct ScalePass {
    const FloatVifPlan *plan;
    FloatVifScratch *scratch;
    const FloatVifPyramid *pyramid;
    unsigned scale, w, h;
    const VmafPicture *pictures[PICTURES]; /* where samples are read from, or else */
    const float *images[PICTURES];         /* float images */
    size_t image_stride;
    bool statistics; /* wanted of this scale */
    unsigned next;   /* row that enters the ring next */
} ScalePass;

static float *ring_row(const ScalePass *pass, int image, unsigned y)
{
    const FloatVifScratch *s = pass->scratch;
    return s->ring[image] + y % s->ring_rows * s->stride + MARGIN;
}

/* Samples in the 8-bit range around 0, which is exact. */
static void convert_row(const FloatVifPlan *plan, const VmafPicture *pic, unsigned y,
                        float *restrict out)
{
    const void *source = (const char *)pic->data[0] + (ptrdiff_t)y * pic->stride[0];
    const unsigned w = plan->format.w[0];
    const float factor = plan->to_8bit;
    if (plan->format.bpc == 8) {
        const uint8_t *row = source;
        for (unsigned x = 0; x < w; x++)
            out[x] = (float)row[x] - 128;
    } else {
        const uint16_t *row = source;
        for (unsigned x = 0; x < w; x++)
            out[x] = (float)row[x] * factor - 128;
    }
}

static void load_row(const ScalePass *pass, unsigned y)
{
    for (int p = 0; p < PICTURES; p++) {
        if (pass->images[p])
            memcpy(ring_row(pass, p, y), pass->images[p] + y * pass->image_stride,
                   pass->w * sizeof(float));
        else
            convert_row(pass->plan, pass->pictures[p], y, ring_row(pass, p, y));
    }
    if (pass->statistics)
        pass->plan->kernels.products(ring_row(pass, REFERENCE, y), ring_row(pass, DISTORTED, y),
                                     ring_row(pass, PICTURES + REF_REF, y),
                                     ring_row(pass, PICTURES + DIST_DIST, y),
                                     ring_row(pass, PICTURES + REF_DIST, y), pass->w);
}

static void filter_columns(const ScalePass *pass, const FloatVifWindow *window, int image,
                           unsigned y, float *out)
{
    const float *rows[FLOAT_VIF_MAX_TAPS];
    for (int k = -window->radius; k <= window->radius; k++)
        rows[k + window->radius] = ring_row(pass, image, mirror((int)y + k, pass->h));
    pass->plan->kernels.weighted_sum(rows, window->taps, 2 * window->radius + 1, out, pass->w);
    for (int k = 1; k <= window->radius; k++) {
        out[-k] = out[mirror(-k, pass->w)];
        out[(int)pass->w - 1 + k] = out[mirror((int)pass->w - 1 + k, pass->w)];
    }
}

static void filter_statistics(const ScalePass *pass, unsigned y)
{
    const FloatVifWindow *window = &pass->pyramid->windows[pass->scale];
    for (int i = 0; i < IMAGES; i++) {
        float *columns = pass->scratch->columns;
        filter_columns(pass, window, i, y, columns);
        const float *rows[FLOAT_VIF_MAX_TAPS];
        for (int k = 0; k <= 2 * window->radius; k++)
            rows[k] = columns + (k - window->radius);
        pass->plan->kernels.weighted_sum(rows, window->taps, 2 * window->radius + 1,
                                         pass->scratch->filtered[i], pass->w);
    }
}

/* Sums one row after another in the order of its samples: the sums of rows are added to those of
 * the scale. */
static void add_row(const FloatVifScratch *s, unsigned w, float *num, float *den)
{
    float row_num = 0, row_den = 0;
    for (unsigned x = 0; x < w; x++) {
        row_num += s->num[x];
        row_den += s->den[x];
    }
    *num += row_num;
    *den += row_den;
}

static void add_statistics(const ScalePass *pass, unsigned pyramid, void *const records[])
{
    FloatVifScratch *s = pass->scratch;
    const FloatVifMoments moments = {
        .mean_ref = s->filtered[REFERENCE],
        .mean_dist = s->filtered[DISTORTED],
        .ref_ref = s->filtered[PICTURES + REF_REF],
        .dist_dist = s->filtered[PICTURES + DIST_DIST],
        .ref_dist = s->filtered[PICTURES + REF_DIST],
    };
    for (unsigned i = 0; i < pass->plan->n_variants; i++) {
        const FloatVifVariant *variant = &pass->plan->variants[i];
        FloatVifRecord *record = records[i];
        if (!record || variant->pyramid != pyramid || (variant->skip_scale0 && pass->scale == 0))
            continue;
        pass->plan->kernels.information(&moments, &variant->parameters, s->num, s->den, pass->w);
        add_row(s, pass->w, &record->num[pass->scale], &record->den[pass->scale]);
    }
}

/* Row y / 2 of the next scale: only even columns are computed. */
static void reduce_row(const ScalePass *pass, unsigned y, float *const next[PICTURES],
                       unsigned next_w)
{
    const FloatVifWindow *window = &pass->pyramid->windows[pass->scale + 1];
    FloatVifScratch *s = pass->scratch;
    /* Halves begin at an even distance before the row, so that offsets keep their parity. */
    enum { LEAD = MARGIN / 2 };
    for (int p = 0; p < PICTURES; p++) {
        filter_columns(pass, window, p, y, s->columns);
        const float *from = s->columns - LEAD * 2;
        float *restrict even = s->halves[0] - LEAD, *restrict odd = s->halves[1] - LEAD;
        const int first = LEAD - (window->radius + 1) / 2;
        const int last = LEAD + (int)next_w + (window->radius + 1) / 2;
        for (int i = first; i < last; i++) {
            even[i] = from[2 * i];
            odd[i] = from[2 * i + 1];
        }
        const float *rows[FLOAT_VIF_MAX_TAPS];
        for (int k = -window->radius; k <= window->radius; k++) {
            const int half = (k + 2 * LEAD) % 2;
            rows[k + window->radius] = s->halves[half] + (k - half) / 2;
        }
        pass->plan->kernels.weighted_sum(rows, window->taps, 2 * window->radius + 1,
                                         next[p] + y / 2 * s->image_stride, next_w);
    }
}

static void run_scale(ScalePass *pass, unsigned pyramid, float *const next[PICTURES],
                      void *const records[])
{
    const FloatVifWindow *windows = pass->pyramid->windows;
    const bool reduces = pass->scale + 1 < FLOAT_VIF_SCALES;
    unsigned reach = (unsigned)windows[pass->scale].radius;
    if (reduces && (unsigned)windows[pass->scale + 1].radius > reach)
        reach = (unsigned)windows[pass->scale + 1].radius;
    for (unsigned y = 0; y < pass->h; y++) {
        for (; pass->next < pass->h && pass->next <= y + reach; pass->next++)
            load_row(pass, pass->next);
        if (pass->statistics) {
            filter_statistics(pass, y);
            add_statistics(pass, pyramid, records);
        }
        if (reduces && y % 2 == 0 && y / 2 < pass->pyramid->h[pass->scale + 1])
            reduce_row(pass, y, next, pass->pyramid->w[pass->scale + 1]);
    }
}

static void resize(const FloatVifPlan *plan, FloatVifScratch *s, const FloatVifPyramid *pyramid,
                   const FrameInput *input)
{
    const VmafPicture *pictures[PICTURES] = {input->ref, input->dist};
    for (int p = 0; p < PICTURES; p++) {
        for (unsigned y = 0; y < plan->format.h[0]; y++)
            convert_row(plan, pictures[p], y, s->source[p] + (size_t)y * plan->format.w[0]);
        resampler_run(pyramid->resampler, s->source[p], plan->format.w[0], s->resized[p],
                      pyramid->w[0]);
    }
}

static void run_pyramid(const FloatVifPlan *plan, FloatVifScratch *s, unsigned pyramid_number,
                        const FrameInput *input, void *const records[])
{
    const FloatVifPyramid *pyramid = &plan->pyramids[pyramid_number];
    if (pyramid->resampler)
        resize(plan, s, pyramid, input);
    for (unsigned scale = 0; scale < FLOAT_VIF_SCALES; scale++) {
        ScalePass pass = {
            .plan = plan,
            .scratch = s,
            .pyramid = pyramid,
            .scale = scale,
            .w = pyramid->w[scale],
            .h = pyramid->h[scale],
            .pictures = {input->ref, input->dist},
            .statistics = scale > 0 || pyramid->needs_scale0,
        };
        if (scale > 0 || pyramid->resampler) {
            for (int p = 0; p < PICTURES; p++)
                pass.images[p] = scale > 0 ? s->images[scale % 2][p] : s->resized[p];
            pass.image_stride = scale > 0 ? s->image_stride : pyramid->w[0];
        }
        run_scale(&pass, pyramid_number, s->images[(scale + 1) % 2], records);
    }
}

static bool wanted(const FloatVifPlan *plan, unsigned pyramid, void *const records[])
{
    for (unsigned i = 0; i < plan->n_variants; i++) {
        if (records[i] && plan->variants[i].pyramid == pyramid)
            return true;
    }
    return false;
}

int float_vif_accumulate(const void *opaque, void *scratch, const FrameInput *input, RowBand band,
                         void *const records[])
{
    (void)band; /* always the whole frame: the record does not merge */
    const FloatVifPlan *plan = opaque;
    for (unsigned i = 0; i < plan->n_pyramids; i++) {
        if (wanted(plan, i, records))
            run_pyramid(plan, scratch, i, input, records);
    }
    return 0;
}
