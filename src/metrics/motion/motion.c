/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/motion/motion_internal.h"

#include <errno.h>

#include "libvmaf/backend_records.h"
#include "metrics/common/rows.h"
#include "metrics/framework/extractor.h"
#include "support/memory.h"

static const FeatureOutput outputs[] = {
    [MOTION_OUTPUT_SAD] = {"VMAF_integer_feature_motion_sad_score", OUTPUT_PROVIDED},
    [MOTION_OUTPUT_MOTION] = {"VMAF_integer_feature_motion_score", OUTPUT_PROVIDED},
    [MOTION_OUTPUT_MOTION2] = {"VMAF_integer_feature_motion2_score", OUTPUT_PROVIDED | OUTPUT_LATE},
    [MOTION_OUTPUT_MOTION3] = {"VMAF_integer_feature_motion3_score", OUTPUT_PROVIDED | OUTPUT_LATE},
    {0},
};

static const OutputCondition conditions[] = {{MOTION_OUTPUT_MOTION, 1, "debug"}, {0}};

/* Without pixels there are no limits. */
static int check_format(const void *options, const PictureFormat *format, Reason *why)
{
    const MotionOptions *o = options;
    static const FeatureLimits limits = {.size = MOTION_MIN_SIZE, .depths = DEPTHS_8_TO_16};
    return o->force_zero ? 0 : check_limits("motion", &limits, format, why);
}

static FeatureNeeds needs_of(const void *options)
{
    const MotionOptions *o = options;
    if (o->force_zero)
        return (FeatureNeeds){0};
    return (FeatureNeeds){.planes = PLANE_Y, .ref_history = motion_lag(o)};
}

static bool is_possible(const void *opaque, const void *options, const PictureFormat *format)
{
    (void)options;
    const VmafRecordMotion *record = opaque;
    /* Sums of samples are in units that depend on the nominal depth. */
    const unsigned excess = format->bpc == 8 ? 0 : 16 - format->bpc;
    return record->sad <= (65535 * n_samples_of(format, 0)) << excess;
}

/* A finished frame on which later scores depend. */
typedef struct MotionFrame {
    unsigned index;
    double sad;
} MotionFrame;

typedef struct MotionState {
    uint64_t n_frames;                       /* finished */
    MotionFrame latest[FEATURE_MAX_HISTORY]; /* the latest, newest first */
    double processed;                        /* motion3 of the last one, before averaging */
} MotionState;

/* Not fmin: the result is the second operand if the first is not a number. */
static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double sad_score(const MotionOptions *o, const FinishInput *input)
{
    const VmafRecordMotion *record = input->record;
    if (o->force_zero || input->position < motion_lag(o))
        return 0;
    /* The number of pixels is taken modulo 2^32, as libvmaf does. */
    const unsigned n_pixels = input->format->w[0] * input->format->h[0];
    const double mean = ((double)record->sad / 256.0) / (double)n_pixels;
    return smaller(mean * o->fps_weight, o->max_val);
}

static double process(const MotionOptions *o, double motion)
{
    const double blended =
        motion * o->blend_factor + (1 - o->blend_factor) * smaller(o->blend_offset, motion);
    return smaller(blended, o->max_val);
}

/* The first frames, which have no frame `lag` before them, share one motion3. */
static void write_first_motion3(MotionState *s, unsigned n_frames, double motion3,
                                FeatureSink *sink)
{
    while (n_frames-- > 0)
        feature_sink_write_at(sink, MOTION_OUTPUT_MOTION3, s->latest[n_frames].index, motion3);
    s->processed = motion3;
}

static void write_scores(MotionState *s, const MotionOptions *o, unsigned index, double motion2,
                         FeatureSink *sink)
{
    const double processed = process(o, motion2);
    const double motion3 = o->moving_average ? (processed + s->processed) / 2.0 : processed;
    s->processed = processed;
    feature_sink_write_at(sink, MOTION_OUTPUT_MOTION2, index, motion2);
    feature_sink_write_at(sink, MOTION_OUTPUT_MOTION3, index, motion3);
}

static int finish(const FinishInput *input, FeatureSink *sink)
{
    MotionState *s = input->state;
    const MotionOptions *o = input->options;
    const unsigned lag = motion_lag(o);
    const double sad = sad_score(o, input);

    feature_sink_write(sink, MOTION_OUTPUT_SAD, sad);
    if (o->debug)
        feature_sink_write(sink, MOTION_OUTPUT_MOTION, sad);
    if (o->force_zero) {
        feature_sink_write(sink, MOTION_OUTPUT_MOTION2, 0);
        feature_sink_write(sink, MOTION_OUTPUT_MOTION3, 0);
        return 0;
    }

    if (s->n_frames < lag) {
        feature_sink_write(sink, MOTION_OUTPUT_MOTION2, 0);
    } else if (s->n_frames == lag) {
        write_first_motion3(s, lag, process(o, sad), sink);
    } else {
        /* The successor of the previous frame is now known. Its window of differences is centred on
         * it; the first frame with a difference has no complete window and looks ahead only. */
        const double motion2 = s->n_frames < 2 * lag ? sad : smaller(s->latest[lag - 1].sad, sad);
        write_scores(s, o, s->latest[0].index, motion2, sink);
    }

    s->latest[1] = s->latest[0];
    s->latest[0] = (MotionFrame){.index = input->index, .sad = sad};
    s->n_frames++;
    return 0;
}

static int flush(const FinishInput *input, FeatureSink *sink)
{
    MotionState *s = input->state;
    const MotionOptions *o = input->options;
    if (o->force_zero)
        return 0;
    if (s->n_frames <= motion_lag(o))
        write_first_motion3(s, (unsigned)s->n_frames, 0, sink);
    else
        write_scores(s, o, s->latest[0].index, s->latest[0].sad, sink);
    return 0;
}

static uint64_t determined_by(const void *options, unsigned output, uint64_t position)
{
    const MotionOptions *o = options;
    const unsigned lag = motion_lag(o);
    if (o->force_zero || output == MOTION_OUTPUT_SAD || output == MOTION_OUTPUT_MOTION)
        return position;
    if (position >= lag)
        return position + 1;
    return output == MOTION_OUTPUT_MOTION2 ? position : lag;
}

/* -- accumulate -- */

void motion_functions_init(MotionFunctions *functions, unsigned bpc, unsigned cpu_flags)
{
    ISA_SELECT_PORTABLE(motion_functions_fill, cpu_flags)(functions, bpc);
}

/* Values before the first column of a row: what kernels may touch, and aligned. */
enum {
    ALIGNED_VALUES = MEMORY_ALIGNMENT / sizeof(int16_t),
    ROW_MARGIN = (MOTION_ROW_MARGIN + ALIGNED_VALUES - 1) / ALIGNED_VALUES * ALIGNED_VALUES,
};

typedef struct MotionParams {
    unsigned w, h, bpc;
    MotionFunctions functions;
    unsigned n_variants;
    unsigned lags[]; /* of each variant; 0 for one that reads no pixels */
} MotionParams;

/* The rows of differences that one filtered row depends on, kept by row number modulo their
 * count, with the frame before (lag 1) or the one before that (lag 2). */
typedef struct DifferenceWindow {
    const VmafPicture *earlier; /* NULL: not wanted */
    unsigned next_row;          /* the first one not yet computed */
    MotionRow rows[MOTION_TAPS];
    bool differs[MOTION_TAPS]; /* whether the row has a value that is not zero */
} DifferenceWindow;

typedef struct MotionScratch {
    DifferenceWindow windows[FEATURE_MAX_HISTORY]; /* by lag - 1 */
    MotionRow filtered;                            /* vertically */
    int16_t *values;
} MotionScratch;

static int params_create(void **params, const PictureFormat *format, const void *const variants[],
                         unsigned n_variants, unsigned cpu_flags)
{
    size_t size;
    if (!size_mul(n_variants, sizeof(unsigned), &size) ||
        !size_add(size, sizeof(MotionParams), &size))
        return -ENOMEM;
    MotionParams *p = memory_alloc_zeroed(1, size);
    if (!p)
        return -ENOMEM;
    p->w = format->w[0];
    p->h = format->h[0];
    p->bpc = format->bpc;
    p->n_variants = n_variants;
    for (unsigned i = 0; i < n_variants; i++) {
        const MotionOptions *options = variants[i];
        p->lags[i] = options->force_zero ? 0 : motion_lag(options);
    }
    motion_functions_init(&p->functions, p->bpc, cpu_flags);
    *params = p;
    return 0;
}

static MotionRow take_row(int16_t **values, size_t pitch)
{
    const MotionRow row = {.high = *values + ROW_MARGIN, .low = *values + pitch + ROW_MARGIN};
    *values += 2 * pitch;
    return row;
}

static void scratch_destroy(void *scratch)
{
    MotionScratch *s = scratch;
    if (!s)
        return;
    memory_free(s->values);
    memory_free(s);
}

static int scratch_create(void **scratch, const void *params)
{
    const MotionParams *p = params;
    const size_t n_rows = FEATURE_MAX_HISTORY * MOTION_TAPS + 1;
    MotionScratch *s = memory_alloc_zeroed(1, sizeof(*s));
    if (!s)
        return -ENOMEM;
    size_t pitch, n_values;
    if (!size_add(p->w, 2 * ROW_MARGIN + ALIGNED_VALUES - 1, &pitch))
        goto fail;
    pitch -= pitch % ALIGNED_VALUES;
    if (!size_mul(pitch, 2 * n_rows, &n_values))
        goto fail;
    /* Zeroed, because whole vectors reach beyond the last column. */
    s->values = memory_alloc_zeroed(n_values, sizeof(*s->values));
    if (!s->values)
        goto fail;

    int16_t *values = s->values;
    s->filtered = take_row(&values, pitch);
    for (unsigned lag = 1; lag <= FEATURE_MAX_HISTORY; lag++) {
        for (unsigned i = 0; i < MOTION_TAPS; i++)
            s->windows[lag - 1].rows[i] = take_row(&values, pitch);
    }
    *scratch = s;
    return 0;

fail:
    scratch_destroy(s);
    return -ENOMEM;
}

static void mirror_columns(int16_t *values, unsigned w)
{
    for (unsigned i = 1; i <= MOTION_RADIUS; i++) {
        values[-(int)i] = values[i];
        values[w - 1 + i] = values[w - 1 - i];
    }
}

static const void *luma_row(const VmafPicture *pic, unsigned y)
{
    return (const char *)pic->data[0] + (ptrdiff_t)y * pic->stride[0];
}

static void window_start(DifferenceWindow *window, const VmafPicture *earlier, unsigned y)
{
    window->earlier = earlier;
    window->next_row = y > MOTION_RADIUS ? y - MOTION_RADIUS : 0;
}

static void window_read_until(DifferenceWindow *window, const MotionParams *params,
                              const VmafPicture *current, unsigned end)
{
    for (unsigned y = window->next_row; y < end; y++) {
        const unsigned i = y % MOTION_TAPS;
        window->differs[i] = params->functions.difference(
            window->rows[i], luma_row(window->earlier, y), luma_row(current, y), params->w);
    }
    if (window->next_row < end)
        window->next_row = end;
}

/* Sum of the absolute values of filtered row y. */
static uint64_t row_sad(DifferenceWindow *window, const MotionParams *params, MotionRow filtered,
                        const VmafPicture *current, unsigned y)
{
    const unsigned end = y + MOTION_RADIUS + 1;
    window_read_until(window, params, current, end < params->h ? end : params->h);

    MotionRow rows[MOTION_TAPS];
    bool differs = false;
    for (int k = 0; k < MOTION_TAPS; k++) {
        const unsigned i = mirror_whole_sample((int)y + k - MOTION_RADIUS, params->h) % MOTION_TAPS;
        rows[k] = window->rows[i];
        differs |= window->differs[i];
    }
    if (!differs)
        return 0;
    const MotionRow row = params->functions.vertical(filtered, rows, params->w, params->bpc);
    mirror_columns(row.high, params->w);
    if (row.low)
        mirror_columns(row.low, params->w);
    return params->functions.horizontal_sad(row, params->w);
}

static int accumulate(const void *params, void *scratch, const FrameInput *input, RowBand band,
                      void *const records[])
{
    const MotionParams *p = params;
    MotionScratch *s = scratch;
    for (unsigned lag = 1; lag <= FEATURE_MAX_HISTORY; lag++)
        s->windows[lag - 1].earlier = NULL;
    for (unsigned i = 0; i < p->n_variants; i++) {
        const unsigned lag = p->lags[i];
        if (records[i] && lag)
            window_start(&s->windows[lag - 1], input->earlier_ref[lag - 1], band.begin);
    }

    /* Both lags row by row, so that the current picture comes from memory once. */
    uint64_t sad[FEATURE_MAX_HISTORY] = {0};
    for (unsigned y = band.begin; y < band.end; y++) {
        for (unsigned lag = 1; lag <= FEATURE_MAX_HISTORY; lag++) {
            DifferenceWindow *window = &s->windows[lag - 1];
            if (window->earlier)
                sad[lag - 1] += row_sad(window, p, s->filtered, input->ref, y);
        }
    }

    for (unsigned i = 0; i < p->n_variants; i++) {
        VmafRecordMotion *record = records[i];
        if (record && p->lags[i])
            record->sad += sad[p->lags[i] - 1];
    }
    return 0;
}

const FeatureExtractor motion_extractor = {
    .name = "motion",
    .summary = "how much the reference changes from frame to frame, in integer arithmetic",
    .flags = EXTRACTOR_EVERY_FRAME | EXTRACTOR_REFERENCE_ONLY | EXTRACTOR_BRIEF,
    .outputs = outputs,
    .conditions = conditions,
    .options = motion_option_specs,
    .options_size = sizeof(MotionOptions),
    .check_format = check_format,
    .needs_of = needs_of,
    .record = {.id = VMAF_RECORD_MOTION,
               .version = VMAF_RECORD_MOTION_VERSION,
               .size = sizeof(VmafRecordMotion),
               .is_possible = is_possible},
    .params_create = params_create,
    .scratch_create = scratch_create,
    .scratch_destroy = scratch_destroy,
    .accumulate = accumulate,
    .merge = record_merge_sums,
    .state_size = sizeof(MotionState),
    .finish = finish,
    .flush = flush,
    .determined_by = determined_by,
};
