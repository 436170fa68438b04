/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "feature/vif/vif_log_table.h"
#include "feature/vif/vif_neon.h"

/* NEON: the information in a row of variances, 8 columns at a time. */

enum {
    BLOCK = 8,
    /* Columns at a time that pass through a buffer on the stack. */
    CHUNK = 128,
};

static unsigned min_unsigned(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Sums of logarithms, in parts: the octaves below 2^31, and what the table adds. */
typedef struct LogSum {
    uint32x4_t octaves, mantissas;
} LogSum;

static inline LogSum log_sum_init(void)
{
    return (LogSum){vdupq_n_u32(0), vdupq_n_u32(0)};
}

/* Table entries by an index of 12 bits. */
static inline uint16x8_t table_entries(uint16x8_t index)
{
    uint16x8_t entries = vdupq_n_u16(0);
    entries = vsetq_lane_u16(vif_log_steps[vgetq_lane_u16(index, 0)], entries, 0);
    entries = vsetq_lane_u16(vif_log_steps[vgetq_lane_u16(index, 1)], entries, 1);
    entries = vsetq_lane_u16(vif_log_steps[vgetq_lane_u16(index, 2)], entries, 2);
    entries = vsetq_lane_u16(vif_log_steps[vgetq_lane_u16(index, 3)], entries, 3);
    entries = vsetq_lane_u16(vif_log_steps[vgetq_lane_u16(index, 4)], entries, 4);
    entries = vsetq_lane_u16(vif_log_steps[vgetq_lane_u16(index, 5)], entries, 5);
    entries = vsetq_lane_u16(vif_log_steps[vgetq_lane_u16(index, 6)], entries, 6);
    entries = vsetq_lane_u16(vif_log_steps[vgetq_lane_u16(index, 7)], entries, 7);
    return entries;
}

/* Adds the logarithms of 8 integers from 2^15 on. */
static inline void add_logarithms(LogSum *sum, uint32x4_t a, uint32x4_t b)
{
    const uint32x4_t zeros_a = vclzq_u32(a), zeros_b = vclzq_u32(b);
    sum->octaves = vaddq_u32(sum->octaves, vaddq_u32(zeros_a, zeros_b));
    /* The leading one, 12 bits that are the index of an entry, and 3 of the step. */
    const uint16x8_t bits =
        vuzp2q_u16(vreinterpretq_u16_u32(vshlq_u32(a, vreinterpretq_s32_u32(zeros_a))),
                   vreinterpretq_u16_u32(vshlq_u32(b, vreinterpretq_s32_u32(zeros_b))));
    const uint16x8_t index = vandq_u16(vshrq_n_u16(bits, 3), vdupq_n_u16(VIF_LOG_STEPS - 1));
    const uint16x8_t step = vandq_u16(bits, vdupq_n_u16(7));
    sum->mantissas =
        vpadalq_u16(sum->mantissas, vshrq_n_u16(vaddq_u16(table_entries(index), step), 3));
}

/* Of n logarithms; that of 2^15 is 30720. */
static inline int64_t total_of(LogSum sum, unsigned n)
{
    const int64_t largest_octave = 30720 + VIF_LOG_UNIT * (31 - 15);
    return n * largest_octave + (int64_t)vaddlvq_u32(sum.mantissas) -
           VIF_LOG_UNIT * (int64_t)vaddlvq_u32(sum.octaves);
}

/* The columns of a chunk as they take part in the logarithmic sums. */
typedef struct Signal {
    int32_t variance[CHUNK], covariance[CHUNK];
    uint32_t noise[CHUNK];
    float64x2_t gain[CHUNK / 2];
} Signal;

static inline float64x2_t low_doubles(int32x4_t v)
{
    return vcvtq_f64_s64(vmovl_s32(vget_low_s32(v)));
}

static inline float64x2_t high_doubles(int32x4_t v)
{
    return vcvtq_f64_s64(vmovl_high_s32(v));
}

/* Saturates; out of range only for samples beyond the bit depth. */
static inline int32x4_t truncated(float64x2_t low, float64x2_t high)
{
    return vqmovn_high_s64(vqmovn_s64(vcvtq_s64_f64(low)), vcvtq_s64_f64(high));
}

/* Four columns; returns signal and noise variance together. */
static inline uint32x4_t separate_flat_pixels(Signal *signal, const VifVariances *in,
                                              unsigned column, unsigned x, uint32x4_t *count,
                                              uint64x2_t *flat_variance)
{
    const int32x4_t zero = vdupq_n_s32(0), noise_variance = vdupq_n_s32(VIF_NOISE_VARIANCE);
    const int32x4_t ref = vld1q_s32(in->ref + column), dist = vld1q_s32(in->dist + column);
    const int32x4_t covariance = vld1q_s32(in->covariance + column);
    const uint32x4_t flat = vcltq_s32(ref, noise_variance);
    *count = vsubq_u32(*count, flat);
    *flat_variance = vpadalq_u32(*flat_variance, vandq_u32(vreinterpretq_u32_s32(dist), flat));

    const uint32x4_t correlated = vandq_u32(vcgtq_s32(covariance, zero), vcgtq_s32(dist, zero));
    const int32x4_t variance = vbicq_s32(ref, vreinterpretq_s32_u32(flat));
    vst1q_s32(signal->variance + x, variance);
    vst1q_s32(signal->covariance + x, vandq_s32(covariance, vreinterpretq_s32_u32(correlated)));
    return vreinterpretq_u32_s32(vaddq_s32(variance, noise_variance));
}

/*
 * As in the scalar kernel: in the logarithmic sums a flat pixel takes part with no signal, one
 * without correlation with no gain. n is a multiple of BLOCK.
 */
static void measure_signal(Signal *signal, VifSums *sums, const VifVariances *in, unsigned begin,
                           unsigned n)
{
    uint32x4_t count = vdupq_n_u32(0);
    uint64x2_t flat_variance = vdupq_n_u64(0);
    LogSum log_den = log_sum_init();
    for (unsigned x = 0; x < n; x += BLOCK) {
        const uint32x4_t a = separate_flat_pixels(signal, in, begin + x, x, &count, &flat_variance);
        const uint32x4_t b =
            separate_flat_pixels(signal, in, begin + x + 4, x + 4, &count, &flat_variance);
        add_logarithms(&log_den, a, b);
    }
    sums->flat_count += vaddvq_u32(count);
    sums->flat_variance += (int64_t)vaddvq_u64(flat_variance);
    sums->log_den += total_of(log_den, n) - (int64_t)n * 17 * VIF_LOG_UNIT;
}

/* Gain of two columns, and what of the distorted variance it does not explain. */
static inline float64x2_t find_gain(float64x2_t *gain, float64x2_t variance, float64x2_t covariance,
                                    float64x2_t dist)
{
    /* Keeps the gain finite where the reference has no variance. */
    const float64x2_t epsilon = vdupq_n_f64(65536 * 1e-10);
    *gain = vdivq_f64(covariance, vaddq_f64(variance, epsilon));
    return vsubq_f64(dist, vmulq_f64(*gain, covariance));
}

static inline uint32x4_t find_noise(Signal *signal, const int32_t *distorted, unsigned x)
{
    const int32x4_t variance = vld1q_s32(signal->variance + x), dist = vld1q_s32(distorted + x);
    const int32x4_t covariance = vld1q_s32(signal->covariance + x);
    const float64x2_t low = find_gain(&signal->gain[x / 2], low_doubles(variance),
                                      low_doubles(covariance), low_doubles(dist));
    const float64x2_t high = find_gain(&signal->gain[x / 2 + 1], high_doubles(variance),
                                       high_doubles(covariance), high_doubles(dist));
    const int32x4_t positive = vmaxq_s32(truncated(low, high), vdupq_n_s32(0));
    const uint32x4_t noise =
        vaddq_u32(vreinterpretq_u32_s32(positive), vdupq_n_u32(VIF_NOISE_VARIANCE));
    vst1q_u32(signal->noise + x, noise);
    return noise;
}

/* Finds gain and noise, and the sum of the logarithms of the latter. */
static int64_t measure_noise(Signal *signal, const int32_t *distorted, unsigned n)
{
    LogSum sum = log_sum_init();
    for (unsigned x = 0; x < n; x += BLOCK) {
        const uint32x4_t a = find_noise(signal, distorted, x);
        add_logarithms(&sum, a, find_noise(signal, distorted, x + 4));
    }
    return total_of(sum, n);
}

static inline uint32x4_t find_total(const Signal *signal, unsigned x, float64x2_t limit)
{
    const int32x4_t variance = vld1q_s32(signal->variance + x);
    const float64x2_t g = vminq_f64(signal->gain[x / 2], limit);
    const float64x2_t h = vminq_f64(signal->gain[x / 2 + 1], limit);
    const int32x4_t energy = truncated(vmulq_f64(vmulq_f64(g, g), low_doubles(variance)),
                                       vmulq_f64(vmulq_f64(h, h), high_doubles(variance)));
    return vaddq_u32(vld1q_u32(signal->noise + x), vreinterpretq_u32_s32(energy));
}

/* Sum of the logarithms of what arrives, signal and noise. */
static int64_t measure_total(const Signal *signal, unsigned n, double limit)
{
    const float64x2_t limits = vdupq_n_f64(limit);
    LogSum sum = log_sum_init();
    for (unsigned x = 0; x < n; x += BLOCK)
        add_logarithms(&sum, find_total(signal, x, limits), find_total(signal, x + 4, limits));
    return total_of(sum, n);
}

static void gain_of_chunk(VifSums *sums, const VifVariances *in, unsigned begin, unsigned n,
                          const double *limits, unsigned n_limits)
{
    Signal signal;
    measure_signal(&signal, sums, in, begin, n);
    const int64_t log_noise = measure_noise(&signal, in->dist + begin, n);
    for (unsigned i = 0; i < n_limits; i++)
        sums->log_num[i] += measure_total(&signal, n, limits[i]) - log_noise;
}

void vif_gain_neon(VifSums *sums, const VifVariances *in, unsigned w, const double *limits,
                   unsigned n_limits)
{
    const unsigned whole = w - w % BLOCK, n = w % BLOCK;
    for (unsigned begin = 0; begin < whole; begin += CHUNK)
        gain_of_chunk(sums, in, begin, min_unsigned(whole - begin, CHUNK), limits, n_limits);
    if (n == 0)
        return;
    /* Zeros after the last columns count as flat pixels without variance. */
    int32_t tail[3][BLOCK] = {0};
    memcpy(tail[0], in->ref + whole, n * sizeof(int32_t));
    memcpy(tail[1], in->dist + whole, n * sizeof(int32_t));
    memcpy(tail[2], in->covariance + whole, n * sizeof(int32_t));
    gain_of_chunk(sums, &(VifVariances){tail[0], tail[1], tail[2]}, 0, BLOCK, limits, n_limits);
    sums->flat_count -= BLOCK - n;
}
