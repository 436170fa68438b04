/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "metrics/float_vif/float_vif_internal.h"
#include "metrics/float_vif/float_vif_kernel.h"
#include "support/loops.h"
#include "support/vector_lanes.h"

/* The row functions of float_vif: filters, and the information in their results. */

typedef UnalignedLanesF32 Floats;
enum { LANES = LANES_32 };

/* Vectors of sums that stay in registers through all taps; they hide the time an addition takes. */
enum { WIDE = 8, WIDE_ROWS = LANES == 16 ? 4 : 2 };

__attribute__((always_inline)) static inline void weigh_vectors(const float *const *rows,
                                                                const float *taps, int n_taps,
                                                                size_t at, float *out,
                                                                int n_vectors)
{
    Floats sums[WIDE] = {0};
    for (int k = 0; k < n_taps; k++) {
        const Floats *row = (const Floats *)(rows[k] + at);
        UNROLL_FULLY(8)
        for (int i = 0; i < n_vectors; i++)
            sums[i] += taps[k] * row[i];
    }
    UNROLL_FULLY(8)
    for (int i = 0; i < n_vectors; i++)
        ((Floats *)(out + at))[i] = sums[i];
}

static void weighted_sum(const float *const *rows, const float *taps, int n_taps, float *out,
                         unsigned w)
{
    size_t x = 0;
    for (; x + WIDE * LANES <= w; x += WIDE * LANES)
        weigh_vectors(rows, taps, n_taps, x, out, WIDE);
    for (; x < w; x += LANES)
        weigh_vectors(rows, taps, n_taps, x, out, 1);
}

enum { GROUP = FLOAT_VIF_GROUP };

/* Adds a row to the sums from first to last; tap is that of sum 0. */
__attribute__((always_inline)) static inline void add_row(Floats sums[GROUP][WIDE_ROWS],
                                                          const float *row, const float *tap,
                                                          int first, int last, int n_vectors)
{
    UNROLL_FULLY(4)
    for (int i = 0; i < n_vectors; i++) {
        const Floats v = ((const Floats *)row)[i];
        UNROLL_FULLY(4)
        for (int r = first; r <= last; r++)
            sums[r][i] += tap[-r] * v;
    }
}

__attribute__((always_inline)) static inline void weigh_group(const float *const *rows,
                                                              const float *taps, int n_taps,
                                                              size_t at, float *const *out,
                                                              int n_vectors)
{
    Floats sums[GROUP][WIDE_ROWS] = {0};
    UNROLL_FULLY(4)
    for (int k = 0; k < GROUP - 1; k++)
        add_row(sums, rows[k] + at, taps + k, 0, k, n_vectors);
    for (int k = GROUP - 1; k < n_taps; k++)
        add_row(sums, rows[k] + at, taps + k, 0, GROUP - 1, n_vectors);
    UNROLL_FULLY(4)
    for (int first = 1; first < GROUP; first++)
        add_row(sums, rows[n_taps - 1 + first] + at, taps + n_taps - 1 + first, first, GROUP - 1,
                n_vectors);
    for (int r = 0; r < GROUP; r++) {
        UNROLL_FULLY(4)
        for (int i = 0; i < n_vectors; i++)
            ((Floats *)(out[r] + at))[i] = sums[r][i];
    }
}

static void weighted_sums(const float *const *rows, const float *taps, int n_taps,
                          float *const out[GROUP], unsigned w)
{
    size_t x = 0;
    for (; x + WIDE_ROWS * LANES <= w; x += WIDE_ROWS * LANES)
        weigh_group(rows, taps, n_taps, x, out, WIDE_ROWS);
    for (; x < w; x += LANES)
        weigh_group(rows, taps, n_taps, x, out, 1);
}

static void products(const float *restrict a, const float *restrict b, float *restrict aa,
                     float *restrict bb, float *restrict ab, unsigned w)
{
    for (unsigned x = 0; x < w; x++) {
        aa[x] = a[x] * a[x];
        bb[x] = b[x] * b[x];
        ab[x] = a[x] * b[x];
    }
}

/* Columns whose contributions stay in the cache until they are added up. */
enum { BLOCK = 256 };

/* Logarithm to base 2 by a polynomial, as VMAF defines it; for positive numbers and for what
 * division by zero gives. */
static inline float log2_polynomial(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    const int exponent = (int)(bits >> 23 & 0xff) - 127;
    const uint32_t mantissa_bits = (bits & 0x7fffff) | 127u << 23;
    float mantissa;
    memcpy(&mantissa, &mantissa_bits, sizeof(mantissa));
    const float t = mantissa - 1;
    float r = FLOAT_VIF_LOG2_8;
    r = r * t + FLOAT_VIF_LOG2_7;
    r = r * t + FLOAT_VIF_LOG2_6;
    r = r * t + FLOAT_VIF_LOG2_5;
    r = r * t + FLOAT_VIF_LOG2_4;
    r = r * t + FLOAT_VIF_LOG2_3;
    r = r * t + FLOAT_VIF_LOG2_2;
    r = r * t + FLOAT_VIF_LOG2_1;
    r = r * t + 0;
    return (float)exponent + r;
}

/* Chooses between two values by a condition, without a branch, so that loops over pixels become
 * vectors. */
static inline float choose(int condition, float yes, float no)
{
    uint32_t yes_bits, no_bits;
    memcpy(&yes_bits, &yes, sizeof(yes_bits));
    memcpy(&no_bits, &no, sizeof(no_bits));
    const uint32_t mask = 0u - (uint32_t)condition;
    const uint32_t bits = (yes_bits & mask) | (no_bits & ~mask);
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* What becomes of a block of pixels before the logarithms. */
typedef struct Block {
    float num_argument[BLOCK], den_argument[BLOCK];
    float flat_num[BLOCK]; /* of pixels whose reference does not exceed the noise */
    float ref_variance[BLOCK], covariance[BLOCK];
} Block;

__attribute__((always_inline)) static inline void arguments(const FloatVifMoments *m,
                                                            const FloatVifParameters *p,
                                                            unsigned begin, unsigned n,
                                                            bool divides, Block *restrict out)
{
    const float *restrict mean_ref = m->mean_ref + begin, *restrict mean_dist =
                                                              m->mean_dist + begin;
    const float *restrict ref_ref = m->ref_ref + begin, *restrict dist_dist = m->dist_dist + begin;
    const float *restrict ref_dist = m->ref_dist + begin;
    const double noise = p->noise_variance;
    const float gain_limit = p->gain_limit, inverse_noise = p->inverse_noise;
    const float flat_factor = p->flat_factor, eps = FLOAT_VIF_EPSILON;
    for (unsigned x = 0; x < n; x++) {
        const float mu1 = mean_ref[x], mu2 = mean_dist[x];
        float s1 = ref_ref[x] - mu1 * mu1, s2 = dist_dist[x] - mu2 * mu2;
        s1 = choose(s1 > 0, s1, 0);
        s2 = choose(s2 > 0, s2, 0);
        const float covariance = ref_dist[x] - mu1 * mu2;

        float gain = covariance / (s1 + eps);
        float residue = s2 - gain * covariance;
        const int flat_ref = s1 < eps, flat_dist = s2 < eps;
        gain = choose(flat_ref | flat_dist, 0, gain);
        residue = choose(flat_ref, s2, residue);
        s1 = choose(flat_ref, 0, s1);
        residue = choose(flat_dist, 0, residue);
        const int negative = gain < 0;
        residue = choose(negative, s2, residue);
        gain = choose(negative, 0, gain);
        residue = choose(residue > eps, residue, eps);
        gain = choose(gain < gain_limit, gain, gain_limit);

        const float signal = (gain * gain) * s1; /* variance that the gain lets through */
        out->num_argument[x] = (float)(1 + (double)signal / ((double)residue + noise));
        out->den_argument[x] = divides ? (float)(1 + (double)s1 / noise) : 1 + s1 * inverse_noise;
        out->flat_num[x] = 1 - s2 * flat_factor;
        out->ref_variance[x] = s1;
        out->covariance[x] = covariance;
    }
}

static void contributions(const Block *restrict b, float threshold, unsigned n, float *restrict num,
                          float *restrict den)
{
    for (unsigned x = 0; x < n; x++) {
        const float log_num = log2_polynomial(b->num_argument[x]);
        const float log_den = log2_polynomial(b->den_argument[x]);
        const int below_noise = b->ref_variance[x] < threshold;
        num[x] = choose(below_noise, b->flat_num[x], choose(b->covariance[x] < 0, 0, log_num));
        den[x] = choose(below_noise, 1, log_den);
    }
}

/* Sums of columns wait for one another, but not for those of other rows. */
__attribute__((always_inline)) static inline void
add_columns(float num[][BLOCK], float den[][BLOCK], unsigned n, int n_rows, FloatVifSums *sums)
{
    FloatVifSums s[FLOAT_VIF_GROUP];
    for (int r = 0; r < n_rows; r++)
        s[r] = sums[r];
    for (unsigned x = 0; x < n; x++) {
#pragma GCC unroll 4
        for (int r = 0; r < n_rows; r++) {
            s[r].num += num[r][x];
            s[r].den += den[r][x];
        }
    }
    for (int r = 0; r < n_rows; r++)
        sums[r] = s[r];
}

static void information(const FloatVifMoments *moments, int n_rows,
                        const FloatVifParameters *parameters, unsigned w, FloatVifSums *sums)
{
    const float threshold = float_vif_round_up(parameters->noise_variance);
    Block block;
    for (int r = 0; r < n_rows; r++)
        sums[r] = (FloatVifSums){0};
    for (unsigned begin = 0; begin < w; begin += BLOCK) {
        const unsigned n = w - begin < BLOCK ? w - begin : BLOCK;
        float num[FLOAT_VIF_GROUP][BLOCK], den[FLOAT_VIF_GROUP][BLOCK];
        for (int r = 0; r < n_rows; r++) {
            if (parameters->inverse_noise > 0)
                arguments(&moments[r], parameters, begin, n, false, &block);
            else
                arguments(&moments[r], parameters, begin, n, true, &block);
            contributions(&block, threshold, n, num[r], den[r]);
        }
        if (n_rows == FLOAT_VIF_GROUP)
            add_columns(num, den, n, FLOAT_VIF_GROUP, sums);
        else
            for (int r = 0; r < n_rows; r++)
                add_columns(&num[r], &den[r], n, 1, &sums[r]);
    }
}

void ISA_VARIANT(float_vif_functions_fill)(FloatVifFunctions *functions)
{
    functions->weighted_sum = weighted_sum;
    functions->weighted_sums = weighted_sums;
    functions->products = products;
    functions->information = information;
}
