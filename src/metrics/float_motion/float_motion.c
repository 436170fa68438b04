/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_motion/float_motion.h"

#include <errno.h>

#include "libvmaf/backend_records.h"
#include "metrics/common/format_check.h"
#include "support/memory.h"

/* In the order in which the first frame writes them. */
enum { OUTPUT_MOTION2, OUTPUT_MOTION3, OUTPUT_MOTION };

enum { MAXIMUM_REDUCED_WIDTH = 7680 };

static const FeatureOutput outputs[] = {
    {"VMAF_feature_motion2_score", OUTPUT_PROVIDED},
    {"VMAF_feature_motion3_score", OUTPUT_PROVIDED},
    {"VMAF_feature_motion_score", OUTPUT_PROVIDED},
    {0},
};

static const OutputCondition conditions[] = {{OUTPUT_MOTION, 1, "debug"}, {0}};

/* Mirrored samples must lie in the plane: the filter reaches as far as that. */
static unsigned minimum_size(const FloatMotionOptions *options)
{
    return options->force_zero ? 1 : 1 + (unsigned)float_motion_filter(options).radius;
}

static int check_format(const void *opaque, const PictureFormat *format, Reason *why)
{
    const FloatMotionOptions *options = opaque;
    int err = 0;
    if (options->motion_add_uv)
        err = check_has_chroma("float_motion with motion_add_uv", format, why);
    if (!err && options->motion_add_scale1 &&
        format->w[0] / 2 + format->w[0] % 2 > MAXIMUM_REDUCED_WIDTH)
        err = refuse(why, -EINVAL,
                     "float_motion with motion_add_scale1 needs pictures of at most %d columns",
                     2 * MAXIMUM_REDUCED_WIDTH);
    const unsigned minimum = minimum_size(options);
    for (unsigned p = 0; !err && p < (options->motion_add_uv ? 3 : 1); p++) {
        if (format->w[p] < minimum || format->h[p] < minimum)
            err = refuse(why, -EINVAL,
                         "float_motion needs planes of at least %ux%u samples, not %ux%u", minimum,
                         minimum, format->w[p], format->h[p]);
    }
    return err;
}

static FeatureNeeds needs_of(const void *opaque)
{
    const FloatMotionOptions *options = opaque;
    if (options->force_zero)
        return (FeatureNeeds){0};
    return (FeatureNeeds){
        .planes = options->motion_add_uv ? PLANE_Y | PLANE_CHROMA : PLANE_Y,
        .ref_history = 1,
    };
}

static size_t record_size(const void *options, const PictureFormat *format)
{
    return float_motion_layout(options, format->w, format->h).n_rows * sizeof(float);
}

static bool is_possible(const void *record, const void *options, const PictureFormat *format)
{
    const FloatMotionLayout layout = float_motion_layout(options, format->w, format->h);
    const float *rows = record;
    for (unsigned p = 0; p < layout.n_planes; p++) {
        for (int s = 0; s < 2; s++) {
            const float most = 65536.0f * (float)layout.w[p][s];
            for (unsigned y = 0; y < layout.h[p][s]; y++) {
                const float row = rows[layout.offset[p][s] + y];
                if (!(row >= 0 && row <= most))
                    return false;
            }
        }
    }
    return true;
}

/* Each row is complete in one of the two records and zero in the other. */
static void merge(void *into, const void *from, size_t size)
{
    float *rows = into;
    const float *others = from;
    for (size_t y = 0; y < size / sizeof(*rows); y++)
        rows[y] += others[y];
}

typedef struct FloatMotionState {
    uint64_t n_frames;
    unsigned last_index;
    double last; /* difference between the last frame and the one before, not weighted */
} FloatMotionState;

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* motion3 of a weighted difference. */
static double blended(const FloatMotionOptions *o, double motion)
{
    double value =
        motion * o->blend_factor + (1 - o->blend_factor) * smaller(o->blend_offset, motion);
    return smaller(value, o->max_val);
}

static float mean_difference(const FloatMotionLayout *layout, const float *rows, unsigned plane,
                             int scale)
{
    float total = 0;
    for (unsigned y = 0; y < layout->h[plane][scale]; y++)
        total += rows[layout->offset[plane][scale] + y];
    return total / (float)(layout->w[plane][scale] * layout->h[plane][scale]);
}

static double frame_difference(const FloatMotionOptions *o, const PictureFormat *format,
                               const float *rows)
{
    const FloatMotionLayout layout = float_motion_layout(o, format->w, format->h);
    double sum = 0;
    for (unsigned p = 0; p < layout.n_planes; p++) {
        float difference = mean_difference(&layout, rows, p, 0);
        if (o->motion_add_scale1)
            difference += mean_difference(&layout, rows, p, 1);
        sum += (double)difference;
    }
    return sum;
}

static void write_pair(FeatureSink *sink, const FloatMotionOptions *o, unsigned index,
                       double difference)
{
    const double weighted = difference * o->fps_weight;
    feature_sink_write_at(sink, OUTPUT_MOTION2, index, smaller(weighted, o->max_val));
    feature_sink_write_at(sink, OUTPUT_MOTION3, index, blended(o, weighted));
}

static int finish(const FinishInput *input, FeatureSink *sink)
{
    FloatMotionState *state = input->state;
    const FloatMotionOptions *o = input->options;
    const uint64_t number = state->n_frames++;
    double difference = 0;

    if (o->force_zero) {
        feature_sink_write(sink, OUTPUT_MOTION2, 0);
        feature_sink_write(sink, OUTPUT_MOTION3, 0);
    } else if (number == 0) {
        feature_sink_write(sink, OUTPUT_MOTION2, 0);
    } else {
        difference = frame_difference(o, input->format, input->record);
        if (number == 1)
            feature_sink_write_at(sink, OUTPUT_MOTION3, state->last_index,
                                  blended(o, difference * o->fps_weight));
        else
            write_pair(sink, o, state->last_index, smaller(state->last, difference));
    }
    if (o->debug)
        feature_sink_write(sink, OUTPUT_MOTION, smaller(difference * o->fps_weight, o->max_val));
    state->last = difference;
    state->last_index = input->index;
    return 0;
}

static int flush(const FinishInput *input, FeatureSink *sink)
{
    const FloatMotionState *state = input->state;
    const FloatMotionOptions *o = input->options;
    if (o->force_zero)
        return 0;
    if (state->n_frames == 1)
        feature_sink_write_at(sink, OUTPUT_MOTION3, state->last_index, 0);
    else
        write_pair(sink, o, state->last_index, state->last);
    return 0;
}

static uint64_t determined_by(const void *opaque, unsigned output, uint64_t position)
{
    const FloatMotionOptions *o = opaque;
    if (o->force_zero || output == OUTPUT_MOTION || (output == OUTPUT_MOTION2 && position == 0))
        return position;
    return position + 1;
}

const FeatureExtractor float_motion_extractor = {
    .name = "float_motion",
    .summary = "how much the reference changes from frame to frame, in floating point",
    .flags = EXTRACTOR_EVERY_FRAME | EXTRACTOR_REFERENCE_ONLY,
    .outputs = outputs,
    .conditions = conditions,
    .options = float_motion_option_specs,
    .options_size = sizeof(FloatMotionOptions),
    .check_format = check_format,
    .limits = {.depths = DEPTHS_COMMON},
    .needs_of = needs_of,
    .record = {.id = VMAF_RECORD_FLOAT_MOTION,
               .version = VMAF_RECORD_FLOAT_MOTION_VERSION,
               .is_possible = is_possible,
               .is_bytes = true,
               .numbers = RECORD_OF_F32},
    .record_size = record_size,
    .plan_create = float_motion_plan_create,
    .plan_destroy = memory_free,
    .scratch_create = float_motion_scratch_create,
    .scratch_destroy = memory_free,
    .accumulate = float_motion_accumulate,
    .merge = merge,
    .state_size = sizeof(FloatMotionState),
    .finish = finish,
    .flush = flush,
    .determined_by = determined_by,
};
