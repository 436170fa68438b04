/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_SSIM_SSIM_SUMS_H
#define METRICS_FLOAT_SSIM_SSIM_SUMS_H

/*
 * Vectors of samples that are multiplied in binary32 and added in binary64.
 *
 * A binary32 number in the upper half of 64 bits, moved right by three bits, is the same number in
 * binary64 times 2^-896, unless it is negative: the mantissa is in its place and the exponent lacks
 * the difference of the biases. So one shift widens a product, and one multiplication of the sum
 * makes up for it. Every operation on such numbers rounds like the one on the numbers that they
 * stand for.
 *
 * NEON widens as fast as it shifts: its products need no trick, there are twice as many of them in
 * a vector, and signs make no difference.
 */

#include <stdbool.h>

#include "platform/machine.h"
#include "support/vector_lanes.h"

#define SUMS_INLINE __attribute__((always_inline)) static inline

#ifdef VMAF_ISA_NEON

enum { LANES = LANES_32, SIGNS_MATTER = 0 };
typedef LanesF32 Samples;
typedef LanesF32 Products;
typedef struct Sums {
    LanesF64 low, high;
} Sums;
/* Eight at most, in registers, from where instructions take any of them. */
typedef struct Taps {
    LanesF32 of[2];
} Taps;

/* Compilers would load constants whenever they need them, and put off additions until they need
 * their sums, and run out of registers. */
#define KEEP_IN_REGISTER(v) __asm__ volatile("" : "+w"(v))
#define COMPUTE_NOW(sums)                                                                          \
    do {                                                                                           \
        KEEP_IN_REGISTER((sums).low);                                                              \
        KEEP_IN_REGISTER((sums).high);                                                             \
    } while (0)

SUMS_INLINE Taps load_taps(const float *first, int n, int stride)
{
    float taps[2 * LANES_32] = {0};
    for (int k = 0; k < n; k++)
        taps[k] = first[k * stride];
    Taps loaded = {{(LanesF32)vld1q_f32(taps), (LanesF32)vld1q_f32(taps + LANES_32)}};
    KEEP_IN_REGISTER(loaded.of[0]);
    KEEP_IN_REGISTER(loaded.of[1]);
    return loaded;
}

/* LANES neighbours. */
SUMS_INLINE Samples load_samples(const float *from)
{
    return (Samples)vld1q_f32(from);
}

SUMS_INLINE Samples load_dealt(const uint64_t *dealt, size_t vector)
{
    return load_samples((const float *)dealt + vector * LANES);
}

/* Every other one of 2 LANES neighbours. */
SUMS_INLINE Samples load_half(const float *from, bool odd)
{
    const float32x4_t first = vld1q_f32(from), second = vld1q_f32(from + LANES);
    return (Samples)(odd ? vuzp2q_f32(first, second) : vuzp1q_f32(first, second));
}

SUMS_INLINE Samples multiply_samples(Samples a, Samples b)
{
    return a * b;
}

/* is_signed: whether samples may be negative. */
SUMS_INLINE Products multiply(Samples samples, const Taps *taps, int k, bool is_signed)
{
    const float32x4_t of = (float32x4_t)taps->of[k / LANES_32];
    (void)is_signed;
    switch (k % LANES_32) { /* instructions have the number of the lane in them */
    case 0:
        return (Products)vmulq_laneq_f32((float32x4_t)samples, of, 0);
    case 1:
        return (Products)vmulq_laneq_f32((float32x4_t)samples, of, 1);
    case 2:
        return (Products)vmulq_laneq_f32((float32x4_t)samples, of, 2);
    default:
        return (Products)vmulq_laneq_f32((float32x4_t)samples, of, 3);
    }
}

SUMS_INLINE Sums widened(Products products)
{
    return (Sums){(LanesF64)vcvt_f64_f32(vget_low_f32((float32x4_t)products)),
                  (LanesF64)vcvt_high_f64_f32((float32x4_t)products)};
}

SUMS_INLINE Sums add_sums(Sums a, Sums b)
{
    return (Sums){a.low + b.low, a.high + b.high};
}

/* A sum that begins with the products with tap k. */
SUMS_INLINE Sums begin_weighted(Sums products, const Taps *taps, int k)
{
    (void)taps;
    (void)k;
    return products;
}

SUMS_INLINE Sums add_weighted(Sums sums, Sums products, const Taps *taps, int k)
{
    (void)taps;
    (void)k;
    return add_sums(sums, products);
}

SUMS_INLINE Sums load_sums(const double *from)
{
    return (Sums){(LanesF64)vld1q_f64(from), (LanesF64)vld1q_f64(from + LANES_64)};
}

/* Loads sums from any address. */
SUMS_INLINE Sums sums_at(const double *from)
{
    return load_sums(from);
}

SUMS_INLINE void store_sums(double *to, Sums sums)
{
    vst1q_f64(to, (float64x2_t)sums.low);
    vst1q_f64(to + LANES_64, (float64x2_t)sums.high);
}

/* Stores sums rounded to binary32. */
SUMS_INLINE void store_rounded(float *to, Sums sums)
{
    vst1q_f32(to, vcvt_high_f32_f64(vcvt_f32_f64((float64x2_t)sums.low), (float64x2_t)sums.high));
}

/* Four columns of LANES rows that are `segment` samples apart, as dealt vectors from one on. */
SUMS_INLINE void deal_four(uint64_t *out, size_t vector, const float *in, size_t segment)
{
    float *to = (float *)out + vector * LANES;
    LanesF32 m[4];
    for (int lane = 0; lane < LANES; lane++)
        m[lane] = load_samples(in + (size_t)lane * segment);
    lanes_transpose_f32(m);
    for (int i = 0; i < 4; i++)
        vst1q_f32(to + (size_t)i * LANES, (float32x4_t)m[i]);
}

#else

enum { LANES = LANES_64, SIGNS_MATTER = 1 };
typedef LanesU64 Samples;  /* in the upper halves */
typedef LanesU64 Products; /* of magnitudes with those of taps, but with the signs of samples */
typedef LanesF64 Sums;     /* times 2^-896 */
typedef struct Taps {
    const float *first;
    int stride;
} Taps;

#define SIGN           ((uint64_t)1 << 63)
#define MISSING_FACTOR 0x1p896

/* GCC would put off additions until it needs their sums, and run out of registers. */
#if defined(__AVX512F__)
#define COMPUTE_NOW(sums) __asm__("" : "+v"(sums))
#elif defined(__x86_64__)
#define COMPUTE_NOW(sums) __asm__("" : "+x"(sums))
#else
#define COMPUTE_NOW(sums) ((void)(sums))
#endif

SUMS_INLINE Taps load_taps(const float *first, int n, int stride)
{
    (void)n;
    return (Taps){first, stride};
}

/* LANES neighbours. */
SUMS_INLINE Samples load_samples(const float *from)
{
    return lanes_upper_f32(from);
}

SUMS_INLINE Samples load_dealt(const uint64_t *dealt, size_t vector)
{
    Samples samples;
    memcpy(&samples, dealt + vector * LANES, sizeof(samples));
    return samples;
}

/* Every other one of 2 LANES neighbours. */
SUMS_INLINE Samples load_half(const float *from, bool odd)
{
    Samples pairs;
    memcpy(&pairs, from, sizeof(pairs));
    if (odd == vmaf_is_little_endian()) /* then the second of a pair is in the upper half */
        return pairs & ~(uint64_t)UINT32_MAX;
    return pairs << 32;
}

SUMS_INLINE Samples multiply_samples(Samples a, Samples b)
{
    return (Samples)((LanesF32)a * (LanesF32)b);
}

/* is_signed: whether samples may be negative. */
SUMS_INLINE Products multiply(Samples samples, const Taps *taps, int k, bool is_signed)
{
    const float tap = taps->first[k * taps->stride], magnitude = tap < 0 ? -tap : tap;
    const LanesU64 sign = samples & SIGN;
    if (!is_signed)
        return (Products)((LanesF32)samples * magnitude) >> 3;
    return (Products)((LanesF32)(samples ^ sign) * magnitude) >> 3 ^ sign;
}

SUMS_INLINE Sums widened(Products products)
{
    return (Sums)products;
}

SUMS_INLINE Sums add_sums(Sums a, Sums b)
{
    return a + b;
}

/* A sum that begins with the products with tap k. */
SUMS_INLINE Sums begin_weighted(Sums products, const Taps *taps, int k)
{
    if (taps->first[k * taps->stride] < 0)
        return (Sums){0} - products;
    return products;
}

SUMS_INLINE Sums add_weighted(Sums sums, Sums products, const Taps *taps, int k)
{
    return taps->first[k * taps->stride] < 0 ? sums - products : sums + products;
}

SUMS_INLINE Sums load_sums(const double *from)
{
    return *(const LanesF64 *)from;
}

/* Loads sums from any address. */
SUMS_INLINE Sums sums_at(const double *from)
{
    return *(const UnalignedLanesF64 *)from;
}

SUMS_INLINE void store_sums(double *to, Sums sums)
{
    *(LanesF64 *)to = sums;
}

/* Stores sums rounded to binary32. */
SUMS_INLINE void store_rounded(float *to, Sums sums)
{
    lanes_store_f32_of_f64(to, sums * MISSING_FACTOR);
}

/* Four columns of LANES rows that are `segment` samples apart, as dealt vectors from one on. */
SUMS_INLINE void deal_four(uint64_t *out, size_t vector, const float *in, size_t segment)
{
    lanes_store_columns_upper_f32(out + vector * LANES, in, segment);
}

#endif

#endif
