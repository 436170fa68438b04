/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/float_ssim/ssim_kernels.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* Columns whose intermediate results stay in the first-level cache. */
enum { BLOCK = 128 };

/* exp(-x^2 / 4.5), normalised, rounded to six decimals; from the border to the centre. */
enum { HALF = SSIM_TAPS / 2 };
static const float window[HALF + 1] = {0.001028f, 0.007599f, 0.036001f,
                                       0.109361f, 0.213006f, 0.266012f};

/* The constants of the paper, (0.01 L)^2, (0.03 L)^2 and half of that with L = 255, each operation
 * rounded to binary32. */
static const float c1 = 6.50249958f, c2 = 58.5224953f, c3 = 29.2612476f;

/* Outer product of the low-pass filter of the 9/7 biorthogonal wavelet with itself, its entries
 * rounded to six decimals, which makes it not quite separable. One quadrant with the centre. */
static const float pyramid[SSIM_PYRAMID_RADIUS + 1][SSIM_PYRAMID_RADIUS + 1] = {
    {0.000714f, -0.000450f, -0.002090f, 0.007132f, 0.016114f},
    {-0.000450f, 0.000283f, 0.001316f, -0.004490f, -0.010146f},
    {-0.002090f, 0.001316f, 0.006115f, -0.020867f, -0.047149f},
    {0.007132f, -0.004490f, -0.020867f, 0.071207f, 0.160885f},
    {0.016114f, -0.010146f, -0.047149f, 0.160885f, 0.363505f},
};

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static void load_bytes(float *restrict out, const void *in, unsigned w, float factor)
{
    const uint8_t *restrict samples = in;
    for (unsigned x = 0; x < w; x++)
        out[x] = (float)samples[x] * factor;
}

static void load_words(float *restrict out, const void *in, unsigned w, float factor)
{
    const uint16_t *restrict samples = in;
    for (unsigned x = 0; x < w; x++)
        out[x] = (float)samples[x] * factor;
}

static void multiply(float *restrict out, const float *a, const float *b, unsigned w)
{
    for (unsigned x = 0; x < w; x++)
        out[x] = a[x] * b[x];
}

static void filter_block(float *restrict out, const float *restrict in, unsigned n)
{
    /* Taps at equal distance from the centre share their products. */
    float products[HALF + 1][BLOCK + SSIM_PADDING];
    for (unsigned k = 0; k <= HALF; k++) {
        for (unsigned x = 0; x < n + SSIM_TAPS - 1; x++)
            products[k][x] = in[x] * window[k];
    }
    for (unsigned x = 0; x < n; x++) {
        double sum = (double)products[0][x];
        sum += (double)products[1][x + 1];
        sum += (double)products[2][x + 2];
        sum += (double)products[3][x + 3];
        sum += (double)products[4][x + 4];
        sum += (double)products[5][x + 5];
        sum += (double)products[4][x + 6];
        sum += (double)products[3][x + 7];
        sum += (double)products[2][x + 8];
        sum += (double)products[1][x + 9];
        sum += (double)products[0][x + 10];
        out[x] = (float)sum;
    }
}

static void filter_row(float *out, const float *in, unsigned w)
{
    for (unsigned begin = 0; begin < w; begin += BLOCK)
        filter_block(out + begin, in + begin, smaller(w - begin, BLOCK));
}

static void filter_columns(float *restrict out, const float *const rows[SSIM_TAPS], unsigned w)
{
    const float *r0 = rows[0], *r1 = rows[1], *r2 = rows[2], *r3 = rows[3], *r4 = rows[4];
    const float *r5 = rows[5], *r6 = rows[6], *r7 = rows[7], *r8 = rows[8], *r9 = rows[9];
    const float *r10 = rows[10];
    for (unsigned x = 0; x < w; x++) {
        double sum = (double)(r0[x] * window[0]);
        sum += (double)(r1[x] * window[1]);
        sum += (double)(r2[x] * window[2]);
        sum += (double)(r3[x] * window[3]);
        sum += (double)(r4[x] * window[4]);
        sum += (double)(r5[x] * window[5]);
        sum += (double)(r6[x] * window[4]);
        sum += (double)(r7[x] * window[3]);
        sum += (double)(r8[x] * window[2]);
        sum += (double)(r9[x] * window[1]);
        sum += (double)(r10[x] * window[0]);
        out[x] = (float)sum;
    }
}

static void luminance_similarity(double *restrict out, const float *ref, const float *dist,
                                 unsigned w)
{
    for (unsigned x = 0; x < w; x++) {
        const float m1 = ref[x], m2 = dist[x];
        out[x] = (2.0 * (double)m1 * (double)m2 + (double)c1) / (double)(m1 * m1 + m2 * m2 + c1);
    }
}

static void similarity(const SsimSimilarity *out, const float *const means[SSIM_MOMENTS],
                       unsigned w)
{
    const float *ref = means[SSIM_REF], *dist = means[SSIM_DIST];
    const float *ref_ref = means[SSIM_REF_REF], *dist_dist = means[SSIM_DIST_DIST];
    const float *ref_dist = means[SSIM_REF_DIST];
    double *restrict contrast = out->contrast;
    float *restrict structure = out->structure;

    for (unsigned x = 0; x < w; x++) {
        const float m1 = ref[x], m2 = dist[x];
        float v1 = ref_ref[x] - m1 * m1, v2 = dist_dist[x] - m2 * m2;
        v1 = v1 < 0 ? 0 : v1;
        v2 = v2 < 0 ? 0 : v2;
        const float sigma = sqrtf(v1 * v2);
        contrast[x] = (2.0 * (double)sigma + (double)c2) / (double)(v1 + v2 + c2);
        float covariance = ref_dist[x] - m1 * m2;
        /* Rounding must not make flat areas differ. */
        covariance = ((covariance < 0) & (sigma <= 0)) ? 0 : covariance;
        structure[x] = (covariance + c3) / (sigma + c3);
    }
    if (out->luminance)
        luminance_similarity(out->luminance, ref, dist, w);
}

/* Adds the products of one row, tap after tap. Inlined it would lose what restrict says, and with
 * it its vector instructions. */
__attribute__((noinline)) static void add_pyramid_row(double *restrict sums,
                                                      const float *restrict even,
                                                      const float *restrict odd,
                                                      const float *restrict taps, size_t w)
{
    const float t0 = taps[0], t1 = taps[1], t2 = taps[2], t3 = taps[3], t4 = taps[4];
    for (size_t x = 0; x < w; x++) {
        double sum = sums[x];
        sum += (double)(even[x] * t0);
        sum += (double)(odd[x] * t1);
        sum += (double)(even[x + 1] * t2);
        sum += (double)(odd[x + 1] * t3);
        sum += (double)(even[x + 2] * t4);
        sum += (double)(odd[x + 2] * t3);
        sum += (double)(even[x + 3] * t2);
        sum += (double)(odd[x + 3] * t1);
        sum += (double)(even[x + 4] * t0);
        sums[x] = sum;
    }
}

static void pyramid_block(float *restrict out, const SsimSplitRow rows[SSIM_PYRAMID_TAPS],
                          unsigned begin, unsigned n)
{
    double sums[BLOCK] = {0};
    for (unsigned v = 0; v < SSIM_PYRAMID_TAPS; v++) {
        const float *taps = pyramid[smaller(v, SSIM_PYRAMID_TAPS - 1 - v)];
        add_pyramid_row(sums, rows[v].even + begin - 2, rows[v].odd + begin - 2, taps, n);
    }
    for (unsigned x = 0; x < n; x++)
        out[x] = (float)sums[x];
}

static void pyramid_row(float *out, const SsimSplitRow rows[SSIM_PYRAMID_TAPS], unsigned w)
{
    for (unsigned begin = 0; begin < w; begin += BLOCK)
        pyramid_block(out + begin, rows, begin, smaller(w - begin, BLOCK));
}

/* Sums over the rows of each column, weighted with one column of the filter. */
static void weigh_columns(double *restrict out, const float *const rows[SSIM_PYRAMID_TAPS],
                          unsigned column, unsigned n)
{
    const float t0 = pyramid[0][column], t1 = pyramid[1][column], t2 = pyramid[2][column];
    const float t3 = pyramid[3][column], t4 = pyramid[4][column];
    const float *r0 = rows[0], *r1 = rows[1], *r2 = rows[2], *r3 = rows[3], *r4 = rows[4];
    const float *r5 = rows[5], *r6 = rows[6], *r7 = rows[7], *r8 = rows[8];
    for (unsigned x = 0; x < n; x++) {
        double sum = (double)(r0[x] * t0) + (double)(r8[x] * t0);
        sum += (double)(r1[x] * t1) + (double)(r7[x] * t1);
        sum += (double)(r2[x] * t2) + (double)(r6[x] * t2);
        sum += (double)(r3[x] * t3) + (double)(r5[x] * t3);
        out[x] = sum + (double)(r4[x] * t4);
    }
}

static void picture_pyramid_block(float *restrict out, const SsimSplitRow rows[SSIM_PYRAMID_TAPS],
                                  unsigned begin, unsigned n)
{
    const float *even[SSIM_PYRAMID_TAPS], *odd[SSIM_PYRAMID_TAPS];
    for (unsigned v = 0; v < SSIM_PYRAMID_TAPS; v++) {
        even[v] = rows[v].even + begin - 2;
        odd[v] = rows[v].odd + begin - 2;
    }
    double sums[SSIM_PYRAMID_RADIUS + 1][BLOCK + SSIM_PADDING];
    for (unsigned u = 0; u <= SSIM_PYRAMID_RADIUS; u++)
        weigh_columns(sums[u], u % 2 ? odd : even, u, n + 4);
    for (unsigned x = 0; x < n; x++) {
        double sum = sums[0][x] + sums[0][x + 4];
        sum += sums[1][x] + sums[1][x + 3];
        sum += sums[2][x + 1] + sums[2][x + 3];
        sum += sums[3][x + 1] + sums[3][x + 2];
        out[x] = (float)(sum + sums[4][x + 2]);
    }
}

static void picture_pyramid_row(float *out, const SsimSplitRow rows[SSIM_PYRAMID_TAPS], unsigned w)
{
    for (unsigned begin = 0; begin < w; begin += BLOCK)
        picture_pyramid_block(out + begin, rows, begin, smaller(w - begin, BLOCK));
}

const SsimKernels ISA_TWIN(ssim_kernels) = {
    .load_bytes = load_bytes,
    .load_words = load_words,
    .multiply = multiply,
    .filter_row = filter_row,
    .filter_columns = filter_columns,
    .similarity = similarity,
    .pyramid_row = pyramid_row,
    .picture_pyramid_row = picture_pyramid_row,
};
