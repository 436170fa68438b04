/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/ssimulacra2/ssimulacra2.h"

#include <errno.h>
#include <math.h>

#include "feature/ssimulacra2/ssimulacra2_plan.h"

enum { OUTPUT_SCORE };

static const FeatureOutput outputs[] = {
    {"ssimulacra2", OUTPUT_PROVIDED},
    {0},
};

static const OptionSpec option_specs[] = {
    {
        .name = "yuv_matrix",
        .help = "0: BT.709 limited range, 1: BT.601 limited, 2: BT.709 full, 3: BT.601 full",
        .type = VMAF_OPTION_TYPE_INT,
        .flags = OPTION_ACCUMULATE,
        .offset = offsetof(Ssimulacra2Options, yuv_matrix),
        .default_value = SSIMULACRA2_BT709_LIMITED,
        .min = SSIMULACRA2_BT709_LIMITED,
        .max = SSIMULACRA2_BT601_FULL,
    },
    {0},
};

/* Always a whole frame: records do not merge. */
static int accumulate(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                      void *const records[])
{
    (void)band;
    const VmafPicture *const pictures[2] = {input->ref, input->dist};
    ssimulacra2_accumulate(plan, scratch, pictures, records);
    return 0;
}

static int finish(const FinishInput *input, FeatureSink *sink)
{
    const Ssimulacra2Sizes sizes = ssimulacra2_sizes(input->format);
    const double weighted_norms = ssimulacra2_weighted_norms(input->record, &sizes);
    if (!isfinite(weighted_norms))
        return -EINVAL;
    feature_sink_write(sink, OUTPUT_SCORE, ssimulacra2_score(weighted_norms));
    return 0;
}

const FeatureExtractor ssimulacra2_extractor = {
    .name = "ssimulacra2",
    .summary = "SSIMULACRA 2: structure and edges in a perceptual colour space",
    .outputs = outputs,
    .options = option_specs,
    .options_size = sizeof(Ssimulacra2Options),
    .limits = {.chroma = true},
    .needs = {.planes = PLANE_Y | PLANE_CHROMA},
    .record = {.size = sizeof(Ssimulacra2Record)},
    .plan_create = ssimulacra2_plan_create,
    .plan_destroy = ssimulacra2_plan_destroy,
    .scratch_create = ssimulacra2_scratch_create,
    .scratch_destroy = ssimulacra2_scratch_destroy,
    .accumulate = accumulate,
    .finish = finish,
};
