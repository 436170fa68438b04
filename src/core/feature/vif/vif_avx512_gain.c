/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <immintrin.h>

#include "feature/vif/vif_log_table.h"
#include "feature/vif/vif_simd.h"

/* AVX-512: the information in a row of variances, 16 columns at a time. */

/* Columns at a time that pass through a buffer on the stack. */
enum { CHUNK = 256 };

static unsigned min_unsigned(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* The first n of 16 columns. */
VIF_INLINE __mmask16 first_columns(unsigned n)
{
    return (__mmask16)(n >= 16 ? 0xffff : (1u << n) - 1);
}

VIF_INLINE __m512i load(const void *p)
{
    return _mm512_loadu_si512(p);
}

/* Sums of logarithms, in parts: 2048 times the octaves, which count from an exponent of -127. */
typedef struct LogSum {
    __m512i octaves, mantissas;
} LogSum;

/* Adds the logarithms of 16 positive integers. */
VIF_INLINE void add_logarithms(LogSum *sum, __m512i v)
{
    const __m512i bits =
        _mm512_castps_si512(_mm512_cvt_roundepi32_ps(v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
    /* Of the 15 bits after the leading one 12 are the index of an entry, 3 the step. */
    const __m512i index =
        _mm512_and_si512(_mm512_srli_epi32(bits, 11), _mm512_set1_epi32(VIF_LOG_STEPS - 1));
    const __m512i entry = _mm512_i32gather_epi32(index, vif_log_steps, 2);
    const __m512i step = _mm512_and_si512(_mm512_slli_epi32(bits, 8), _mm512_set1_epi32(7 << 16));
    sum->mantissas =
        _mm512_add_epi32(sum->mantissas, _mm512_srli_epi32(_mm512_add_epi32(entry, step), 16 + 3));
    sum->octaves = _mm512_add_epi32(sum->octaves, _mm512_srli_epi32(bits, 23));
}

VIF_INLINE int64_t horizontal_sum(__m512i sums)
{
    const __m512i even = _mm512_and_si512(sums, _mm512_set1_epi64(0xffffffff));
    return _mm512_reduce_add_epi64(_mm512_add_epi64(even, _mm512_srli_epi64(sums, 32)));
}

/* Of n logarithms. */
VIF_INLINE int64_t total_of(LogSum sum, unsigned n)
{
    return horizontal_sum(sum.mantissas) +
           VIF_LOG_UNIT * (horizontal_sum(sum.octaves) - 127 * (int64_t)n);
}

/* 8 integers as doubles; 0 where the mask has no bit. */
VIF_INLINE __m512d to_doubles(__mmask8 mask, const int32_t *p)
{
    return _mm512_maskz_cvtepi32_pd(mask, _mm256_loadu_si256((const __m256i *)(const void *)p));
}

VIF_INLINE __m512i truncate(__m512d a, __m512d b)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvttpd_epi32(a)),
                              _mm512_cvttpd_epi32(b), 1);
}

/* What the passes over the limits need of the columns of a chunk. */
typedef struct Signal {
    __m512d gain[CHUNK / 8], variance[CHUNK / 8];
    __m512i noise[CHUNK / 16];
} Signal;

/*
 * As in the scalar kernel: in the logarithmic sums a flat pixel takes part with no signal, one
 * without correlation with no gain, and so do the columns up to n, a multiple of 16, that do not
 * exist. Returns the sum of the logarithms of the noise.
 */
VIF_INLINE int64_t measure_signal(Signal *signal, VifSums *sums, const VifVariances *in,
                                  unsigned begin, unsigned n, unsigned n_columns)
{
    const __m512i zero = _mm512_setzero_si512();
    const __m512i noise_variance = _mm512_set1_epi32(VIF_NOISE_VARIANCE);
    const __m512d epsilon = _mm512_set1_pd(65536 * 1e-10);
    LogSum log_den = {zero, zero}, log_noise = {zero, zero};
    __m512i low = zero, high = zero;
    int flat_count = 0;
    for (unsigned x = 0; x < n; x += 16) {
        const int32_t *ref = in->ref + begin + x, *dist = in->dist + begin + x;
        const int32_t *covariance = in->covariance + begin + x;
        const __mmask16 columns = first_columns(n_columns - x);
        const __m512i r = load(ref), d = load(dist);
        const __mmask16 flat = _mm512_mask_cmplt_epi32_mask(columns, r, noise_variance);
        const __mmask16 textured = _mm512_mask_cmpge_epi32_mask(columns, r, noise_variance);
        const __mmask16 correlated = _mm512_mask_cmpgt_epi32_mask(
            _mm512_mask_cmpgt_epi32_mask(columns, load(covariance), zero), d, zero);
        const __m512i flat_variance = _mm512_maskz_mov_epi32(flat, d);
        flat_count += __builtin_popcount(flat);
        low = _mm512_add_epi32(low, _mm512_and_si512(flat_variance, _mm512_set1_epi32(0xffff)));
        high = _mm512_add_epi32(high, _mm512_srli_epi32(flat_variance, 16));
        add_logarithms(&log_den,
                       _mm512_mask_add_epi32(noise_variance, textured, r, noise_variance));

        __m512d residual[2];
        for (unsigned i = 0; i < 2; i++) {
            const __m512d c = to_doubles((__mmask8)(correlated >> 8 * i), covariance + 8 * i);
            const __m512d v = to_doubles((__mmask8)(textured >> 8 * i), ref + 8 * i);
            const __m512d g = _mm512_div_pd(c, _mm512_add_pd(v, epsilon));
            residual[i] = _mm512_sub_pd(to_doubles((__mmask8)(columns >> 8 * i), dist + 8 * i),
                                        _mm512_mul_pd(g, c));
            signal->gain[x / 8 + i] = g;
            signal->variance[x / 8 + i] = v;
        }
        const __m512i positive = _mm512_max_epi32(truncate(residual[0], residual[1]), zero);
        const __m512i noise = _mm512_add_epi32(positive, noise_variance);
        signal->noise[x / 16] = noise;
        add_logarithms(&log_noise, noise);
    }
    sums->flat_count += flat_count;
    sums->flat_variance += horizontal_sum(low) + (horizontal_sum(high) << 16);
    sums->log_den += total_of(log_den, n) - (int64_t)n * 17 * VIF_LOG_UNIT;
    return total_of(log_noise, n);
}

/* Sum of the logarithms of what arrives, signal and noise. */
VIF_INLINE int64_t measure_total(const Signal *signal, unsigned n, double limit)
{
    const __m512i zero = _mm512_setzero_si512();
    LogSum sum = {zero, zero};
    for (unsigned x = 0; x < n; x += 16) {
        __m512d energy[2];
        for (unsigned i = 0; i < 2; i++) {
            const __m512d g = _mm512_min_pd(signal->gain[x / 8 + i], _mm512_set1_pd(limit));
            energy[i] = _mm512_mul_pd(_mm512_mul_pd(g, g), signal->variance[x / 8 + i]);
        }
        add_logarithms(&sum,
                       _mm512_add_epi32(signal->noise[x / 16], truncate(energy[0], energy[1])));
    }
    return total_of(sum, n);
}

void vif_gain_avx512(VifSums *sums, const VifVariances *in, unsigned w, const double *limits,
                     unsigned n_limits)
{
    for (unsigned begin = 0; begin < w; begin += CHUNK) {
        const unsigned n_columns = min_unsigned(w - begin, CHUNK);
        const unsigned n = (n_columns + 15) & ~15u;
        Signal signal;
        const int64_t log_noise = measure_signal(&signal, sums, in, begin, n, n_columns);
        for (unsigned i = 0; i < n_limits; i++)
            sums->log_num[i] += measure_total(&signal, n, limits[i]) - log_noise;
    }
}
