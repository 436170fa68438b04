/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/adm/adm_internal.h"
#include "support/vector.h"

/*
 * Decoupling with vectors; see adm_decouple_scalar.c. What is rare is left to the portable
 * functions: gain limits that are no integers, large coefficients, and directions so close to the
 * limit of one degree that binary32 does not decide on which side they are.
 */

/* Reference coefficients below this are restored as the distorted ones are, within limits. */
enum { EXACT_RATIO = 1 << 14 };

typedef void DecoupleRow(const AdmDecouple *);

static void decouple_columns(DecoupleRow *portable, const AdmDecouple *row, int begin, int columns)
{
    AdmDecouple part = *row;
    part.columns = (AdmRange){begin, adm_min(begin + columns, row->columns.end)};
    portable(&part);
}

static AdmKernels portable_kernels(void)
{
    AdmKernels kernels;
    adm_kernels_fill_decouple_portable(&kernels);
    return kernels;
}

/* -- directions -- */

/* Masks of the elements where two vectors point in the same direction (near), and of those where
 * more digits are needed to decide that (doubtful). */
typedef struct Direction {
    Vec near, doubtful;
} Direction;

/*
 * By inner product P and squared lengths E and T: P >= 0 and P^2 >= c E T with c = cos^2 1 degree.
 * The relative error of the two sides is below 2^-20 where they are about equal, also if P, E and
 * T are computed in binary32 from rounded coefficients: then P is about |o| |t|, and so are the
 * sums of the magnitudes of its terms.
 */
static inline Direction compare_directions(VecF inner, VecF ref_energy, VecF dist_energy)
{
    const float same_direction = ADM_SAME_DIRECTION / 0x1p24F, margin = 0x1p-18F;
    const VecF squared = vec_mul_float(inner, inner);
    const VecF energies = vec_mul_float(ref_energy, dist_energy);
    const Vec surely = vec_at_least_float(
        squared, vec_mul_float(energies, vec_set_float(same_direction * (1 + margin))));
    const Vec possibly = vec_at_least_float(
        squared, vec_mul_float(energies, vec_set_float(same_direction * (1 - margin))));
    const Vec forward = vec_at_least_float(inner, vec_set_float(0));
    return (Direction){vec_and(surely, forward), vec_and_not(possibly, surely)};
}

/* -- scale 0 -- */

static inline Direction directions_16(const Vec ref[ADM_BANDS], const Vec dist[ADM_BANDS])
{
    const Vec oh = ref[BAND_H], ov = ref[BAND_V], th = dist[BAND_H], tv = dist[BAND_V];
    const VecPair inner = vec_sum_of_products(oh, th, ov, tv);
    const VecPair ref_energy = vec_sum_of_products(oh, oh, ov, ov);
    const VecPair dist_energy = vec_sum_of_products(th, th, tv, tv);
    const Direction low = compare_directions(vec_float(inner.low), vec_float(ref_energy.low),
                                             vec_float(dist_energy.low));
    const Direction high = compare_directions(vec_float(inner.high), vec_float(ref_energy.high),
                                              vec_float(dist_energy.high));
    return (Direction){vec_pack_32s(low.near, high.near), vec_or(low.doubtful, high.doubtful)};
}

/* The value or zero that is nearest to t, or what is between. */
static inline Vec clamp_towards(Vec t, Vec limit)
{
    const Vec zero = vec_zero();
    return vec_min_16s(vec_max_16s(t, vec_min_16s(limit, zero)), vec_max_16s(limit, zero));
}

static void decouple_16(const AdmDecouple *row)
{
    const AdmKernels portable = portable_kernels();
    const int gain = (int)row->gain_limit;
    if (gain != row->gain_limit) {
        portable.decouple_16(row);
        return;
    }
    const Vec factor = vec_set_16(gain);
    const Vec ref_limit = vec_set_16(EXACT_RATIO - 1);
    const Vec dist_limit = vec_set_16(ADM_LARGEST_LUMA_DETAIL);
    /* More than any coefficient of a picture whatever the gain. */
    const Vec most = vec_set_16(INT16_MAX / gain), least = vec_set_16(-(INT16_MAX / gain));

    for (ptrdiff_t x = row->columns.begin; x < row->columns.end; x += VEC_16) {
        Vec ref[ADM_BANDS], dist[ADM_BANDS];
        Vec largest_ref = ref_limit, largest_dist = dist_limit;
        for (int b = 0; b < ADM_BANDS; b++) {
            ref[b] = vec_load((const int16_t *)row->ref[b] + x);
            dist[b] = vec_load((const int16_t *)row->dist[b] + x);
            largest_ref = vec_max_16u(largest_ref, vec_abs_16(ref[b]));
            largest_dist = vec_max_16u(largest_dist, vec_abs_16(dist[b]));
        }
        const Vec beyond =
            vec_or(vec_xor(largest_ref, ref_limit), vec_xor(largest_dist, dist_limit));
        Direction direction = {vec_zero(), vec_zero()};
        if (gain > 1)
            direction = directions_16(ref, dist);
        if (!vec_is_zero(vec_or(beyond, direction.doubtful))) {
            decouple_columns(portable.decouple_16, row, (int)x, VEC_16);
            continue;
        }
        for (int b = 0; b < ADM_BANDS; b++) {
            Vec limit = ref[b];
            if (gain > 1) {
                const Vec raised =
                    vec_mul_low_16(vec_max_16s(vec_min_16s(ref[b], most), least), factor);
                limit = vec_select(direction.near, raised, limit);
            }
            const Vec rest = clamp_towards(dist[b], limit);
            vec_store((int16_t *)row->rest[b] + x, rest);
            vec_store((int16_t *)row->addition[b] + x, vec_sub_16(dist[b], rest));
        }
    }
}

/* -- coarser scales -- */

static inline Direction directions_32(const Vec ref[ADM_BANDS], const Vec dist[ADM_BANDS])
{
    const VecF oh = vec_float(ref[BAND_H]), ov = vec_float(ref[BAND_V]);
    const VecF th = vec_float(dist[BAND_H]), tv = vec_float(dist[BAND_V]);
    return compare_directions(vec_add_float(vec_mul_float(oh, th), vec_mul_float(ov, tv)),
                              vec_add_float(vec_mul_float(oh, oh), vec_mul_float(ov, ov)),
                              vec_add_float(vec_mul_float(th, th), vec_mul_float(tv, tv)));
}

/* floor(2^30 / divisor) for divisors from 2^14 to 2^15. */
static inline Vec reciprocal(Vec divisor)
{
    const Vec one = vec_set_32(1 << 30);
    const Vec rounded = vec_integer(vec_div_float(vec_float(one), vec_float(divisor)));
    /* The quotient may have been rounded up to an integer; never down past one. */
    return vec_add_32(rounded, vec_greater_32s(vec_mul_low_32(rounded, divisor), one));
}

/*
 * r = k o, with k = t / o in 15 fractional bits from the upper 15 bits of o, for a magnitude of o
 * from EXACT_RATIO and an equal sign of t.
 */
static inline Vec rest_of_large(Vec o, Vec o_magnitude, Vec t_magnitude)
{
    /* A bit more than there are gives the same ratio, by twice the reciprocal and one bit more to
     * drop, of a magnitude that binary32 rounds up to a power of two. */
    const Vec exponent = vec_excess_bits_32(o_magnitude, 15);
    const Vec inverse = reciprocal(vec_round_shift_right_each_32u(o_magnitude, exponent));

    /* k is at its limit of 2^15 from t = 2 o on. */
    const Vec t = vec_min_32u(t_magnitude, vec_add_32(o_magnitude, o_magnitude));
    const Vec ratio = vec_narrow_rounded_each_64(vec_products_32u(inverse, t),
                                                 vec_add_32(exponent, vec_set_32(15)));
    const Vec k = vec_min_32u(ratio, vec_set_32(1 << 15));
    const VecPair rest = vec_products_32s(k, o);
    return vec_narrow_rounded_64(rest, 15);
}

static void decouple_32(const AdmDecouple *row)
{
    const AdmKernels portable = portable_kernels();
    const int gain = (int)row->gain_limit;
    if (gain != row->gain_limit) {
        portable.decouple_32(row);
        return;
    }
    const Vec sign_bit = vec_set_32(INT32_MIN), factor = vec_set_32(gain);
    /* More than any coefficient whatever the gain. */
    const Vec most = vec_set_32((int32_t)(UINT32_MAX / (unsigned)gain));

    for (ptrdiff_t x = row->columns.begin; x < row->columns.end; x += VEC_32) {
        Vec ref[ADM_BANDS], dist[ADM_BANDS], ref_magnitude[ADM_BANDS], dist_magnitude[ADM_BANDS];
        Vec bits = vec_zero();
        for (int b = 0; b < ADM_BANDS; b++) {
            ref[b] = vec_load((const int32_t *)row->ref[b] + x);
            dist[b] = vec_load((const int32_t *)row->dist[b] + x);
            ref_magnitude[b] = vec_abs_32(ref[b]);
            dist_magnitude[b] = vec_abs_32(dist[b]);
            bits = vec_or(bits, vec_or(ref_magnitude[b], dist_magnitude[b]));
        }
        const Direction direction = directions_32(ref, dist);
        if (!vec_is_zero(vec_or(vec_and(bits, sign_bit), direction.doubtful))) {
            decouple_columns(portable.decouple_32, row, (int)x, VEC_32);
            continue;
        }
        for (int b = 0; b < ADM_BANDS; b++) {
            const Vec o = ref_magnitude[b], t = dist_magnitude[b];
            const Vec sign = vec_shift_right_32s(ref[b], 31);
            const Vec opposite = vec_shift_right_32s(vec_xor(ref[b], dist[b]), 31);
            const Vec small = vec_greater_32s(vec_set_32(EXACT_RATIO), o);
            Vec rest =
                vec_select(small, vec_min_32u(o, t), vec_abs_32(rest_of_large(ref[b], o, t)));
            Vec raised = rest;
            if (gain > 1)
                raised = vec_mul_low_32(vec_min_32u(rest, most), factor);
            rest = vec_select(direction.near, vec_min_32u(raised, t), rest);
            rest = vec_sub_32(vec_xor(rest, sign), sign);
            rest = vec_and_not(rest, opposite);
            vec_store((int32_t *)row->rest[b] + x, rest);
            vec_store((int32_t *)row->addition[b] + x, vec_sub_32(dist[b], rest));
        }
    }
}

void ISA_VARIANT(adm_kernels_fill_decouple)(AdmKernels *kernels)
{
    kernels->decouple_16 = decouple_16;
    kernels->decouple_32 = decouple_32;
}
