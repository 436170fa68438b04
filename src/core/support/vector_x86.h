/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_SUPPORT_VECTOR_X86_H
#define CORE_SUPPORT_VECTOR_X86_H

/* Steps of kernels for AVX2 and AVX-512, made of the operations of vector_avx2.h or
 * vector_avx512.h; included by support/vector.h, which defines them. */

/* The lower 16 bits of sum + v factor. */
static inline Vec vec_add_product_16(Vec sum, Vec v, int factor)
{
    return vec_add_16(sum, vec_mul_low_16(v, vec_set_16(factor)));
}

/* -- filters: sums of products of signed 16-bit elements, in 32 bits -- */

static inline VecPair vec_weighted_2(Vec a, int a_weight, Vec b, int b_weight)
{
    const Vec weights = vec_set_pair_16(a_weight, b_weight);
    return (VecPair){vec_multiply_add(vec_interleave_low_16(a, b), weights),
                     vec_multiply_add(vec_interleave_high_16(a, b), weights)};
}

static inline VecPair vec_weighted_3(Vec a, int a_weight, Vec b, int b_weight, Vec c, int c_weight,
                                     Vec start)
{
    const VecPair bc = vec_weighted_2(b, b_weight, c, c_weight);
    const VecPair rest = vec_weighted_2(a, a_weight, start, 1);
    return (VecPair){vec_add_32(bc.low, rest.low), vec_add_32(bc.high, rest.high)};
}

/* The same with an unsigned start: as a signed factor it lacks 2^15, which are added later. */
static inline VecPair vec_weighted_3u(Vec a, int a_weight, Vec b, int b_weight, Vec c, int c_weight,
                                      Vec start)
{
    const Vec lacking = vec_set_32(1 << 15);
    const VecPair sums = vec_weighted_3(a, a_weight, b, b_weight, c, c_weight,
                                        vec_xor(start, vec_set_16(INT16_MIN)));
    return (VecPair){vec_add_32(sums.low, lacking), vec_add_32(sums.high, lacking)};
}

#define vec_narrow_shifted(pair, bits)                                                             \
    vec_pack_32s(vec_shift_right_32s(vec_shift_left_32((pair).low, 16 - (bits)), 16),              \
                 vec_shift_right_32s(vec_shift_left_32((pair).high, 16 - (bits)), 16))

/* The filter at every second column, from three pairs of neighbours; the first pair begins two
 * columns to the left. */
static inline Vec vec_filter_pairs_5(const int16_t *in, int centre, int near, int far)
{
    const Vec left = vec_multiply_add(vec_load(in - 2), vec_set_pair_16(far, near));
    const Vec middle = vec_multiply_add(vec_load(in), vec_set_pair_16(centre, near));
    const Vec right = vec_multiply_add(vec_load(in + 2), vec_set_pair_16(far, 0));
    return vec_add_32(vec_add_32(left, vec_set_32(1 << 15)), vec_add_32(middle, right));
}

static inline Vec vec_filter_5(const int16_t *in, int centre, int near, int far)
{
    const Vec even = vec_filter_pairs_5(in, centre, near, far);
    const Vec odd = vec_filter_pairs_5(in + 1, centre, near, far);
    return vec_blend_16(vec_shift_right_32u(even, 16), odd);
}

/* a b + c d of elements */
static inline VecPair vec_sum_of_products(Vec a, Vec b, Vec c, Vec d)
{
    return (VecPair){
        vec_multiply_add(vec_interleave_low_16(a, c), vec_interleave_low_16(b, d)),
        vec_multiply_add(vec_interleave_high_16(a, c), vec_interleave_high_16(b, d)),
    };
}

static inline VecPair vec_add_weighted_2(VecPair sum, Vec a, int a_weight, Vec b, int b_weight)
{
    const VecPair more = vec_weighted_2(a, a_weight, b, b_weight);
    return (VecPair){vec_add_32(sum.low, more.low), vec_add_32(sum.high, more.high)};
}

#define vec_pack_shifted(pair, bits)                                                               \
    vec_pack_32s(vec_shift_right_32s((pair).low, bits), vec_shift_right_32s((pair).high, bits))

#define vec_pack_rounded(pair, bits)                                                               \
    vec_pack_32s(vec_shift_right_32s(vec_add_32((pair).low, vec_set_32(1 << (bits) >> 1)), bits),  \
                 vec_shift_right_32s(vec_add_32((pair).high, vec_set_32(1 << (bits) >> 1)), bits))

static inline Vec vec_narrow_rounded_all(VecPair v, int bits)
{
    const Vec half = vec_set_32(1 << bits >> 1);
    const VecPair upper = {vec_shift_left_all_32(vec_add_32(v.low, half), 16 - bits),
                           vec_shift_left_all_32(vec_add_32(v.high, half), 16 - bits)};
    return vec_pack_shifted(upper, 16);
}

static inline Vec vec_decimate_pairs_4(const int16_t *in, const int16_t taps[4])
{
    const Vec left = vec_multiply_add(vec_load(in - 1), vec_set_pair_16(taps[0], taps[1]));
    const Vec right = vec_multiply_add(vec_load(in + 1), vec_set_pair_16(taps[2], taps[3]));
    return vec_shift_right_32s(vec_add_32(vec_add_32(left, right), vec_set_32(1 << 15)), 16);
}

static inline Vec vec_decimate_4(const int16_t *in, const int16_t taps[4])
{
    return vec_pack_natural_32s(vec_decimate_pairs_4(in, taps),
                                vec_decimate_pairs_4(in + VEC_16, taps));
}

/* -- 16-bit elements to twice the width -- */

static inline VecPair vec_widen_16u(Vec v)
{
    return (VecPair){vec_interleave_low_16(v, vec_zero()), vec_interleave_high_16(v, vec_zero())};
}

static inline VecPair vec_widened_sum_16s(Vec a, Vec b)
{
    return vec_weighted_2(a, 1, b, 1);
}

/* One interleaving serves both. */
static inline void vec_widen_both_16s(Vec a, Vec b, VecPair *wide_a, VecPair *wide_b)
{
    *wide_a = vec_weighted_2(a, 1, b, 0);
    *wide_b = vec_weighted_2(a, 0, b, 1);
}

static inline Vec vec_mul_high_up_16s(Vec a, Vec b)
{
    return vec_add_16(vec_mul_high_16s(a, b), vec_min_16u(vec_mul_low_16(a, b), vec_set_16(1)));
}

static inline Vec vec_square_small_32(Vec v)
{
    return vec_multiply_add(v, v);
}

/* -- 32-bit elements to twice the width, and back -- */

/* Odd elements to where multiplications take their factors from. */
static inline Vec vec_odd_32(Vec v)
{
    return vec_shift_right_64u(v, 32);
}

static inline VecPair vec_products_32s(Vec a, Vec b)
{
    return (VecPair){vec_mul_32s(a, b), vec_mul_32s(vec_odd_32(a), vec_odd_32(b))};
}

static inline VecPair vec_products_32u(Vec a, Vec b)
{
    return (VecPair){vec_mul_32u(a, b), vec_mul_32u(vec_odd_32(a), vec_odd_32(b))};
}

static inline VecPair vec_products_lower_32u(VecPair a, Vec b)
{
    return (VecPair){vec_mul_32u(a.low, b), vec_mul_32u(a.high, vec_odd_32(b))};
}

static inline Vec vec_add_products_32u(Vec sum, Vec a, Vec b)
{
    const VecPair products = vec_products_32u(a, b);
    return vec_add_64(sum, vec_add_64(products.low, products.high));
}

static inline Vec vec_narrow_64(VecPair v)
{
    return vec_blend_32(v.low, vec_shift_left_64(v.high, 32));
}

#define vec_narrow_rounded_64(pair, bits)                                                          \
    vec_blend_32(                                                                                  \
        vec_shift_right_64u(vec_add_64((pair).low, vec_set_64(INT64_C(1) << (bits) >> 1)), bits),  \
        vec_shift_left_64(vec_add_64((pair).high, vec_set_64(INT64_C(1) << (bits) >> 1)),          \
                          32 - (bits)))

static inline Vec vec_high_of_difference_64(VecPair a, Vec b)
{
    return vec_blend_odd_32(vec_sub_64(a.low, b), vec_sub_64(a.high, b));
}

typedef struct VecRoundShift {
    Vec half, bits;
} VecRoundShift;

static inline VecRoundShift vec_round_shift(int bits)
{
    return (VecRoundShift){vec_set_64(INT64_C(1) << bits >> 1), vec_set_64(bits)};
}

static inline Vec vec_round_shift_right_64u(Vec v, VecRoundShift shift)
{
    return vec_shift_right_each_64u(vec_add_64(v, shift.half), shift.bits);
}

/* Only the lower 32 bits of what is shifted by one bit less are needed. */
static inline Vec vec_narrow_rounded_each_64(VecPair v, Vec bits)
{
    const Vec fewer = vec_sub_32(bits, vec_set_32(1));
    const Vec even = vec_shift_right_each_64u(v.low, vec_and(fewer, vec_set_64(UINT32_MAX)));
    const Vec odd = vec_shift_right_each_64u(v.high, vec_odd_32(fewer));
    const Vec twice = vec_narrow_64((VecPair){even, odd});
    return vec_shift_right_32u(vec_add_32(twice, vec_set_32(1)), 1);
}

static inline Vec vec_round_shift_right_each_32u(Vec v, Vec bits)
{
    const Vec half = vec_shift_right_32u(vec_shift_left_each_32(vec_set_32(1), bits), 1);
    return vec_shift_right_each_32u(vec_add_32(v, half), bits);
}

/* -- differences and squares of samples -- */

static inline VecPair vec_difference_u8(const void *a, const void *b)
{
    const uint8_t *x = (const uint8_t *)a, *y = (const uint8_t *)b;
    return (VecPair){vec_sub_16(vec_load_u8(x), vec_load_u8(y)),
                     vec_sub_16(vec_load_u8(x + VEC_16), vec_load_u8(y + VEC_16))};
}

static inline Vec vec_magnitude_of_difference_16u(Vec a, Vec b)
{
    return vec_sub_16(vec_max_16u(a, b), vec_min_16u(a, b));
}

/* A quarter of each has 14 bits, less a borrow from the last two. */
static inline Vec vec_quarter_of_difference_16u(Vec a, Vec b)
{
    const Vec three = vec_set_16(3);
    const Vec rest = vec_sub_16(vec_and(a, three), vec_and(b, three));
    return vec_add_16(vec_sub_16(vec_shift_right_16u(a, 2), vec_shift_right_16u(b, 2)),
                      vec_shift_right_16s(rest, 2));
}

static inline Vec vec_add_elements_16(Vec sum, Vec v)
{
    return vec_add_32(sum, vec_multiply_add(v, vec_set_16(1)));
}

static inline VecPair vec_add_squares_16s(VecPair sums, Vec v)
{
    sums.low = vec_add_32(sums.low, vec_multiply_add(v, v));
    return sums;
}

static inline VecPair vec_add_squared_differences_u8(VecPair sums, const void *a, const void *b)
{
    const VecPair d = vec_difference_u8(a, b);
    return (VecPair){vec_add_32(sums.low, vec_multiply_add(d.low, d.low)),
                     vec_add_32(sums.high, vec_multiply_add(d.high, d.high))};
}

/* Four elements in each 64 bits. */
static inline Vec vec_add_squares_16u(Vec sum, Vec v)
{
    const Vec lower = vec_set_64(UINT16_MAX);
    const Vec first = vec_and(v, lower), second = vec_and(vec_shift_right_64u(v, 16), lower);
    const Vec third = vec_and(vec_shift_right_64u(v, 32), lower);
    const Vec fourth = vec_shift_right_64u(v, 48);
    sum = vec_add_64(sum, vec_add_64(vec_mul_32u(first, first), vec_mul_32u(second, second)));
    return vec_add_64(sum, vec_add_64(vec_mul_32u(third, third), vec_mul_32u(fourth, fourth)));
}

#endif
