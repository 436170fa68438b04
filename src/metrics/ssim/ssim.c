/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/ssim/ssim_internal.h"

#include <errno.h>
#include <math.h>

#include "libvmaf/backend_records.h"
#include "metrics/framework/extractor.h"
#include "metrics/ssim/ssim.h"
#include "support/cpu.h"
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

/* -- accumulate -- */

ISA_DECLARE(IntegerSsimFunctions, integer_ssim_functions);

void integer_ssim_functions_init(IntegerSsimFunctions *functions, unsigned cpu_flags)
{
    *functions = *ISA_SELECT(integer_ssim_functions, cpu_flags);
}

/* Rows and columns outside the picture are zero and have no weight. */
enum { MARGIN = 8 };

typedef struct SsimParams {
    PictureFormat format;
    IntegerSsimFunctions functions;
    SsimConstants constants; /* of weight 1 */
} SsimParams;

typedef struct SsimScratch {
    /* What is summed, for the last rows; row y in place y % SSIM_TAPS. */
    double *entered[SSIM_TAPS][SSIM_SUMS];
    double *outside;         /* a row of zeros */
    double *columns;         /* a vertically filtered row, between margins of zeros */
    double *sums[SSIM_SUMS]; /* a row filtered both ways */
    double *weights;         /* of the part of a horizontal window that is inside */
    double *similarity;
    double rows[];
} SsimScratch;

static int params_create(void **created, const PictureFormat *format, const void *const variants[],
                         unsigned n_variants, unsigned cpu_flags)
{
    (void)variants;
    (void)n_variants;
    SsimParams *params = memory_alloc(1, sizeof(*params));
    if (!params)
        return -ENOMEM;
    params->format = *format;
    integer_ssim_functions_init(&params->functions, cpu_flags);
    params->constants = ssim_constants(format->bpc);
    *created = params;
    return 0;
}

static int scratch_create(void **created, const void *opaque)
{
    const SsimParams *params = opaque;
    const unsigned w = params->format.w[0];
    enum { N_ROWS = SSIM_TAPS * SSIM_SUMS + SSIM_SUMS + 4 };
    const size_t stride = size_round_up((size_t)w + 2 * MARGIN, MARGIN);
    size_t size;
    if (!stride || !size_mul(stride, N_ROWS * sizeof(double), &size) ||
        !size_add(size, sizeof(SsimScratch), &size))
        return -ENOMEM;
    SsimScratch *scratch = memory_alloc_zeroed(1, size);
    if (!scratch)
        return -ENOMEM;
    double *row = scratch->rows + MARGIN;
    scratch->outside = row;
    scratch->columns = row += stride;
    scratch->weights = row += stride;
    scratch->similarity = row += stride;
    for (int m = 0; m < SSIM_SUMS; m++) {
        scratch->sums[m] = row += stride;
        for (int k = 0; k < SSIM_TAPS; k++)
            scratch->entered[k][m] = row += stride;
    }
    for (unsigned x = 0; x < w; x++)
        scratch->weights[x] = ssim_weight(x, w);
    *created = scratch;
    return 0;
}

static void enter_row(const SsimParams *params, SsimScratch *scratch, const FrameInput *input,
                      unsigned y)
{
    const VmafPicture *ref = input->ref, *dist = input->dist;
    const void *ref_row = (const char *)ref->data[0] + (ptrdiff_t)y * ref->stride[0];
    const void *dist_row = (const char *)dist->data[0] + (ptrdiff_t)y * dist->stride[0];
    double *const *out = scratch->entered[y % SSIM_TAPS];
    if (params->format.bpc == 8)
        params->functions.multiply_bytes(out, ref_row, dist_row, params->format.w[0]);
    else
        params->functions.multiply_words(out, ref_row, dist_row, params->format.w[0]);
}

static void filter(const SsimParams *params, SsimScratch *scratch, unsigned y, unsigned w,
                   unsigned h)
{
    for (int m = 0; m < SSIM_SUMS; m++) {
        const double *rows[SSIM_TAPS];
        for (unsigned k = 0; k < SSIM_TAPS; k++) {
            const unsigned row = y + k; /* from INTEGER_SSIM_RADIUS rows above the picture */
            const bool is_inside = row >= INTEGER_SSIM_RADIUS && row - INTEGER_SSIM_RADIUS < h;
            rows[k] = is_inside ? scratch->entered[(row - INTEGER_SSIM_RADIUS) % SSIM_TAPS][m]
                                : scratch->outside;
        }
        params->functions.filter_columns(scratch->columns, rows, w);
        params->functions.filter_row(scratch->sums[m], scratch->columns, w);
    }
}

static int accumulate(const void *opaque, void *scratch_memory, const FrameInput *input,
                      RowBand band, void *const records[])
{
    const SsimParams *params = opaque;
    SsimScratch *scratch = scratch_memory;
    (void)band; /* the whole frame */
    const unsigned w = params->format.w[0], h = params->format.h[0];
    VmafRecordSsim *record = records[0];
    const double *sums[SSIM_SUMS];
    for (int m = 0; m < SSIM_SUMS; m++)
        sums[m] = scratch->sums[m];
    double sum = 0;
    unsigned next = 0; /* row that enters next */
    for (unsigned y = 0; y < h; y++) {
        for (; next < h && next <= y + INTEGER_SSIM_RADIUS; next++)
            enter_row(params, scratch, input, next);
        const double row_weight = ssim_weight(y, h);
        filter(params, scratch, y, w, h);
        params->functions.similarity(scratch->similarity, sums, scratch->weights, row_weight,
                                     &params->constants, w);
        for (unsigned x = 0; x < w; x++)
            sum += scratch->similarity[x];
    }
    record->weighted_similarity = sum;
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
    .params_create = params_create,
    .scratch_create = scratch_create,
    .accumulate = accumulate,
    .finish = finish,
};
