/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/speed/speed.h"
#include "feature/speed/speed_options.h"

static const FeatureOutput outputs[] = {
    {"Speed_temporal_feature_speed_temporal_score", OUTPUT_PROVIDED},
    {0},
};

static const OptionSpec option_specs[] = {
    SPEED_COMMON_OPTION_SPECS,
    {.name = "speed_max_val",
     .alias = "mxv",
     .help = "shows in the key, but has no effect on scores, as in libvmaf",
     .type = VMAF_OPTION_TYPE_DOUBLE,
     .flags = OPTION_NAMED,
     .offset = offsetof(SpeedOptions, speed_max_val),
     .default_value = 1000,
     .min = 0,
     .max = 1000},
    {.name = "speed_use_ref_diff",
     .alias = "urd",
     .help = "subtract the reference frame from the distorted one before it",
     .type = VMAF_OPTION_TYPE_BOOL,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(SpeedOptions, speed_use_ref_diff)},
    {0},
};

static int check_format(const void *options, const PictureFormat *format, Reason *why)
{
    return speed_check_planes("speed_temporal needs pictures", options, format, 0, why);
}

/* The record of the first frame, which has no predecessor, is zero. */
static int finish(const FinishInput *input, FeatureSink *sink)
{
    const SpeedRecord *record = input->record;
    feature_sink_write(sink, 0, (double)record->score[0]);
    return 0;
}

const FeatureExtractor speed_temporal_extractor = {
    .name = "speed_temporal",
    .summary = "entropic difference of the change from frame to frame (SpEED)",
    .flags = EXTRACTOR_EVERY_FRAME,
    .outputs = outputs,
    .options = option_specs,
    .options_size = sizeof(SpeedOptions),
    .check_options = speed_check_options,
    .check_format = check_format,
    .limits = {.depths = DEPTHS_COMMON},
    .needs = {.planes = PLANE_Y, .ref_history = 1, .dist_history = 1},
    .record = {.size = sizeof(SpeedRecord)},
    .plan_create = speed_temporal_plan_create,
    .plan_destroy = speed_plan_destroy,
    .scratch_create = speed_scratch_create,
    .scratch_destroy = speed_scratch_destroy,
    .accumulate = speed_accumulate,
    .finish = finish,
};
