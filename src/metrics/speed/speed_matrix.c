/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/speed/speed_internal.h"

#include <math.h>
#include <string.h>

/* -- covariance -- */

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

/* -- linear equations -- */

enum { N = SPEED_BLOCK_SAMPLES, PADDED = SPEED_PADDED_SAMPLES };

/* H = I - 2 u u', in rows and columns k to 24. */
static void householder_matrix(const SpeedMatrix *z, int k, bool is_positive, SpeedMatrix *h)
{
    float u[N];
    float squares = 0;
    for (int i = k; i < N; i++) {
        u[i] = z->at[i][k];
        squares += u[i] * u[i];
    }
    const float length = sqrtf(squares);
    u[k] = is_positive ? u[k] + length : u[k] - length;
    squares = 0;
    for (int i = k; i < N; i++)
        squares += u[i] * u[i];
    const float new_length = sqrtf(squares);
    for (int i = k; i < N; i++)
        u[i] /= new_length;
    for (int i = k; i < N; i++) {
        for (int j = k; j < N; j++)
            h->at[i][j] = -2 * u[i] * u[j];
        h->at[i][i] += 1;
    }
}

/* Rows k to 24 of m become those of h m. */
static void multiply_rows(const SpeedMatrix *h, int k, SpeedMatrix *m)
{
    SpeedMatrix product;
    for (int i = k; i < N; i++) {
        float sum[PADDED] = {0};
        for (int l = k; l < N; l++) {
            for (int j = 0; j < PADDED; j++)
                sum[j] += h->at[i][l] * m->at[l][j];
        }
        memcpy(product.at[i], sum, sizeof(sum));
    }
    memcpy(m->at[k], product.at[k], (size_t)(N - k) * sizeof(m->at[0]));
}

/* The orthogonal matrix p for which p K is upper triangular. */
static void triangularising(const SpeedMatrix *covariance, SpeedMatrix *p)
{
    SpeedMatrix z = *covariance;
    *p = (SpeedMatrix){0};
    for (int i = 0; i < N; i++)
        p->at[i][i] = 1;
    for (int k = 0; k < N - 1; k++) {
        SpeedMatrix h;
        householder_matrix(&z, k, covariance->at[k][k] >= 0, &h);
        multiply_rows(&h, k, &z);
        multiply_rows(&h, k, p);
    }
}

bool speed_solve(const SpeedMatrix *covariance, const float *blocks, float *solution, size_t stride)
{
    SpeedMatrix p;
    triangularising(covariance, &p);
    SpeedMatrix triangle = *covariance;
    multiply_rows(&p, 0, &triangle);

    memset(solution, 0, N * stride * sizeof(*solution));
    for (int i = 0; i < N; i++) {
        float *restrict sum = solution + (size_t)i * stride;
        for (int m = 0; m < N; m++) {
            const float *restrict row = blocks + (size_t)m * stride;
            for (size_t b = 0; b < stride; b++)
                sum[b] += p.at[i][m] * row[b];
        }
    }
    for (int i = N - 1; i >= 0; i--) {
        const float pivot = triangle.at[i][i];
        if ((double)fabsf(pivot) < SPEED_SINGULAR)
            return false;
        float *restrict x = solution + (size_t)i * stride;
        for (int k = i + 1; k < N; k++) {
            const float *restrict known = solution + (size_t)k * stride;
            for (size_t b = 0; b < stride; b++)
                x[b] -= known[b] * triangle.at[i][k];
        }
        for (size_t b = 0; b < stride; b++)
            x[b] /= pivot;
    }
    return true;
}
