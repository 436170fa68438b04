/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/vif/vif_internal.h"
#include "metrics/vif/vif_simd.h"
#include "support/loops.h"
#include "support/memory.h"

/* The information in a row of variances, for processors without vector kernels: plain C that
 * compilers vectorise. */

/* Columns at a time, whose intermediate results are on the stack. */
enum { CHUNK = 128 };

/*
 * The sum of the logarithms of n <= CHUNK integers in the range of the table, from their keys:
 * vif_log_of_key, in steps. Only the look-up goes through single numbers.
 */
static int64_t sum_of_logs(const uint32_t *restrict keys, unsigned n)
{
    uint16_t places[CHUNK], steps[CHUNK], entries[CHUNK];
    uint32_t octaves = 0;
    for (unsigned x = 0; x < n; x++) {
        octaves += keys[x] >> 15;
        places[x] = (keys[x] >> 3) % VIF_LOG_STEPS;
        steps[x] = keys[x] % 8;
    }
    UNROLL(4)
    for (unsigned x = 0; x < n; x++)
        entries[x] = vif_log_steps[places[x]];
    uint32_t sum = 30720 * n + VIF_LOG_UNIT * octaves; /* each logarithm is below 2^16 */
    for (unsigned x = 0; x < n; x++)
        sum += (uint16_t)((uint16_t)(entries[x] + steps[x]) >> 3);
    return sum;
}

static void flat_pixels(VifSums *sums, const int32_t *var_ref, const int32_t *var_dist, unsigned n)
{
    /* Halves of the variances, so that sums over a chunk fit. */
    uint32_t count = 0, low = 0, high = 0;
    for (unsigned x = 0; x < n; x++) {
        uint32_t flat = var_ref[x] < VIF_NOISE_VARIANCE;
        uint32_t variance = (uint32_t)var_dist[x] & -flat;
        count += flat;
        low += variance & 0xffff;
        high += variance >> 16;
    }
    sums->flat_count += count;
    sums->flat_variance += ((int64_t)high << 16) + low;
}

/*
 * Without branches: in the logarithmic sums a flat pixel takes part with no signal, and a pixel
 * without correlation with no gain, which adds log 1. Selections are made among integers or end
 * a loop, because compilers do not vectorise conversions that depend on a condition.
 */
VIF_INLINE void gain_of_chunk(VifSums *sums, const int32_t *var_ref, const int32_t *var_dist,
                              const int32_t *covariance, unsigned n, const VifGain *options,
                              bool has_den)
{
    /* Keeps the gain finite where the reference has no variance. */
    const double epsilon = 65536 * 1e-10;
    const double most = INT32_MAX;
    double signal[CHUNK], gain[CHUNK], noise[CHUNK], energy[CHUNK];
    uint32_t keys[CHUNK];

    for (unsigned x = 0; x < n; x++) {
        int32_t s = var_ref[x] & -(var_ref[x] >= VIF_NOISE_VARIANCE);
        int32_t c = covariance[x] & -((covariance[x] > 0) & (var_dist[x] > 0));
        signal[x] = s;
        if (has_den)
            keys[x] = vif_log_key(s + (double)VIF_NOISE_VARIANCE);
        gain[x] = c / (s + epsilon);
        double residual = var_dist[x] - gain[x] * c;
        noise[x] = residual > 0 ? residual : 0;
    }
    if (has_den)
        sums->log_den += sum_of_logs(keys, n) - (int64_t)n * 17 * VIF_LOG_UNIT;

    for (unsigned x = 0; x < n; x++) {
        noise[x] = (int32_t)noise[x] + (double)VIF_NOISE_VARIANCE;
        keys[x] = vif_log_key(noise[x]);
    }
    const int64_t log_noise = sum_of_logs(keys, n);

    for (unsigned i = 0; i < options->n_limits; i++) {
        const double limit = options->limits[i];
        for (unsigned x = 0; x < n; x++) {
            double g = gain[x] < limit ? gain[x] : limit;
            double e = g * g * signal[x];
            /* Out of range only for samples beyond the bit depth. */
            energy[x] = e < most ? e : most;
        }
        for (unsigned x = 0; x < n; x++)
            keys[x] = vif_log_key(noise[x] + (int32_t)energy[x]);
        sums->log_num[i] += sum_of_logs(keys, n) - log_noise;
    }
}

VIF_INLINE void gain_of_row(VifSums *sums, const VifVariances *in, unsigned w, const VifGain *gain,
                            bool has_den)
{
    for (unsigned begin = 0; begin < w; begin += CHUNK) {
        const unsigned n = min_unsigned(w - begin, CHUNK);
        const int32_t *ref = in->ref + begin, *dist = in->dist + begin;
        flat_pixels(sums, ref, dist, n);
        gain_of_chunk(sums, ref, dist, in->covariance + begin, n, gain, has_den);
    }
}

void vif_gain_portable(VifSums *sums, const VifVariances *in, unsigned w, const VifGain *gain)
{
    gain_of_row(sums, in, w, gain, true);
}

void vif_gain_portable_again(VifSums *sums, const VifVariances *in, unsigned w, const VifGain *gain)
{
    gain_of_row(sums, in, w, gain, false);
}
