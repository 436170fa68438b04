/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* PSNR: a record has the sum of squared differences of each plane. */

#include "metrics/psnr/psnr.h"

#include <errno.h>
#include <math.h>

#include "libvmaf/backend_records.h"
#include "metrics/common/math/math_functions.h"
#include "metrics/common/rows.h"
#include "metrics/framework/extractor.h"
#include "metrics/psnr/psnr_internal.h"
#include "support/memory.h"

/* Planes follow each other; output of plane p: PSNR_OUTPUT_PSNR + 2 p, PSNR_OUTPUT_MSE + 2 p. */
enum PsnrOutput {
    PSNR_OUTPUT_PSNR,
    PSNR_OUTPUT_MSE,
    PSNR_OUTPUTS_PER_PLANE,
};

static const FeatureOutput outputs[] = {
    {"psnr_y", OUTPUT_PROVIDED},
    {"mse_y", 0},
    {"psnr_cb", OUTPUT_PROVIDED},
    {"mse_cb", 0},
    {"psnr_cr", OUTPUT_PROVIDED},
    {"mse_cr", 0},
    {0},
};

static const OutputCondition conditions[] = {
    {1, 1, "enable_mse"}, {3, 1, "enable_mse"}, {5, 1, "enable_mse"}, {2, 4, "enable_chroma"}, {0}};

static const char *const aggregates[PSNR_PLANES] = {"apsnr_y", "apsnr_cb", "apsnr_cr"};

static FeatureNeeds needs_of(const void *options)
{
    return (FeatureNeeds){.planes =
                              psnr_planes(options, true) > 1 ? PLANE_Y | PLANE_CHROMA : PLANE_Y};
}

static bool is_possible(const void *opaque, const void *options, const PictureFormat *format)
{
    (void)options;
    const VmafRecordPsnr *record = opaque;
    const uint64_t peak = largest_sample(format);
    for (unsigned plane = 0; plane < PSNR_PLANES; plane++) {
        if (record->sse[plane] > peak * peak * n_samples_of(format, plane))
            return false;
    }
    return true;
}

/* -- accumulate -- */

void psnr_kernels_init(PsnrKernels *kernels, unsigned bpc, unsigned cpu_flags)
{
    ISA_SELECT_NEON(psnr_kernels_fill, cpu_flags)(kernels, bpc);
}

typedef struct PsnrParams {
    PictureFormat format;
    PsnrKernels kernels;
    unsigned n_variants;
    unsigned n_planes[]; /* of each variant */
} PsnrParams;

static int params_create(void **params, const PictureFormat *format, const void *const variants[],
                         unsigned n_variants, unsigned cpu_flags)
{
    size_t size;
    if (!size_mul(n_variants, sizeof(unsigned), &size) ||
        !size_add(size, sizeof(PsnrParams), &size))
        return -ENOMEM;
    PsnrParams *p = memory_alloc(1, size);
    if (!p)
        return -ENOMEM;
    p->format = *format;
    p->n_variants = n_variants;
    for (unsigned i = 0; i < n_variants; i++)
        p->n_planes[i] = psnr_planes(variants[i], format->pix_fmt != VMAF_PIX_FMT_YUV400P);
    psnr_kernels_init(&p->kernels, format->bpc, cpu_flags);
    *params = p;
    return 0;
}

static uint64_t plane_sse(const PsnrParams *params, const FrameInput *input, unsigned plane,
                          RowBand band)
{
    const VmafPicture *ref = input->ref, *dist = input->dist;
    const unsigned w = params->format.w[plane];
    const unsigned end = plane_row(&params->format, plane, band.end);
    uint64_t sse = 0;
    for (unsigned y = plane_row(&params->format, plane, band.begin); y < end; y++) {
        const char *ref_row = (const char *)ref->data[plane] + (ptrdiff_t)y * ref->stride[plane];
        const char *dist_row = (const char *)dist->data[plane] + (ptrdiff_t)y * dist->stride[plane];
        sse += params->kernels.row_sse(ref_row, dist_row, w);
    }
    return sse;
}

static int accumulate(const void *params, void *scratch, const FrameInput *input, RowBand band,
                      void *const records[])
{
    const PsnrParams *p = params;
    (void)scratch;

    unsigned n_planes = 0;
    for (unsigned i = 0; i < p->n_variants; i++) {
        if (records[i] && p->n_planes[i] > n_planes)
            n_planes = p->n_planes[i];
    }
    for (unsigned plane = 0; plane < n_planes; plane++) {
        const uint64_t sse = plane_sse(p, input, plane, band);
        for (unsigned i = 0; i < p->n_variants; i++) {
            VmafRecordPsnr *record = records[i];
            if (record && plane < p->n_planes[i])
                record->sse[plane] += sse;
        }
    }
    return 0;
}

/* -- finish -- */

/* Sums over the sequence; zero for planes that are not computed. */
typedef struct PsnrState {
    uint64_t sse[PSNR_PLANES];
    uint64_t n_samples[PSNR_PLANES];
} PsnrState;

/* Not fmin and fmax: the result is the second operand if the first is not a number. */
static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

/* 65535^2 fits in 32 bits. */
static uint32_t squared_peak(const PsnrOptions *o, unsigned bpc)
{
    const uint32_t peak = o->reduced_hbd_peak ? 255u << (bpc - 8) : (1u << bpc) - 1;
    return peak * peak;
}

static uint32_t plane_samples(const PictureFormat *format, unsigned plane)
{
    return format->w[plane] * format->h[plane];
}

/* The largest PSNR that is written, instead of infinity for equal planes. */
static double max_psnr(const PsnrOptions *o, const PictureFormat *format, unsigned plane)
{
    if (o->min_sse == 0)
        return 6 * format->bpc + 12;
    const double min_mse = o->min_sse / (double)plane_samples(format, plane);
    return ceil(10 * math_log10((double)squared_peak(o, format->bpc) / min_mse));
}

static int finish(const FinishInput *input, FeatureSink *sink)
{
    PsnrState *s = input->state;
    const PsnrOptions *o = input->options;
    const PictureFormat *format = input->format;
    const VmafRecordPsnr *record = input->record;
    const unsigned n_planes = psnr_planes(o, format->pix_fmt != VMAF_PIX_FMT_YUV400P);
    const double peak2 = squared_peak(o, format->bpc);

    for (unsigned plane = 0; plane < n_planes; plane++) {
        const uint32_t n_samples = plane_samples(format, plane);
        /* Not a number for the empty chroma planes of pictures one sample wide or high: their
         * PSNR is then the maximum. */
        const double mse = (double)record->sse[plane] / (double)n_samples;
        const double psnr =
            smaller(10 * math_log10(peak2 / greater(mse, 1e-16)), max_psnr(o, format, plane));
        const unsigned first_output = plane * PSNR_OUTPUTS_PER_PLANE;
        feature_sink_write(sink, first_output + PSNR_OUTPUT_PSNR, psnr);
        if (o->enable_mse)
            feature_sink_write(sink, first_output + PSNR_OUTPUT_MSE, mse);
        s->sse[plane] += record->sse[plane];
        s->n_samples[plane] += n_samples;
    }
    return 0;
}

/* PSNR of the whole sequence. As in libvmaf, planes that are not computed get minus infinity. */
static int flush(const FinishInput *input, FeatureSink *sink)
{
    const PsnrState *s = input->state;
    const PsnrOptions *o = input->options;
    if (!o->enable_apsnr)
        return 0;
    const uint32_t peak2 = squared_peak(o, input->format->bpc);
    for (unsigned plane = 0; plane < PSNR_PLANES; plane++) {
        const double n_samples = (double)s->n_samples[plane];
        const double apsnr = 10 * ((math_log10((double)peak2) + math_log10(n_samples)) -
                                   math_log10((double)s->sse[plane]));
        const double cap = ceil(10 * math_log10((double)(peak2 * s->n_samples[plane] * 2)));
        feature_sink_aggregate(sink, aggregates[plane], smaller(apsnr, cap));
    }
    return 0;
}

const FeatureExtractor psnr_extractor = {
    .name = "psnr",
    .summary = "peak signal-to-noise ratio of luma and chroma",
    .flags = EXTRACTOR_EVERY_FRAME | EXTRACTOR_BRIEF,
    .outputs = outputs,
    .conditions = conditions,
    .options = psnr_option_specs,
    .options_size = sizeof(PsnrOptions),
    .limits = {.depths = DEPTHS_COMMON},
    .needs_of = needs_of,
    .record = {.id = VMAF_RECORD_PSNR,
               .version = VMAF_RECORD_PSNR_VERSION,
               .size = sizeof(VmafRecordPsnr),
               .is_possible = is_possible},
    .params_create = params_create,
    .accumulate = accumulate,
    .merge = record_merge_sums,
    .state_size = sizeof(PsnrState),
    .finish = finish,
    .flush = flush,
};
