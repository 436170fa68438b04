/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_ssim/ssim_internal.h"

#include <math.h>

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

void ISA_VARIANT(ssim_kernels_fill_rows)(SsimKernels *kernels)
{
    kernels->load_bytes = load_bytes;
    kernels->load_words = load_words;
    kernels->similarity = similarity;
}
