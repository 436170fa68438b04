/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_SSIMULACRA2_VECTOR_H
#define CORE_FEATURE_SSIMULACRA2_VECTOR_H

/* Vectors of binary32 numbers as wide as the instruction set that a file is compiled for has them,
 * and their transposition. */

#include <stddef.h>
#include <stdint.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { WIDTH = 16 };
#elif defined(__AVX2__)
enum { WIDTH = 8 };
#else
enum { WIDTH = 4 };
#endif

typedef float Floats __attribute__((vector_size(WIDTH * sizeof(float)), may_alias));
typedef int32_t Indices __attribute__((vector_size(WIDTH * sizeof(int32_t))));

static inline Floats *vector_at(float *row, size_t x)
{
    return (Floats *)(row + x);
}

static inline Floats load(const float *row, size_t x)
{
    return *(const Floats *)(row + x);
}

/* Within each four numbers: those of both vectors in turn, the lower or the upper halves; and the
 * lower or the upper halves, one vector after the other. */
#if defined(__AVX512F__)
#define INTERLEAVE_LOW(a, b)  ((Floats)_mm512_unpacklo_ps((__m512)(a), (__m512)(b)))
#define INTERLEAVE_HIGH(a, b) ((Floats)_mm512_unpackhi_ps((__m512)(a), (__m512)(b)))
#define JOIN_LOW(a, b)        ((Floats)_mm512_unpacklo_pd((__m512d)(a), (__m512d)(b)))
#define JOIN_HIGH(a, b)       ((Floats)_mm512_unpackhi_pd((__m512d)(a), (__m512d)(b)))
#elif defined(__AVX2__)
#define INTERLEAVE_LOW(a, b)  ((Floats)_mm256_unpacklo_ps((__m256)(a), (__m256)(b)))
#define INTERLEAVE_HIGH(a, b) ((Floats)_mm256_unpackhi_ps((__m256)(a), (__m256)(b)))
#define JOIN_LOW(a, b)        ((Floats)_mm256_unpacklo_pd((__m256d)(a), (__m256d)(b)))
#define JOIN_HIGH(a, b)       ((Floats)_mm256_unpackhi_pd((__m256d)(a), (__m256d)(b)))
#else
#ifdef __clang__
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (Indices){__VA_ARGS__})
#endif
#define INTERLEAVE_LOW(a, b)  SHUFFLE(a, b, 0, 4, 1, 5)
#define INTERLEAVE_HIGH(a, b) SHUFFLE(a, b, 2, 6, 3, 7)
#define JOIN_LOW(a, b)        SHUFFLE(a, b, 0, 1, 4, 5)
#define JOIN_HIGH(a, b)       SHUFFLE(a, b, 2, 3, 6, 7)
#endif

/* Blocks of four by four within four vectors. */
static inline void transpose_blocks(Floats m[4])
{
    const Floats low01 = INTERLEAVE_LOW(m[0], m[1]), high01 = INTERLEAVE_HIGH(m[0], m[1]);
    const Floats low23 = INTERLEAVE_LOW(m[2], m[3]), high23 = INTERLEAVE_HIGH(m[2], m[3]);
    m[0] = JOIN_LOW(low01, low23);
    m[1] = JOIN_HIGH(low01, low23);
    m[2] = JOIN_LOW(high01, high23);
    m[3] = JOIN_HIGH(high01, high23);
}

static inline void transpose(Floats m[WIDTH])
{
    for (int i = 0; i < WIDTH; i += 4)
        transpose_blocks(m + i);
#if defined(__AVX512F__)
    for (int i = 0; i < 4; i++) {
        const __m512 a = (__m512)m[i], b = (__m512)m[4 + i];
        const __m512 c = (__m512)m[8 + i], d = (__m512)m[12 + i];
        const __m512 low_ab = _mm512_shuffle_f32x4(a, b, 0x44);
        const __m512 low_cd = _mm512_shuffle_f32x4(c, d, 0x44);
        const __m512 high_ab = _mm512_shuffle_f32x4(a, b, 0xee);
        const __m512 high_cd = _mm512_shuffle_f32x4(c, d, 0xee);
        m[i] = (Floats)_mm512_shuffle_f32x4(low_ab, low_cd, 0x88);
        m[4 + i] = (Floats)_mm512_shuffle_f32x4(low_ab, low_cd, 0xdd);
        m[8 + i] = (Floats)_mm512_shuffle_f32x4(high_ab, high_cd, 0x88);
        m[12 + i] = (Floats)_mm512_shuffle_f32x4(high_ab, high_cd, 0xdd);
    }
#elif defined(__AVX2__)
    for (int i = 0; i < 4; i++) {
        const __m256 a = (__m256)m[i], b = (__m256)m[4 + i];
        m[i] = (Floats)_mm256_permute2f128_ps(a, b, 0x20);
        m[4 + i] = (Floats)_mm256_permute2f128_ps(a, b, 0x31);
    }
#endif
}

#ifdef __AVX2__
/* Gathers pairs, the size of a double, from a table. */
static inline void look_up(const double *pairs, Indices i, Floats *first, Floats *second)
{
#ifdef __AVX512F__
    const __m256i low_i = _mm512_castsi512_si256((__m512i)i);
    const __m256i high_i = _mm512_extracti64x4_epi64((__m512i)i, 1);
    const __m512 low = _mm512_castpd_ps(_mm512_i32gather_pd(low_i, pairs, 8));
    const __m512 high = _mm512_castpd_ps(_mm512_i32gather_pd(high_i, pairs, 8));
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    *first = (Floats)_mm512_permutex2var_ps(low, even, high);
    *second = (Floats)_mm512_permutex2var_ps(low, odd, high);
#else
    /* shuffles work within 128 bits */
    const __m256i swapped = _mm256_permute4x64_epi64((__m256i)i, 0xd8);
    const __m128i low_i = _mm256_castsi256_si128(swapped);
    const __m128i high_i = _mm256_extracti128_si256(swapped, 1);
    const __m256 low = _mm256_castpd_ps(_mm256_i32gather_pd(pairs, low_i, 8));
    const __m256 high = _mm256_castpd_ps(_mm256_i32gather_pd(pairs, high_i, 8));
    *first = (Floats)_mm256_shuffle_ps(low, high, 0x88);
    *second = (Floats)_mm256_shuffle_ps(low, high, 0xdd);
#endif
}
#endif

#endif
