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

/* Selections by masks: compilers that see comparisons make branches of some, and no vectors. */
static inline uint32_t selected(uint32_t mask, uint32_t a, uint32_t b)
{
    return (a & mask) | (b & ~mask);
}

static inline uint32_t mask_of(bool condition)
{
    return -(uint32_t)condition;
}

/* A mask of where the angle between the vectors (h, v) of reference and distorted picture is below
 * one degree. */
static void find_near(const float *restrict ref_h, const float *restrict ref_v,
                      const float *restrict dist_h, const float *restrict dist_v, AdmRange columns,
                      uint32_t *restrict near)
{
    for (int x = columns.begin; x < columns.end; x++) {
        const float inner = ref_h[x] * dist_h[x] + ref_v[x] * dist_v[x];
        const float ref_energy = ref_h[x] * ref_h[x] + ref_v[x] * ref_v[x];
        const float dist_energy = dist_h[x] * dist_h[x] + dist_v[x] * dist_v[x];
        const float limit = same_direction * ref_energy * dist_energy;
        near[x] = mask_of(inner >= 0.0F) & mask_of(inner * inner >= limit);
    }
}

static inline float rest_of(float o, float t, uint32_t near, double gain_limit)
{
    float k = t * reciprocal(o + 1e-30F);
    k = float_of(selected(mask_of(k > 0.0F), bits_of(k), 0));
    k = float_of(selected(mask_of(k < 1.0F), bits_of(k), bits_of(1.0F)));
    const float r = k * o;

    /* Negative numbers are limited like their magnitudes. */
    const uint32_t sign = bits_of(r) & SIGN;
    const float limit = float_of(bits_of((float)(r * gain_limit)) ^ sign);
    const float distorted = float_of(bits_of(t) ^ sign);
    const uint32_t limited =
        selected(mask_of(limit < distorted), bits_of(limit), bits_of(distorted));
    return float_of(selected(near & mask_of(r != 0.0F), limited ^ sign, bits_of(r)));
}

static void decouple_band(const float *restrict ref, const float *restrict dist,
                          const uint32_t *restrict near, AdmRange columns, double gain_limit,
                          float *restrict restored, float *restrict added)
{
    for (int x = columns.begin; x < columns.end; x++) {
        const float r = rest_of(ref[x], dist[x], near[x], gain_limit);
        restored[x] = r;
        added[x] = dist[x] - r;
    }
}

static void weigh_band(float *restrict band, AdmRange columns, float weight,
                       float *restrict masking)
{
    for (int x = columns.begin; x < columns.end; x++) {
        const float magnitude = fabsf(weight * band[x]);
        band[x] = magnitude;
        masking[x] = (float)(neighbour_masking * magnitude);
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
    find_near(row->ref[BAND_H], row->ref[BAND_V], row->dist[BAND_H], row->dist[BAND_V],
              row->columns, row->near);
    for (int b = 0; b < ADM_BANDS; b++) {
        decouple_band(row->ref[b], row->dist[b], row->near, row->columns, row->gain_limit,
                      row->restored[b], row->added[b]);
        weigh_band(row->restored[b], row->columns, row->weights[b], row->restored_masking[b]);
        weigh_band(row->added[b], row->columns, row->weights[b], row->added_masking[b]);
        mirror_ends(row->restored_masking[b], row->columns, row->size);
        mirror_ends(row->added_masking[b], row->columns, row->size);
    }
}

void float_adm_kernels_init_scalar_decouple(FloatAdmKernels *kernels)
{
    kernels->decouple = decouple;
}
