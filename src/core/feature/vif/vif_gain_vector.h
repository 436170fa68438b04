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

VIF_INLINE VifLogSum vif_log_sum_of_none(void)
{
    return (VifLogSum){vec_zero(), vec_zero()};
}

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

/*
 * Columns as they take part in the logarithmic sums, in any order: a flat pixel has no signal, one
 * without correlation no gain, as in the scalar kernel.
 */
typedef struct VifSignal {
    int32_t variance[VIF_CHUNK], covariance[VIF_CHUNK], dist[VIF_CHUNK], noise[VIF_CHUNK];
    VecD gain[VIF_CHUNK / VIF_DOUBLES];
} VifSignal;

/* Sums over vectors of columns. */
typedef struct VifVectorSums {
    Vec flat_count, flat_low, flat_high;
    VifLogSum log_den, log_noise;
} VifVectorSums;

/* Adds a vector of columns, which go to place x of the signal. */
VIF_INLINE void add_signal(VifVectorSums *sums, VifSignal *signal, unsigned x, Vec ref, Vec dist,
                           Vec covariance)
{
    const Vec noise_variance = vec_set_32(VIF_NOISE_VARIANCE), zero = vec_zero();
    const Vec flat_variance = vec_keep_greater_32s(dist, noise_variance, ref);
    sums->flat_low = vec_add_32(sums->flat_low, vec_and(flat_variance, vec_set_32(0xffff)));
    sums->flat_high = vec_add_32(sums->flat_high, vec_shift_right_32u(flat_variance, 16));
    sums->flat_count =
        vec_add_32(sums->flat_count, vec_keep_greater_32s(vec_set_32(1), noise_variance, ref));
    vec_store(signal->variance + x,
              vec_keep_greater_32s(ref, ref, vec_set_32(VIF_NOISE_VARIANCE - 1)));
    vec_store(signal->covariance + x,
              vec_keep_greater_32s(vec_max_32s(covariance, zero), dist, zero));
    vec_store(signal->dist + x, dist);
}

/* Finds gain and noise in the first n places, and adds logarithms of signal and noise. */
VIF_INLINE void measure_noise(VifVectorSums *sums, VifSignal *signal, unsigned n)
{
    const Vec noise_variance = vec_set_32(VIF_NOISE_VARIANCE);
    for (unsigned x = 0; x < n; x += VEC_32) {
        vif_add_logarithms(&sums->log_den,
                           vec_add_32(vec_load(signal->variance + x), noise_variance));
        VecD residual[2];
        for (unsigned i = 0; i < 2; i++) {
            const unsigned at = x + i * VIF_DOUBLES;
            const VecD v = vec_load_double(signal->variance + at);
            const VecD c = vec_load_double(signal->covariance + at);
            /* Keeps the gain finite where the reference has no variance. */
            const VecD g = vec_div_double(c, vec_add_double(v, vec_set_double(65536 * 1e-10)));
            residual[i] = vec_sub_double(vec_load_double(signal->dist + at), vec_mul_double(g, c));
            signal->gain[at / VIF_DOUBLES] = g;
        }
        const Vec positive = vec_max_32s(vec_integer_double(residual[0], residual[1]), vec_zero());
        const Vec noise = vec_add_32(positive, noise_variance);
        vec_store(signal->noise + x, noise);
        vif_add_logarithms(&sums->log_noise, noise);
    }
}

/* Sum of the logarithms of what arrives, signal and noise, in the first n places. */
VIF_INLINE int64_t measure_total(const VifSignal *signal, unsigned n, double limit)
{
    VifLogSum sum = vif_log_sum_of_none();
    for (unsigned x = 0; x < n; x += VEC_32) {
        VecD energy[2];
        for (unsigned i = 0; i < 2; i++) {
            const unsigned at = x + i * VIF_DOUBLES;
            const VecD g = vec_min_double(signal->gain[at / VIF_DOUBLES], vec_set_double(limit));
            energy[i] =
                vec_mul_double(vec_mul_double(g, g), vec_load_double(signal->variance + at));
        }
        vif_add_logarithms(&sum, vec_add_32(vec_load(signal->noise + x),
                                            vec_integer_double(energy[0], energy[1])));
    }
    return vif_log_total(sum, n);
}

#endif
