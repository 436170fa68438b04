/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/speed/speed_matrix.h"

enum { CHUNK = 64 }; /* windows; their deviations stay in the first-level cache */

typedef double PaddedSamples[SPEED_PADDED_SAMPLES];

static void window_means(const SpeedKernels *kernels, const SpeedGeometry *geometry,
                         const float *plane, size_t stride, float means[SPEED_BLOCK_SAMPLES])
{
    const float n_windows = (float)(geometry->window_w * geometry->window_h);
    float sums[SPEED_BLOCK][8];
    kernels->window_sums(plane, stride, geometry, sums);
    for (int a = 0; a < SPEED_BLOCK_SAMPLES; a++)
        means[a] = sums[a / SPEED_BLOCK][a % SPEED_BLOCK] / n_windows;
}

static void window_deviations(const float *plane, size_t stride, const float means[], unsigned n,
                              PaddedSamples *deviations)
{
    for (unsigned i = 0; i < n; i++) {
        double *out = deviations[i];
        for (unsigned row = 0; row < SPEED_BLOCK; row++) {
            const float *samples = plane + row * stride + i;
            for (unsigned x = 0; x < SPEED_BLOCK; x++)
                out[SPEED_BLOCK * row + x] =
                    (double)samples[x] - (double)means[SPEED_BLOCK * row + x];
        }
    }
}

void speed_covariance(const SpeedKernels *kernels, const SpeedGeometry *geometry,
                      const float *plane, size_t stride, SpeedMatrix *covariance)
{
    float means[SPEED_BLOCK_SAMPLES];
    PaddedSamples deviations[CHUNK] = {{0}};
    PaddedSamples sums[SPEED_BLOCK_SAMPLES] = {{0}};
    window_means(kernels, geometry, plane, stride, means);
    for (unsigned y = 0; y < geometry->window_h; y++) {
        for (unsigned x = 0; x < geometry->window_w; x += CHUNK) {
            const unsigned left = geometry->window_w - x;
            const unsigned n = left < CHUNK ? left : CHUNK;
            window_deviations(plane + y * stride + x, stride, means, n, deviations);
            kernels->add_products(deviations, n, sums);
        }
    }
    const double n_windows = geometry->window_w * geometry->window_h;
    *covariance = (SpeedMatrix){0};
    for (int a = 0; a < SPEED_BLOCK_SAMPLES; a++) {
        for (int b = 0; b <= a; b++)
            covariance->at[a][b] = covariance->at[b][a] = (float)(sums[a][b] / n_windows);
    }
}
