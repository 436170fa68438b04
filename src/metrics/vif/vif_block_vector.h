/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_VIF_VIF_BLOCK_VECTOR_H
#define METRICS_VIF_VIF_BLOCK_VECTOR_H

/*
 * Blocks of columns, and the taps that are summed up in them.
 *
 * Vectors of 32-bit integers come in two, of the even and the odd columns of a block. That order
 * comes from and goes to rows of 16-bit integers without permutations.
 */

#include "metrics/vif/vif_internal.h"
#include "support/vector.h"

/* Columns of a block. */
enum { VIF_BLOCK = VEC_16 };

/* 32-bit integers of a block. */
typedef struct VifBlock {
    Vec even, odd;
} VifBlock;

/* -- blocks -- */

VIF_INLINE VifBlock block_of(uint32_t value)
{
    const Vec v = vec_set_32((int32_t)value);
    return (VifBlock){v, v};
}

VIF_INLINE VifBlock block_add(VifBlock a, VifBlock b)
{
    return (VifBlock){vec_add_32(a.even, b.even), vec_add_32(a.odd, b.odd)};
}

VIF_INLINE VifBlock block_sub(VifBlock a, VifBlock b)
{
    return (VifBlock){vec_sub_32(a.even, b.even), vec_sub_32(a.odd, b.odd)};
}

VIF_INLINE VifBlock block_and(VifBlock a, VifBlock b)
{
    return (VifBlock){vec_and(a.even, b.even), vec_and(a.odd, b.odd)};
}

VIF_INLINE VifBlock block_xor(VifBlock a, VifBlock b)
{
    return (VifBlock){vec_xor(a.even, b.even), vec_xor(a.odd, b.odd)};
}

VIF_INLINE VifBlock block_shift_left(VifBlock a, int bits)
{
    return (VifBlock){vec_shift_left_all_32(a.even, bits), vec_shift_left_all_32(a.odd, bits)};
}

VIF_INLINE VifBlock block_shift_right_signed(VifBlock a, int bits)
{
    return (VifBlock){vec_shift_right_all_32s(a.even, bits), vec_shift_right_all_32s(a.odd, bits)};
}

VIF_INLINE VifBlock block_shift_right(VifBlock a, int bits)
{
    return (VifBlock){vec_shift_right_all_32u(a.even, bits), vec_shift_right_all_32u(a.odd, bits)};
}

/* The lower halves, as a block of words in the order of columns. */
VIF_INLINE Vec low_words(VifBlock a)
{
    return vec_blend_16(a.even, vec_shift_left_32(a.odd, 16));
}

VIF_INLINE Vec high_words(VifBlock a)
{
    return vec_blend_16(vec_shift_right_32u(a.even, 16), a.odd);
}

/* -- taps -- */

/* The tap at distance k; 0 beyond the window. */
VIF_INLINE int vif_tap(unsigned scale, int k)
{
    const unsigned distance = (unsigned)(k < 0 ? -k : k);
    if (distance > vif_filters[scale].radius)
        return 0;
    const int tap = vif_filters[scale].taps[distance];
    return tap > INT16_MAX ? tap - 65536 : tap;
}

VIF_INLINE bool vif_centre_is_shifted(unsigned scale)
{
    return vif_filters[scale].taps[0] > INT16_MAX;
}

/* Keeps the compiler from rearranging sums so that it runs out of registers. */
#define IN_REGISTER(v) __asm__("" : "+v"(v))

/* Pairs of neighbouring taps: of distances k and k + 1 at index k + radius + 1. */
typedef struct VifTaps {
    Vec pairs[2 * VIF_MAX_RADIUS + 2];
} VifTaps;

/* As values that the compiler does not know, so that it keeps what fits in registers. */
VIF_INLINE VifTaps taps_of(unsigned scale)
{
    const int radius = (int)vif_filters[scale].radius;
    VifTaps taps;
#pragma GCC unroll 18
    for (int k = -radius - 1; k <= radius; k++) {
        Vec pair = vec_set_pair_16(vif_tap(scale, k), vif_tap(scale, k + 1));
        IN_REGISTER(pair);
        taps.pairs[k + radius + 1] = pair;
    }
    return taps;
}

/* Adds the products of pairs of values with the taps at distances k and k + 1. */
VIF_INLINE Vec add_tap_pair(Vec sum, Vec values, const VifTaps *taps, unsigned scale, int k)
{
    const int radius = (int)vif_filters[scale].radius;
    if (k < -radius - 1 || k > radius)
        return sum;
    sum = vec_add_products(sum, values, taps->pairs[k + radius + 1]);
    IN_REGISTER(sum);
    return sum;
}

#endif
