/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/ssim/ssim.h"

#include "support/memory.h"

static const FeatureOutput outputs[] = {{"ssim", OUTPUT_PROVIDED}, {0}};

static int finish(const FinishInput *input, FeatureSink *sink)
{
    const SsimRecord *record = input->record;
    feature_sink_write(sink, 0, record->weighted_similarity / record->weight);
    return 0;
}

const FeatureExtractor ssim_extractor = {
    .name = "ssim",
    .summary = "structural similarity of luma, never reduced, up to the border",
    .outputs = outputs,
    .options = no_options,
    .needs = {.planes = PLANE_Y},
    .record = {.size = sizeof(SsimRecord)},
    .plan_create = ssim_plan_create,
    .scratch_create = ssim_scratch_create,
    .accumulate = ssim_accumulate,
    .finish = finish,
};
