/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>
#include <string.h>

#include "metrics/speed/speed_matrix.h"

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
