/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_SUPPORT_VECTOR_X86_H
#define CORE_SUPPORT_VECTOR_X86_H

/* Steps of kernels for AVX2 and AVX-512, made of the operations of vector_avx2.h or
 * vector_avx512.h; included by support/vector.h, which says what they mean. */

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

/* As a signed factor, the start is less by 2^15. */
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

/* Of every second column: three pairs of neighbours, from two columns to the left. */
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
