/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>

#include "metrics/float_adm/float_adm_constants.h"
#include "metrics/float_adm/float_adm_internal.h"
#include "metrics/float_adm/float_adm_reciprocal.h"

/*
 * Decoupling of detail loss and additive impairment (Li et al., section III): what is left of a
 * reference coefficient o in the distorted coefficient t is r = k o with k = t / o limited to
 * 0..1. Where the distorted detail points in the same direction as the reference, that is, is the
 * reference with more contrast, r may exceed o by a factor up to the gain limit. The rest of the
 * distorted coefficient, t - r, is the impairment.
 */

static const float same_direction = FLOAT_ADM_SAME_DIRECTION;

static const double neighbour_masking = FLOAT_ADM_NEIGHBOUR_MASKING;

/* Selections by masks: compilers that see comparisons make branches of some, and no vectors. */
static inline uint32_t mask_of(bool condition)
{
    return -(uint32_t)condition;
}

static inline float selected(uint32_t mask, float a, float b)
{
    return float_of_bits((bits_of_float(a) & mask) | (bits_of_float(b) & ~mask));
}

static inline float flipped(float x, uint32_t sign)
{
    return float_of_bits(bits_of_float(x) ^ sign);
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

/* r G, rounded to binary32 once: where G is a binary32 number, too, its product with r is exact in
 * binary64, and multiplication in binary32 gives the same. */
static inline float amplified(float r, double gain_limit, bool simple)
{
    return simple ? r * (float)gain_limit : (float)(r * gain_limit);
}

static inline float rest_of(float o, float t, uint32_t near, double gain_limit, bool simple)
{
    float k = t * float_adm_reciprocal(o + FLOAT_ADM_TINY);
    k = selected(mask_of(k > 0.0F), k, 0.0F);
    k = selected(mask_of(k < 1.0F), k, 1.0F);
    const float r = k * o;

    /* Negative numbers are limited like their magnitudes. */
    const uint32_t sign = bits_of_float(r) & FLOAT_ADM_SIGN;
    const float limit = flipped(amplified(r, gain_limit, simple), sign),
                distorted = flipped(t, sign);
    const float limited = flipped(selected(mask_of(limit < distorted), limit, distorted), sign);
    return selected(near & mask_of(r != 0.0F), limited, r);
}

static inline __attribute__((always_inline)) void
decouple_band(const float *restrict ref, const float *restrict dist, const uint32_t *restrict near,
              AdmRange columns, double gain_limit, bool simple, float *restrict restored,
              float *restrict added)
{
    for (int x = columns.begin; x < columns.end; x++) {
        const float r = rest_of(ref[x], dist[x], near[x], gain_limit, simple);
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
        if ((float)row->gain_limit == row->gain_limit)
            decouple_band(row->ref[b], row->dist[b], row->near, row->columns, row->gain_limit, true,
                          row->restored[b], row->added[b]);
        else
            decouple_band(row->ref[b], row->dist[b], row->near, row->columns, row->gain_limit,
                          false, row->restored[b], row->added[b]);
        weigh_band(row->restored[b], row->columns, row->weights[b], row->restored_masking[b]);
        weigh_band(row->added[b], row->columns, row->weights[b], row->added_masking[b]);
        mirror_ends(row->restored_masking[b], row->columns, row->size);
        mirror_ends(row->added_masking[b], row->columns, row->size);
    }
}

void ISA_VARIANT(float_adm_kernels_fill_decouple)(FloatAdmKernels *kernels)
{
    kernels->decouple = decouple;
}
