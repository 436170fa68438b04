/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>

#include "feature/ssim/ssim.h"
#include "support/memory.h"

/*
 * Local sums of samples, of their squares and of their products under a Gaussian window with
 * integer taps. They are integers below 2^48, held exactly in binary64. Rows and columns outside
 * the picture are zero and have no weight.
 */

enum { RADIUS = 4, TAPS = 2 * RADIUS + 1 };

/* 256 times a Gaussian of standard deviation 1.5, by distance from the centre. */
static const double taps[RADIUS + 1] = {68, 55, 28, 9, 2};

enum { REF, DIST, REF_REF, DIST_DIST, REF_DIST, MOMENTS };

enum { MARGIN = 8 };

typedef struct SsimPlan {
    PictureFormat format;
    double c1, c2; /* of weight 1 */
} SsimPlan;

typedef struct SsimScratch {
    double *entered[TAPS][MOMENTS]; /* products of samples; row y in place y % TAPS */
    double *outside;                /* a row of zeros */
    double *columns;                /* a vertically filtered row, between margins of zeros */
    double *sums[MOMENTS];          /* a row filtered both ways */
    double *weights;                /* of the part of a horizontal window that is inside */
    double *similarity;
    double rows[];
} SsimScratch;

int ssim_plan_create(void **created, const PictureFormat *format, const void *const variants[],
                     unsigned n_variants, unsigned cpu_flags)
{
    (void)variants;
    (void)n_variants;
    (void)cpu_flags;
    SsimPlan *plan = memory_alloc(1, sizeof(*plan));
    if (!plan)
        return -ENOMEM;
    const double peak = (1u << format->bpc) - 1;
    plan->format = *format;
    plan->c1 = peak * peak * (0.01 * 0.01);
    plan->c2 = peak * peak * (0.03 * 0.03);
    *created = plan;
    return 0;
}

/* Weight of the taps of a window around i that lie among n samples. */
static double weight_inside(unsigned i, unsigned n)
{
    double weight = taps[0];
    for (unsigned distance = 1; distance <= RADIUS; distance++) {
        weight += distance <= i ? taps[distance] : 0;
        weight += distance < n - i ? taps[distance] : 0;
    }
    return weight;
}

int ssim_scratch_create(void **created, const void *opaque)
{
    const SsimPlan *plan = opaque;
    const unsigned w = plan->format.w[0];
    enum { N_ROWS = TAPS * MOMENTS + MOMENTS + 4 };
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
    for (int m = 0; m < MOMENTS; m++) {
        scratch->sums[m] = row += stride;
        for (int k = 0; k < TAPS; k++)
            scratch->entered[k][m] = row += stride;
    }
    for (unsigned x = 0; x < w; x++)
        scratch->weights[x] = weight_inside(x, w);
    *created = scratch;
    return 0;
}

static void multiply_bytes(double *const out[MOMENTS], const uint8_t *ref, const uint8_t *dist,
                           unsigned w)
{
    double *restrict r = out[REF], *restrict d = out[DIST], *restrict rr = out[REF_REF],
                     *restrict dd = out[DIST_DIST], *restrict rd = out[REF_DIST];
    for (unsigned x = 0; x < w; x++) {
        const int a = ref[x], b = dist[x];
        r[x] = a;
        d[x] = b;
        rr[x] = a * a;
        dd[x] = b * b;
        rd[x] = a * b;
    }
}

static void multiply_words(double *const out[MOMENTS], const uint16_t *ref, const uint16_t *dist,
                           unsigned w)
{
    double *restrict r = out[REF], *restrict d = out[DIST], *restrict rr = out[REF_REF],
                     *restrict dd = out[DIST_DIST], *restrict rd = out[REF_DIST];
    for (unsigned x = 0; x < w; x++) {
        const double a = ref[x], b = dist[x];
        r[x] = a;
        d[x] = b;
        rr[x] = a * a;
        dd[x] = b * b;
        rd[x] = a * b;
    }
}

static void enter_row(const SsimPlan *plan, SsimScratch *scratch, const FrameInput *input,
                      unsigned y)
{
    const VmafPicture *ref = input->ref, *dist = input->dist;
    const void *ref_row = (const char *)ref->data[0] + (ptrdiff_t)y * ref->stride[0];
    const void *dist_row = (const char *)dist->data[0] + (ptrdiff_t)y * dist->stride[0];
    double *const *out = scratch->entered[y % TAPS];
    if (plan->format.bpc == 8)
        multiply_bytes(out, ref_row, dist_row, plan->format.w[0]);
    else
        multiply_words(out, ref_row, dist_row, plan->format.w[0]);
}

/* All sums are exact: samples of equal weight are added first. */
static void filter_columns(double *restrict out, const double *const rows[TAPS], unsigned w)
{
    const double *r0 = rows[0], *r1 = rows[1], *r2 = rows[2], *r3 = rows[3], *r4 = rows[4];
    const double *r5 = rows[5], *r6 = rows[6], *r7 = rows[7], *r8 = rows[8];
    for (unsigned x = 0; x < w; x++)
        out[x] = r4[x] * taps[0] + (r3[x] + r5[x]) * taps[1] + (r2[x] + r6[x]) * taps[2] +
                 (r1[x] + r7[x]) * taps[3] + (r0[x] + r8[x]) * taps[4];
}

static void filter_row(double *restrict out, const double *restrict in, unsigned w)
{
    const double *p = in - RADIUS;
    for (unsigned x = 0; x < w; x++)
        out[x] = p[x + 4] * taps[0] + (p[x + 3] + p[x + 5]) * taps[1] +
                 (p[x + 2] + p[x + 6]) * taps[2] + (p[x + 1] + p[x + 7]) * taps[3] +
                 (p[x] + p[x + 8]) * taps[4];
}

static void filter(SsimScratch *scratch, unsigned y, unsigned w, unsigned h)
{
    for (int m = 0; m < MOMENTS; m++) {
        const double *rows[TAPS];
        for (unsigned k = 0; k < TAPS; k++) {
            const unsigned row = y + k; /* from RADIUS rows above the picture */
            const bool is_inside = row >= RADIUS && row - RADIUS < h;
            rows[k] = is_inside ? scratch->entered[(row - RADIUS) % TAPS][m] : scratch->outside;
        }
        filter_columns(scratch->columns, rows, w);
        filter_row(scratch->sums[m], scratch->columns, w);
    }
}

static void similarity(const SsimPlan *plan, const SsimScratch *scratch, double row_weight,
                       unsigned w)
{
    const double *ref = scratch->sums[REF], *dist = scratch->sums[DIST];
    const double *ref_ref = scratch->sums[REF_REF], *dist_dist = scratch->sums[DIST_DIST];
    const double *ref_dist = scratch->sums[REF_DIST];
    double *restrict out = scratch->similarity;
    for (unsigned x = 0; x < w; x++) {
        const double weight = scratch->weights[x] * row_weight;
        const double c1 = plan->c1 * weight * weight, c2 = plan->c2 * weight * weight;
        const double xx = ref[x] * ref[x], xy = ref[x] * dist[x], yy = dist[x] * dist[x];
        const double variances = ref_ref[x] * weight - xx + dist_dist[x] * weight - yy;
        out[x] = weight * (2 * xy + c1) * (c2 + 2 * (ref_dist[x] * weight - xy)) /
                 ((xx + yy + c1) * (variances + c2));
    }
}

int ssim_accumulate(const void *opaque, void *scratch_memory, const FrameInput *input, RowBand band,
                    void *const records[])
{
    const SsimPlan *plan = opaque;
    SsimScratch *scratch = scratch_memory;
    (void)band; /* the whole frame */
    const unsigned w = plan->format.w[0], h = plan->format.h[0];
    SsimRecord *record = records[0];
    double sum = 0, weight = 0;
    unsigned next = 0; /* row that enters next */
    for (unsigned y = 0; y < h; y++) {
        for (; next < h && next <= y + RADIUS; next++)
            enter_row(plan, scratch, input, next);
        const double row_weight = weight_inside(y, h);
        filter(scratch, y, w, h);
        similarity(plan, scratch, row_weight, w);
        for (unsigned x = 0; x < w; x++) {
            sum += scratch->similarity[x];
            weight += scratch->weights[x] * row_weight;
        }
    }
    *record = (SsimRecord){sum, weight};
    return 0;
}
