/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdbool.h>

#include "metrics/adm/adm_internal.h"

/*
 * Decoupling of detail loss and additive impairment (Li et al., section III), as it is defined:
 * what is left of a reference coefficient o in the distorted coefficient t is r = k o with k = t /
 * o limited to 0..1. Where the distorted detail points in the same direction as the reference, that
 * is, is the reference with more contrast, r may exceed o by a factor up to the gain limit. The
 * rest of the distorted coefficient, t - r, is the impairment.
 */

/*
 * True if the angle between the vectors (oh, ov) and (th, tv) is below one degree, by their inner
 * product and squared lengths. Each is rounded to binary32 once. Coefficients of samples beyond the
 * bit depth may make squared lengths wrap.
 */
static bool is_near(int64_t oh, int64_t ov, int64_t th, int64_t tv)
{
    const float same_direction = ADM_SAME_DIRECTION / 0x1p24F;
    const float inner = (float)(oh * th + ov * tv);
    const float ref_energy = (float)(int64_t)((uint64_t)(oh * oh) + (uint64_t)(ov * ov));
    const float dist_energy = (float)(int64_t)((uint64_t)(th * th) + (uint64_t)(tv * tv));
    return inner >= 0.0F &&
           (double)inner * inner >= (double)same_direction * ref_energy * dist_energy;
}

static int64_t magnitude(int64_t x)
{
    return x < 0 ? -x : x;
}

/* t / o in 15 fractional bits, from the upper 15 bits of o; at most 1. */
static int64_t ratio(int32_t o, int32_t t)
{
    int64_t divisor = magnitude(o);
    int exponent = 0;
    while (divisor >> exponent >= 32768)
        exponent++;
    divisor = (int64_t)adm_round_shift((uint64_t)divisor, exponent);
    const int64_t reciprocal = ((int64_t)1 << 30) / divisor;
    const uint64_t k = adm_round_shift((uint64_t)(reciprocal * magnitude(t)), 15 + exponent);
    return k < 32768 ? (int64_t)k : 32768;
}

static int32_t rest_of(int32_t o, int32_t t, bool near, double gain_limit)
{
    if (o == 0 || t == 0 || (o < 0) != (t < 0))
        return 0;
    const int64_t r = (ratio(o, t) * o + 16384) >> 15;
    if (!near)
        return (int32_t)r;
    const double limit = (double)r * gain_limit;
    if (o > 0)
        return (int32_t)(limit < t ? limit : t);
    return (int32_t)(limit > t ? limit : t);
}

static void decouple_16(const AdmDecouple *row)
{
    const int16_t *const *o = (const int16_t *const *)row->ref;
    const int16_t *const *t = (const int16_t *const *)row->dist;
    for (int x = row->columns.begin; x < row->columns.end; x++) {
        const bool near = is_near(o[BAND_H][x], o[BAND_V][x], t[BAND_H][x], t[BAND_V][x]);
        for (int b = 0; b < ADM_BANDS; b++) {
            const int16_t r = (int16_t)rest_of(o[b][x], t[b][x], near, row->gain_limit);
            ((int16_t *)row->rest[b])[x] = r;
            ((int16_t *)row->addition[b])[x] = (int16_t)(t[b][x] - r);
        }
    }
}

static void decouple_32(const AdmDecouple *row)
{
    const int32_t *const *o = (const int32_t *const *)row->ref;
    const int32_t *const *t = (const int32_t *const *)row->dist;
    for (int x = row->columns.begin; x < row->columns.end; x++) {
        const bool near = is_near(o[BAND_H][x], o[BAND_V][x], t[BAND_H][x], t[BAND_V][x]);
        for (int b = 0; b < ADM_BANDS; b++) {
            const int32_t r = rest_of(o[b][x], t[b][x], near, row->gain_limit);
            ((int32_t *)row->rest[b])[x] = r;
            ((int32_t *)row->addition[b])[x] = t[b][x] - r;
        }
    }
}

void adm_kernels_fill_decouple_scalar(AdmKernels *kernels)
{
    kernels->decouple_16 = decouple_16;
    kernels->decouple_32 = decouple_32;
}
