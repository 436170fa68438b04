/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/speed/speed.h"
#include "feature/speed/speed_options.h"

enum { OUTPUT_U, OUTPUT_V, OUTPUT_UV };

static const FeatureOutput outputs[] = {
    {"Speed_chroma_feature_speed_chroma_u_score", OUTPUT_PROVIDED},
    {"Speed_chroma_feature_speed_chroma_v_score", OUTPUT_PROVIDED},
    {"Speed_chroma_feature_speed_chroma_uv_score", OUTPUT_PROVIDED},
    {0},
};

static const OptionSpec option_specs[] = {
    SPEED_COMMON_OPTION_SPECS,
    {.name = "speed_max_val",
     .alias = "mxv",
     .help = "largest score; greater ones are clipped",
     .type = VMAF_OPTION_TYPE_DOUBLE,
     .flags = OPTION_NAMED,
     .offset = offsetof(SpeedOptions, speed_max_val),
     .default_value = 1000,
     .min = 0,
     .max = 1000},
    {.name = "speed_weight_var_mode",
     .alias = "wvm",
     .help = "which variances weigh the entropies of a block; see the documentation",
     .type = VMAF_OPTION_TYPE_INT,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(SpeedOptions, speed_weight_var_mode),
     .min = 0,
     .max = 6},
    {0},
};

static int check_format(const void *options, const PictureFormat *format, Reason *why)
{
    return speed_check_planes("speed_chroma needs chroma planes", options, format, 1, why);
}

/* The mean of both planes, unless only one of them has valid statistics. */
static float combined(const SpeedRecord *record)
{
    const float u = record->score[0], v = record->score[1];
    if (record->degenerate[0] && !record->degenerate[1])
        return v;
    if (record->degenerate[1] && !record->degenerate[0])
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
    const SpeedRecord *record = input->record;
    const double limit = options->speed_max_val;
    feature_sink_write(sink, OUTPUT_U, at_most(record->score[0], limit));
    feature_sink_write(sink, OUTPUT_V, at_most(record->score[1], limit));
    feature_sink_write(sink, OUTPUT_UV, at_most(combined(record), limit));
    return 0;
}

const FeatureExtractor speed_chroma_extractor = {
    .name = "speed_chroma",
    .summary = "entropic difference of chroma (SpEED)",
    .outputs = outputs,
    .options = option_specs,
    .options_size = sizeof(SpeedOptions),
    .check_options = speed_check_options,
    .check_format = check_format,
    .limits = {.depths = DEPTHS_COMMON, .chroma = true},
    .needs = {.planes = PLANE_CHROMA},
    .record = {.size = sizeof(SpeedRecord)},
    .plan_create = speed_chroma_plan_create,
    .plan_destroy = speed_plan_destroy,
    .scratch_create = speed_scratch_create,
    .scratch_destroy = speed_scratch_destroy,
    .accumulate = speed_accumulate,
    .finish = finish,
};
