/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_vif/float_vif.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/common/resample.h"
#include "metrics/common/rows.h"
#include "metrics/float_vif/float_vif_internal.h"
#include "metrics/framework/extractor.h"
#include "support/arena.h"

enum { REFERENCE, DISTORTED, PICTURES };
enum { REF_REF, DIST_DIST, REF_DIST, PRODUCTS };
enum { IMAGES = PICTURES + PRODUCTS }; /* that are filtered for the statistics */

/* Variants that look at the same pyramid: they differ in what they make of the statistics. */
typedef struct FloatVifPyramid {
    const FloatVifOptions *options; /* of the first such variant */
    unsigned w[FLOAT_VIF_SCALES], h[FLOAT_VIF_SCALES];
    FloatVifWindow windows[FLOAT_VIF_SCALES];
    Resampler *resampler; /* NULL: the pictures are used as they are */
    bool needs_scale0;    /* some variant does not skip it */
} FloatVifPyramid;

typedef struct FloatVifVariant {
    unsigned pyramid;
    bool skip_scale0;
    FloatVifParameters parameters;
} FloatVifVariant;

typedef struct FloatVifParams {
    PictureFormat format;
    float to_8bit;
    FloatVifFunctions functions;
    unsigned n_variants, n_pyramids;
    FloatVifVariant *variants;
    FloatVifPyramid *pyramids;
    unsigned max_w, max_h; /* of scale 0 of any pyramid */
    int max_radius;
    bool resizes;
} FloatVifParams;

void float_vif_functions_init(FloatVifFunctions *functions, unsigned cpu_flags)
{
    ISA_SELECT(float_vif_functions_fill, cpu_flags)(functions);
}

/* -- layout -- */

static bool same_pyramid(const FloatVifOptions *a, const FloatVifOptions *b)
{
    return a->vif_kernelscale == b->vif_kernelscale && a->vif_prescale == b->vif_prescale &&
           !strcmp(a->vif_prescale_method, b->vif_prescale_method);
}

static int pyramid_init(FloatVifPyramid *pyramid, const FloatVifOptions *options,
                        const PictureFormat *format)
{
    *pyramid = (FloatVifPyramid){.options = options};
    float_vif_size(options, format->w[0], format->h[0], &pyramid->w[0], &pyramid->h[0]);
    for (int s = 0; s < FLOAT_VIF_SCALES; s++) {
        pyramid->w[s] = pyramid->w[0] >> s;
        pyramid->h[s] = pyramid->h[0] >> s;
        pyramid->windows[s] = float_vif_window(options->vif_kernelscale, s);
    }
    if (pyramid->w[0] == format->w[0] && pyramid->h[0] == format->h[0])
        return 0;
    return resampler_create(&pyramid->resampler, resample_method(options->vif_prescale_method),
                            format->w[0], format->h[0], pyramid->w[0], pyramid->h[0]);
}

/* The pyramid that a variant looks at, made if there is none. */
static int find_pyramid(FloatVifParams *params, const FloatVifOptions *options, unsigned *found)
{
    for (*found = 0; *found < params->n_pyramids; ++*found) {
        if (same_pyramid(params->pyramids[*found].options, options))
            return 0;
    }
    int err = pyramid_init(&params->pyramids[*found], options, &params->format);
    params->n_pyramids++;
    return err;
}

static void note_sizes(FloatVifParams *params, const FloatVifPyramid *pyramid)
{
    if (pyramid->w[0] > params->max_w)
        params->max_w = pyramid->w[0];
    if (pyramid->h[0] > params->max_h)
        params->max_h = pyramid->h[0];
    for (int s = 0; s < FLOAT_VIF_SCALES; s++) {
        if (pyramid->windows[s].radius > params->max_radius)
            params->max_radius = pyramid->windows[s].radius;
    }
    params->resizes = params->resizes || pyramid->resampler;
}

static void float_vif_plan_destroy(void *opaque)
{
    FloatVifParams *params = opaque;
    if (!params)
        return;
    for (unsigned i = 0; i < params->n_pyramids; i++)
        resampler_destroy(params->pyramids[i].resampler);
    free(params->pyramids);
    free(params->variants);
    free(params);
}

static int float_vif_plan_create(void **out, const PictureFormat *format,
                                 const void *const variants[], unsigned n_variants,
                                 unsigned cpu_flags)
{
    int err = -ENOMEM;
    FloatVifParams *params = calloc(1, sizeof(*params));
    if (!params)
        return err;
    params->format = *format;
    params->to_8bit = 1.0f / (float)(1u << (format->bpc - 8));
    params->n_variants = n_variants;
    float_vif_functions_init(&params->functions, cpu_flags);
    params->variants = calloc(n_variants, sizeof(*params->variants));
    params->pyramids = calloc(n_variants, sizeof(*params->pyramids));
    if (!params->variants || !params->pyramids)
        goto fail;
    for (unsigned i = 0; i < n_variants; i++) {
        const FloatVifOptions *options = variants[i];
        FloatVifVariant *variant = &params->variants[i];
        err = find_pyramid(params, options, &variant->pyramid);
        if (err)
            goto fail;
        variant->parameters = float_vif_parameters(options);
        variant->skip_scale0 = options->vif_skip_scale0;
        FloatVifPyramid *pyramid = &params->pyramids[variant->pyramid];
        pyramid->needs_scale0 = pyramid->needs_scale0 || !variant->skip_scale0;
        note_sizes(params, pyramid);
    }
    *out = params;
    return 0;

fail:
    float_vif_plan_destroy(params);
    return err;
}

/* -- accumulate -- */

/*
 * Each scale is one pass over its rows: a ring holds the rows under the window, with their
 * products, from which come a row of statistics and, on every second row, a row of the next scale.
 */

enum {
    MARGIN = 64, /* samples of room on both sides of a row; a window reaches 32 */
    HALVES = 2,  /* even and odd columns */
    GROUP = FLOAT_VIF_GROUP,
};

typedef struct FloatVifScratch {
    unsigned ring_rows;
    size_t stride;                  /* of rows, in samples */
    float *ring[IMAGES];            /* ring_rows rows each */
    float *columns[GROUP];          /* rows after the vertical filter, with mirrored ends */
    float *halves[HALVES];          /* the same, even and odd columns apart */
    float *filtered[GROUP][IMAGES]; /* rows after both filters */
    float *source[PICTURES];        /* whole pictures before they are resized, if they are */
    float *resized[PICTURES];       /* and after */
    float *images[2][PICTURES];     /* of the scale in work and of the next, alternating */
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

static void lay_out(FloatVifScratch *s, Arena *arena, const FloatVifParams *params)
{
    s->ring_rows = 2 * (unsigned)params->max_radius + GROUP;
    s->stride = size_round_up((size_t)params->max_w + 2 * MARGIN, MARGIN);
    s->image_stride = size_round_up((size_t)params->max_w / 2 + 1, MARGIN);
    for (int i = 0; i < IMAGES; i++) {
        s->ring[i] = take_image(arena, s->ring_rows, s->stride);
        for (int r = 0; r < GROUP; r++)
            s->filtered[r][i] = take_row(arena, s->stride);
    }
    for (int i = 0; i < GROUP; i++)
        s->columns[i] = take_row(arena, s->stride);
    for (int i = 0; i < HALVES; i++)
        s->halves[i] = take_row(arena, s->stride);
    for (int p = 0; p < PICTURES; p++) {
        for (int i = 0; i < 2; i++)
            s->images[i][p] = take_image(arena, params->max_h / 2 + 1, s->image_stride);
        s->source[p] =
            params->resizes ? take_image(arena, params->format.h[0], params->format.w[0]) : NULL;
        s->resized[p] = params->resizes ? take_image(arena, params->max_h, params->max_w) : NULL;
    }
}

static int float_vif_scratch_create(void **out, const void *params)
{
    FloatVifScratch *scratch = memory_alloc_zeroed(1, sizeof(*scratch));
    if (!scratch)
        return -ENOMEM;
    Arena arena = {0};
    lay_out(scratch, &arena, params);
    if (arena_allocate(&arena)) {
        memory_free(scratch);
        return -ENOMEM;
    }
    lay_out(scratch, &arena, params);
    scratch->memory = arena.block;
    *out = scratch;
    return 0;
}

static void float_vif_scratch_destroy(void *opaque)
{
    FloatVifScratch *scratch = opaque;
    if (scratch)
        memory_free(scratch->memory);
    memory_free(scratch);
}

/* One scale in work. */
typedef struct ScalePass {
    const FloatVifParams *params;
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
static void convert_row(const FloatVifParams *params, const VmafPicture *pic, unsigned y,
                        float *out)
{
    const void *source = (const char *)pic->data[0] + (ptrdiff_t)y * pic->stride[0];
    load_centred_samples(source, params->format.bpc > 8, params->to_8bit, out, params->format.w[0]);
}

static void load_row(const ScalePass *pass, unsigned y)
{
    for (int p = 0; p < PICTURES; p++) {
        if (pass->images[p])
            memcpy(ring_row(pass, p, y), pass->images[p] + y * pass->image_stride,
                   pass->w * sizeof(float));
        else
            convert_row(pass->params, pass->pictures[p], y, ring_row(pass, p, y));
    }
    if (pass->statistics)
        pass->params->functions.products(ring_row(pass, REFERENCE, y), ring_row(pass, DISTORTED, y),
                                         ring_row(pass, PICTURES + REF_REF, y),
                                         ring_row(pass, PICTURES + DIST_DIST, y),
                                         ring_row(pass, PICTURES + REF_DIST, y), pass->w);
}

/* The rows under the windows around n rows from y on. */
static void rows_around(const ScalePass *pass, int radius, int image, unsigned y, int n,
                        const float *rows[FLOAT_VIF_MAX_TAPS + GROUP - 1])
{
    for (int k = 0; k < 2 * radius + n; k++)
        rows[k] = ring_row(pass, image, mirror_whole_sample((int)y + k - radius, pass->h));
}

/* mirror_whole_sample() of columns; windows are not wider than the picture. */
static void mirror_ends(float *row, unsigned w, int radius)
{
    const int last = (int)w - 1;
    for (int k = 1; k <= radius; k++) {
        row[-k] = row[k];
        row[last + k] = row[last - k];
    }
}

static void filter_columns(const ScalePass *pass, const FloatVifWindow *window, int image,
                           unsigned y)
{
    float *out = pass->scratch->columns[0];
    const float *rows[FLOAT_VIF_MAX_TAPS + GROUP - 1];
    rows_around(pass, window->radius, image, y, 1, rows);
    pass->params->functions.weighted_sum(rows, window->taps, 2 * window->radius + 1, out, pass->w);
    mirror_ends(out, pass->w, window->radius);
}

static void filter_group(const ScalePass *pass, const FloatVifWindow *window, int image, unsigned y)
{
    float *const *out = pass->scratch->columns;
    const float *rows[FLOAT_VIF_MAX_TAPS + GROUP - 1];
    rows_around(pass, window->radius, image, y, GROUP, rows);
    pass->params->functions.weighted_sums(rows, window->taps, 2 * window->radius + 1, out, pass->w);
    for (int i = 0; i < GROUP; i++)
        mirror_ends(out[i], pass->w, window->radius);
}

static void filter_row(const ScalePass *pass, const FloatVifWindow *window, const float *in,
                       float *out)
{
    const float *rows[FLOAT_VIF_MAX_TAPS];
    for (int k = 0; k <= 2 * window->radius; k++)
        rows[k] = in + (k - window->radius);
    pass->params->functions.weighted_sum(rows, window->taps, 2 * window->radius + 1, out, pass->w);
}

/* The statistics of n rows, 1 or GROUP. */
static void filter_statistics(const ScalePass *pass, unsigned y, int n)
{
    const FloatVifWindow *window = &pass->pyramid->windows[pass->scale];
    for (int image = 0; image < IMAGES; image++) {
        if (n == GROUP)
            filter_group(pass, window, image, y);
        else
            filter_columns(pass, window, image, y);
        for (int i = 0; i < n; i++)
            filter_row(pass, window, pass->scratch->columns[i], pass->scratch->filtered[i][image]);
    }
}

/* Rows are summed up by themselves, and their sums one after another. */
static void add_statistics(const ScalePass *pass, int n, unsigned pyramid, void *const records[])
{
    FloatVifMoments moments[GROUP];
    for (int r = 0; r < n; r++) {
        float *const *filtered = pass->scratch->filtered[r];
        moments[r] = (FloatVifMoments){
            .mean_ref = filtered[REFERENCE],
            .mean_dist = filtered[DISTORTED],
            .ref_ref = filtered[PICTURES + REF_REF],
            .dist_dist = filtered[PICTURES + DIST_DIST],
            .ref_dist = filtered[PICTURES + REF_DIST],
        };
    }
    for (unsigned i = 0; i < pass->params->n_variants; i++) {
        const FloatVifVariant *variant = &pass->params->variants[i];
        VmafRecordFloatVif *record = records[i];
        if (!record || variant->pyramid != pyramid || (variant->skip_scale0 && pass->scale == 0))
            continue;
        FloatVifSums sums[GROUP];
        pass->params->functions.information(moments, n, &variant->parameters, pass->w, sums);
        for (int r = 0; r < n; r++) {
            record->num[pass->scale] += sums[r].num;
            record->den[pass->scale] += sums[r].den;
        }
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
        filter_columns(pass, window, p, y);
        const float *from = s->columns[0] - LEAD * 2;
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
        pass->params->functions.weighted_sum(rows, window->taps, 2 * window->radius + 1,
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
    for (unsigned y = 0, n; y < pass->h; y += n) {
        n = pass->h - y < GROUP ? 1 : GROUP;
        for (; pass->next < pass->h && pass->next <= y + n - 1 + reach; pass->next++)
            load_row(pass, pass->next);
        if (pass->statistics) {
            filter_statistics(pass, y, (int)n);
            add_statistics(pass, (int)n, pyramid, records);
        }
        for (unsigned even = y + y % 2; reduces && even < y + n; even += 2) {
            if (even / 2 < pass->pyramid->h[pass->scale + 1])
                reduce_row(pass, even, next, pass->pyramid->w[pass->scale + 1]);
        }
    }
}

static void resize(const FloatVifParams *params, FloatVifScratch *s, const FloatVifPyramid *pyramid,
                   const FrameInput *input)
{
    const VmafPicture *pictures[PICTURES] = {input->ref, input->dist};
    for (int p = 0; p < PICTURES; p++) {
        for (unsigned y = 0; y < params->format.h[0]; y++)
            convert_row(params, pictures[p], y, s->source[p] + (size_t)y * params->format.w[0]);
        resampler_run(pyramid->resampler, s->source[p], params->format.w[0], s->resized[p],
                      pyramid->w[0]);
    }
}

static void run_pyramid(const FloatVifParams *params, FloatVifScratch *s, unsigned pyramid_number,
                        const FrameInput *input, void *const records[])
{
    const FloatVifPyramid *pyramid = &params->pyramids[pyramid_number];
    if (pyramid->resampler)
        resize(params, s, pyramid, input);
    for (unsigned scale = 0; scale < FLOAT_VIF_SCALES; scale++) {
        ScalePass pass = {
            .params = params,
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

static bool wanted(const FloatVifParams *params, unsigned pyramid, void *const records[])
{
    for (unsigned i = 0; i < params->n_variants; i++) {
        if (records[i] && params->variants[i].pyramid == pyramid)
            return true;
    }
    return false;
}

static int float_vif_accumulate(const void *opaque, void *scratch, const FrameInput *input,
                                RowBand band, void *const records[])
{
    (void)band; /* always the whole frame: the record does not merge */
    const FloatVifParams *params = opaque;
    for (unsigned i = 0; i < params->n_pyramids; i++) {
        if (wanted(params, i, records))
            run_pyramid(params, scratch, i, input, records);
    }
    return 0;
}

/* -- finish -- */

enum { MAXIMUM_BILINEAR_WIDTH = 7680 };

enum {
    OUTPUT_SCALE0,
    OUTPUT_TOTAL = OUTPUT_SCALE0 + FLOAT_VIF_SCALES,
    OUTPUT_TOTAL_NUM,
    OUTPUT_TOTAL_DEN,
    OUTPUT_NUM_SCALE0, /* num and den of each scale alternate */
    OUTPUT_DEN_SCALE0,
};

static const FeatureOutput outputs[] = {
    {"VMAF_feature_vif_scale0_score", OUTPUT_PROVIDED},
    {"VMAF_feature_vif_scale1_score", OUTPUT_PROVIDED},
    {"VMAF_feature_vif_scale2_score", OUTPUT_PROVIDED},
    {"VMAF_feature_vif_scale3_score", OUTPUT_PROVIDED},
    {"vif", OUTPUT_PROVIDED},
    {"vif_num", OUTPUT_PROVIDED},
    {"vif_den", OUTPUT_PROVIDED},
    {"vif_num_scale0", OUTPUT_PROVIDED},
    {"vif_den_scale0", OUTPUT_PROVIDED},
    {"vif_num_scale1", OUTPUT_PROVIDED},
    {"vif_den_scale1", OUTPUT_PROVIDED},
    {"vif_num_scale2", OUTPUT_PROVIDED},
    {"vif_den_scale2", OUTPUT_PROVIDED},
    {"vif_num_scale3", OUTPUT_PROVIDED},
    {"vif_den_scale3", OUTPUT_PROVIDED},
    {0},
};

static const OutputCondition conditions[] = {{OUTPUT_TOTAL, 3 + 2 * FLOAT_VIF_SCALES, "debug"},
                                             {0}};

/* A ratio that is not a number becomes the limit. */
static double at_least(double value, double limit)
{
    return value > limit ? value : limit;
}

static void write_debug(const VmafRecordFloatVif *record, bool skip_scale0, FeatureSink *sink)
{
    double num = 0, den = 0;
    for (int s = skip_scale0 ? 1 : 0; s < FLOAT_VIF_SCALES; s++) {
        num += (double)record->num[s];
        den += (double)record->den[s];
    }
    feature_sink_write(sink, OUTPUT_TOTAL, den == 0 ? 1 : num / den);
    feature_sink_write(sink, OUTPUT_TOTAL_NUM, num);
    feature_sink_write(sink, OUTPUT_TOTAL_DEN, den);
    for (int s = 0; s < FLOAT_VIF_SCALES; s++) {
        const bool skipped = s == 0 && skip_scale0;
        feature_sink_write(sink, OUTPUT_NUM_SCALE0 + 2 * (unsigned)s,
                           skipped ? 0 : (double)record->num[s]);
        feature_sink_write(sink, OUTPUT_DEN_SCALE0 + 2 * (unsigned)s,
                           skipped ? -1 : (double)record->den[s]);
    }
}

static int finish(const FinishInput *input, FeatureSink *sink)
{
    const FloatVifOptions *o = input->options;
    const VmafRecordFloatVif *record = input->record;
    for (int s = 0; s < FLOAT_VIF_SCALES; s++) {
        double score = (double)record->num[s] / (double)record->den[s];
        if (s == 0 && o->vif_skip_scale0)
            score = 0;
        else if (s > 0)
            score = at_least(score, o->vif_scale_min_val[s]);
        feature_sink_write(sink, OUTPUT_SCALE0 + (unsigned)s, score);
    }
    if (o->debug)
        write_debug(record, o->vif_skip_scale0, sink);
    return 0;
}

static size_t record_size(const void *options, const PictureFormat *format)
{
    (void)options;
    (void)format;
    return sizeof(VmafRecordFloatVif);
}

static bool is_possible(const void *opaque, const void *options, const PictureFormat *format)
{
    const VmafRecordFloatVif *record = opaque;
    const FloatVifOptions *o = options;
    unsigned w, h;
    float_vif_size(o, format->w[0], format->h[0], &w, &h);
    for (unsigned s = 0; s < FLOAT_VIF_SCALES; s++) {
        float n = (float)(w >> s) * (float)(h >> s);
        if (s == 0 && o->vif_skip_scale0)
            n = 0;
        const float most = 256 * n, least = -1048576 * n;
        const bool is_within = record->den[s] >= 0 && record->den[s] <= most &&
                               record->num[s] >= least && record->num[s] <= most;
        if (!is_within)
            return false;
    }
    return true;
}

static int check_options(const void *opaque, Reason *why)
{
    const FloatVifOptions *o = opaque;
    ResampleMethod method;
    int err = gaussian_scale_check("vif_kernelscale", o->vif_kernelscale, why);
    if (err)
        return err;
    return resample_method_parse("vif_prescale_method", o->vif_prescale_method, &method, why);
}

/* Every window must fit into its scale, with one mirrored side at most. */
static int check_windows(const FloatVifOptions *o, unsigned w, unsigned h, Reason *why)
{
    unsigned minimum = 0;
    for (int s = o->vif_skip_scale0 ? 1 : 0; s < FLOAT_VIF_SCALES; s++) {
        const unsigned needed = ((unsigned)float_vif_window(o->vif_kernelscale, s).radius + 1) << s;
        minimum = needed > minimum ? needed : minimum;
    }
    if (w >= minimum && h >= minimum)
        return 0;
    return reason_set(
        why, -EINVAL,
        "float_vif with such a window needs pictures of at least %ux%u samples%s, not "
        "%ux%u",
        minimum, minimum, o->vif_prescale == 1 ? "" : " after resizing", w, h);
}

/* Mirroring needs a few samples of the source in each direction. */
static int check_resampling(const FloatVifOptions *o, const PictureFormat *format, unsigned w,
                            unsigned h, Reason *why)
{
    static const unsigned minimum_source[] = {
        [RESAMPLE_NEAREST] = 1,
        [RESAMPLE_BILINEAR] = 2,
        [RESAMPLE_BICUBIC] = 3,
        [RESAMPLE_LANCZOS4] = 6,
    };
    const ResampleMethod method = resample_method(o->vif_prescale_method);
    if (method == RESAMPLE_BILINEAR && w > MAXIMUM_BILINEAR_WIDTH)
        return reason_set(why, -EINVAL,
                          "float_vif with bilinear resizing makes at most %d columns, not %u",
                          MAXIMUM_BILINEAR_WIDTH, w);
    const bool resizes = w != format->w[0] || h != format->h[0];
    return resizes
               ? check_minimum_size("float_vif with resizing", format, minimum_source[method], why)
               : 0;
}

static int check_format(const void *opaque, const PictureFormat *format, Reason *why)
{
    const FloatVifOptions *o = opaque;
    unsigned w, h;
    float_vif_size(o, format->w[0], format->h[0], &w, &h);
    const int err = check_windows(o, w, h, why);
    if (err)
        return err;
    return check_resampling(o, format, w, h, why);
}

const FeatureExtractor float_vif_extractor = {
    .name = "float_vif",
    .summary = "visual information fidelity at four scales, in floating point",
    .outputs = outputs,
    .conditions = conditions,
    .options = float_vif_option_specs,
    .options_size = sizeof(FloatVifOptions),
    .check_options = check_options,
    .check_format = check_format,
    .limits = {.depths = DEPTHS_COMMON},
    .needs = {.planes = PLANE_Y},
    .record = {.id = VMAF_RECORD_FLOAT_VIF,
               .version = VMAF_RECORD_FLOAT_VIF_VERSION,
               .is_possible = is_possible,
               .is_bytes = true,
               .numbers = RECORD_OF_F32},
    .record_size = record_size,
    .params_create = float_vif_plan_create,
    .params_destroy = float_vif_plan_destroy,
    .scratch_create = float_vif_scratch_create,
    .scratch_destroy = float_vif_scratch_destroy,
    .accumulate = float_vif_accumulate,
    .finish = finish,
};
