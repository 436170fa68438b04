/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/ciede/ciede.h"

#include "metrics/common/math/math_functions.h"
#include "support/memory.h"

static const FeatureOutput outputs[] = {
    {"ciede2000", OUTPUT_PROVIDED},
    {0},
};

/* Infinite for equal pictures. */
static int finish(const FinishInput *input, FeatureSink *sink)
{
    const CiedeRecord *record = input->record;
    const unsigned n_pixels = input->format->w[0] * input->format->h[0];
    feature_sink_write(sink, 0, 45 - 20 * math_log10(record->sum / (double)n_pixels));
    return 0;
}

const FeatureExtractor ciede_extractor = {
    .name = "ciede",
    .summary = "CIEDE2000 colour difference",
    .outputs = outputs,
    .options = no_options,
    .limits = {.depths = DEPTHS_COMMON, .chroma = true},
    .needs = {.planes = PLANE_Y | PLANE_CHROMA},
    .record = {.size = sizeof(CiedeRecord)},
    .plan_create = ciede_plan_create,
    .plan_destroy = ciede_plan_destroy,
    .scratch_create = ciede_scratch_create,
    .accumulate = ciede_accumulate,
    .finish = finish,
};
