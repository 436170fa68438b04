/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/psnr_hvs/psnr_hvs_internal.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "libvmaf/backend_records.h"
#include "metrics/common/math/math_functions.h"
#include "metrics/psnr_hvs/psnr_hvs.h"
#include "support/cpu.h"
#include "support/memory.h"

enum { OUTPUT_Y, OUTPUT_CB, OUTPUT_CR, OUTPUT_ALL };

static const FeatureOutput outputs[] = {
    [OUTPUT_Y] = {"psnr_hvs_y", OUTPUT_PROVIDED},
    [OUTPUT_CB] = {"psnr_hvs_cb", OUTPUT_PROVIDED},
    [OUTPUT_CR] = {"psnr_hvs_cr", OUTPUT_PROVIDED},
    [OUTPUT_ALL] = {"psnr_hvs", OUTPUT_PROVIDED},
    {0},
};

static int check_format(const void *options, const PictureFormat *format, Reason *why)
{
    (void)options;
    if (format->w[1] < PSNR_HVS_BLOCK || format->h[1] < PSNR_HVS_BLOCK)
        return reason_set(
            why, -EINVAL,
            "psnr_hvs needs at least %dx%d samples in every plane, not %ux%u of chroma",
            PSNR_HVS_BLOCK, PSNR_HVS_BLOCK, format->w[1], format->h[1]);
    return 0;
}

static size_t n_errors(const PictureFormat *format, unsigned plane)
{
    return (size_t)psnr_hvs_blocks(format->w[plane]) * psnr_hvs_blocks(format->h[plane]) *
           PSNR_HVS_COEFFICIENTS;
}

static size_t record_size(const void *options, const PictureFormat *format)
{
    (void)options;
    (void)format;
    return sizeof(VmafRecordPsnrHvs);
}

/*
 * Errors of coefficients, which are below 8.0002 (2^depth - 1), are below 2^(2 depth + 11) with the
 * largest sensitivity. A sum of n terms up to a power of two T is exact in its upper bound while n
 * is up to 2^24; from 2^24 T on it does not grow by more than 2 T.
 */
static bool is_possible(const void *opaque, const void *options, const PictureFormat *format)
{
    (void)options;
    const VmafRecordPsnrHvs *record = opaque;
    const unsigned depth = format->bpc == 8 ? 8 : PSNR_HVS_MAX_DEPTH;
    for (unsigned plane = 0; plane < PSNR_HVS_PLANES; plane++) {
        const double most = ldexp((double)n_errors(format, plane), (int)(2 * depth + 12));
        if (!(record->error[plane] >= 0 && record->error[plane] <= most))
            return false;
    }
    return true;
}

/* Infinite for equal planes. */
static double decibels(double mean_error)
{
    return 10 * (-1 * math_log10(mean_error));
}

static int finish(const FinishInput *input, FeatureSink *sink)
{
    const VmafRecordPsnrHvs *record = input->record;
    const PictureFormat *format = input->format;
    const int peak = (1 << format->bpc) - 1;
    double mean[PSNR_HVS_PLANES];
    for (unsigned plane = 0; plane < PSNR_HVS_PLANES; plane++) {
        const float n_coefficients = (float)n_errors(format, plane);
        mean[plane] = record->error[plane] / n_coefficients / (float)(peak * peak);
        feature_sink_write(sink, plane, decibels(mean[plane]));
    }
    feature_sink_write(sink, OUTPUT_ALL, decibels(mean[0] * 0.8 + 0.1 * (mean[1] + mean[2])));
    return 0;
}

/* -- accumulate -- */

typedef struct PsnrHvsParams {
    PictureFormat format;
    PsnrHvsFunctions functions;
    PsnrHvsWeights weights[PSNR_HVS_PLANES];
} PsnrHvsParams;

ISA_DECLARE_NEON(PsnrHvsFunctions, psnr_hvs_functions);

void psnr_hvs_functions_init(PsnrHvsFunctions *functions, unsigned cpu_flags)
{
    *functions = *ISA_SELECT_NEON(psnr_hvs_functions, cpu_flags);
}

static int params_create(void **out, const PictureFormat *format, const void *const variants[],
                         unsigned n_variants, unsigned cpu_flags)
{
    (void)variants;
    (void)n_variants;
    PsnrHvsParams *params = memory_alloc(1, sizeof(*params));
    if (!params)
        return -ENOMEM;
    params->format = *format;
    psnr_hvs_functions_init(&params->functions, cpu_flags);
    for (unsigned plane = 0; plane < PSNR_HVS_PLANES; plane++)
        psnr_hvs_weights_init(&params->weights[plane], plane);
    *out = params;
    return 0;
}

static int scratch_create(void **out, const void *params)
{
    (void)params;
    *out = memory_alloc(1, sizeof(PsnrHvsWork));
    return *out ? 0 : -ENOMEM;
}

static void load_tile(const PsnrHvsParams *params, const VmafPicture *pic, unsigned plane,
                      size_t first, unsigned n, PsnrHvsTile samples)
{
    const size_t n_columns = psnr_hvs_blocks(params->format.w[plane]);
    const unsigned sample_size = pic->bpc == 8 ? 1 : 2;
    const void *blocks[PSNR_HVS_LANES];
    for (unsigned lane = 0; lane < PSNR_HVS_LANES; lane++) {
        const size_t block = first + (lane < n ? lane : n - 1);
        const size_t x = block % n_columns * PSNR_HVS_STEP, y = block / n_columns * PSNR_HVS_STEP;
        blocks[lane] =
            (const char *)pic->data[plane] + (ptrdiff_t)y * pic->stride[plane] + x * sample_size;
    }
    params->functions.load(blocks, pic->stride[plane], pic->bpc != 8, samples);
}

/* Blocks from left to right and from top to bottom. */
static float plane_error(const PsnrHvsParams *params, PsnrHvsWork *work, const FrameInput *input,
                         unsigned plane)
{
    const size_t n_blocks =
        (size_t)psnr_hvs_blocks(params->format.w[plane]) * psnr_hvs_blocks(params->format.h[plane]);
    float sum = 0;
    for (size_t first = 0; first < n_blocks; first += PSNR_HVS_LANES) {
        const size_t left = n_blocks - first;
        const unsigned n = left < PSNR_HVS_LANES ? (unsigned)left : PSNR_HVS_LANES;
        load_tile(params, input->ref, plane, first, n, work->samples[0]);
        load_tile(params, input->dist, plane, first, n, work->samples[1]);
        if (!memcmp(work->samples[0], work->samples[1], sizeof(PsnrHvsTile)))
            continue; /* no errors */
        params->functions.errors(&params->weights[plane], work);
        sum = params->functions.add_errors(sum, (const float(*)[PSNR_HVS_LANES])work->errors, n);
    }
    return sum;
}

static int accumulate(const void *opaque, void *scratch, const FrameInput *input, RowBand band,
                      void *const records[])
{
    const PsnrHvsParams *params = opaque;
    VmafRecordPsnrHvs *record = records[0];
    (void)band; /* all rows */
    for (unsigned plane = 0; plane < PSNR_HVS_PLANES; plane++)
        record->error[plane] = plane_error(params, scratch, input, plane);
    return 0;
}

const FeatureExtractor psnr_hvs_extractor = {
    .name = "psnr_hvs",
    .summary = "PSNR weighted by contrast sensitivity and masking (PSNR-HVS-M)",
    .outputs = outputs,
    .options = no_options,
    .check_format = check_format,
    .limits = {.depths = DEPTHS_8_TO_12, .chroma = true},
    .needs = {.planes = PLANE_Y | PLANE_CHROMA},
    .record = {.id = VMAF_RECORD_PSNR_HVS,
               .version = VMAF_RECORD_PSNR_HVS_VERSION,
               .is_possible = is_possible,
               .is_bytes = true,
               .numbers = RECORD_OF_F32},
    .record_size = record_size,
    .params_create = params_create,
    .scratch_create = scratch_create,
    .accumulate = accumulate,
    .finish = finish,
};
