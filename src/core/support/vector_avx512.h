/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_SUPPORT_VECTOR_AVX512_H
#define CORE_SUPPORT_VECTOR_AVX512_H

/* Vectors of 512 bits, for files that are compiled for AVX-512 (F, BW, DQ, VL). support/vector.h
 * defines the operations. */

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

typedef __m512i Vec;
typedef struct VecPair {
    Vec low, high;
} VecPair;
typedef __m512 VecF;  /* binary32 */
typedef __m512d VecD; /* binary64 */

enum { VEC_BYTES = 64, VEC_16 = VEC_BYTES / 2, VEC_32 = VEC_BYTES / 4 }; /* elements */

/* -- memory; no alignment needed -- */

static inline Vec vec_load(const void *from)
{
    return _mm512_loadu_si512(from);
}

static inline void vec_store(void *to, Vec v)
{
    _mm512_storeu_si512(to, v);
}

/* Bytes as unsigned 16-bit elements. */
static inline Vec vec_load_u8(const void *from)
{
    return _mm512_cvtepu8_epi16(_mm256_loadu_si256(from));
}

static inline Vec vec_gather_32(const uint32_t *table, Vec index)
{
    return _mm512_i32gather_epi32(index, table, 4);
}

/* -- constants -- */

static inline Vec vec_zero(void)
{
    return _mm512_setzero_si512();
}

static inline Vec vec_set_16(int x)
{
    return _mm512_set1_epi16((short)x);
}

static inline Vec vec_set_32(int32_t x)
{
    return _mm512_set1_epi32(x);
}

static inline Vec vec_set_64(int64_t x)
{
    return _mm512_set1_epi64(x);
}

/* Pairs (even, odd) of 16-bit elements. */
static inline Vec vec_set_pair_16(int even, int odd)
{
    return vec_set_32((int32_t)((uint32_t)odd << 16 | (uint16_t)even));
}

/* 0, 1, 2, ... */
static inline Vec vec_index_16(void)
{
    return _mm512_set_epi16(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14,
                            13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

static inline Vec vec_index_32(void)
{
    return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* -- bits -- */

static inline Vec vec_and(Vec a, Vec b)
{
    return _mm512_and_si512(a, b);
}

static inline Vec vec_or(Vec a, Vec b)
{
    return _mm512_or_si512(a, b);
}

static inline Vec vec_xor(Vec a, Vec b)
{
    return _mm512_xor_si512(a, b);
}

static inline Vec vec_and_not(Vec a, Vec b)
{
    return _mm512_andnot_si512(b, a);
}

static inline bool vec_is_zero(Vec v)
{
    return _mm512_test_epi32_mask(v, v) == 0;
}

/* yes where the mask is set, else no. */
static inline Vec vec_select(Vec mask, Vec yes, Vec no)
{
    return _mm512_ternarylogic_epi32(mask, yes, no, 0xca);
}

/* Even elements of one vector, odd ones of the other. */
static inline Vec vec_blend_16(Vec even, Vec odd)
{
    return _mm512_mask_blend_epi16(0xaaaaaaaa, even, odd);
}

static inline Vec vec_blend_32(Vec even, Vec odd)
{
    return _mm512_mask_blend_epi32(0xaaaa, even, odd);
}

/* Odd elements of both vectors; those of the first go to the even places. */
static inline Vec vec_blend_odd_32(Vec a, Vec b)
{
    return _mm512_castps_si512(
        _mm512_mask_movehdup_ps(_mm512_castsi512_ps(b), 0x5555, _mm512_castsi512_ps(a)));
}

/* -- 16-bit elements -- */

static inline Vec vec_add_16(Vec a, Vec b)
{
    return _mm512_add_epi16(a, b);
}

static inline Vec vec_sub_16(Vec a, Vec b)
{
    return _mm512_sub_epi16(a, b);
}

static inline Vec vec_abs_16(Vec v)
{
    return _mm512_abs_epi16(v);
}

static inline Vec vec_min_16s(Vec a, Vec b)
{
    return _mm512_min_epi16(a, b);
}

static inline Vec vec_max_16s(Vec a, Vec b)
{
    return _mm512_max_epi16(a, b);
}

static inline Vec vec_min_16u(Vec a, Vec b)
{
    return _mm512_min_epu16(a, b);
}

static inline Vec vec_max_16u(Vec a, Vec b)
{
    return _mm512_max_epu16(a, b);
}

static inline Vec vec_mul_low_16(Vec a, Vec b)
{
    return _mm512_mullo_epi16(a, b);
}

static inline Vec vec_mul_high_16s(Vec a, Vec b)
{
    return _mm512_mulhi_epi16(a, b);
}

/* (a b + 2^14) >> 15 */
static inline Vec vec_mul_round_16s(Vec a, Vec b)
{
    return _mm512_mulhrs_epi16(a, b);
}

/* 1 if one instruction multiplies and adds to a sum (VNNI). */
#ifdef __AVX512VNNI__
enum { VEC_DOT_PRODUCTS = 1 };
#else
enum { VEC_DOT_PRODUCTS = 0 };
#endif

/* Products of pairs added up to 32 bits. */
static inline Vec vec_multiply_add(Vec a, Vec b)
{
    return _mm512_madd_epi16(a, b);
}

/* The same, added to 32-bit elements. */
static inline Vec vec_add_products(Vec sum, Vec a, Vec b)
{
#ifdef __AVX512VNNI__
    return _mm512_dpwssd_epi32(sum, a, b);
#else
    return _mm512_add_epi32(sum, _mm512_madd_epi16(a, b));
#endif
}

static inline Vec vec_greater_16s(Vec a, Vec b)
{
    return _mm512_movm_epi16(_mm512_cmpgt_epi16_mask(a, b));
}

/* Shifts by a number of bits that is a constant are macros: the instructions hold it. */
#define vec_shift_right_16u(v, bits) _mm512_srli_epi16(v, bits)
#define vec_shift_right_16s(v, bits) _mm512_srai_epi16(v, bits)

/* -- 32-bit elements -- */

static inline Vec vec_add_32(Vec a, Vec b)
{
    return _mm512_add_epi32(a, b);
}

static inline Vec vec_sub_32(Vec a, Vec b)
{
    return _mm512_sub_epi32(a, b);
}

static inline Vec vec_abs_32(Vec v)
{
    return _mm512_abs_epi32(v);
}

static inline Vec vec_min_32s(Vec a, Vec b)
{
    return _mm512_min_epi32(a, b);
}

static inline Vec vec_max_32s(Vec a, Vec b)
{
    return _mm512_max_epi32(a, b);
}

static inline Vec vec_min_32u(Vec a, Vec b)
{
    return _mm512_min_epu32(a, b);
}

static inline Vec vec_mul_low_32(Vec a, Vec b)
{
    return _mm512_mullo_epi32(a, b);
}

static inline Vec vec_greater_32s(Vec a, Vec b)
{
    return _mm512_movm_epi32(_mm512_cmpgt_epi32_mask(a, b));
}

/* v where a > b, else 0. */
static inline Vec vec_keep_greater_32s(Vec v, Vec a, Vec b)
{
    return _mm512_maskz_mov_epi32(_mm512_cmpgt_epi32_mask(a, b), v);
}

/* sum + v where a > b, else the sum. */
static inline Vec vec_add_greater_32s(Vec sum, Vec v, Vec a, Vec b)
{
    return _mm512_mask_add_epi32(sum, _mm512_cmpgt_epi32_mask(a, b), sum, v);
}

#define vec_shift_left_32(v, bits)   _mm512_slli_epi32(v, bits)
#define vec_shift_right_32u(v, bits) _mm512_srli_epi32(v, bits)
#define vec_shift_right_32s(v, bits) _mm512_srai_epi32(v, bits)

/* Shifts all elements by the same number. */
static inline Vec vec_shift_left_all_32(Vec v, int bits)
{
    return _mm512_sll_epi32(v, _mm_cvtsi32_si128(bits));
}

static inline Vec vec_shift_right_all_32u(Vec v, int bits)
{
    return _mm512_srl_epi32(v, _mm_cvtsi32_si128(bits));
}

static inline Vec vec_shift_right_all_32s(Vec v, int bits)
{
    return _mm512_sra_epi32(v, _mm_cvtsi32_si128(bits));
}

/* Shifts each element by the one of the other vector, from 0 to 31. */
static inline Vec vec_shift_left_each_32(Vec v, Vec bits)
{
    return _mm512_sllv_epi32(v, bits);
}

static inline Vec vec_shift_right_each_32u(Vec v, Vec bits)
{
    return _mm512_srlv_epi32(v, bits);
}

static inline Vec vec_excess_bits_32(Vec v, int n)
{
    return vec_max_32s(vec_sub_32(vec_set_32(32 - n), _mm512_lzcnt_epi32(v)), vec_zero());
}

/* -- 64-bit elements -- */

static inline Vec vec_add_64(Vec a, Vec b)
{
    return _mm512_add_epi64(a, b);
}

static inline Vec vec_sub_64(Vec a, Vec b)
{
    return _mm512_sub_epi64(a, b);
}

/* Products of the lower halves. */
static inline Vec vec_mul_32s(Vec a, Vec b)
{
    return _mm512_mul_epi32(a, b);
}

static inline Vec vec_mul_32u(Vec a, Vec b)
{
    return _mm512_mul_epu32(a, b);
}

#define vec_shift_left_64(v, bits)   _mm512_slli_epi64(v, bits)
#define vec_shift_right_64u(v, bits) _mm512_srli_epi64(v, bits)

static inline Vec vec_shift_right_each_64u(Vec v, Vec bits)
{
    return _mm512_srlv_epi64(v, bits);
}

static inline uint64_t vec_sum_64(Vec v)
{
    const __m256i halves =
        _mm256_add_epi64(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1));
    const __m128i quarters =
        _mm_add_epi64(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
    return (uint64_t)_mm_cvtsi128_si64(quarters) + (uint64_t)_mm_extract_epi64(quarters, 1);
}

/* The sum of 32-bit elements, unsigned. */
static inline uint64_t vec_sum_32u(Vec v)
{
    const Vec even = vec_and(v, vec_set_64(UINT32_MAX));
    return vec_sum_64(vec_add_64(even, vec_shift_right_64u(v, 32)));
}

/* -- order -- */

static inline Vec vec_interleave_low_16(Vec a, Vec b)
{
    return _mm512_unpacklo_epi16(a, b);
}

static inline Vec vec_interleave_high_16(Vec a, Vec b)
{
    return _mm512_unpackhi_epi16(a, b);
}

/* Element n of a vector, from 1 to 15, and those after it, followed by the next vector. */
static inline Vec vec_elements_from_32(Vec v, Vec next, int n)
{
#define FROM(n)                                                                                    \
    case n:                                                                                        \
        return _mm512_alignr_epi32(next, v, n)
    switch (n) {
        FROM(1);
        FROM(2);
        FROM(3);
        FROM(4);
        FROM(5);
        FROM(6);
        FROM(7);
        FROM(8);
        FROM(9);
        FROM(10);
        FROM(11);
        FROM(12);
        FROM(13);
        FROM(14);
    default:
        FROM(15);
    }
#undef FROM
}

/* 32-bit elements to 16 bits, saturating. */
static inline Vec vec_pack_32s(Vec a, Vec b)
{
    return _mm512_packs_epi32(a, b);
}

/* Moves 64-bit elements so that interleaving, low before high, is in the order of memory. */
static inline Vec vec_natural_before_interleave(Vec v)
{
    return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7), v);
}

/* Moves 64-bit elements of what has been packed to the order of memory. */
static inline Vec vec_natural_after_pack(Vec v)
{
    return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), v);
}

static inline Vec vec_pack_natural_32s(Vec a, Vec b)
{
    return vec_natural_after_pack(vec_pack_32s(a, b));
}

/* -- binary32 -- */

static inline VecF vec_float(Vec v)
{
    return _mm512_cvtepi32_ps(v);
}

static inline VecF vec_set_float(float x)
{
    return _mm512_set1_ps(x);
}

/* Truncates. */
static inline Vec vec_integer(VecF v)
{
    return _mm512_cvttps_epi32(v);
}

static inline Vec vec_float_bits(VecF v)
{
    return _mm512_castps_si512(v);
}

static inline VecF vec_add_float(VecF a, VecF b)
{
    return _mm512_add_ps(a, b);
}

static inline VecF vec_mul_float(VecF a, VecF b)
{
    return _mm512_mul_ps(a, b);
}

static inline VecF vec_div_float(VecF a, VecF b)
{
    return _mm512_div_ps(a, b);
}

static inline Vec vec_at_least_float(VecF a, VecF b)
{
    return _mm512_movm_epi32(_mm512_cmp_ps_mask(a, b, _CMP_GE_OQ));
}

/* -- binary64 -- */

/* 32-bit elements of memory, half as many as a vector has. */
static inline VecD vec_load_double(const int32_t *from)
{
    return _mm512_cvtepi32_pd(_mm256_loadu_si256((const __m256i *)(const void *)from));
}

/* Truncates. */
static inline Vec vec_integer_double(VecD lower, VecD upper)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvttpd_epi32(lower)),
                              _mm512_cvttpd_epi32(upper), 1);
}

static inline VecD vec_set_double(double x)
{
    return _mm512_set1_pd(x);
}

static inline VecD vec_add_double(VecD a, VecD b)
{
    return _mm512_add_pd(a, b);
}

static inline VecD vec_sub_double(VecD a, VecD b)
{
    return _mm512_sub_pd(a, b);
}

static inline VecD vec_mul_double(VecD a, VecD b)
{
    return _mm512_mul_pd(a, b);
}

static inline VecD vec_div_double(VecD a, VecD b)
{
    return _mm512_div_pd(a, b);
}

static inline VecD vec_min_double(VecD a, VecD b)
{
    return _mm512_min_pd(a, b);
}

#endif
