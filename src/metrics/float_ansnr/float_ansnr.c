/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_ansnr/float_ansnr.h"

#include <math.h>

#include "libvmaf/backend_records.h"
#include "metrics/common/math/math_functions.h"
#include "metrics/common/record_bounds.h"
#include "metrics/float_ansnr/float_ansnr_filter.h"
#include "metrics/float_psnr/float_psnr.h"
#include "support/memory.h"

enum { OUTPUT_ANSNR, OUTPUT_ANPSNR };

static const FeatureOutput outputs[] = {
    {"float_ansnr", OUTPUT_PROVIDED},
    {"float_anpsnr", 0},
    {0},
};

static size_t record_size(const void *options, const PictureFormat *format)
{
    (void)options;
    return format->h[0] * sizeof(VmafRecordFloatAnsnrRow);
}

static bool is_possible(const void *record, const void *options, const PictureFormat *format)
{
    (void)options;
    const double peak = ldexp((double)largest_sample(format), 8 - (int)format->bpc) + 256;
    const double most = peak * peak * format->w[0];
    const VmafRecordFloatAnsnrRow *rows = record;
    for (unsigned y = 0; y < format->h[0]; y++) {
        if (!(rows[y].signal >= 0 && (double)rows[y].signal <= most && rows[y].noise >= 0 &&
              (double)rows[y].noise <= most))
            return false;
    }
    return true;
}

/* Each row is complete in one of the two records and zero in the other. */
static void merge(void *into, const void *from, size_t record_size)
{
    VmafRecordFloatAnsnrRow *rows = into;
    const VmafRecordFloatAnsnrRow *others = from;
    for (size_t y = 0; y < record_size / sizeof(*rows); y++) {
        rows[y].signal += others[y].signal;
        rows[y].noise += others[y].noise;
    }
}

static int finish(const FinishInput *input, FeatureSink *sink)
{
    const VmafRecordFloatAnsnrRow *rows = input->record;
    const PictureFormat *format = input->format;
    float signal = 0, noise = 0;
    for (unsigned y = 0; y < format->h[0]; y++) {
        signal += rows[y].signal;
        noise += rows[y].noise;
    }
    const double peak = float_psnr_peak(format->bpc), cap = float_psnr_cap(format->bpc);
    const double ansnr = noise == 0 ? cap : 10 * math_log10((double)(signal / noise));
    const double anpsnr = 10 * math_log10(peak * peak * format->w[0] * format->h[0] /
                                          ((double)noise > 1e-10 ? (double)noise : 1e-10));
    feature_sink_write(sink, OUTPUT_ANSNR, ansnr);
    feature_sink_write(sink, OUTPUT_ANPSNR, anpsnr < cap ? anpsnr : cap);
    return 0;
}

const FeatureExtractor float_ansnr_extractor = {
    .name = "float_ansnr",
    .summary = "anchored signal-to-noise ratios of low-pass filtered luma",
    .outputs = outputs,
    .options = no_options,
    .limits = {.size = ANSNR_MIN_SIZE, .depths = DEPTHS_COMMON},
    .needs = {.planes = PLANE_Y},
    .record = {.id = VMAF_RECORD_FLOAT_ANSNR,
               .version = VMAF_RECORD_FLOAT_ANSNR_VERSION,
               .is_possible = is_possible,
               .is_bytes = true,
               .numbers = RECORD_OF_F32},
    .record_size = record_size,
    .plan_create = ansnr_plan_create,
    .scratch_create = ansnr_scratch_create,
    .accumulate = ansnr_accumulate,
    .merge = merge,
    .finish = finish,
};
