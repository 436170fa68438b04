/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <math.h>

#include "feature/float_motion/float_motion.h"
#include "feature/rows.h"
#include "support/memory.h"

/*
 * Both frames are filtered row by row, first down the columns, then along the row, each output as a
 * sum in the order of its taps; a row of differences is summed from left to right. Filtered rows
 * are kept only as long as the reduced picture needs two of them.
 */

enum {
    MAX_RADIUS = 2,
    MARGIN = 16,       /* samples of room on both sides of a row */
    SOURCE_RING = 8,   /* rows of samples, at least 2 MAX_RADIUS + 1 */
    FILTERED_RING = 2, /* filtered rows */
    PICTURES = 2,
};

static const float five_taps[] = {0.054488685f, 0.244201342f, 0.402619947f, 0.244201342f,
                                  0.054488685f};
static const float three_taps[] = {0.166378498f, 0.667243004f, 0.166378498f};

typedef struct FloatMotionPlan {
    PictureFormat format;
    float to_8bit;
    unsigned n_variants;
    const FloatMotionOptions *variants[];
} FloatMotionPlan;

typedef struct FloatMotionScratch {
    float *source[PICTURES][SOURCE_RING];
    float *filtered[PICTURES][FILTERED_RING];
    float *columns; /* one row after the vertical filter, with mirrored ends */
    float *reduced[PICTURES];
    float *differences;
    float rows[];
} FloatMotionScratch;

int float_motion_plan_create(void **out, const PictureFormat *format, const void *const variants[],
                             unsigned n_variants, unsigned cpu_flags)
{
    (void)cpu_flags;
    size_t size;
    if (!size_mul(n_variants, sizeof(variants[0]), &size) ||
        !size_add(size, sizeof(FloatMotionPlan), &size))
        return -ENOMEM;
    FloatMotionPlan *plan = memory_alloc(1, size);
    if (!plan)
        return -ENOMEM;
    plan->format = *format;
    plan->to_8bit = 1.0f / (float)(1u << (format->bpc - 8));
    plan->n_variants = n_variants;
    for (unsigned i = 0; i < n_variants; i++)
        plan->variants[i] = variants[i];
    *out = plan;
    return 0;
}

int float_motion_scratch_create(void **out, const void *opaque)
{
    const FloatMotionPlan *plan = opaque;
    enum { N_ROWS = PICTURES * (SOURCE_RING + FILTERED_RING + 1) + 2 };
    const size_t stride = size_round_up((size_t)plan->format.w[0] + 2 * MARGIN, MARGIN);
    size_t size;
    if (!size_mul(stride, N_ROWS * sizeof(float), &size) ||
        !size_add(size, sizeof(FloatMotionScratch), &size))
        return -ENOMEM;
    FloatMotionScratch *scratch = memory_alloc(1, size);
    if (!scratch)
        return -ENOMEM;
    float *row = scratch->rows + MARGIN;
    scratch->columns = row;
    scratch->differences = row += stride;
    for (int p = 0; p < PICTURES; p++) {
        for (int i = 0; i < SOURCE_RING; i++)
            scratch->source[p][i] = row += stride;
        for (int i = 0; i < FILTERED_RING; i++)
            scratch->filtered[p][i] = row += stride;
        scratch->reduced[p] = row += stride;
    }
    *out = scratch;
    return 0;
}

/* One plane of two frames in work. */
typedef struct PlanePass {
    const FloatMotionPlan *plan;
    FloatMotionScratch *scratch;
    const VmafPicture *pictures[PICTURES];
    unsigned plane, w, h;
    const float *taps;
    int radius;
    unsigned next_source; /* row that enters the ring next */
} PlanePass;

static void load_row(const PlanePass *pass, int picture, unsigned y)
{
    const VmafPicture *pic = pass->pictures[picture];
    const void *source =
        (const char *)pic->data[pass->plane] + (ptrdiff_t)y * pic->stride[pass->plane];
    float *restrict samples = pass->scratch->source[picture][y % SOURCE_RING];
    const float factor = pass->plan->to_8bit;
    if (pass->plan->format.bpc == 8) {
        const uint8_t *row = source;
        for (unsigned x = 0; x < pass->w; x++)
            samples[x] = (float)row[x] - 128;
    } else {
        const uint16_t *row = source;
        for (unsigned x = 0; x < pass->w; x++)
            samples[x] = (float)row[x] * factor - 128;
    }
}

static void filter_columns(const PlanePass *pass, int picture, unsigned y)
{
    const float *rows[2 * MAX_RADIUS + 1];
    for (int k = -pass->radius; k <= pass->radius; k++)
        rows[k + pass->radius] =
            pass->scratch->source[picture][mirror((int)y + k, pass->h) % SOURCE_RING];
    const float *taps = pass->taps;
    float *restrict out = pass->scratch->columns;
    if (pass->radius == 2) {
        for (unsigned x = 0; x < pass->w; x++)
            out[x] = (((rows[0][x] * taps[0] + rows[1][x] * taps[1]) + rows[2][x] * taps[2]) +
                      rows[3][x] * taps[3]) +
                     rows[4][x] * taps[4];
    } else {
        for (unsigned x = 0; x < pass->w; x++)
            out[x] = (rows[0][x] * taps[0] + rows[1][x] * taps[1]) + rows[2][x] * taps[2];
    }
    for (int k = 1; k <= pass->radius; k++) {
        out[-k] = out[mirror(-k, pass->w)];
        out[(int)pass->w - 1 + k] = out[mirror((int)pass->w - 1 + k, pass->w)];
    }
}

static void filter_row(const PlanePass *pass, float *restrict out)
{
    const float *taps = pass->taps;
    const float *p = pass->scratch->columns;
    const int w = (int)pass->w;
    if (pass->radius == 2) {
        for (int x = 0; x < w; x++)
            out[x] = (((p[x - 2] * taps[0] + p[x - 1] * taps[1]) + p[x] * taps[2]) +
                      p[x + 1] * taps[3]) +
                     p[x + 2] * taps[4];
    } else {
        for (int x = 0; x < w; x++)
            out[x] = (p[x - 1] * taps[0] + p[x] * taps[1]) + p[x + 1] * taps[2];
    }
}

/* The filtered row y of one picture. */
static const float *filtered_row(const PlanePass *pass, int picture, unsigned y)
{
    if (!pass->radius)
        return pass->scratch->source[picture][y % SOURCE_RING];
    return pass->scratch->filtered[picture][y % FILTERED_RING];
}

static void make_row(PlanePass *pass, unsigned y)
{
    for (; pass->next_source < pass->h && pass->next_source <= y + (unsigned)pass->radius;
         pass->next_source++)
        for (int p = 0; p < PICTURES; p++)
            load_row(pass, p, pass->next_source);
    for (int p = 0; p < PICTURES && pass->radius; p++) {
        filter_columns(pass, p, y);
        filter_row(pass, pass->scratch->filtered[p][y % FILTERED_RING]);
    }
}

static float row_difference(const PlanePass *pass, const float *a, const float *b, unsigned w)
{
    float *restrict differences = pass->scratch->differences;
    for (unsigned x = 0; x < w; x++)
        differences[x] = fabsf(a[x] - b[x]);
    float sum = 0;
    for (unsigned x = 0; x < w; x++)
        sum += differences[x];
    return sum;
}

/* Where a sample of the reduced picture lies among those of the full one. */
typedef struct Place {
    unsigned first, second;
    float fraction;
} Place;

static Place place_of(unsigned i, unsigned n, unsigned n_reduced)
{
    const float ratio = (float)n / (float)n_reduced;
    const float at = (float)(((double)i + 0.5) * (double)ratio - 0.5);
    const float first = floorf(at);
    return (Place){(unsigned)first, (unsigned)ceilf(at), at - first};
}

static void reduce_row(const PlanePass *pass, int picture, const Place *row, unsigned w_reduced)
{
    const float *above = filtered_row(pass, picture, row->first);
    const float *below = filtered_row(pass, picture, row->second);
    float *out = pass->scratch->reduced[picture];
    const float dy = row->fraction;
    for (unsigned x = 0; x < w_reduced; x++) {
        const Place column = place_of(x, pass->w, w_reduced);
        const float dx = column.fraction;
        const float a = ((1 - dy) * (1 - dx)) * above[column.first];
        const float b = ((1 - dy) * dx) * above[column.second];
        const float c = (dy * (1 - dx)) * below[column.first];
        const float d = (dy * dx) * below[column.second];
        out[x] = ((a + b) + c) + d;
    }
}

static void accumulate_plane(PlanePass *pass, const FloatMotionLayout *layout, RowBand rows,
                             float *record)
{
    const unsigned plane = pass->plane;
    const bool reduce = layout->h[plane][1] > 0;
    /* The first reduced row of the band may need the filtered row before it. */
    const unsigned first = rows.begin && reduce ? rows.begin - 1 : rows.begin;
    pass->next_source = first > (unsigned)pass->radius ? first - (unsigned)pass->radius : 0;
    unsigned next_reduced = 0;
    for (unsigned y = first; y < rows.end; y++) {
        make_row(pass, y);
        if (y >= rows.begin)
            record[layout->offset[plane][0] + y] +=
                row_difference(pass, filtered_row(pass, 0, y), filtered_row(pass, 1, y), pass->w);
        for (; next_reduced < layout->h[plane][1]; next_reduced++) {
            const Place place = place_of(next_reduced, pass->h, layout->h[plane][1]);
            if (place.second > y)
                break;
            if (place.second < y || y < rows.begin)
                continue;
            for (int p = 0; p < PICTURES; p++)
                reduce_row(pass, p, &place, layout->w[plane][1]);
            record[layout->offset[plane][1] + next_reduced] += row_difference(
                pass, pass->scratch->reduced[0], pass->scratch->reduced[1], layout->w[plane][1]);
        }
    }
}

int float_motion_accumulate(const void *opaque, void *scratch, const FrameInput *input,
                            RowBand band, void *const records[])
{
    const FloatMotionPlan *plan = opaque;
    if (!input->earlier_ref[0])
        return 0;
    for (unsigned i = 0; i < plan->n_variants; i++) {
        if (!records[i])
            continue;
        const FloatMotionOptions *options = plan->variants[i];
        const FloatMotionLayout layout = float_motion_layout(options, &plan->format);
        const int size = options->motion_filter_size;
        for (unsigned p = 0; p < layout.n_planes; p++) {
            PlanePass pass = {
                .plan = plan,
                .scratch = scratch,
                .pictures = {input->earlier_ref[0], input->ref},
                .plane = p,
                .w = layout.w[p][0],
                .h = layout.h[p][0],
                .taps = size == 3 ? three_taps : five_taps,
                .radius = size == 1   ? 0
                          : size == 3 ? 1
                                      : 2,
            };
            const RowBand rows = {plane_row(&plan->format, p, band.begin),
                                  plane_row(&plan->format, p, band.end)};
            accumulate_plane(&pass, &layout, rows, records[i]);
        }
    }
    return 0;
}
