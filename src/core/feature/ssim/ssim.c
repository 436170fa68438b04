/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/ssim/ssim.h"

#include "support/memory.h"

static const FeatureOutput outputs[] = {{"ssim", OUTPUT_PROVIDED}, {0}};
static const OptionSpec option_specs[] = {{0}};

static FeatureNeeds needs(const void *options, enum VmafPixelFormat pix_fmt)
{
    (void)options;
    (void)pix_fmt;
    return (FeatureNeeds){.planes = PLANE_Y};
}

static size_t record_size(const void *options, const PictureFormat *format)
{
    (void)options;
    (void)format;
    return sizeof(SsimRecord);
}

static int finish(void *state, const FinishInput *input, FeatureSink *sink)
{
    (void)state;
    const SsimRecord *record = input->record;
    feature_sink_write(sink, 0, record->weighted_similarity / record->weight);
    return 0;
}

const FeatureExtractor ssim_extractor = {
    .name = "ssim",
    .summary = "structural similarity of luma, never reduced, up to the border",
    .outputs = outputs,
    .options = option_specs,
    .needs = needs,
    .record_size = record_size,
    .plan_create = ssim_plan_create,
    .plan_destroy = memory_free,
    .scratch_create = ssim_scratch_create,
    .scratch_destroy = memory_free,
    .accumulate = ssim_accumulate,
    .finish = finish,
};
