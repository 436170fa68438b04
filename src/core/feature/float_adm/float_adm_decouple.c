/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>
#include <string.h>

#include "feature/float_adm/float_adm_kernels.h"

/*
 * Decoupling of detail loss and additive impairment (Li et al., section III): what is left of a
 * reference coefficient o in the distorted coefficient t is r = k o with k = t / o limited to
 * 0..1. Where the distorted detail points in the same direction as the reference, that is, is the
 * reference with more contrast, r may exceed o by a factor up to the gain limit. The rest of the
 * distorted coefficient, t - r, is the impairment.
 */

/* cos^2 of the angle of one degree within which directions count as the same. */
static const float same_direction = 0.99969542F;

/* Part of a weighted magnitude in the visibility threshold of each neighbour, in each band; in
 * binary64, like the literal. */
static const double neighbour_masking = 0.0333333351;

#define SIGN     0x80000000U
#define EXPONENT 0x7F800000U

static inline uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static inline float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/*
 * The reciprocal that defines k is an estimate with 12 fractional bits, refined by one Newton step.
 * The estimate is that of the instruction RCPSS of Intel processors; others have other tables, so
 * it is computed: with m the upper 11 bits of the fraction of x, it is 8192 / (1 + (m + 1/2) /
 * 2048) rounded to the nearest integer, with the exponent that belongs there. As the fraction of
 * the result, which is what is above 4096, that is the integer part of (16775168 - 8191 m) / (4097
 * + 2 m); numerator and denominator are exact in binary32, and the quotient is never so close below
 * an integer that rounding would reach it.
 *
 * For normal numbers below 2^126; coefficients of pictures are not larger than 2^14.
 */
static inline float reciprocal_estimate(float x)
{
    const uint32_t bits = bits_of(x);
    const float m = (float)(int32_t)(bits >> 12 & 2047);
    const int32_t fraction = (int32_t)((16775168.0F - 8191.0F * m) / (4097.0F + 2.0F * m));
    const uint32_t exponent = (253U << 23) - (bits & EXPONENT);
    return float_of((bits & SIGN) | (exponent + ((uint32_t)fraction << 11)));
}

static inline float reciprocal(float x)
{
    const float y = reciprocal_estimate(x);
    return y + y * (1.0F - x * y);
}

/* All bits set where the angle between the vectors (h, v) of reference and distorted picture is
 * below one degree. */
static void find_near(const FloatAdmDecouple *row)
{
    const float *restrict oh = row->ref[BAND_H], *restrict ov = row->ref[BAND_V];
    const float *restrict th = row->dist[BAND_H], *restrict tv = row->dist[BAND_V];
    uint32_t *restrict near = row->near;
    const AdmRange columns = row->columns;
    for (int x = columns.begin; x < columns.end; x++) {
        const float inner = oh[x] * th[x] + ov[x] * tv[x];
        const float ref_energy = oh[x] * oh[x] + ov[x] * ov[x];
        const float dist_energy = th[x] * th[x] + tv[x] * tv[x];
        const float limit = same_direction * ref_energy * dist_energy;
        near[x] = -(uint32_t)(inner >= 0.0F) & -(uint32_t)(inner * inner >= limit);
    }
}

/* Selections by masks, and one minimum for both signs, leave no branches to the compiler. */
static inline float rest_of(float o, float t, uint32_t near, double gain_limit)
{
    float k = t * reciprocal(o + 1e-30F);
    k = float_of(bits_of(k) & -(uint32_t)(k > 0.0F));
    k = k < 1.0F ? k : 1.0F;
    const float r = k * o;

    const uint32_t sign = bits_of(r) & SIGN;
    const float limit = float_of(bits_of((float)(r * gain_limit)) ^ sign);
    const float distorted = float_of(bits_of(t) ^ sign);
    const uint32_t limited = bits_of(limit < distorted ? limit : distorted) ^ sign;
    const uint32_t may_exceed = near & -(uint32_t)(r != 0.0F);
    return float_of((limited & may_exceed) | (bits_of(r) & ~may_exceed));
}

static void decouple_band(const FloatAdmDecouple *row, int b)
{
    const float *restrict ref = row->ref[b], *restrict dist = row->dist[b];
    const uint32_t *restrict near = row->near;
    float *restrict restored = row->restored[b], *restrict added = row->added[b];
    float *restrict restored_masking = row->restored_masking[b];
    float *restrict added_masking = row->added_masking[b];
    const float weight = row->weights[b];
    const double gain_limit = row->gain_limit;
    const AdmRange columns = row->columns;
    for (int x = columns.begin; x < columns.end; x++) {
        const float r = rest_of(ref[x], dist[x], near[x], gain_limit);
        const float weighted_r = fabsf(weight * r);
        const float weighted_a = fabsf(weight * (dist[x] - r));
        restored[x] = weighted_r;
        added[x] = weighted_a;
        restored_masking[x] = (float)(neighbour_masking * weighted_r);
        added_masking[x] = (float)(neighbour_masking * weighted_a);
    }
}

/* Left of the band its column 1 is repeated, right of it the last one. */
static void mirror_ends(float *row, AdmRange columns, int size)
{
    if (columns.begin == 0)
        row[-1] = row[1];
    if (columns.end == size)
        row[size] = row[size - 1];
}

static void decouple(const FloatAdmDecouple *row)
{
    find_near(row);
    for (int b = 0; b < ADM_BANDS; b++) {
        decouple_band(row, b);
        mirror_ends(row->restored_masking[b], row->columns, row->size);
        mirror_ends(row->added_masking[b], row->columns, row->size);
    }
}

void float_adm_kernels_init_scalar_decouple(FloatAdmKernels *kernels)
{
    kernels->decouple = decouple;
}
