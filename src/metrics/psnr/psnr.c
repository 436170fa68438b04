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
#include "support/loops.h"
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

/* -- squared errors of rows in plain C, for float_psnr too -- */

static uint64_t row_sse8(const void *ref, const void *dist, unsigned w)
{
    uint64_t total = 0;
    for (unsigned begin = 0; begin < w; begin += PSNR_COLUMNS_PER_SUM_8) {
        const uint8_t *a = (const uint8_t *)ref + begin, *b = (const uint8_t *)dist + begin;
        const unsigned n = psnr_at_most(w - begin, PSNR_COLUMNS_PER_SUM_8);
        uint32_t sum = 0;
        SUMS_OF_PRODUCTS
        for (unsigned x = 0; x < n; x++) {
            const int16_t d = (int16_t)(a[x] - b[x]);
            sum += (uint32_t)(d * d);
        }
        total += sum;
    }
    return total;
}

static inline uint64_t row_sse_narrow(const uint16_t *ref, const uint16_t *dist, unsigned w,
                                      unsigned columns_per_sum)
{
    uint64_t total = 0;
    for (unsigned begin = 0; begin < w; begin += columns_per_sum) {
        const uint16_t *a = ref + begin, *b = dist + begin;
        const unsigned n = psnr_at_most(w - begin, columns_per_sum);
        uint32_t sum = 0;
        SUMS_OF_PRODUCTS
        for (unsigned x = 0; x < n; x++) {
            const int16_t d = (int16_t)(a[x] - b[x]);
            sum += (uint32_t)(d * d);
        }
        total += sum;
    }
    return total;
}

static uint64_t row_sse10(const void *ref, const void *dist, unsigned w)
{
    return row_sse_narrow(ref, dist, w, PSNR_COLUMNS_PER_SUM_10);
}

static uint64_t row_sse12(const void *ref, const void *dist, unsigned w)
{
    return row_sse_narrow(ref, dist, w, PSNR_COLUMNS_PER_SUM_12);
}

static uint64_t row_sse16(const void *ref, const void *dist, unsigned w)
{
    const uint16_t *a = ref, *b = dist;
    uint64_t sum = 0;
    VECTORS_OF(uint16_t)
    for (unsigned x = 0; x < w; x++) {
        const uint16_t d = (uint16_t)(a[x] > b[x] ? a[x] - b[x] : b[x] - a[x]);
        sum += (uint32_t)d * d;
    }
    return sum;
}

void ISA_VARIANT(psnr_functions_fill)(PsnrFunctions *functions, unsigned bpc)
{
    functions->row_sse = bpc == 8    ? row_sse8
                         : bpc <= 10 ? row_sse10
                         : bpc <= 12 ? row_sse12
                                     : row_sse16;
}

/* Independent sums, which can be vector lanes. A sum of 2^21 squares below 2^32 is exact in
 * binary64. */
enum { LANES = 4, COLUMNS_PER_SUM = 1 << 20 };

static uint64_t total(const double lanes[LANES])
{
    return (uint64_t)((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));
}

static inline double rounded_square(int value)
{
    const float exact = (float)value;
    return (double)(exact * exact);
}

uint64_t rounded_square_sum(const uint16_t *samples, unsigned w)
{
    uint64_t sum = 0;
    for (unsigned begin = 0; begin < w; begin += COLUMNS_PER_SUM) {
        const unsigned end = w - begin < COLUMNS_PER_SUM ? w : begin + COLUMNS_PER_SUM;
        double lanes[LANES] = {0};
        unsigned x = begin;
        for (; x + LANES <= end; x += LANES)
            for (int lane = 0; lane < LANES; lane++)
                lanes[lane] += rounded_square(samples[x + (unsigned)lane]);
        for (; x < end; x++)
            lanes[0] += rounded_square(samples[x]);
        sum += total(lanes);
    }
    return sum;
}

uint64_t rounded_square_difference_sum(const uint16_t *a, const uint16_t *b, unsigned w)
{
    uint64_t sum = 0;
    for (unsigned begin = 0; begin < w; begin += COLUMNS_PER_SUM) {
        const unsigned end = w - begin < COLUMNS_PER_SUM ? w : begin + COLUMNS_PER_SUM;
        double lanes[LANES] = {0};
        unsigned x = begin;
        for (; x + LANES <= end; x += LANES)
            for (int lane = 0; lane < LANES; lane++)
                lanes[lane] += rounded_square(a[x + (unsigned)lane] - b[x + (unsigned)lane]);
        for (; x < end; x++)
            lanes[0] += rounded_square(a[x] - b[x]);
        sum += total(lanes);
    }
    return sum;
}

/* -- accumulate -- */

void psnr_functions_init(PsnrFunctions *functions, unsigned bpc, unsigned cpu_flags)
{
    ISA_SELECT_NEON(psnr_functions_fill, cpu_flags)(functions, bpc);
}

typedef struct PsnrParams {
    PictureFormat format;
    PsnrFunctions functions;
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
    psnr_functions_init(&p->functions, format->bpc, cpu_flags);
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
        sse += params->functions.row_sse(ref_row, dist_row, w);
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
