/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_FLOAT_SSIM_SSIM_WIDE_H
#define CORE_FEATURE_FLOAT_SSIM_SSIM_WIDE_H

/*
 * Vectors of samples that are multiplied in binary32 and added in binary64.
 *
 * A binary32 number in the upper half of 64 bits, moved right by three bits, is the same number in
 * binary64 times 2^-896, unless it is negative: the mantissa is in its place and the exponent lacks
 * the difference of the biases. So one shift widens a product, and one multiplication of the sum
 * makes up for it. Every operation on such numbers rounds like the one on the numbers that they
 * stand for.
 */

#include <stdint.h>
#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { LANES = 8 };
#elif defined(__AVX2__)
enum { LANES = 4 };
#else
enum { LANES = 2 };
#endif

typedef uint64_t Wide __attribute__((vector_size(8 * LANES), may_alias));
typedef float Floats __attribute__((vector_size(8 * LANES), may_alias));
typedef double Doubles __attribute__((vector_size(8 * LANES), may_alias));

#define SIGN           ((uint64_t)1 << 63)
#define MISSING_FACTOR 0x1p896

/* GCC would put off additions until it needs their sums, and run out of registers. */
#if defined(__AVX512F__)
#define COMPUTE_NOW(v) __asm__("" : "+v"(v))
#elif defined(__x86_64__)
#define COMPUTE_NOW(v) __asm__("" : "+x"(v))
#else
#define COMPUTE_NOW(v) ((void)(v))
#endif

static inline Wide load_wide(const uint64_t *from)
{
    Wide v;
    memcpy(&v, from, sizeof(v));
    return v;
}

static inline Wide load_floats(const float *from)
{
#if defined(__AVX512F__)
    return (Wide)_mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)from)) << 32;
#elif defined(__AVX2__)
    return (Wide)_mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)from)) << 32;
#else
    uint32_t bits[LANES];
    memcpy(bits, from, sizeof(bits));
    return (Wide){(uint64_t)bits[0] << 32, (uint64_t)bits[1] << 32};
#endif
}

static inline void store_sums(float *to, Doubles sums)
{
    const Doubles v = sums * MISSING_FACTOR;
#if defined(__AVX512F__)
    _mm256_storeu_ps(to, _mm512_cvtpd_ps((__m512d)v));
#elif defined(__AVX2__)
    _mm_storeu_ps(to, _mm256_cvtpd_ps((__m256d)v));
#else
    to[0] = (float)v[0];
    to[1] = (float)v[1];
#endif
}

/* The product of samples in the upper halves and a tap, neither of them negative. */
static inline Wide weigh(Wide samples, float tap)
{
    return (Wide)((Floats)samples * tap) >> 3;
}

#endif
