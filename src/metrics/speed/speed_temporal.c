/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "libvmaf/backend_records.h"
#include "metrics/speed/speed_internal.h"

enum { FIRST_PLANE = 0, N_PLANES = 1 };

static const FeatureOutput outputs[] = {
    {"Speed_temporal_feature_speed_temporal_score", OUTPUT_PROVIDED},
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
    return speed_check_planes("speed_temporal needs pictures", options, format, FIRST_PLANE, why);
}

/* The record of the first frame, which has no predecessor, is zero. */
static int finish(const FinishInput *input, FeatureSink *sink)
{
    const SpeedScores *scores = input->record;
    feature_sink_write(sink, 0, (double)scores->score[0]);
    return 0;
}

const FeatureExtractor speed_temporal_extractor = {
    .name = "speed_temporal",
    .summary = "entropic difference of the change from frame to frame (SpEED)",
    .flags = EXTRACTOR_EVERY_FRAME,
    .outputs = outputs,
    .options = speed_temporal_option_specs,
    .options_size = sizeof(SpeedOptions),
    .check_options = speed_check_options,
    .check_format = check_format,
    .limits = {.depths = DEPTHS_COMMON},
    .needs = {.planes = PLANE_Y, .ref_history = 1, .dist_history = 1},
    .record = {.id = VMAF_RECORD_SPEED_TEMPORAL,
               .version = VMAF_RECORD_SPEED_TEMPORAL_VERSION,
               .is_possible = is_possible,
               .is_bytes = true,
               .numbers = RECORD_OF_F32},
    .condensed = SPEED_CONDENSED,
    .record_size = record_size,
    .plan_create = speed_temporal_plan_create,
    .plan_destroy = speed_plan_destroy,
    .scratch_create = speed_scratch_create,
    .scratch_destroy = speed_scratch_destroy,
    .accumulate = speed_accumulate,
    .condense = speed_condense,
    .finish = finish,
};
