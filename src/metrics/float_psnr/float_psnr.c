/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_psnr/float_psnr.h"

#include <errno.h>
#include <math.h>

#include "libvmaf/backend_records.h"
#include "metrics/common/math/math_functions.h"
#include "metrics/framework/extractor.h"
#include "metrics/psnr/psnr_internal.h"
#include "support/memory.h"

typedef struct FloatPsnrParams {
    PictureFormat format;
    PsnrFunctions functions;
} FloatPsnrParams;

static const FeatureOutput outputs[] = {{"float_psnr", OUTPUT_PROVIDED}, {0}};

static bool is_possible(const void *opaque, const void *options, const PictureFormat *format)
{
    (void)options;
    const VmafRecordFloatPsnr *record = opaque;
    return record->sse <= n_samples_of(format, 0) << 32;
}

static int params_create(void **out, const PictureFormat *format, const void *const variants[],
                         unsigned n_variants, unsigned cpu_flags)
{
    (void)variants;
    (void)n_variants;
    FloatPsnrParams *params = memory_alloc(1, sizeof(*params));
    if (!params)
        return -ENOMEM;
    params->format = *format;
    psnr_functions_init(&params->functions, format->bpc, cpu_flags);
    *out = params;
    return 0;
}

/* Squares of up to 24 bits are not rounded, so the sum equals that of `psnr`. */
static int accumulate(const void *opaque, void *scratch, const FrameInput *input, RowBand band,
                      void *const records[])
{
    (void)scratch;
    const FloatPsnrParams *params = opaque;
    const VmafPicture *ref = input->ref, *dist = input->dist;
    const unsigned w = params->format.w[0];
    uint64_t sse = 0;
    for (unsigned y = band.begin; y < band.end; y++) {
        const void *a = (const char *)ref->data[0] + (ptrdiff_t)y * ref->stride[0];
        const void *b = (const char *)dist->data[0] + (ptrdiff_t)y * dist->stride[0];
        sse += params->format.bpc <= 12 ? params->functions.row_sse(a, b, w)
                                        : rounded_square_difference_sum(a, b, w);
    }
    VmafRecordFloatPsnr *record = records[0];
    record->sse += sse;
    return 0;
}

double float_psnr_peak(unsigned bpc)
{
    return ldexp((double)((1u << bpc) - 1), 8 - (int)bpc);
}

double float_psnr_cap(unsigned bpc)
{
    return 6 * bpc + 12;
}

static int finish(const FinishInput *input, FeatureSink *sink)
{
    const VmafRecordFloatPsnr *record = input->record;
    const PictureFormat *format = input->format;
    const double peak = float_psnr_peak(format->bpc), cap = float_psnr_cap(format->bpc);
    const double sse = ldexp((double)record->sse, -2 * ((int)format->bpc - 8));
    const double mse = sse / (double)(format->w[0] * format->h[0]);
    const double psnr = 10 * math_log10(peak * peak / (mse > 1e-10 ? mse : 1e-10));
    feature_sink_write(sink, 0, psnr < cap ? psnr : cap);
    return 0;
}

const FeatureExtractor float_psnr_extractor = {
    .name = "float_psnr",
    .flags = EXTRACTOR_BRIEF,
    .summary = "peak signal-to-noise ratio of luma in the 8-bit range",
    .outputs = outputs,
    .options = no_options,
    .limits = {.depths = DEPTHS_COMMON},
    .needs = {.planes = PLANE_Y},
    .record = {.id = VMAF_RECORD_FLOAT_PSNR,
               .version = VMAF_RECORD_FLOAT_PSNR_VERSION,
               .size = sizeof(VmafRecordFloatPsnr),
               .is_possible = is_possible},
    .params_create = params_create,
    .accumulate = accumulate,
    .merge = record_merge_sums,
    .finish = finish,
};
