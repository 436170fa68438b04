/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_VIF_GAIN_VECTOR_H
#define CORE_FEATURE_VIF_GAIN_VECTOR_H

/* The information in a chunk of variances, with vectors; gain() of vif_scalar.c is the model. */

#include "feature/vif/vif_log_table.h"
#include "feature/vif/vif_simd.h"
#include "support/vector.h"

enum {
    VIF_CHUNK = 8 * VEC_16, /* columns at a time that pass through buffers on the stack */
    VIF_DOUBLES = VEC_32 / 2,
};

/* -- logarithms -- */

/* Sums of logarithms (vif_log_table.h), in parts: octaves count from an exponent of -127. */
typedef struct VifLogSum {
    Vec octaves, mantissas;
} VifLogSum;

/* In binary32, with 16 leading bits as in the integer. */
VIF_INLINE VecF leading_bits(Vec v)
{
#ifdef __AVX512F__
    return _mm512_cvt_roundepi32_ps(v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
#else
    /* Without the first of the other bits, these cannot round up. */
    return vec_float(vec_and_not(v, vec_shift_right_32u(v, 16)));
#endif
}

/* Of positive integers. */
VIF_INLINE void vif_add_logarithms(VifLogSum *sum, Vec v)
{
    const Vec bits = vec_float_bits(leading_bits(v));
    /* Of the 15 bits after the leading one 12 are the index of an entry, 3 the step. */
    const Vec index = vec_and(vec_shift_right_32u(bits, 11), vec_set_32(VIF_LOG_STEPS - 1));
    const Vec entry = vec_gather_pairs_16(vif_log_steps, index);
    const Vec step = vec_and(vec_shift_left_32(bits, 8), vec_set_32(7 << 16));
    sum->mantissas =
        vec_add_32(sum->mantissas, vec_shift_right_32u(vec_add_32(entry, step), 16 + 3));
    sum->octaves = vec_add_32(sum->octaves, vec_shift_right_32u(bits, 23));
}

/* Of n logarithms. */
VIF_INLINE int64_t vif_log_total(VifLogSum sum, unsigned n)
{
    return (int64_t)vec_sum_32u(sum.mantissas) +
           VIF_LOG_UNIT * ((int64_t)vec_sum_32u(sum.octaves) - 127 * (int64_t)n);
}

/* -- signal and noise -- */

/* The lower or the upper half of a vector of integers. */
VIF_INLINE VecD half_of(Vec v, unsigned half)
{
#ifdef __AVX512F__
    return _mm512_cvtepi32_pd(half ? _mm512_extracti64x4_epi64(v, 1) : _mm512_castsi512_si256(v));
#else
    return _mm256_cvtepi32_pd(half ? _mm256_extracti128_si256(v, 1) : _mm256_castsi256_si128(v));
#endif
}

/*
 * Columns as they take part in the logarithmic sums, in any order: a flat pixel has no signal, one
 * without correlation no gain, as in the scalar kernel.
 */
typedef struct VifSignal {
    int32_t noise[VIF_CHUNK];
    VecD variance[VIF_CHUNK / VIF_DOUBLES], gain[VIF_CHUNK / VIF_DOUBLES];
} VifSignal;

/* Sums over vectors of columns. */
typedef struct VifVectorSums {
    Vec flat_count, flat_low, flat_high;
    VifLogSum log_den, log_noise;
    VifLogSum log_arrived; /* signal and noise, under the first gain limit */
} VifVectorSums;

VIF_INLINE VifVectorSums vif_sums_of_none(void)
{
    const Vec zero = vec_zero();
    const VifLogSum none = {zero, zero};
    return (VifVectorSums){zero, zero, zero, none, none, none};
}

/* Adds pixels of which the reference has less variance than noise would give them. */
VIF_INLINE void add_flat(VifVectorSums *sums, Vec ref, Vec dist)
{
    const Vec noise_variance = vec_set_32(VIF_NOISE_VARIANCE);
    const Vec variance = vec_keep_greater_32s(dist, noise_variance, ref);
    sums->flat_low = vec_add_32(sums->flat_low, vec_and(variance, vec_set_32(0xffff)));
    sums->flat_high = vec_add_32(sums->flat_high, vec_shift_right_32u(variance, 16));
    sums->flat_count =
        vec_add_32(sums->flat_count, vec_keep_greater_32s(vec_set_32(1), noise_variance, ref));
}

/* Logarithms of what arrives at place x of the signal. */
VIF_INLINE void add_arrived(VifLogSum *sum, const VifSignal *signal, unsigned x, VecD limit)
{
    VecD energy[2];
#pragma GCC unroll 2
    for (unsigned i = 0; i < 2; i++) {
        const unsigned at = x / VIF_DOUBLES + i;
        const VecD g = vec_min_double(signal->gain[at], limit);
        energy[i] = vec_mul_double(vec_mul_double(g, g), signal->variance[at]);
    }
    vif_add_logarithms(
        sum, vec_add_32(vec_load(signal->noise + x), vec_integer_double(energy[0], energy[1])));
}

/* Adds a vector of columns, which go to place x of the signal. */
VIF_INLINE void add_signal(VifVectorSums *sums, VifSignal *signal, unsigned x, Vec ref, Vec dist,
                           Vec covariance, VecD limit)
{
    const Vec noise_variance = vec_set_32(VIF_NOISE_VARIANCE), zero = vec_zero();
    add_flat(sums, ref, dist);
    const Vec variance = vec_keep_greater_32s(ref, ref, vec_set_32(VIF_NOISE_VARIANCE - 1));
    covariance = vec_keep_greater_32s(vec_max_32s(covariance, zero), dist, zero);
    vif_add_logarithms(&sums->log_den, vec_add_32(variance, noise_variance));
    VecD residual[2];
#pragma GCC unroll 2
    for (unsigned i = 0; i < 2; i++) {
        const VecD v = half_of(variance, i), c = half_of(covariance, i);
        /* Keeps the gain finite where the reference has no variance. */
        const VecD g = vec_div_double(c, vec_add_double(v, vec_set_double(65536 * 1e-10)));
        residual[i] = vec_sub_double(half_of(dist, i), vec_mul_double(g, c));
        signal->variance[x / VIF_DOUBLES + i] = v;
        signal->gain[x / VIF_DOUBLES + i] = g;
    }
    const Vec positive = vec_max_32s(vec_integer_double(residual[0], residual[1]), zero);
    const Vec noise = vec_add_32(positive, noise_variance);
    vec_store(signal->noise + x, noise);
    vif_add_logarithms(&sums->log_noise, noise);
    add_arrived(&sums->log_arrived, signal, x, limit);
}

/* Sum of the logarithms of what arrives under another limit, in the first n places. */
VIF_INLINE int64_t log_arrived(const VifSignal *signal, unsigned n, double limit)
{
    VifLogSum sum = {vec_zero(), vec_zero()};
    for (unsigned x = 0; x < n; x += VEC_32)
        add_arrived(&sum, signal, x, vec_set_double(limit));
    return vif_log_total(sum, n);
}

#endif
