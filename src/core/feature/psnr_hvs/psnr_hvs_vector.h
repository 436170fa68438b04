/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_PSNR_HVS_PSNR_HVS_VECTOR_H
#define CORE_FEATURE_PSNR_HVS_PSNR_HVS_VECTOR_H

/* Vectors as wide as the instruction set that a file is compiled for has them. */

#include <math.h>
#include <stdint.h>

#if defined(__AVX2__)
#include "support/vector.h"
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(VMAF_ISA_NEON)
#include <arm_neon.h>
#endif

#if defined(__AVX512BW__)
enum { VECTOR_BYTES = 64 };
#elif defined(__AVX2__)
enum { VECTOR_BYTES = 32 };
#else
enum { VECTOR_BYTES = 16 };
#endif

/* Samples and coefficients; numbers made of half as many of them. */
typedef int16_t Words __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef uint16_t UnsignedWords __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef int16_t HalfWords __attribute__((vector_size(VECTOR_BYTES / 2), may_alias));
typedef uint16_t UnsignedHalfWords __attribute__((vector_size(VECTOR_BYTES / 2), may_alias));
typedef int32_t Integers __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef float Floats __attribute__((vector_size(VECTOR_BYTES), may_alias));
enum { WORDS = VECTOR_BYTES / 2, FLOATS = VECTOR_BYTES / 4 };

/* Before loops over the coefficients of blocks: vectors of 128 bits make most steps, so that what
 * surrounds the work counts most there. */
#ifdef VMAF_ISA_NEON
#define UNROLLED _Pragma("GCC unroll 64")
#else
#define UNROLLED
#endif

/*
 * scaled         a lifting step: a times k / 2^15, rounded; k is positive
 * half           rounded towards zero
 * load_integers  lanes of samples or coefficients
 * floats_of      sums of samples
 * positive       x where it is positive, else 0
 */
#ifdef VMAF_ISA_NEON

static inline Words scaled(Words a, int16_t k)
{
    return (Words)vqrdmulhq_n_s16((int16x8_t)a, k);
}

static inline Words half(Words a)
{
    const UnsignedWords is_negative = (UnsignedWords)a >> 15;
    return (Words)vhaddq_s16((int16x8_t)a, (int16x8_t)is_negative);
}

static inline Integers load_integers(const int16_t *lanes)
{
    return (Integers)vmovl_s16(vld1_s16(lanes));
}

static inline Floats floats_of(UnsignedHalfWords sums)
{
    return (Floats)vcvtq_f32_u32(vmovl_u16((uint16x4_t)sums));
}

static inline Floats positive(Floats x)
{
    return (Floats)vmaxnmq_f32((float32x4_t)x, vdupq_n_f32(0));
}

static inline Floats square_root(Floats x)
{
    return (Floats)vsqrtq_f32((float32x4_t)x);
}

#else

static inline Words scaled(Words a, int16_t k)
{
#ifdef __AVX2__
    return (Words)vec_mul_round_16s((Vec)a, vec_set_16(k));
#else
#ifdef __SSE2__
    const Words high = (Words)_mm_mulhi_epi16((__m128i)a, _mm_set1_epi16(k));
#else
    Words high;
    for (int i = 0; i < WORDS; i++)
        high[i] = (int16_t)(a[i] * k >> 16);
#endif
    const UnsignedWords low = (UnsignedWords)a * (uint16_t)k;
    return high + high + (Words)(((low >> 14) + 1) >> 1);
#endif
}

static inline Words half(Words a)
{
    return (a - (a >> 15)) >> 1;
}

static inline Integers load_integers(const int16_t *lanes)
{
    return __builtin_convertvector(*(const HalfWords *)lanes, Integers);
}

static inline Floats floats_of(UnsignedHalfWords sums)
{
    return __builtin_convertvector(__builtin_convertvector(sums, Integers), Floats);
}

static inline Floats positive(Floats x)
{
    return (Floats)((Integers)x & (x > 0));
}

static inline Floats square_root(Floats x)
{
    for (unsigned i = 0; i < FLOATS; i++)
        x[i] = sqrtf(x[i]);
    return x;
}

#endif

static inline Floats load_floats(const int16_t *lanes)
{
    return __builtin_convertvector(load_integers(lanes), Floats);
}

#endif
