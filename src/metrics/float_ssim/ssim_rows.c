/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>

#include "metrics/float_ssim/ssim_internal.h"

/* Rows of SSIM: samples, similarities, and the next scale of an image. */

static const float c1 = SSIM_C1(SSIM_NUMBER), c2 = SSIM_C2(SSIM_NUMBER), c3 = SSIM_C3(SSIM_NUMBER);

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

static void luminance_similarity(double *restrict out, const float *ref, const float *dist,
                                 size_t w)
{
    for (size_t x = 0; x < w; x++) {
        const float m1 = ref[x], m2 = dist[x];
        out[x] = (2.0 * (double)m1 * (double)m2 + (double)c1) / (double)(m1 * m1 + m2 * m2 + c1);
    }
}

static void similarity(const SsimSimilarity *out, const float *const means[SSIM_MOMENTS], size_t w)
{
    const float *ref = means[SSIM_REF], *dist = means[SSIM_DIST];
    const float *ref_ref = means[SSIM_REF_REF], *dist_dist = means[SSIM_DIST_DIST];
    const float *ref_dist = means[SSIM_REF_DIST];
    double *restrict contrast = out->contrast;
    float *restrict structure = out->structure;

    for (size_t x = 0; x < w; x++) {
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

/* Columns whose intermediate results stay in the first-level cache. */
enum { BLOCK = 128 };

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
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
        const float *taps = ssim_pyramid_taps[smaller(v, SSIM_PYRAMID_TAPS - 1 - v)];
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

void ISA_VARIANT(ssim_functions_fill_rows)(SsimFunctions *functions)
{
    functions->load_bytes = load_bytes;
    functions->load_words = load_words;
    functions->similarity = similarity;
    functions->pyramid_row = pyramid_row;
}
