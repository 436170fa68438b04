/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <immintrin.h>

#include "feature/vif/vif_log_table.h"
#include "feature/vif/vif_simd.h"

/* AVX2: the information in a row of variances, 8 columns at a time. */

/* Columns at a time that pass through a buffer on the stack. */
enum { CHUNK = 128 };

static unsigned min_unsigned(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

VIF_INLINE __m256i load(const void *p)
{
    return _mm256_loadu_si256(p);
}

VIF_INLINE void store(void *p, __m256i v)
{
    _mm256_storeu_si256(p, v);
}

/* Sums of logarithms, in parts: 2048 times the octaves, which count from an exponent of -127. */
typedef struct LogSum {
    __m256i octaves, mantissas;
} LogSum;

/* Adds the logarithms of 8 positive integers. */
VIF_INLINE void add_logarithms(LogSum *sum, __m256i v)
{
    /* Without the first of the bits that do not matter, so that the others cannot round up. */
    v = _mm256_andnot_si256(_mm256_srli_epi32(v, 16), v);
    const __m256i bits = _mm256_castps_si256(_mm256_cvtepi32_ps(v));
    /* Of the 15 bits after the leading one 12 are the index of an entry, 3 the step. */
    const __m256i index =
        _mm256_and_si256(_mm256_srli_epi32(bits, 11), _mm256_set1_epi32(VIF_LOG_STEPS - 1));
    const __m256i entry =
        _mm256_i32gather_epi32((const int *)(const void *)vif_log_steps, index, 2);
    const __m256i step = _mm256_and_si256(_mm256_slli_epi32(bits, 8), _mm256_set1_epi32(7 << 16));
    sum->mantissas =
        _mm256_add_epi32(sum->mantissas, _mm256_srli_epi32(_mm256_add_epi32(entry, step), 16 + 3));
    sum->octaves = _mm256_add_epi32(sum->octaves, _mm256_srli_epi32(bits, 23));
}

VIF_INLINE int64_t horizontal_sum(__m256i sums)
{
    uint32_t lanes[8];
    store(lanes, sums);
    uint64_t sum = 0;
    for (int i = 0; i < 8; i++)
        sum += lanes[i];
    return (int64_t)sum;
}

/* Of n logarithms. */
VIF_INLINE int64_t total_of(LogSum sum, unsigned n)
{
    return horizontal_sum(sum.mantissas) +
           VIF_LOG_UNIT * (horizontal_sum(sum.octaves) - 127 * (int64_t)n);
}

VIF_INLINE __m256d to_doubles(const int32_t *p)
{
    return _mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)(const void *)p));
}

VIF_INLINE __m256i truncate(__m256d a, __m256d b)
{
    return _mm256_set_m128i(_mm256_cvttpd_epi32(b), _mm256_cvttpd_epi32(a));
}

/* The columns of a chunk as they take part in the logarithmic sums. */
typedef struct Signal {
    int32_t variance[CHUNK], covariance[CHUNK], noise[CHUNK];
    __m256d gain[CHUNK / 4];
} Signal;

/*
 * As in the scalar kernel: in the logarithmic sums a flat pixel takes part with no signal, one
 * without correlation with no gain. n is a multiple of 8.
 */
VIF_INLINE void separate_flat_pixels(Signal *signal, VifSums *sums, const VifVariances *in,
                                     unsigned begin, unsigned n)
{
    const __m256i zero = _mm256_setzero_si256();
    const __m256i noise_variance = _mm256_set1_epi32(VIF_NOISE_VARIANCE);
    __m256i count = zero, low = zero, high = zero;
    LogSum log_den = {zero, zero};
    for (unsigned x = 0; x < n; x += 8) {
        const __m256i ref = load(in->ref + begin + x);
        const __m256i dist = load(in->dist + begin + x);
        const __m256i covariance = load(in->covariance + begin + x);
        const __m256i flat = _mm256_cmpgt_epi32(noise_variance, ref);
        const __m256i flat_variance = _mm256_and_si256(dist, flat);
        count = _mm256_sub_epi32(count, flat);
        low = _mm256_add_epi32(low, _mm256_and_si256(flat_variance, _mm256_set1_epi32(0xffff)));
        high = _mm256_add_epi32(high, _mm256_srli_epi32(flat_variance, 16));

        const __m256i variance = _mm256_andnot_si256(flat, ref);
        const __m256i correlated =
            _mm256_and_si256(_mm256_cmpgt_epi32(covariance, zero), _mm256_cmpgt_epi32(dist, zero));
        store(signal->variance + x, variance);
        store(signal->covariance + x, _mm256_and_si256(covariance, correlated));
        add_logarithms(&log_den, _mm256_add_epi32(variance, noise_variance));
    }
    sums->flat_count += horizontal_sum(count);
    sums->flat_variance += horizontal_sum(low) + (horizontal_sum(high) << 16);
    sums->log_den += total_of(log_den, n) - (int64_t)n * 17 * VIF_LOG_UNIT;
}

/* Finds gain and noise, and the sum of the logarithms of the latter. */
VIF_INLINE int64_t measure_noise(Signal *signal, const int32_t *dist, unsigned n)
{
    const __m256i zero = _mm256_setzero_si256();
    const __m256d epsilon = _mm256_set1_pd(65536 * 1e-10);
    LogSum sum = {zero, zero};
    for (unsigned x = 0; x < n; x += 8) {
        __m256d residual[2];
        for (unsigned i = 0; i < 2; i++) {
            const __m256d c = to_doubles(signal->covariance + x + 4 * i);
            const __m256d v = to_doubles(signal->variance + x + 4 * i);
            const __m256d g = _mm256_div_pd(c, _mm256_add_pd(v, epsilon));
            residual[i] = _mm256_sub_pd(to_doubles(dist + x + 4 * i), _mm256_mul_pd(g, c));
            signal->gain[x / 4 + i] = g;
        }
        const __m256i positive = _mm256_max_epi32(truncate(residual[0], residual[1]), zero);
        const __m256i noise = _mm256_add_epi32(positive, _mm256_set1_epi32(VIF_NOISE_VARIANCE));
        store(signal->noise + x, noise);
        add_logarithms(&sum, noise);
    }
    return total_of(sum, n);
}

/* Sum of the logarithms of what arrives, signal and noise. */
VIF_INLINE int64_t measure_total(const Signal *signal, unsigned n, double limit)
{
    const __m256i zero = _mm256_setzero_si256();
    LogSum sum = {zero, zero};
    for (unsigned x = 0; x < n; x += 8) {
        __m256d energy[2];
        for (unsigned i = 0; i < 2; i++) {
            const __m256d g = _mm256_min_pd(signal->gain[x / 4 + i], _mm256_set1_pd(limit));
            const __m256d v = to_doubles(signal->variance + x + 4 * i);
            energy[i] = _mm256_mul_pd(_mm256_mul_pd(g, g), v);
        }
        add_logarithms(&sum,
                       _mm256_add_epi32(load(signal->noise + x), truncate(energy[0], energy[1])));
    }
    return total_of(sum, n);
}

static void gain_of_chunk(VifSums *sums, const VifVariances *in, unsigned begin, unsigned n,
                          const double *limits, unsigned n_limits)
{
    Signal signal;
    separate_flat_pixels(&signal, sums, in, begin, n);
    const int64_t log_noise = measure_noise(&signal, in->dist + begin, n);
    for (unsigned i = 0; i < n_limits; i++)
        sums->log_num[i] += measure_total(&signal, n, limits[i]) - log_noise;
}

void vif_gain_avx2(VifSums *sums, const VifVariances *in, unsigned w, const double *limits,
                   unsigned n_limits)
{
    unsigned begin = 0;
    for (; begin + 8 <= w; begin += CHUNK)
        gain_of_chunk(sums, in, begin, min_unsigned((w - begin) & ~7u, CHUNK), limits, n_limits);
    begin = w & ~7u;
    if (begin == w)
        return;
    /* Zeros after the last columns count as flat pixels without variance. */
    const unsigned n = w - begin;
    int32_t tail[3][8] = {0};
    memcpy(tail[0], in->ref + begin, n * sizeof(int32_t));
    memcpy(tail[1], in->dist + begin, n * sizeof(int32_t));
    memcpy(tail[2], in->covariance + begin, n * sizeof(int32_t));
    gain_of_chunk(sums, &(VifVariances){tail[0], tail[1], tail[2]}, 0, 8, limits, n_limits);
    sums->flat_count -= 8 - n;
}
