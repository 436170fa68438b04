/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/ciede/ciede.h"

#include <math.h>

#include "feature/common/format_check.h"
#include "support/memory.h"

static const FeatureOutput outputs[] = {
    {"ciede2000", OUTPUT_PROVIDED},
    {0},
};
static const OptionSpec option_specs[] = {{0}};

static int check_format(const void *options, const PictureFormat *format, Reason *why)
{
    (void)options;
    int err = check_has_chroma("ciede", format, why);
    return err ? err : check_common_depths("ciede", format, why);
}

static FeatureNeeds needs(const void *options, enum VmafPixelFormat pix_fmt)
{
    (void)options;
    (void)pix_fmt;
    return (FeatureNeeds){.planes = PLANE_Y | PLANE_CHROMA};
}

static size_t record_size(const void *options, const PictureFormat *format)
{
    (void)options;
    (void)format;
    return sizeof(CiedeRecord);
}

/* Infinite for equal pictures. */
static int finish(void *state, const FinishInput *input, FeatureSink *sink)
{
    (void)state;
    const CiedeRecord *record = input->record;
    const unsigned n_pixels = input->format->w[0] * input->format->h[0];
    feature_sink_write(sink, 0, 45 - 20 * log10(record->sum / (double)n_pixels));
    return 0;
}

const FeatureExtractor ciede_extractor = {
    .name = "ciede",
    .summary = "CIEDE2000 colour difference",
    .outputs = outputs,
    .options = option_specs,
    .check_format = check_format,
    .needs = needs,
    .record_size = record_size,
    .plan_create = ciede_plan_create,
    .plan_destroy = ciede_plan_destroy,
    .scratch_create = ciede_scratch_create,
    .scratch_destroy = memory_free,
    .accumulate = ciede_accumulate,
    .finish = finish,
};
