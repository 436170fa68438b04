/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/ssim/ssim.h"

#include <math.h>

#include "libvmaf/backend_records.h"
#include "metrics/common/record_bounds.h"
#include "metrics/ssim/ssim_weight.h"
#include "support/memory.h"

static const FeatureOutput outputs[] = {{"ssim", OUTPUT_PROVIDED}, {0}};

/* The weights of a picture of 2^30 samples add up to less than 2^46, in any order without rounding.
 */
static double total_weight(const PictureFormat *format)
{
    return (double)ssim_total_weight(format->w[0]) * (double)ssim_total_weight(format->h[0]);
}

static size_t record_size(const void *options, const PictureFormat *format)
{
    (void)options;
    (void)format;
    return sizeof(VmafRecordSsim);
}

static bool is_possible(const void *opaque, const void *options, const PictureFormat *format)
{
    (void)options;
    const VmafRecordSsim *record = opaque;
    return fabs(record->weighted_similarity) <= 65537.0 * (double)n_samples_of(format, 0);
}

static int finish(const FinishInput *input, FeatureSink *sink)
{
    const VmafRecordSsim *record = input->record;
    feature_sink_write(sink, 0, record->weighted_similarity / total_weight(input->format));
    return 0;
}

const FeatureExtractor ssim_extractor = {
    .name = "ssim",
    .summary = "structural similarity of luma, never reduced, up to the border",
    .outputs = outputs,
    .options = no_options,
    .needs = {.planes = PLANE_Y},
    .record = {.id = VMAF_RECORD_SSIM,
               .version = VMAF_RECORD_SSIM_VERSION,
               .is_possible = is_possible,
               .is_bytes = true},
    .record_size = record_size,
    .plan_create = ssim_plan_create,
    .scratch_create = ssim_scratch_create,
    .accumulate = ssim_accumulate,
    .finish = finish,
};
