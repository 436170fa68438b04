/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_SUPPORT_VECTOR_LANES_H
#define CORE_SUPPORT_VECTOR_LANES_H

/*
 * Vectors of numbers as types of their own, for files that are compiled for every instruction set,
 * plain C included (vmaf_add_isa_variants): what surrounds the few steps that differ is arithmetic,
 * for which the operators of C are enough. Where there is support/vector.h, these are its vectors.
 *
 * Vectors are as wide as the instruction set has them; 128 bits in plain C. Operators work on each
 * lane, comparisons give all ones or all zeros; conversions of a vector to another type of the same
 * size keep the bits. Memory is aligned as the vector is, unless a name says otherwise.
 */

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512BW__)
enum { LANES_BYTES = 64 };
#elif defined(__AVX2__)
enum { LANES_BYTES = 32 };
#else
enum { LANES_BYTES = 16 };
#endif
/* Lanes of so many bits. */
enum { LANES_16 = LANES_BYTES / 2, LANES_32 = LANES_BYTES / 4, LANES_64 = LANES_BYTES / 8 };

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(VMAF_ISA_NEON)
#include <arm_neon.h>
#endif

#define LANES_TYPE(name, type, size) typedef type name __attribute__((vector_size(size), may_alias))
LANES_TYPE(LanesI16, int16_t, LANES_BYTES);
LANES_TYPE(LanesU16, uint16_t, LANES_BYTES);
LANES_TYPE(LanesI32, int32_t, LANES_BYTES);
LANES_TYPE(LanesU64, uint64_t, LANES_BYTES);
LANES_TYPE(LanesF32, float, LANES_BYTES);
LANES_TYPE(LanesF64, double, LANES_BYTES);
/* As many as there are lanes of twice the size. */
LANES_TYPE(HalfLanesI16, int16_t, LANES_BYTES / 2);
LANES_TYPE(HalfLanesU16, uint16_t, LANES_BYTES / 2);

/* At any address. */
typedef LanesF32 UnalignedLanesF32 __attribute__((aligned(4)));
typedef LanesF64 UnalignedLanesF64 __attribute__((aligned(8)));

/* -- memory -- */

static inline LanesF32 *lanes_at_f32(float *row, size_t x)
{
    return (LanesF32 *)(row + x);
}

static inline LanesF32 lanes_load_f32(const float *row, size_t x)
{
    return *(const LanesF32 *)(row + x);
}

/* -- 16-bit integers -- */

/* (a k + 2^14) >> 15; k is positive. */
static inline LanesI16 lanes_mul_round_i16(LanesI16 a, int16_t k)
{
#if defined(__AVX512BW__)
    return (LanesI16)_mm512_mulhrs_epi16((__m512i)a, _mm512_set1_epi16(k));
#elif defined(__AVX2__)
    return (LanesI16)_mm256_mulhrs_epi16((__m256i)a, _mm256_set1_epi16(k));
#elif defined(VMAF_ISA_NEON)
    return (LanesI16)vqrdmulhq_n_s16((int16x8_t)a, k);
#else
#ifdef __SSE2__
    const LanesI16 high = (LanesI16)_mm_mulhi_epi16((__m128i)a, _mm_set1_epi16(k));
#else
    LanesI16 high;
    for (int i = 0; i < LANES_16; i++)
        high[i] = (int16_t)(a[i] * k >> 16);
#endif
    const LanesU16 low = (LanesU16)a * (uint16_t)k;
    return high + high + (LanesI16)(((low >> 14) + 1) >> 1);
#endif
}

/* Rounded towards zero. */
static inline LanesI16 lanes_half_i16(LanesI16 a)
{
#ifdef VMAF_ISA_NEON
    return (LanesI16)vhaddq_s16((int16x8_t)a, (int16x8_t)((LanesU16)a >> 15));
#else
    return (a - (a >> 15)) >> 1;
#endif
}

static inline LanesI32 lanes_i32_of_i16(const int16_t *from)
{
#ifdef VMAF_ISA_NEON
    return (LanesI32)vmovl_s16(vld1_s16(from));
#else
    return __builtin_convertvector(*(const HalfLanesI16 *)from, LanesI32);
#endif
}

/* -- binary32 -- */

static inline LanesF32 lanes_f32_of_i32(LanesI32 v)
{
    return __builtin_convertvector(v, LanesF32);
}

static inline LanesF32 lanes_f32_of_i16(const int16_t *from)
{
    return lanes_f32_of_i32(lanes_i32_of_i16(from));
}

static inline LanesF32 lanes_f32_of_u16(HalfLanesU16 v)
{
#ifdef VMAF_ISA_NEON
    return (LanesF32)vcvtq_f32_u32(vmovl_u16((uint16x4_t)v));
#else
    return lanes_f32_of_i32(__builtin_convertvector(v, LanesI32));
#endif
}

/* Truncated. */
static inline LanesI32 lanes_i32_of_f32(LanesF32 v)
{
    return __builtin_convertvector(v, LanesI32);
}

/* x where it is positive, else 0. */
static inline LanesF32 lanes_positive_f32(LanesF32 x)
{
#ifdef VMAF_ISA_NEON
    return (LanesF32)vmaxnmq_f32((float32x4_t)x, vdupq_n_f32(0));
#else
    return (LanesF32)((LanesI32)x & (x > 0));
#endif
}

static inline LanesF32 lanes_sqrt_f32(LanesF32 x)
{
#ifdef VMAF_ISA_NEON
    return (LanesF32)vsqrtq_f32((float32x4_t)x);
#else
    for (int i = 0; i < LANES_32; i++)
        x[i] = sqrtf(x[i]);
    return x;
#endif
}

/* -- binary64 -- */

/* LANES_64 numbers at any address, in the upper halves of lanes. */
static inline LanesU64 lanes_upper_f32(const float *from)
{
#if defined(__AVX512F__)
    return (LanesU64)_mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)from)) << 32;
#elif defined(__AVX2__)
    return (LanesU64)_mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)from)) << 32;
#else
    uint32_t bits[LANES_64];
    memcpy(bits, from, sizeof(bits));
    return (LanesU64){(uint64_t)bits[0] << 32, (uint64_t)bits[1] << 32};
#endif
}

/* LANES_64 numbers, rounded, to any address. */
static inline void lanes_store_f32_of_f64(float *to, LanesF64 v)
{
#if defined(__AVX512F__)
    _mm256_storeu_ps(to, _mm512_cvtpd_ps((__m512d)v));
#elif defined(__AVX2__)
    _mm_storeu_ps(to, _mm256_cvtpd_ps((__m256d)v));
#else
    to[0] = (float)v[0];
    to[1] = (float)v[1];
#endif
}

/* -- order -- */

#ifdef __clang__
#define LANES_SHUFFLE(type, a, b, ...) __builtin_shufflevector((type)(a), (type)(b), __VA_ARGS__)
#define LANES_SHUFFLE_F32(a, b, ...)   __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define LANES_SHUFFLE(type, a, b, ...) __builtin_shuffle((type)(a), (type)(b), (type){__VA_ARGS__})
#define LANES_SHUFFLE_F32(a, b, ...)   __builtin_shuffle(a, b, (LanesI32){__VA_ARGS__})
#endif

/* Within each four numbers: those of both vectors in turn, the lower or the upper halves; and the
 * lower or the upper halves, one vector after the other. */
#if defined(__AVX512F__)
#define LANES_INTERLEAVE_LOW_F32(a, b)  ((LanesF32)_mm512_unpacklo_ps((__m512)(a), (__m512)(b)))
#define LANES_INTERLEAVE_HIGH_F32(a, b) ((LanesF32)_mm512_unpackhi_ps((__m512)(a), (__m512)(b)))
#define LANES_JOIN_LOW_F32(a, b)        ((LanesF32)_mm512_unpacklo_pd((__m512d)(a), (__m512d)(b)))
#define LANES_JOIN_HIGH_F32(a, b)       ((LanesF32)_mm512_unpackhi_pd((__m512d)(a), (__m512d)(b)))
#elif defined(__AVX2__)
#define LANES_INTERLEAVE_LOW_F32(a, b)  ((LanesF32)_mm256_unpacklo_ps((__m256)(a), (__m256)(b)))
#define LANES_INTERLEAVE_HIGH_F32(a, b) ((LanesF32)_mm256_unpackhi_ps((__m256)(a), (__m256)(b)))
#define LANES_JOIN_LOW_F32(a, b)        ((LanesF32)_mm256_unpacklo_pd((__m256d)(a), (__m256d)(b)))
#define LANES_JOIN_HIGH_F32(a, b)       ((LanesF32)_mm256_unpackhi_pd((__m256d)(a), (__m256d)(b)))
#else
#define LANES_INTERLEAVE_LOW_F32(a, b)  LANES_SHUFFLE_F32(a, b, 0, 4, 1, 5)
#define LANES_INTERLEAVE_HIGH_F32(a, b) LANES_SHUFFLE_F32(a, b, 2, 6, 3, 7)
#define LANES_JOIN_LOW_F32(a, b)        LANES_SHUFFLE_F32(a, b, 0, 1, 4, 5)
#define LANES_JOIN_HIGH_F32(a, b)       LANES_SHUFFLE_F32(a, b, 2, 3, 6, 7)
#endif

/* Blocks of four by four within four vectors. */
static inline void lanes_transpose_blocks_f32(LanesF32 m[4])
{
    const LanesF32 low01 = LANES_INTERLEAVE_LOW_F32(m[0], m[1]);
    const LanesF32 high01 = LANES_INTERLEAVE_HIGH_F32(m[0], m[1]);
    const LanesF32 low23 = LANES_INTERLEAVE_LOW_F32(m[2], m[3]);
    const LanesF32 high23 = LANES_INTERLEAVE_HIGH_F32(m[2], m[3]);
    m[0] = LANES_JOIN_LOW_F32(low01, low23);
    m[1] = LANES_JOIN_HIGH_F32(low01, low23);
    m[2] = LANES_JOIN_LOW_F32(high01, high23);
    m[3] = LANES_JOIN_HIGH_F32(high01, high23);
}

/* As many vectors as each has lanes. */
static inline void lanes_transpose_f32(LanesF32 m[LANES_32])
{
    for (int i = 0; i < LANES_32; i += 4)
        lanes_transpose_blocks_f32(m + i);
#if defined(__AVX512F__)
    for (int i = 0; i < 4; i++) {
        const __m512 a = (__m512)m[i], b = (__m512)m[4 + i];
        const __m512 c = (__m512)m[8 + i], d = (__m512)m[12 + i];
        const __m512 low_ab = _mm512_shuffle_f32x4(a, b, 0x44);
        const __m512 low_cd = _mm512_shuffle_f32x4(c, d, 0x44);
        const __m512 high_ab = _mm512_shuffle_f32x4(a, b, 0xee);
        const __m512 high_cd = _mm512_shuffle_f32x4(c, d, 0xee);
        m[i] = (LanesF32)_mm512_shuffle_f32x4(low_ab, low_cd, 0x88);
        m[4 + i] = (LanesF32)_mm512_shuffle_f32x4(low_ab, low_cd, 0xdd);
        m[8 + i] = (LanesF32)_mm512_shuffle_f32x4(high_ab, high_cd, 0x88);
        m[12 + i] = (LanesF32)_mm512_shuffle_f32x4(high_ab, high_cd, 0xdd);
    }
#elif defined(__AVX2__)
    for (int i = 0; i < 4; i++) {
        const __m256 a = (__m256)m[i], b = (__m256)m[4 + i];
        m[i] = (LanesF32)_mm256_permute2f128_ps(a, b, 0x20);
        m[4 + i] = (LanesF32)_mm256_permute2f128_ps(a, b, 0x31);
    }
#endif
}

/* Pairs of numbers from a table; where there is an instruction for that. */
#ifdef __AVX2__
#define LANES_GATHER_PAIRS
static inline void lanes_gather_pairs_f32(const void *pairs, LanesI32 i, LanesF32 *first,
                                          LanesF32 *second)
{
#ifdef __AVX512F__
    const __m256i low_i = _mm512_castsi512_si256((__m512i)i);
    const __m256i high_i = _mm512_extracti64x4_epi64((__m512i)i, 1);
    const __m512 low = _mm512_castpd_ps(_mm512_i32gather_pd(low_i, pairs, 8));
    const __m512 high = _mm512_castpd_ps(_mm512_i32gather_pd(high_i, pairs, 8));
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    *first = (LanesF32)_mm512_permutex2var_ps(low, even, high);
    *second = (LanesF32)_mm512_permutex2var_ps(low, odd, high);
#else
    /* Shuffles work within 128 bits. */
    const __m256i swapped = _mm256_permute4x64_epi64((__m256i)i, 0xd8);
    const __m128i low_i = _mm256_castsi256_si128(swapped);
    const __m128i high_i = _mm256_extracti128_si256(swapped, 1);
    const __m256 low = _mm256_castpd_ps(_mm256_i32gather_pd(pairs, low_i, 8));
    const __m256 high = _mm256_castpd_ps(_mm256_i32gather_pd(pairs, high_i, 8));
    *first = (LanesF32)_mm256_shuffle_ps(low, high, 0x88);
    *second = (LanesF32)_mm256_shuffle_ps(low, high, 0xdd);
#endif
}
#endif

/* Four columns of LANES_64 rows, `stride` numbers apart: one after another, in the upper halves of
 * lanes. At any address. */
static inline void lanes_store_columns_upper_f32(uint64_t *columns, const float *rows,
                                                 size_t stride)
{
#if defined(__AVX512F__)
    __m512 halves[2];
    for (int h = 0; h < 2; h++, rows += 4 * stride) {
        halves[h] = _mm512_broadcast_f32x4(_mm_loadu_ps(rows));
        halves[h] = _mm512_mask_broadcast_f32x4(halves[h], 0x00f0, _mm_loadu_ps(rows + stride));
        halves[h] = _mm512_mask_broadcast_f32x4(halves[h], 0x0f00, _mm_loadu_ps(rows + 2 * stride));
        halves[h] = _mm512_mask_broadcast_f32x4(halves[h], 0xf000, _mm_loadu_ps(rows + 3 * stride));
    }
    const __m512i first = _mm512_setr_epi32(0, 0, 0, 4, 0, 8, 0, 12, 0, 16, 0, 20, 0, 24, 0, 28);
    for (int i = 0; i < 4; i++) {
        const __m512i column = _mm512_add_epi32(first, _mm512_set1_epi32(i));
        _mm512_storeu_ps((float *)(columns + i * LANES_64),
                         _mm512_maskz_permutex2var_ps(0xaaaa, halves[0], column, halves[1]));
    }
#elif defined(__AVX2__)
    const __m256 zero = _mm256_setzero_ps();
    const __m256 rows_0_2 = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(rows)),
                                                 _mm_loadu_ps(rows + 2 * stride), 1);
    const __m256 rows_1_3 = _mm256_insertf128_ps(
        _mm256_castps128_ps256(_mm_loadu_ps(rows + stride)), _mm_loadu_ps(rows + 3 * stride), 1);
    const __m256 low = _mm256_unpacklo_ps(rows_0_2, rows_1_3);
    const __m256 high = _mm256_unpackhi_ps(rows_0_2, rows_1_3);
    float *to = (float *)columns;
    _mm256_storeu_ps(to, _mm256_unpacklo_ps(zero, low));
    _mm256_storeu_ps(to + 8, _mm256_unpackhi_ps(zero, low));
    _mm256_storeu_ps(to + 16, _mm256_unpacklo_ps(zero, high));
    _mm256_storeu_ps(to + 24, _mm256_unpackhi_ps(zero, high));
#else
    for (int i = 0; i < 4; i++)
        for (int lane = 0; lane < LANES_64; lane++) {
            uint32_t bits;
            memcpy(&bits, rows + (size_t)lane * stride + i, sizeof(bits));
            columns[i * LANES_64 + lane] = (uint64_t)bits << 32;
        }
#endif
}

/* -- vectors of 128 bits, which every processor of interest has -- */

LANES_TYPE(Bytes16, uint8_t, 16);
LANES_TYPE(Words8, uint16_t, 16);
LANES_TYPE(Words4, uint32_t, 16);
LANES_TYPE(Words2, uint64_t, 16);

/* Elements of both vectors in turn, from their lower or upper halves. */
#define LOW_BYTES(a, b)                                                                            \
    LANES_SHUFFLE(Bytes16, a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH_BYTES(a, b)                                                                           \
    LANES_SHUFFLE(Bytes16, a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
/* Bytes from one of the halves as numbers of 16 bits. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define LOW_WIDENED(bytes)  ((Words8)LOW_BYTES(bytes, (Bytes16){0}))
#define HIGH_WIDENED(bytes) ((Words8)HIGH_BYTES(bytes, (Bytes16){0}))
#else
#define LOW_WIDENED(bytes)  ((Words8)LOW_BYTES((Bytes16){0}, bytes))
#define HIGH_WIDENED(bytes) ((Words8)HIGH_BYTES((Bytes16){0}, bytes))
#endif
#define LOW_8(a, b)  LANES_SHUFFLE(Words8, a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_8(a, b) LANES_SHUFFLE(Words8, a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define LOW_4(a, b)  LANES_SHUFFLE(Words4, a, b, 0, 4, 1, 5)
#define HIGH_4(a, b) LANES_SHUFFLE(Words4, a, b, 2, 6, 3, 7)
#define LOW_2(a, b)  LANES_SHUFFLE(Words2, a, b, 0, 2)
#define HIGH_2(a, b) LANES_SHUFFLE(Words2, a, b, 1, 3)

#endif
