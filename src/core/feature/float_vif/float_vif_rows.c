/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdint.h>
#include <string.h>

#include "feature/float_vif/float_vif_kernels.h"

/* Columns that are taken through all taps, or through all steps, while they are in the cache. */
enum { BLOCK = 256 };

/* Four taps a pass save three of four times loading and storing the sums. */
static void add_four(const float *const *rows, const float *taps, unsigned begin, unsigned n,
                     float *restrict out)
{
    const float *restrict a = rows[0] + begin, *restrict b = rows[1] + begin;
    const float *restrict c = rows[2] + begin, *restrict d = rows[3] + begin;
    const float ta = taps[0], tb = taps[1], tc = taps[2], td = taps[3];
    for (unsigned x = 0; x < n; x++)
        out[x] = (((out[x] + ta * a[x]) + tb * b[x]) + tc * c[x]) + td * d[x];
}

static void add_one(const float *restrict row, float tap, unsigned n, float *restrict out)
{
    for (unsigned x = 0; x < n; x++)
        out[x] += tap * row[x];
}

static void weighted_sum(const float *const *rows, const float *taps, int n_taps, float *out,
                         unsigned w)
{
    for (unsigned begin = 0; begin < w; begin += BLOCK) {
        const unsigned n = w - begin < BLOCK ? w - begin : BLOCK;
        float *sums = out + begin;
        memset(sums, 0, n * sizeof(*sums));
        int k = 0;
        for (; k + 4 <= n_taps; k += 4)
            add_four(rows + k, taps + k, begin, n, sums);
        for (; k < n_taps; k++)
            add_one(rows[k] + begin, taps[k], n, sums);
    }
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
    float r = -0.012671635276421f;
    r = r * t + 0.064841182402670f;
    r = r * t + -0.157048836463065f;
    r = r * t + 0.257167726303123f;
    r = r * t + -0.353800560300520f;
    r = r * t + 0.480131410397451f;
    r = r * t + -0.721314327952201f;
    r = r * t + 1.442694803896991f;
    r = r * t + 0;
    return (float)exponent + r;
}

/* Of two values by a condition, without a branch, so that loops over pixels become vectors. */
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

/* Statistics of a block of pixels. */
typedef struct Block {
    float ref_variance[BLOCK], dist_variance[BLOCK], covariance[BLOCK];
    float signal[BLOCK]; /* variance that the gain lets through */
    float residue[BLOCK];
    float num_argument[BLOCK], den_argument[BLOCK];
} Block;

static void variances(const FloatVifMoments *m, unsigned begin, unsigned n, Block *restrict b)
{
    const float *restrict mu1 = m->mean_ref + begin, *restrict mu2 = m->mean_dist + begin;
    const float *restrict xx = m->ref_ref + begin, *restrict yy = m->dist_dist + begin;
    const float *restrict xy = m->ref_dist + begin;
    for (unsigned x = 0; x < n; x++) {
        const float s1 = xx[x] - mu1[x] * mu1[x];
        const float s2 = yy[x] - mu2[x] * mu2[x];
        b->ref_variance[x] = choose(s1 > 0, s1, 0);
        b->dist_variance[x] = choose(s2 > 0, s2, 0);
        b->covariance[x] = xy[x] - mu1[x] * mu2[x];
    }
}

static void gains(float gain_limit, unsigned n, Block *restrict b)
{
    const float eps = 1e-10f;
    for (unsigned x = 0; x < n; x++) {
        const float s1 = b->ref_variance[x], s2 = b->dist_variance[x], c = b->covariance[x];
        float g = c / (s1 + eps);
        float v = s2 - g * c;
        const int flat_ref = s1 < eps, flat_dist = s2 < eps;
        g = choose(flat_ref, 0, g);
        v = choose(flat_ref, s2, v);
        const float s1_kept = choose(flat_ref, 0, s1);
        g = choose(flat_dist, 0, g);
        v = choose(flat_dist, 0, v);
        const int negative = g < 0;
        v = choose(negative, s2, v);
        g = choose(negative, 0, g);
        v = choose(v > eps, v, eps);
        g = choose(g < gain_limit, g, gain_limit);
        b->ref_variance[x] = s1_kept;
        b->residue[x] = v;
        b->signal[x] = (g * g) * s1_kept;
    }
}

static void arguments(double noise_variance, unsigned n, Block *restrict b)
{
    for (unsigned x = 0; x < n; x++) {
        b->num_argument[x] =
            (float)(1 + (double)b->signal[x] / ((double)b->residue[x] + noise_variance));
        b->den_argument[x] = (float)(1 + (double)b->ref_variance[x] / noise_variance);
    }
}

static void contributions(const FloatVifParameters *p, unsigned n, const Block *restrict b,
                          float *restrict num, float *restrict den)
{
    /* The least binary32 value that is not below the noise variance: the comparison in binary64
     * comes out the same. */
    float threshold = (float)p->noise_variance;
    if ((double)threshold < p->noise_variance)
        threshold = __builtin_nextafterf(threshold, 1e30f);
    const float factor = p->flat_factor;
    for (unsigned x = 0; x < n; x++) {
        const int flat = b->ref_variance[x] < threshold;
        const float log_num = log2_polynomial(b->num_argument[x]);
        const float log_den = log2_polynomial(b->den_argument[x]);
        const float kept = choose(b->covariance[x] < 0, 0, log_num);
        num[x] = choose(flat, 1 - b->dist_variance[x] * factor, kept);
        den[x] = choose(flat, 1, log_den);
    }
}

static void information(const FloatVifMoments *moments, const FloatVifParameters *parameters,
                        float *num, float *den, unsigned w)
{
    Block block;
    for (unsigned begin = 0; begin < w; begin += BLOCK) {
        const unsigned n = w - begin < BLOCK ? w - begin : BLOCK;
        variances(moments, begin, n, &block);
        gains(parameters->gain_limit, n, &block);
        arguments(parameters->noise_variance, n, &block);
        contributions(parameters, n, &block, num + begin, den + begin);
    }
}

const FloatVifKernels ISA_TWIN(float_vif_kernels) = {
    .weighted_sum = weighted_sum,
    .products = products,
    .information = information,
};
