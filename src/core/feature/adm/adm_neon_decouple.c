/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <arm_neon.h>

#include "feature/adm/adm_kernels.h"

/*
 * Decoupling with NEON; see adm_decouple.c. What is rare is left to the scalar functions: gain
 * limits that are no integers, large coefficients, and directions so close to the limit of one
 * degree that binary32 does not tell on which side they are.
 */

enum { COLUMNS_16 = 8, COLUMNS_32 = 4 }; /* of a vector */

/* Reference coefficients below this are restored as the distorted ones are, within limits. */
enum { EXACT_RATIO = 1 << 14 };

typedef void DecoupleRow(const AdmDecouple *);

static void decouple_columns(DecoupleRow *scalar, const AdmDecouple *row, int begin, int columns)
{
    AdmDecouple part = *row;
    part.columns = (AdmRange){begin, adm_min(begin + columns, row->columns.end)};
    scalar(&part);
}

static AdmKernels scalar_kernels(void)
{
    AdmKernels kernels;
    adm_kernels_fill_decouple_scalar(&kernels);
    return kernels;
}

/* -- directions -- */

/* Whether two vectors point in the same direction; where it is doubtful, that has to be computed
 * with more digits. */
typedef struct Direction {
    uint32x4_t near, doubtful;
} Direction;

/*
 * By inner product P and squared lengths E and T: P >= 0 and P^2 >= c E T with c = cos^2 1 degree.
 * The relative error of the two sides is below 2^-20 where they are about equal, also if P, E and
 * T are computed in binary32 from rounded coefficients: then P is about |o| |t|, and so are the
 * sums of the magnitudes of its terms.
 */
static inline Direction compare_directions(float32x4_t inner, float32x4_t ref_energy,
                                           float32x4_t dist_energy)
{
    const float same_direction = ADM_SAME_DIRECTION / 0x1p24F, margin = 0x1p-18F;
    const float32x4_t squared = vmulq_f32(inner, inner);
    const float32x4_t energies = vmulq_f32(ref_energy, dist_energy);
    const uint32x4_t surely =
        vcgeq_f32(squared, vmulq_n_f32(energies, same_direction * (1 + margin)));
    const uint32x4_t possibly =
        vcgeq_f32(squared, vmulq_n_f32(energies, same_direction * (1 - margin)));
    return (Direction){vandq_u32(surely, vcgezq_f32(inner)), vbicq_u32(possibly, surely)};
}

/* -- scale 0 -- */

/* Four columns of coefficients of bands h and v. */
static inline Direction directions_16(int16x4_t oh, int16x4_t ov, int16x4_t th, int16x4_t tv)
{
    return compare_directions(vcvtq_f32_s32(vmlal_s16(vmull_s16(oh, th), ov, tv)),
                              vcvtq_f32_s32(vmlal_s16(vmull_s16(oh, oh), ov, ov)),
                              vcvtq_f32_s32(vmlal_s16(vmull_s16(th, th), tv, tv)));
}

/* The value or zero that is nearest to t, or what is between. */
static inline int16x8_t clamp_towards(int16x8_t t, int16x8_t limit)
{
    const int16x8_t zero = vdupq_n_s16(0);
    return vminq_s16(vmaxq_s16(t, vminq_s16(limit, zero)), vmaxq_s16(limit, zero));
}

static void decouple_16(const AdmDecouple *row)
{
    const AdmKernels scalar = scalar_kernels();
    const int gain = (int)row->gain_limit;
    if (gain != row->gain_limit) {
        scalar.decouple_16(row);
        return;
    }
    /* More than any coefficient of a picture whatever the gain. */
    const int16x8_t most = vdupq_n_s16((int16_t)(INT16_MAX / gain)), least = vnegq_s16(most);

    for (int x = row->columns.begin; x < row->columns.end; x += COLUMNS_16) {
        int16x8_t ref[ADM_BANDS], dist[ADM_BANDS];
        uint16x8_t beyond = vdupq_n_u16(0), near = beyond;
        for (int b = 0; b < ADM_BANDS; b++) {
            ref[b] = vld1q_s16((const int16_t *)row->ref[b] + x);
            dist[b] = vld1q_s16((const int16_t *)row->dist[b] + x);
            const uint16x8_t ref_magnitude = vreinterpretq_u16_s16(vabsq_s16(ref[b]));
            const uint16x8_t dist_magnitude = vreinterpretq_u16_s16(vabsq_s16(dist[b]));
            beyond = vorrq_u16(beyond, vcgeq_u16(ref_magnitude, vdupq_n_u16(EXACT_RATIO)));
            beyond =
                vorrq_u16(beyond, vcgtq_u16(dist_magnitude, vdupq_n_u16(ADM_LARGEST_LUMA_DETAIL)));
        }
        if (gain > 1) {
            const Direction low =
                directions_16(vget_low_s16(ref[BAND_H]), vget_low_s16(ref[BAND_V]),
                              vget_low_s16(dist[BAND_H]), vget_low_s16(dist[BAND_V]));
            const Direction high =
                directions_16(vget_high_s16(ref[BAND_H]), vget_high_s16(ref[BAND_V]),
                              vget_high_s16(dist[BAND_H]), vget_high_s16(dist[BAND_V]));
            near = vmovn_high_u32(vmovn_u32(low.near), high.near);
            beyond = vorrq_u16(beyond, vmovn_high_u32(vmovn_u32(low.doubtful), high.doubtful));
        }
        if (vmaxvq_u16(beyond)) {
            decouple_columns(scalar.decouple_16, row, x, COLUMNS_16);
            continue;
        }
        for (int b = 0; b < ADM_BANDS; b++) {
            int16x8_t limit = ref[b];
            if (gain > 1)
                limit = vbslq_s16(
                    near, vmulq_n_s16(vmaxq_s16(vminq_s16(limit, most), least), (int16_t)gain),
                    limit);
            const int16x8_t rest = clamp_towards(dist[b], limit);
            vst1q_s16((int16_t *)row->rest[b] + x, rest);
            vst1q_s16((int16_t *)row->addition[b] + x, vsubq_s16(dist[b], rest));
        }
    }
}

/* -- coarser scales -- */

static inline Direction directions_32(const int32x4_t ref[ADM_BANDS],
                                      const int32x4_t dist[ADM_BANDS])
{
    const float32x4_t oh = vcvtq_f32_s32(ref[BAND_H]), ov = vcvtq_f32_s32(ref[BAND_V]);
    const float32x4_t th = vcvtq_f32_s32(dist[BAND_H]), tv = vcvtq_f32_s32(dist[BAND_V]);
    return compare_directions(vaddq_f32(vmulq_f32(oh, th), vmulq_f32(ov, tv)),
                              vaddq_f32(vmulq_f32(oh, oh), vmulq_f32(ov, ov)),
                              vaddq_f32(vmulq_f32(th, th), vmulq_f32(tv, tv)));
}

/* floor(2^30 / divisor) for divisors from 2^14 to 2^15. */
static inline uint32x4_t reciprocal(uint32x4_t divisor)
{
    const uint32x4_t one = vdupq_n_u32(1 << 30);
    const uint32x4_t rounded = vcvtq_u32_f32(vdivq_f32(vcvtq_f32_u32(one), vcvtq_f32_u32(divisor)));
    /* The quotient may have been rounded up to an integer; never down past one. */
    return vaddq_u32(rounded, vcgtq_u32(vmulq_u32(rounded, divisor), one));
}

/*
 * |r| with r = k o and k = t / o in 15 fractional bits from the upper 15 bits of o, for a magnitude
 * of o from EXACT_RATIO and an equal sign of t.
 */
static inline uint32x4_t rest_of_large(int32x4_t o, uint32x4_t o_magnitude, uint32x4_t t_magnitude)
{
    /* Shifts to the right are negative ones to the left; all of these round. */
    const int32x4_t exponent =
        vmaxq_s32(vsubq_s32(vdupq_n_s32(32 - 15), vreinterpretq_s32_u32(vclzq_u32(o_magnitude))),
                  vdupq_n_s32(0));
    const uint32x4_t inverse = reciprocal(vrshlq_u32(o_magnitude, vnegq_s32(exponent)));
    const int32x4_t shift = vsubq_s32(vdupq_n_s32(-15), exponent);

    /* k is at its limit of 2^15 from t = 2 o on. */
    const uint32x4_t t = vminq_u32(t_magnitude, vaddq_u32(o_magnitude, o_magnitude));
    const uint64x2_t low_ratio = vrshlq_u64(vmull_u32(vget_low_u32(inverse), vget_low_u32(t)),
                                            vmovl_s32(vget_low_s32(shift)));
    const uint64x2_t high_ratio = vrshlq_u64(vmull_high_u32(inverse, t), vmovl_high_s32(shift));
    const uint32x4_t ratio = vmovn_high_u64(vmovn_u64(low_ratio), high_ratio);
    const int32x4_t k = vreinterpretq_s32_u32(vminq_u32(ratio, vdupq_n_u32(1 << 15)));

    const int32x2_t low_rest = vrshrn_n_s64(vmull_s32(vget_low_s32(k), vget_low_s32(o)), 15);
    return vreinterpretq_u32_s32(vabsq_s32(vrshrn_high_n_s64(low_rest, vmull_high_s32(k, o), 15)));
}

static void decouple_32(const AdmDecouple *row)
{
    const AdmKernels scalar = scalar_kernels();
    const int gain = (int)row->gain_limit;
    if (gain != row->gain_limit) {
        scalar.decouple_32(row);
        return;
    }
    /* More than any coefficient whatever the gain. */
    const uint32x4_t most = vdupq_n_u32(UINT32_MAX / (unsigned)gain);

    for (int x = row->columns.begin; x < row->columns.end; x += COLUMNS_32) {
        int32x4_t ref[ADM_BANDS], dist[ADM_BANDS];
        uint32x4_t ref_magnitude[ADM_BANDS], dist_magnitude[ADM_BANDS], bits = vdupq_n_u32(0);
        for (int b = 0; b < ADM_BANDS; b++) {
            ref[b] = vld1q_s32((const int32_t *)row->ref[b] + x);
            dist[b] = vld1q_s32((const int32_t *)row->dist[b] + x);
            ref_magnitude[b] = vreinterpretq_u32_s32(vabsq_s32(ref[b]));
            dist_magnitude[b] = vreinterpretq_u32_s32(vabsq_s32(dist[b]));
            bits = vorrq_u32(bits, vorrq_u32(ref_magnitude[b], dist_magnitude[b]));
        }
        const Direction direction = directions_32(ref, dist);
        if (vmaxvq_u32(vorrq_u32(bits, direction.doubtful)) > INT32_MAX) {
            decouple_columns(scalar.decouple_32, row, x, COLUMNS_32);
            continue;
        }
        for (int b = 0; b < ADM_BANDS; b++) {
            const uint32x4_t o = ref_magnitude[b], t = dist_magnitude[b];
            const int32x4_t sign = vshrq_n_s32(ref[b], 31);
            const int32x4_t opposite = vshrq_n_s32(veorq_s32(ref[b], dist[b]), 31);
            const uint32x4_t small = vcltq_u32(o, vdupq_n_u32(EXACT_RATIO));
            uint32x4_t magnitude = vbslq_u32(small, vminq_u32(o, t), rest_of_large(ref[b], o, t));
            uint32x4_t raised = magnitude;
            if (gain > 1)
                raised = vmulq_n_u32(vminq_u32(raised, most), (uint32_t)gain);
            magnitude = vbslq_u32(direction.near, vminq_u32(raised, t), magnitude);
            int32x4_t rest = vsubq_s32(veorq_s32(vreinterpretq_s32_u32(magnitude), sign), sign);
            rest = vbicq_s32(rest, opposite);
            vst1q_s32((int32_t *)row->rest[b] + x, rest);
            vst1q_s32((int32_t *)row->addition[b] + x, vsubq_s32(dist[b], rest));
        }
    }
}

void adm_kernels_fill_decouple_neon(AdmKernels *kernels)
{
    kernels->decouple_16 = decouple_16;
    kernels->decouple_32 = decouple_32;
}
