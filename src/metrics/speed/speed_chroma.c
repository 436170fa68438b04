/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "libvmaf/backend_records.h"
#include "metrics/speed/speed_internal.h"

enum { OUTPUT_U, OUTPUT_V, OUTPUT_UV };

enum { FIRST_PLANE = 1, N_PLANES = 2 };

static const FeatureOutput outputs[] = {
    {"Speed_chroma_feature_speed_chroma_u_score", OUTPUT_PROVIDED},
    {"Speed_chroma_feature_speed_chroma_v_score", OUTPUT_PROVIDED},
    {"Speed_chroma_feature_speed_chroma_uv_score", OUTPUT_PROVIDED},
    {0},
};

static size_t record_size(const void *options, const PictureFormat *format)
{
    return speed_record_size(options, format, FIRST_PLANE, N_PLANES);
}

static bool is_possible(const void *record, const void *options, const PictureFormat *format)
{
    return speed_record_is_possible(record, record_size(options, format), format);
}

static int check_format(const void *options, const PictureFormat *format, Reason *why)
{
    return speed_check_planes("speed_chroma needs chroma planes", options, format, FIRST_PLANE,
                              why);
}

/* The mean of both planes, unless only one of them has valid statistics. */
static float combined(const SpeedScores *scores)
{
    const float u = scores->score[0], v = scores->score[1];
    if (scores->degenerate[0] && !scores->degenerate[1])
        return v;
    if (scores->degenerate[1] && !scores->degenerate[0])
        return u;
    return (float)((double)(u + v) / 2.0);
}

/* A score that is not a number becomes the limit. */
static double at_most(float score, double limit)
{
    return (double)score < limit ? (double)score : limit;
}

static int finish(const FinishInput *input, FeatureSink *sink)
{
    const SpeedOptions *options = input->options;
    const SpeedScores *scores = input->record;
    const double limit = options->speed_max_val;
    feature_sink_write(sink, OUTPUT_U, at_most(scores->score[0], limit));
    feature_sink_write(sink, OUTPUT_V, at_most(scores->score[1], limit));
    feature_sink_write(sink, OUTPUT_UV, at_most(combined(scores), limit));
    return 0;
}

const FeatureExtractor speed_chroma_extractor = {
    .name = "speed_chroma",
    .summary = "entropic difference of chroma (SpEED)",
    .outputs = outputs,
    .options = speed_chroma_option_specs,
    .options_size = sizeof(SpeedOptions),
    .check_options = speed_check_options,
    .check_format = check_format,
    .limits = {.depths = DEPTHS_COMMON, .chroma = true},
    .needs = {.planes = PLANE_CHROMA},
    .record = {.id = VMAF_RECORD_SPEED_CHROMA,
               .version = VMAF_RECORD_SPEED_CHROMA_VERSION,
               .is_possible = is_possible,
               .is_bytes = true,
               .numbers = RECORD_OF_F32},
    .condensed = SPEED_CONDENSED,
    .record_size = record_size,
    .plan_create = speed_chroma_plan_create,
    .plan_destroy = speed_plan_destroy,
    .scratch_create = speed_scratch_create,
    .scratch_destroy = speed_scratch_destroy,
    .accumulate = speed_accumulate,
    .condense = speed_condense,
    .finish = finish,
};
