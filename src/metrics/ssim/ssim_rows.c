/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stddef.h>
#include <stdint.h>

#include "metrics/ssim/ssim_internal.h"
#include "support/cpu.h"
#include "support/loops.h"

static void multiply_bytes(double *const out[SSIM_SUMS], const void *ref, const void *dist,
                           unsigned w)
{
    const uint8_t *a = ref, *b = dist;
    double *restrict r = out[SSIM_SUM_REF], *restrict d = out[SSIM_SUM_DIST];
    double *restrict rr = out[SSIM_SUM_REF_REF], *restrict dd = out[SSIM_SUM_DIST_DIST];
    double *restrict rd = out[SSIM_SUM_REF_DIST];
    for (unsigned x = 0; x < w; x++) {
        const double s = a[x], e = b[x];
        r[x] = s;
        d[x] = e;
        rr[x] = s * s;
        dd[x] = e * e;
        rd[x] = s * e;
    }
}

static void multiply_words(double *const out[SSIM_SUMS], const void *ref, const void *dist,
                           unsigned w)
{
    const uint16_t *a = ref, *b = dist;
    double *restrict r = out[SSIM_SUM_REF], *restrict d = out[SSIM_SUM_DIST];
    double *restrict rr = out[SSIM_SUM_REF_REF], *restrict dd = out[SSIM_SUM_DIST_DIST];
    double *restrict rd = out[SSIM_SUM_REF_DIST];
    for (unsigned x = 0; x < w; x++) {
        const double s = a[x], e = b[x];
        r[x] = s;
        d[x] = e;
        rr[x] = s * s;
        dd[x] = e * e;
        rd[x] = s * e;
    }
}

/* All sums are exact: samples of equal weight are added first. */
static inline double weigh(double centre, double pair1, double pair2, double pair3, double pair4)
{
    const double *taps = ssim_taps;
    return centre * taps[0] + pair1 * taps[1] + pair2 * taps[2] + pair3 * taps[3] + pair4 * taps[4];
}

static void filter_columns(double *restrict out, const double *const rows[SSIM_TAPS], unsigned w)
{
    const double *r0 = rows[0], *r1 = rows[1], *r2 = rows[2], *r3 = rows[3], *r4 = rows[4];
    const double *r5 = rows[5], *r6 = rows[6], *r7 = rows[7], *r8 = rows[8];
    for (size_t x = 0; x < w; x++)
        out[x] = weigh(r4[x], r3[x] + r5[x], r2[x] + r6[x], r1[x] + r7[x], r0[x] + r8[x]);
}

static void filter_row(double *restrict out, const double *restrict in, unsigned w)
{
    const double *left1 = RELOADED(in - 1), *right1 = RELOADED(in + 1);
    const double *left2 = RELOADED(in - 2), *right2 = RELOADED(in + 2);
    const double *left3 = RELOADED(in - 3), *right3 = RELOADED(in + 3);
    const double *left4 = RELOADED(in - 4), *right4 = RELOADED(in + 4);
    for (size_t x = 0; x < w; x++)
        out[x] = weigh(in[x], left1[x] + right1[x], left2[x] + right2[x], left3[x] + right3[x],
                       left4[x] + right4[x]);
}

static void similarity(double *restrict out, const double *const sums[SSIM_SUMS],
                       const double *weights, double row_weight, const SsimConstants *constants,
                       unsigned w)
{
    const double *ref = sums[SSIM_SUM_REF], *dist = sums[SSIM_SUM_DIST];
    const double *ref_ref = sums[SSIM_SUM_REF_REF], *dist_dist = sums[SSIM_SUM_DIST_DIST];
    const double *ref_dist = sums[SSIM_SUM_REF_DIST];
    const double unit_c1 = constants->c1, unit_c2 = constants->c2;
    for (unsigned x = 0; x < w; x++) {
        const double weight = weights[x] * row_weight;
        const double c1 = unit_c1 * weight * weight, c2 = unit_c2 * weight * weight;
        const double xx = ref[x] * ref[x], xy = ref[x] * dist[x], yy = dist[x] * dist[x];
        const double variances = ref_ref[x] * weight - xx + dist_dist[x] * weight - yy;
        out[x] = weight * (2 * xy + c1) * (c2 + 2 * (ref_dist[x] * weight - xy)) /
                 ((xx + yy + c1) * (variances + c2));
    }
}

const IntegerSsimFunctions ISA_VARIANT(integer_ssim_functions) = {
    .multiply_bytes = multiply_bytes,
    .multiply_words = multiply_words,
    .filter_columns = filter_columns,
    .filter_row = filter_row,
    .similarity = similarity,
};
