/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/motion/motion.h"

#include "libvmaf/backend_records.h"
#include "metrics/common/format_check.h"
#include "metrics/common/record_bounds.h"

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
    .plan_create = motion_plan_create,
    .scratch_create = motion_scratch_create,
    .scratch_destroy = motion_scratch_destroy,
    .accumulate = motion_accumulate,
    .merge = record_merge_sums,
    .state_size = sizeof(MotionState),
    .finish = finish,
    .flush = flush,
    .determined_by = determined_by,
};
