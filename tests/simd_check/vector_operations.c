/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "simd_check/vector_operations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simd_check/simd_check.h"
#include "support/cpu.h"
#include "support/vector.h"

/*
 * What every operation on vectors means, element by element. In an expression of EACH, i is the
 * index of the element.
 */

typedef VectorBlock Block;

#define EACH(field, n, actual, expression)                                                         \
    do {                                                                                           \
        Block expected, got;                                                                       \
        for (int i = 0; i < (n); i++)                                                              \
            expected.field[i] = (__typeof__(expected.field[0]))(expression);                       \
        vec_store(&got, actual);                                                                   \
        simd_case("%s", #actual);                                                                  \
        simd_expect_equal(&expected, &got, VEC_BYTES);                                             \
    } while (0)

#define EQUAL(actual, expected)                                                                    \
    do {                                                                                           \
        simd_case("%s", #actual);                                                                  \
        simd_expect_equal_u64(expected, actual);                                                   \
    } while (0)

enum { VEC_64 = VEC_32 / 2 };

static int32_t rounded_shift(int64_t x, int bits)
{
    return (int32_t)((x + ((int64_t)1 << bits >> 1)) >> bits);
}

static int64_t at_most(int64_t x, int64_t limit)
{
    return x < limit ? x : limit;
}

static int64_t at_least(int64_t x, int64_t limit)
{
    return x > limit ? x : limit;
}

static int16_t saturated(int32_t x)
{
    return (int16_t)at_least(at_most(x, INT16_MAX), INT16_MIN);
}

/* -- memory, constants, bits -- */

static void check_memory(const Block *a, Vec va)
{
    EACH(u8, VEC_BYTES, va, a->u8[i]);
    EACH(u16, VEC_16, vec_load_u8(a->u8 + 1), a->u8[1 + i]);
    const Vec index = vec_and(va, vec_set_32(63));
    uint32_t table[64];
    for (uint32_t i = 0; i < 64; i++)
        table[i] = 0x89abcdef + i * 0x01234567;
    EACH(u32, VEC_32, vec_gather_32(table, index), table[a->u32[i] & 63]);
    EACH(u8, VEC_BYTES, vec_zero(), 0);
    EACH(s16, VEC_16, vec_set_16(a->s16[0]), a->s16[0]);
    EACH(s32, VEC_32, vec_set_32(a->s32[0]), a->s32[0]);
    EACH(s64, VEC_64, vec_set_64(a->s64[0]), a->s64[0]);
    EACH(s16, VEC_16, vec_set_pair_16(a->s16[0], a->s16[1]), a->s16[i % 2]);
    EACH(s16, VEC_16, vec_index_16(), i);
    EACH(s32, VEC_32, vec_index_32(), i);
}

static void check_bits(const Block *a, const Block *b, const Block *c, Vec va, Vec vb, Vec vc)
{
    EACH(u8, VEC_BYTES, vec_and(va, vb), a->u8[i] & b->u8[i]);
    EACH(u8, VEC_BYTES, vec_or(va, vb), a->u8[i] | b->u8[i]);
    EACH(u8, VEC_BYTES, vec_xor(va, vb), a->u8[i] ^ b->u8[i]);
    EACH(u8, VEC_BYTES, vec_and_not(va, vb), a->u8[i] & ~b->u8[i]);
    EACH(u16, VEC_16, vec_select(vec_greater_16s(va, vb), vb, vc),
         a->s16[i] > b->s16[i] ? b->u16[i] : c->u16[i]);
    EACH(u16, VEC_16, vec_blend_16(va, vb), (i % 2 ? b : a)->u16[i]);
    EACH(u32, VEC_32, vec_blend_32(va, vb), (i % 2 ? b : a)->u32[i]);
    EACH(u32, VEC_32, vec_blend_odd_32(va, vb), (i % 2 ? b : a)->u32[i | 1]);
    EQUAL(vec_is_zero(vec_zero()), 1);
    for (int i = 0; i < VEC_BYTES; i++) {
        Block one = {{0}};
        one.u8[i] = (uint8_t)(1 << i % 8);
        EQUAL(vec_is_zero(vec_load(&one)), 0);
    }
}

/* -- 16-bit elements -- */

static void check_arithmetic_16(const Block *a, const Block *b, Vec va, Vec vb)
{
    EACH(u16, VEC_16, vec_add_16(va, vb), a->u16[i] + b->u16[i]);
    EACH(u16, VEC_16, vec_sub_16(va, vb), a->u16[i] - b->u16[i]);
    EACH(u16, VEC_16, vec_abs_16(va), abs(a->s16[i]));
    EACH(s16, VEC_16, vec_min_16s(va, vb), at_most(a->s16[i], b->s16[i]));
    EACH(s16, VEC_16, vec_max_16s(va, vb), at_least(a->s16[i], b->s16[i]));
    EACH(u16, VEC_16, vec_min_16u(va, vb), at_most(a->u16[i], b->u16[i]));
    EACH(u16, VEC_16, vec_max_16u(va, vb), at_least(a->u16[i], b->u16[i]));
    EACH(s16, VEC_16, vec_greater_16s(va, vb), -(a->s16[i] > b->s16[i]));
    EACH(u16, VEC_16, vec_shift_right_16u(va, 1), a->u16[i] >> 1);
    EACH(u16, VEC_16, vec_shift_right_16u(va, 15), a->u16[i] >> 15);
    EACH(s16, VEC_16, vec_shift_right_16s(va, 1), a->s16[i] >> 1);
    EACH(s16, VEC_16, vec_shift_right_16s(va, 15), a->s16[i] >> 15);
}

static int32_t pair_products(const Block *a, const Block *b, int i)
{
    return (int32_t)((uint32_t)(a->s16[2 * i] * b->s16[2 * i]) +
                     (uint32_t)(a->s16[2 * i + 1] * b->s16[2 * i + 1]));
}

static void check_products_16(const Block *a, const Block *b, const Block *c, Vec va, Vec vb,
                              Vec vc)
{
    EACH(u16, VEC_16, vec_mul_low_16(va, vb), a->s16[i] * b->s16[i]);
    EACH(s16, VEC_16, vec_mul_high_16s(va, vb), (a->s16[i] * b->s16[i]) >> 16);
    EACH(s16, VEC_16, vec_mul_round_16s(va, vec_max_16s(vb, vec_set_16(-INT16_MAX))),
         rounded_shift(a->s16[i] * at_least(b->s16[i], -INT16_MAX), 15));
    EACH(s32, VEC_32, vec_multiply_add(va, vb), pair_products(a, b, i));
    EACH(u32, VEC_32, vec_add_products(vc, va, vb), c->u32[i] + (uint32_t)pair_products(a, b, i));
}

/* -- 32-bit elements -- */

static void check_arithmetic_32(const Block *a, const Block *b, const Block *c, Vec va, Vec vb,
                                Vec vc)
{
    EACH(u32, VEC_32, vec_add_32(va, vb), a->u32[i] + b->u32[i]);
    EACH(u32, VEC_32, vec_sub_32(va, vb), a->u32[i] - b->u32[i]);
    EACH(u32, VEC_32, vec_abs_32(va), llabs((long long)a->s32[i]));
    EACH(s32, VEC_32, vec_min_32s(va, vb), at_most(a->s32[i], b->s32[i]));
    EACH(s32, VEC_32, vec_max_32s(va, vb), at_least(a->s32[i], b->s32[i]));
    EACH(u32, VEC_32, vec_min_32u(va, vb), at_most(a->u32[i], b->u32[i]));
    EACH(u32, VEC_32, vec_mul_low_32(va, vb), a->u32[i] * b->u32[i]);
    EACH(s32, VEC_32, vec_greater_32s(va, vb), -(a->s32[i] > b->s32[i]));
    EACH(u32, VEC_32, vec_keep_greater_32s(vc, va, vb), a->s32[i] > b->s32[i] ? c->u32[i] : 0);
    EACH(u32, VEC_32, vec_add_greater_32s(vc, vb, va, vb),
         c->u32[i] + (a->s32[i] > b->s32[i] ? b->u32[i] : 0));
    EQUAL(vec_sum_32u(va), ({
              uint64_t sum = 0;
              for (int i = 0; i < VEC_32; i++)
                  sum += a->u32[i];
              sum;
          }));
}

static int bits_of(uint32_t x)
{
    int n = 0;
    for (; x; x >>= 1)
        n++;
    return n;
}

/* binary32 rounds numbers from 2^25 - 1 on up to a power of two: none of them is tried. */
static void check_bit_count(const Block *a, const Block *b, Vec va, Vec vb)
{
    const Vec lower = vec_set_32(0x7e7fffff), each = vec_and(vb, vec_set_32(31));
    for (int n = 1; n <= 31; n += 7)
        EACH(s32, VEC_32, vec_excess_bits_32(vec_shift_right_each_32u(vec_and(va, lower), each), n),
             at_least(bits_of((a->u32[i] & 0x7e7fffff) >> (b->u32[i] & 31)) - n, 0));
}

static void check_shifts_32(const Block *a, const Block *b, Vec va, Vec vb)
{
    const int n = b->u8[0] & 31;
    const Vec each = vec_and(vb, vec_set_32(31));
    EACH(u32, VEC_32, vec_shift_left_32(va, 13), a->u32[i] << 13);
    EACH(u32, VEC_32, vec_shift_right_32u(va, 13), a->u32[i] >> 13);
    EACH(s32, VEC_32, vec_shift_right_32s(va, 13), a->s32[i] >> 13);
    EACH(u32, VEC_32, vec_shift_left_all_32(va, n), a->u32[i] << n);
    EACH(u32, VEC_32, vec_shift_right_all_32u(va, n), a->u32[i] >> n);
    EACH(s32, VEC_32, vec_shift_right_all_32s(va, n), a->s32[i] >> n);
    EACH(u32, VEC_32, vec_shift_left_each_32(va, each), a->u32[i] << (b->u32[i] & 31));
    EACH(u32, VEC_32, vec_shift_right_each_32u(va, each), a->u32[i] >> (b->u32[i] & 31));
}

/* -- 64-bit elements -- */

static void check_64(const Block *a, const Block *b, Vec va, Vec vb)
{
    const Vec each = vec_and(vb, vec_set_64(63));
    EACH(u64, VEC_64, vec_add_64(va, vb), a->u64[i] + b->u64[i]);
    EACH(u64, VEC_64, vec_sub_64(va, vb), a->u64[i] - b->u64[i]);
    EACH(s64, VEC_64, vec_mul_32s(va, vb), (int64_t)a->s32[2 * i] * b->s32[2 * i]);
    EACH(u64, VEC_64, vec_mul_32u(va, vb), (uint64_t)a->u32[2 * i] * b->u32[2 * i]);
    EACH(u64, VEC_64, vec_shift_left_64(va, 23), a->u64[i] << 23);
    EACH(u64, VEC_64, vec_shift_right_64u(va, 23), a->u64[i] >> 23);
    EACH(u64, VEC_64, vec_shift_right_each_64u(va, each), a->u64[i] >> (b->u64[i] & 63));
    EQUAL(vec_sum_64(va), ({
              uint64_t sum = 0;
              for (int i = 0; i < VEC_64; i++)
                  sum += a->u64[i];
              sum;
          }));
}

/* -- order -- */

/* Element i of what has been interleaved: from the lower (0) or the upper (4) elements of 128 bits.
 */
static uint16_t interleaved(const Block *a, const Block *b, int i, int from)
{
    return (i % 2 ? b : a)->u16[i / 8 * 8 + from + i % 8 / 2];
}

static int32_t before_packing(const Block *a, const Block *b, int i)
{
    return (i % 8 < 4 ? a : b)->s32[i / 8 * 4 + i % 4];
}

static void check_order(const Block *a, const Block *b, Vec va, Vec vb)
{
    EACH(u16, VEC_16, vec_interleave_low_16(va, vb), interleaved(a, b, i, 0));
    EACH(u16, VEC_16, vec_interleave_high_16(va, vb), interleaved(a, b, i, 4));
    EACH(s16, VEC_16, vec_pack_32s(va, vb), saturated(before_packing(a, b, i)));
    EACH(s16, VEC_16, vec_natural_after_pack(vec_pack_32s(va, vb)),
         saturated((i < VEC_32 ? a : b)->s32[i % VEC_32]));
    EACH(s16, VEC_16, vec_pack_natural_32s(va, vb),
         saturated((i < VEC_32 ? a : b)->s32[i % VEC_32]));
    const Vec na = vec_natural_before_interleave(va), nb = vec_natural_before_interleave(vb);
    EACH(u16, VEC_16, vec_interleave_low_16(na, nb), (i % 2 ? b : a)->u16[i / 2]);
    EACH(u16, VEC_16, vec_interleave_high_16(na, nb), (i % 2 ? b : a)->u16[VEC_32 + i / 2]);
#ifdef __AVX512BW__
    for (int n = 1; n < VEC_32; n++)
        EACH(u32, VEC_32, vec_elements_from_32(va, vb, n),
             i + n < VEC_32 ? a->u32[i + n] : b->u32[i + n - VEC_32]);
#endif
}

/* -- steps of kernels -- */

/* Element i of what one vector has become, after packing has put it in order again. */
#define EACH_PAIR_16(pair, expression)                                                             \
    do {                                                                                           \
        const VecPair wide = pair;                                                                 \
        EACH(s16, VEC_16, vec_narrow_shifted(wide, 16), (int32_t)(expression) >> 16);              \
        const VecPair lower = {vec_shift_left_32(wide.low, 16), vec_shift_left_32(wide.high, 16)}; \
        EACH(s16, VEC_16, vec_narrow_shifted(lower, 16), (int32_t)(expression));                   \
    } while (0)

static uint32_t weighted(int a, int a_weight, int b, int b_weight)
{
    return (uint32_t)(a * a_weight) + (uint32_t)(b * b_weight);
}

static void check_weighted(const Block *a, const Block *b, const Block *c, const Block *d, Vec va,
                           Vec vb, Vec vc, Vec vd)
{
    const int x = d->s16[0], y = d->s16[1], z = d->s16[2];
    EACH(u16, VEC_16, vec_add_product_16(va, vb, x), a->u16[i] + (uint32_t)(b->s16[i] * x));
    EACH_PAIR_16(vec_weighted_2(va, x, vb, y), weighted(a->s16[i], x, b->s16[i], y));
    EACH_PAIR_16(vec_weighted_3(va, x, vb, y, vc, z, vd),
                 weighted(a->s16[i], x, b->s16[i], y) + weighted(c->s16[i], z, d->s16[i], 1));
    EACH_PAIR_16(vec_weighted_3u(va, x, vb, y, vc, z, vd),
                 weighted(a->s16[i], x, b->s16[i], y) + weighted(c->s16[i], z, d->u16[i], 1));
    const VecPair sums = vec_weighted_2(va, x, vb, y);
    EACH(s16, VEC_16, vec_narrow_shifted(sums, 2),
         (int32_t)weighted(a->s16[i], x, b->s16[i], y) >> 2);
    EACH(s16, VEC_16, vec_pack_32s(sums.low, sums.high),
         saturated((int32_t)weighted(a->s16[i], x, b->s16[i], y)));
}

static void check_more_weighted(const Block *a, const Block *b, const Block *c, const Block *d,
                                Vec va, Vec vb, Vec vc, Vec vd)
{
    const int x = d->s16[0], y = d->s16[1];
    const VecPair start = vec_widen_16u(vc);
    EACH_PAIR_16(start, c->u16[i]);
    EACH_PAIR_16(vec_add_weighted_2(start, va, x, vb, y),
                 c->u16[i] + weighted(a->s16[i], x, b->s16[i], y));
    EACH_PAIR_16(vec_sum_of_products(va, vb, vc, vd),
                 weighted(a->s16[i], b->s16[i], c->s16[i], d->s16[i]));
    const VecPair sums = vec_weighted_2(va, x, vb, y);
    /* What is rounded stays below 2^31. */
    const VecPair halves = {vec_shift_right_32s(sums.low, 1), vec_shift_right_32s(sums.high, 1)};
    for (int bits = 8; bits <= 16; bits++)
        EACH(s16, VEC_16, vec_narrow_rounded_all(halves, bits),
             rounded_shift((int32_t)weighted(a->s16[i], x, b->s16[i], y) >> 1, bits));
    EACH(s16, VEC_16, vec_pack_rounded(halves, 16),
         rounded_shift((int32_t)weighted(a->s16[i], x, b->s16[i], y) >> 1, 16));
    EACH(s16, VEC_16, vec_pack_shifted(sums, 16),
         (int32_t)weighted(a->s16[i], x, b->s16[i], y) >> 16);
}

static void check_widening(const Block *a, const Block *b, Vec va, Vec vb)
{
    VecPair wide_a, wide_b;
    vec_widen_both_16s(va, vb, &wide_a, &wide_b);
    EACH_PAIR_16(wide_a, a->s16[i]);
    EACH_PAIR_16(wide_b, b->s16[i]);
    EACH_PAIR_16(vec_widened_sum_16s(va, vb), a->s16[i] + b->s16[i]);
    /* In the order of memory, too. */
    const VecPair natural = vec_widen_16u(vec_natural_before_interleave(va));
    EACH(s32, VEC_32, natural.low, a->u16[i]);
    EACH(s32, VEC_32, natural.high, a->u16[VEC_32 + i]);
    EACH(s16, VEC_16, vec_mul_high_up_16s(va, vb), (a->s16[i] * b->s16[i] + 65535LL) >> 16);
    const Vec small = vec_min_32u(va, vec_set_32(1 << 15));
    EACH(s32, VEC_32, vec_square_small_32(vec_min_32u(va, vec_set_32(INT16_MAX))),
         at_most(a->u32[i], INT16_MAX) * at_most(a->u32[i], INT16_MAX));
    EACH(s32, VEC_32, vec_square_small_32(small),
         at_most(a->u32[i], 1 << 15) * at_most(a->u32[i], 1 << 15));
}

/* Whatever their order is, two vectors of 64-bit elements are narrowed in the order of memory. */
#define EACH_PAIR_32(pair, expression)                                                             \
    do {                                                                                           \
        const VecPair wide = pair;                                                                 \
        EACH(u32, VEC_32, vec_narrow_64(wide), (uint64_t)(expression));                            \
        EACH(u32, VEC_32, vec_high_of_difference_64(wide, vec_zero()),                             \
             (uint64_t)(expression) >> 32);                                                        \
    } while (0)

static uint64_t rounded_shift_64u(uint64_t x, unsigned bits)
{
    return bits ? (x >> bits) + (x >> (bits - 1) & 1) : x;
}

static void check_wide_64(const Block *a, const Block *b, const Block *c, Vec va, Vec vb, Vec vc)
{
    const VecPair products = vec_products_32u(va, vb), signed_products = vec_products_32s(va, vb);
    const Vec bits = vec_and(vc, vec_set_32(31));
    EACH_PAIR_32(products, (uint64_t)a->u32[i] * b->u32[i]);
    EACH_PAIR_32(signed_products, (int64_t)a->s32[i] * b->s32[i]);
    EACH_PAIR_32(vec_products_lower_32u(products, vc),
                 (uint64_t)(uint32_t)((uint64_t)a->u32[i] * b->u32[i]) * c->u32[i]);
    const Vec small = vec_and(va, vec_set_32(0x7fff)), shifts = vec_add_32(bits, vec_set_32(16));
    EACH(u32, VEC_32, vec_narrow_rounded_each_64(vec_products_32u(small, vb), shifts),
         rounded_shift_64u((uint64_t)(a->u32[i] & 0x7fff) * b->u32[i], (c->u32[i] & 31) + 16));
    EACH(u32, VEC_32, vec_narrow_rounded_64(signed_products, 28),
         rounded_shift_64u((uint64_t)((int64_t)a->s32[i] * b->s32[i]), 28));
    EACH(u32, VEC_32, vec_narrow_rounded_64(signed_products, 15),
         rounded_shift_64u((uint64_t)((int64_t)a->s32[i] * b->s32[i]), 15));
    EACH(u32, VEC_32, vec_high_of_difference_64(products, vec_set_64(c->s64[0])),
         ((uint64_t)a->u32[i] * b->u32[i] - c->u64[0]) >> 32);
    uint64_t sum = 0;
    for (int i = 0; i < VEC_32; i++)
        sum += (uint64_t)a->u32[i] * b->u32[i];
    for (int i = 0; i < VEC_64; i++)
        sum += c->u64[i];
    EQUAL(vec_sum_64(vec_add_products_32u(vc, va, vb)), sum);
    /* What is rounded stays below 2^64 and 2^32. */
    const int n = (int)(c->u32[0] % 48);
    EACH(u64, VEC_64, vec_round_shift_right_64u(vec_shift_right_64u(va, 1), vec_round_shift(n)),
         rounded_shift_64u(a->u64[i] >> 1, (unsigned)n));
    EACH(u32, VEC_32, vec_round_shift_right_each_32u(vec_shift_right_32u(va, 1), bits),
         rounded_shift_64u(a->u32[i] >> 1, c->u32[i] & 31));
}

static void check_neighbours(const Block operands[3], const Block *weights)
{
    const int16_t *in = operands[0].s16 + 2;
    const int x = weights->s16[0], y = weights->s16[1], z = weights->s16[2];
    EACH(s16, VEC_16, vec_filter_5(in, x, y, z),
         (int32_t)((1 << 15) + (uint32_t)(in[i] * x) + weighted(in[i - 1], y, in[i + 1], y) +
                   weighted(in[i - 2], z, in[i + 2], z)) >>
             16);
    /* Taps whose magnitudes add up to 2^15 at most: results fit 16 bits. */
    const int16_t taps[4] = {(int16_t)(x / 4), (int16_t)(y / 4), (int16_t)(z / 4),
                             (int16_t)(weights->s16[3] / 4)};
    const int16_t *const pairs = operands[0].s16 + 1;
    EACH(s16, VEC_16, vec_decimate_4(pairs, taps),
         ((1 << 15) + pairs[2 * i - 1] * taps[0] + pairs[2 * i] * taps[1] +
          pairs[2 * i + 1] * taps[2] + pairs[2 * i + 2] * taps[3]) >>
             16);
}

static void check_samples(const Block *a, const Block *b, const Block *c, Vec va, Vec vb, Vec vc)
{
    const VecPair difference = vec_difference_u8(a, b), zero = {vec_zero(), vec_zero()};
    EACH(s16, VEC_16, difference.low, a->u8[i] - b->u8[i]);
    EACH(s16, VEC_16, difference.high, a->u8[VEC_16 + i] - b->u8[VEC_16 + i]);
    EACH(u16, VEC_16, vec_magnitude_of_difference_16u(va, vb), abs(a->u16[i] - b->u16[i]));
    EACH(s16, VEC_16, vec_quarter_of_difference_16u(va, vb), (a->u16[i] - b->u16[i]) >> 2);
    const Vec magnitude = vec_shift_right_16u(va, 1);
    const VecPair squares_16 = vec_add_squares_16s(vec_add_squares_16s(zero, va), vb);
    const VecPair squares_8 =
        vec_add_squared_differences_u8(vec_add_squared_differences_u8(zero, a, b), a, c);
    uint64_t elements = 0, sum_16s = 0, sum_16u = 0, sum_8 = 0, start = 0;
    for (int i = 0; i < VEC_16; i++) {
        elements += a->u16[i] / 2;
        sum_16s += (uint64_t)(a->s16[i] * a->s16[i]) + (uint64_t)(b->s16[i] * b->s16[i]);
        sum_16u += (uint64_t)a->u16[i] * a->u16[i];
    }
    for (int i = 0; i < VEC_BYTES; i++)
        sum_8 += (uint64_t)((a->u8[i] - b->u8[i]) * (a->u8[i] - b->u8[i]) +
                            (a->u8[i] - c->u8[i]) * (a->u8[i] - c->u8[i]));
    for (int i = 0; i < VEC_64; i++)
        start += c->u64[i];
    const Vec small = vec_shift_right_32u(vc, 8);
    EQUAL(vec_sum_32u(vec_add_elements_16(small, magnitude)) - vec_sum_32u(small), elements);
    EQUAL((uint32_t)(vec_sum_32u(squares_16.low) + vec_sum_32u(squares_16.high)),
          (uint32_t)sum_16s);
    EQUAL(vec_sum_32u(squares_8.low) + vec_sum_32u(squares_8.high), sum_8);
    EQUAL(vec_sum_64(vec_add_squares_16u(vc, va)), start + sum_16u);
}

/* -- floating point -- */

#define EACH_FLOAT(actual, expression) EACH(f, VEC_32, vec_float_bits(actual), expression)

static void check_float(const Block *a, const Block *b, Vec va, Vec vb)
{
    const VecF fa = vec_float(va), fb = vec_float(vb);
    const VecF divisor = vec_add_float(vec_mul_float(fb, fb), vec_set_float(1));
    EACH_FLOAT(fa, (float)a->s32[i]);
    EACH_FLOAT(vec_set_float((float)a->s32[0] / 3), (float)a->s32[0] / 3);
    EACH_FLOAT(vec_add_float(fa, fb), (float)a->s32[i] + (float)b->s32[i]);
    EACH_FLOAT(vec_mul_float(fa, fb), (float)a->s32[i] * (float)b->s32[i]);
    EACH_FLOAT(vec_div_float(fa, divisor),
               (float)a->s32[i] / ((float)b->s32[i] * (float)b->s32[i] + 1));
    EACH(s32, VEC_32, vec_integer(vec_mul_float(fa, vec_set_float(0.3F))),
         (int32_t)((float)a->s32[i] * 0.3F));
    EACH(s32, VEC_32, vec_at_least_float(fa, fb), -((float)a->s32[i] >= (float)b->s32[i]));
    EACH(s32, VEC_32, vec_at_least_float(fa, fa), -1);
}

/* Of results that fit 32 bits, operands being the elements i of both. */
#define EACH_DOUBLE(operation, expression)                                                         \
    do {                                                                                           \
        const VecD la = vec_load_double(a->s32), lb = vec_load_double(b->s32);                     \
        const VecD ha = vec_load_double(a->s32 + VEC_64), hb = vec_load_double(b->s32 + VEC_64);   \
        EACH(s32, VEC_32, vec_integer_double(operation(la, lb), operation(ha, hb)),                \
             (int32_t)(expression));                                                               \
    } while (0)
#define HALF_SUM(x, y)        vec_mul_double(vec_add_double(x, y), vec_set_double(0.5))
#define HALF_DIFFERENCE(x, y) vec_mul_double(vec_sub_double(x, y), vec_set_double(0.5))
#define QUOTIENT(x, y)        vec_div_double(x, vec_add_double(vec_mul_double(y, y), vec_set_double(1.25)))

static void check_double(const Block *a, const Block *b)
{
    EACH_DOUBLE(HALF_SUM, ((double)a->s32[i] + b->s32[i]) * 0.5);
    EACH_DOUBLE(HALF_DIFFERENCE, ((double)a->s32[i] - b->s32[i]) * 0.5);
    EACH_DOUBLE(QUOTIENT, a->s32[i] / ((double)b->s32[i] * b->s32[i] + 1.25));
    EACH_DOUBLE(vec_min_double, at_most(a->s32[i], b->s32[i]));
}

void ISA_VARIANT(check_vector_operations)(const Block operands[VECTOR_OPERANDS])
{
    const Block *a = &operands[0], *b = &operands[1], *c = &operands[2];
    const Vec va = vec_load(a), vb = vec_load(b), vc = vec_load(c);
    check_memory(a, va);
    check_bits(a, b, c, va, vb, vc);
    check_arithmetic_16(a, b, va, vb);
    check_products_16(a, b, c, va, vb, vc);
    check_arithmetic_32(a, b, c, va, vb, vc);
    check_shifts_32(a, b, va, vb);
    check_bit_count(a, b, va, vb);
    check_64(a, b, va, vb);
    check_order(a, b, va, vb);
    check_weighted(a, b, c, &operands[3], va, vb, vc, vec_load(&operands[3]));
    check_more_weighted(a, b, c, &operands[3], va, vb, vc, vec_load(&operands[3]));
    check_widening(a, b, va, vb);
    check_wide_64(a, b, c, va, vb, vc);
    check_neighbours(operands, &operands[3]);
    check_samples(a, b, c, va, vb, vc);
    check_float(a, b, va, vb);
    check_double(a, b);
}
