/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_ADM_DECOUPLE_KERNEL_H
#define METRICS_ADM_DECOUPLE_KERNEL_H

#include "metrics/adm/adm_kernel.h"

/*
 * Decoupling of detail loss and additive impairment: what is left of a reference coefficient o in
 * the distorted coefficient t (docs/metrics/adm.md). COEFFICIENT_BITS says how wide both are.
 *
 * The definition of the metric uses binary64 in two places; here integers give the same results.
 */

struct adm_bands {
    i32 h, v, d;
};
KERNEL_STRUCT(adm_bands)

/* -- the angle between (oh, ov) and (th, tv): is it below one degree? -- */

/* cos^2 of one degree, times 2^24; sin^2. */
#define COS2 U32(ADM_SAME_DIRECTION)
#define SIN2 U32(16777216 - ADM_SAME_DIRECTION)

/* A number of 24 bits times 2^exponent. */
struct adm_binary32 {
    u32 mantissa;
    i32 exponent;
};
KERNEL_STRUCT(adm_binary32)

/* x, not 0, rounded to the nearest binary32, ties to even. */
FN adm_binary32 nearest_binary32(u64 x)
{
    adm_binary32 nearest;
    i32 drop = msb_u64(x) - 23;
    nearest.exponent = drop;
    if (drop <= 0) {
        nearest.mantissa = U32(x) << -drop;
    } else {
        u64 odd = (x >> drop) & U64(1);
        nearest.mantissa = U32((x + (U64(1) << (drop - 1)) - U64(1) + odd) >> drop);
        if (nearest.mantissa == 1u << 24) {
            nearest.mantissa = 1u << 23;
            nearest.exponent = drop + 1;
        }
    }
    return nearest;
}

/*
 * 1 if inner^2 >= COS2 / 2^24 ref * dist as binary64 computes it, the right-hand side rounded to 53
 * bits. inner^2 has 48 bits, so that the rounded right-hand side is at most that if the exact one
 * exceeds it by no more than half a unit of its 53rd bit.
 */
FN i32 square_reaches(adm_binary32 inner, adm_binary32 ref, adm_binary32 dist)
{
    /* Left: most * 2^rise, 55 bits; right: upper * 2^24 + lower, 72 bits. */
    u64 square = U64(inner.mantissa) * U64(inner.mantissa);
    u64 most = (square << 7) + (square >> 47) + U64(1);
    i32 rise = 2 * inner.exponent - ref.exponent - dist.exponent + 17;
    u64 scaled = U64(COS2) * U64(ref.mantissa);
    u64 lower = (scaled & U64(0xFFFFFF)) * U64(dist.mantissa);
    u64 upper = (scaled >> 24) * U64(dist.mantissa) + (lower >> 24);
    i32 reaches = rise > 18 ? 1 : 0;
    if (rise >= 15 && rise <= 18) {
        u64 most_upper = most >> (24 - rise);
        u64 most_lower = (most << rise) & U64(0xFFFFFF);
        lower = lower & U64(0xFFFFFF);
        reaches = upper < most_upper || (upper == most_upper && lower <= most_lower) ? 1 : 0;
    }
    return reaches;
}

/* Inner product and energies are rounded to binary32. */
FN i32 is_near_exactly(i32 oh, i32 ov, i32 th, i32 tv)
{
    i64 inner = I64(oh) * I64(th) + I64(ov) * I64(tv);
    u64 ref = U64(I64(oh) * I64(oh)) + U64(I64(ov) * I64(ov));
    u64 dist = U64(I64(th) * I64(th)) + U64(I64(tv) * I64(tv));
    i32 near = 0;
    if (ref == U64(0) || dist == U64(0)) {
        near = 1;
    } else if (inner > I64(0)) {
        near = square_reaches(nearest_binary32(U64(inner)), nearest_binary32(ref),
                              nearest_binary32(dist));
    }
    return near;
}

/*
 * The same from the sine, for coefficients below 2^15: 1 or 0 where `lowest` and `highest`, around
 * SIN2, leave no doubt, else -1.
 */
FN i32 is_near_by_sine(i32 oh, i32 ov, i32 th, i32 tv, u32 lowest, u32 highest)
{
    i32 inner = oh * th + ov * tv;
    u32 outer = U32(abs_i32(oh * tv - ov * th));
    u64 square = U64(outer) * U64(outer);
    u64 energies = U64(U32(oh * oh) + U32(ov * ov)) * U64(U32(th * th) + U32(tv * tv));
    if ((energies >> 39) == U64(0)) {
        square = square << 24; /* it is at most `energies` */
    } else {
        energies = energies >> 24;
    }
    i32 near = -1;
    if (square > (energies + U64(1)) * U64(highest)) {
        near = 0;
    } else if (square < energies * U64(lowest)) {
        near = inner > 0 ? 1 : 0;
    }
    return near;
}

#if COEFFICIENT_BITS == 16

/* Rounding to binary32 moves the sine by less than 5 / SIN2. */
FN i32 is_near(i32 oh, i32 ov, i32 th, i32 tv)
{
    i32 near = is_near_by_sine(oh, ov, th, tv, SIN2 - 5u, SIN2 + 5u);
    return near >= 0 ? near : is_near_exactly(oh, ov, th, tv);
}

#else

/* So many bits can go that 14 remain, and the sign. */
FN i32 bits_above_14(i32 a, i32 b)
{
    u32 both = U32(abs_i32(a)) | U32(abs_i32(b));
    return both < 1u << 14 ? 0 : I32(MSB32(both)) - 13;
}

/* The angle that the upper 14 bits leave is off by less than 2 %, its squared sine by 5 %. */
FN i32 is_near(i32 oh, i32 ov, i32 th, i32 tv)
{
    i32 ref_shift = bits_above_14(oh, ov);
    i32 dist_shift = bits_above_14(th, tv);
    i32 near = is_near_by_sine(oh >> ref_shift, ov >> ref_shift, th >> dist_shift, tv >> dist_shift,
                               SIN2 - 256u, SIN2 + 256u);
    return near >= 0 ? near : is_near_exactly(oh, ov, th, tv);
}

#endif

/* -- the rest -- */

/* The enhancement gain limit, as in adm_variant. */
struct adm_gain {
    u64 mantissa;
    u32 factor;
    i32 shift;
};
KERNEL_STRUCT(adm_gain)

/*
 * The integer part of rest times gain limit, the product rounded to binary64; at most `dist`.
 * Rounding changes the integer part only where it carries through a fraction of ones, so it is
 * enough to add half a unit of the last of 53 bits.
 */
FN u32 limited(u32 rest, u32 dist, adm_gain gain)
{
#if COEFFICIENT_BITS == 16
    u64 limit = U64(rest * gain.factor); /* below 2^23 */
#else
    u64 limit = U64(rest) * U64(gain.factor);
#endif
    if (gain.factor == 0u && rest != 0u) {
        u64 low = U64(rest) * (gain.mantissa & U64(0xFFFFFFFFu));
        u64 high = U64(rest) * (gain.mantissa >> 32) + (low >> 32);
        u64 half_unit = (U64(1) << msb_u64(high)) >> 21;
        limit = (high + (((low & U64(0xFFFFFFFFu)) + half_unit) >> 32)) >> gain.shift;
    }
    return limit < U64(dist) ? U32(limit) : dist;
}

/*
 * Magnitude of what is left of a reference coefficient, not 0, in a distorted one of the same sign:
 * k o with k = t / o, limited to 1, in 15 fractional bits from the upper 15 bits of o.
 */
FN u32 rest_of(u32 ref, u32 dist, u32 is_negative)
{
    i32 exponent = 0;
    u32 divisor = ref;
    if (ref >= 32768u) {
        exponent = I32(MSB32(ref)) - 14;
        divisor = (ref + (1u << (exponent - 1))) >> exponent;
    }
    u32 reciprocal = (1u << 30) / divisor;
    u64 ratio = (U64(reciprocal) * U64(dist) + (U64(1) << (14 + exponent))) >> (15 + exponent);
    u32 k = ratio < U64(32768) ? U32(ratio) : 32768u;
    return U32((U64(k) * U64(ref) + U64(16384u - is_negative)) >> 15);
}

/* Magnitudes: the rest, and the distorted coefficient that it can be enhanced to. */
struct adm_rest {
    u32 rest, dist;
};
KERNEL_STRUCT(adm_rest)

struct adm_rests {
    adm_rest h, v, d;
};
KERNEL_STRUCT(adm_rests)

/* Magnitudes where the angle is small. */
struct adm_limits {
    u32 h, v, d;
};
KERNEL_STRUCT(adm_limits)

FN adm_rest rest_of_band(i32 ref, i32 dist)
{
    adm_rest at;
    at.rest = 0u;
    at.dist = 0u;
    if (ref != 0 && dist != 0 && (ref ^ dist) >= 0) {
        u32 is_negative = U32(ref) >> 31;
        u32 r = is_negative != 0u ? 0u - U32(ref) : U32(ref);
        u32 d = is_negative != 0u ? 0u - U32(dist) : U32(dist);
#if COEFFICIENT_BITS == 16
        /* Below 2^14 the k is so exact that k o is t where it is not limited; a test proves it. */
        at.rest = r >= 16384u ? rest_of(r, d, is_negative) : r < d ? r : d;
#else
        at.rest = rest_of(r, d, is_negative);
#endif
        at.dist = d;
    }
    return at;
}

FN i32 with_sign_of(i32 sign, u32 magnitude)
{
    return sign < 0 ? I32(0u - magnitude) : I32(magnitude);
}

FN adm_rests rests_of(adm_bands ref, adm_bands dist)
{
    adm_rests at;
    at.h = rest_of_band(ref.h, dist.h);
    at.v = rest_of_band(ref.v, dist.v);
    at.d = rest_of_band(ref.d, dist.d);
    return at;
}

FN adm_limits limits_of(adm_rests at, adm_gain gain)
{
    adm_limits limits;
    limits.h = limited(at.h.rest, at.h.dist, gain);
    limits.v = limited(at.v.rest, at.v.dist, gain);
    limits.d = limited(at.d.rest, at.d.dist, gain);
    return limits;
}

/* 1 if limits change anything; only then does the angle matter. */
FN i32 is_limited(adm_rests at, adm_limits limits)
{
    return at.h.rest != limits.h || at.v.rest != limits.v || at.d.rest != limits.d ? 1 : 0;
}

/* What is left of the reference in the distorted coefficients; the remainder is the additive
 * impairment. */
FN adm_bands decoupled(adm_bands ref, adm_rests at, adm_limits limits, i32 near)
{
    adm_bands rest;
    rest.h = with_sign_of(ref.h, near != 0 ? limits.h : at.h.rest);
    rest.v = with_sign_of(ref.v, near != 0 ? limits.v : at.v.rest);
    rest.d = with_sign_of(ref.d, near != 0 ? limits.d : at.d.rest);
    return rest;
}

#endif
