/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_ADM_MASKING_KERNEL_H
#define METRICS_ADM_MASKING_KERNEL_H

#include "metrics/adm/adm_kernel.h"

/*
 * Contrast masking: each weighted coefficient of one signal raises the visibility threshold of the
 * other signal at its own position and the eight around it, in all bands. What exceeds the
 * threshold is cubed and summed. Thresholds are sums modulo 2^32.
 */

/* A signal at one position. */
struct adm_signal {
    u32 h, v, d;    /* magnitudes of the weighted coefficients */
    u32 neighbours; /* what they add to the thresholds around them */
    u32 centre;     /* what they add at their own position, beyond `neighbours` */
};
KERNEL_STRUCT(adm_signal)

FN u32 magnitude(i32 x)
{
    return x < 0 ? 0u - U32(x) : U32(x);
}

#if COEFFICIENT_BITS == 16

FN i32 wrapped_i16(u32 x)
{
    return I32(x << 16) >> 16;
}

FN u32 neighbour_part(u32 strength)
{
    return U32(wrapped_i16((U32(ADM_NEIGHBOUR_PART_16) * strength + 2048u) >> 12));
}

FN u32 centre_part(u32 strength)
{
    return U32(wrapped_i16((U32(ADM_CENTRE_PART_16) * strength + 2048u) >> 12));
}

/* Magnitude of a weighted coefficient, rounded to 12 fractional bits. */
FN u32 strength_of(u32 weighted, u32 rounding, i32 shift)
{
    return magnitude(wrapped_i16(U32(I32(weighted + rounding) >> shift)));
}

FN adm_signal signal_of(adm_bands y, u32 weight_hv, u32 weight_d)
{
    u32 h = U32(y.h) * weight_hv, v = U32(y.v) * weight_hv, d = U32(y.d) * weight_d;
    u32 strength_h = strength_of(h, U32(ADM_ROUNDING_HV), 15);
    u32 strength_v = strength_of(v, U32(ADM_ROUNDING_HV), 15);
    u32 strength_d = strength_of(d, U32(ADM_ROUNDING_D), 17);
    adm_signal s;
    s.h = magnitude(I32(h));
    s.v = magnitude(I32(v));
    s.d = magnitude(I32(d));
    s.neighbours =
        neighbour_part(strength_h) + neighbour_part(strength_v) + neighbour_part(strength_d);
    s.centre =
        centre_part(strength_h) + centre_part(strength_v) + centre_part(strength_d) - s.neighbours;
    return s;
}

/* Fractional bits that weighted coefficients have more than thresholds, and bits of squares that
 * are dropped. */
#define THRESHOLD_SHIFT_HV 10
#define THRESHOLD_SHIFT_D  12
#define SQUARE_SHIFT_HV    29
#define SQUARE_SHIFT_D     30

FN u64 cube_of(i32 coefficient)
{
    u32 m = magnitude(coefficient);
    return U64(m * m) * U64(m);
}

#define REFERENCE_CUBE(coefficient) cube_of(coefficient)

#else

#define NEIGHBOUR_PART U32(ADM_NEIGHBOUR_PART_32)
#define CENTRE_PART    U32(ADM_CENTRE_PART_32)

/* The reference values have minus one half where rounding would have plus. */
FN u32 part_of(u32 strength, u32 fraction)
{
    return U32(I32((I64(U64(strength) * U64(fraction)) - (I64(1) << 31)) >> 32));
}

/* Wraps where weights are out of range, as the reference values do. */
FN u32 weighted_magnitude(i32 y, u32 weight)
{
    u32 is_negative = U32(y) >> 31;
    u32 product = U32((U64(magnitude(y)) * U64(weight) + U64((1u << 27) - is_negative)) >> 28);
    return magnitude(I32(product));
}

FN adm_signal signal_of(adm_bands y, u32 weight_hv, u32 weight_d)
{
    adm_signal s;
    s.h = weighted_magnitude(y.h, weight_hv);
    s.v = weighted_magnitude(y.v, weight_hv);
    s.d = weighted_magnitude(y.d, weight_d);
    s.neighbours =
        part_of(s.h, NEIGHBOUR_PART) + part_of(s.v, NEIGHBOUR_PART) + part_of(s.d, NEIGHBOUR_PART);
    s.centre = part_of(s.h, CENTRE_PART) + part_of(s.v, CENTRE_PART) + part_of(s.d, CENTRE_PART) -
               s.neighbours;
    return s;
}

#define THRESHOLD_SHIFT_HV 0
#define THRESHOLD_SHIFT_D  0
#define SQUARE_SHIFT_HV    30
#define SQUARE_SHIFT_D     30

/* The cubed magnitude, with fewer bits. */
FN u64 cube_of(i32 coefficient, i32 square_shift, i32 shift)
{
    u64 m = U64(magnitude(coefficient));
    return round_shift_u64((((m * m) >> square_shift) + U64(1)) * m, shift);
}

#define REFERENCE_CUBE(coefficient) cube_of(coefficient, p.den_square, p.den_term)

#endif

/* Cube of what exceeds the threshold; wraps where the square leaves 32 bits. */
FN u64 visible_energy(u32 weighted, u32 threshold, i32 square_shift, i32 shift)
{
    i32 excess = max_i32(I32(weighted - threshold), 0);
    u64 square = U64(U32(excess)) * U64(U32(excess));
    i32 reduced = I32(U32((square + (U64(1) << (square_shift - 1))) >> square_shift));
    return U64(round_shift_i64(I64(reduced) * I64(excess), shift));
}

#endif
