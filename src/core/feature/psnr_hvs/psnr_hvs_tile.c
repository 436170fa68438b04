/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/psnr_hvs/psnr_hvs_kernels.h"

#include <math.h>
#include <string.h>

#include "support/isa_twin.h"

/*
 * Every loop over lanes computes neighbouring blocks in the same way, so that the order of sums
 * within a block, which is part of the metric, does not stand in the way of vectors.
 */

enum { N = PSNR_HVS_BLOCK, LANES = PSNR_HVS_LANES };

/* Half, rounded towards zero. */
static inline int16_t half(int16_t a)
{
    return (int16_t)((a - (a >> 15)) >> 1);
}

/* A lifting step: a times k / 2^shift, rounded. */
static inline int16_t scaled(int16_t a, int16_t k, int shift)
{
    return (int16_t)((a * k + (1 << (shift - 1))) >> shift);
}

/*
 * Daala's integer approximation of the orthonormal 8-point DCT-II, in place, on samples that are
 * `step` rows of lanes apart. Lifting steps: each adds to one value a function of others.
 */
static void transform(int16_t (*x)[LANES], unsigned step)
{
    for (unsigned l = 0; l < LANES; l++) {
        int16_t a = x[0][l], b = x[7 * step][l], c = x[2 * step][l], d = x[5 * step][l];
        int16_t e = x[step][l], f = x[6 * step][l], g = x[3 * step][l], h = x[4 * step][l];
        b = a - b;
        const int16_t half_b = half(b);
        a -= half_b;
        e += f;
        const int16_t half_e = half(e);
        f -= half_e;
        d = c - d;
        c -= half(d);
        g += h;
        const int16_t half_g = half(g);
        h = half_g - h;
        /* even frequencies */
        a += half_g;
        g = a - g;
        c = half_e - c;
        e = c - e;
        a -= scaled(e, 13573, 15);
        e += scaled(a, 11585, 14);
        a -= scaled(e, 13573, 15);
        g -= scaled(c, 21895, 15);
        c += scaled(g, 15137, 14);
        g -= scaled(c, 21895, 15);
        /* odd frequencies */
        d += scaled(f, 19195, 15);
        f += scaled(d, 11585, 14);
        d -= scaled(f, 7489, 13);
        h = half(f) - h;
        f -= h;
        d = half_b - d;
        b -= d;
        h += scaled(b, 3227, 15);
        b -= scaled(h, 6393, 15);
        h += scaled(b, 3227, 15);
        f += scaled(d, 2485, 13);
        d -= scaled(f, 18205, 15);
        f += scaled(d, 2485, 13);
        x[0][l] = a;
        x[step][l] = b;
        x[2 * step][l] = c;
        x[3 * step][l] = d;
        x[4 * step][l] = e;
        x[5 * step][l] = f;
        x[6 * step][l] = g;
        x[7 * step][l] = h;
    }
}

/* Columns first: the rounding makes the order matter. */
static void dct(const PsnrHvsTile samples, PsnrHvsTile coefficients)
{
    memcpy(coefficients, samples, sizeof(PsnrHvsTile));
    for (unsigned column = 0; column < N; column++)
        transform(coefficients + column, N);
    for (unsigned row = 0; row < N; row++)
        transform(coefficients + row * N, 1);
}

/* Upper or lower, left or right half of a block. */
static inline unsigned quadrant(unsigned i, unsigned j)
{
    return (i >= N / 2) + 2 * (j >= N / 2);
}

/* The mean variance of the quadrants relative to that of the whole block: small at edges, which
 * mask less than texture of the same energy. */
static void texture(const PsnrHvsTile samples, float ratio[LANES])
{
    /* From mean squares to variances, n / (n - 1), rounded as in libvmaf. */
    const float whole_scale = 1.0f / 63 * 64, quadrant_scale = 1.0f / 15 * 16;

    uint16_t sums[4][LANES] = {{0}}; /* 16 samples of 12 bits each */
    for (unsigned k = 0; k < PSNR_HVS_COEFFICIENTS; k++)
        for (unsigned l = 0; l < LANES; l++)
            sums[quadrant(k / N, k % N)][l] += (uint16_t)samples[k][l];

    float mean[LANES], means[4][LANES];
    for (unsigned l = 0; l < LANES; l++) {
        mean[l] = (float)(sums[0][l] + sums[1][l] + sums[2][l] + sums[3][l]) / 64;
        for (unsigned q = 0; q < 4; q++)
            means[q][l] = (float)sums[q][l] / 16;
    }

    float whole[LANES] = {0}, quarter[4][LANES] = {{0}};
    for (unsigned k = 0; k < PSNR_HVS_COEFFICIENTS; k++) {
        const unsigned q = quadrant(k / N, k % N);
        for (unsigned l = 0; l < LANES; l++) {
            const float sample = (float)samples[k][l];
            const float e = sample - mean[l], e_q = sample - means[q][l];
            whole[l] += e * e;
            quarter[q][l] += e_q * e_q;
        }
    }
    for (unsigned l = 0; l < LANES; l++) {
        const float variance = whole[l] * whole_scale;
        const float sum = quarter[0][l] * quadrant_scale + quarter[1][l] * quadrant_scale +
                          quarter[2][l] * quadrant_scale + quarter[3][l] * quadrant_scale;
        const float quotient = sum / variance;
        ratio[l] = variance > 0 ? quotient : 0;
    }
}

/* How much error the contrast of the blocks of one picture hides. */
static void masking(const PsnrHvsWeights *weights, const PsnrHvsTile samples,
                    const PsnrHvsTile coefficients, float mask[LANES])
{
    float ratio[LANES], energy[LANES] = {0};
    texture(samples, ratio);
    for (unsigned k = 1; k < PSNR_HVS_COEFFICIENTS; k++) {
        const float weight = weights->masking[k / N][k % N];
        for (unsigned l = 0; l < LANES; l++) {
            const float z = (float)coefficients[k][l];
            energy[l] += z * z * weight;
        }
    }
    for (unsigned l = 0; l < LANES; l++)
        mask[l] = sqrtf(energy[l] * ratio[l]) / 32;
}

static void errors(const PsnrHvsWeights *weights, PsnrHvsWork *work)
{
    float masks[2][LANES], mask[LANES];
    for (unsigned i = 0; i < 2; i++) {
        dct(work->samples[i], work->coefficients[i]);
        masking(weights, work->samples[i], work->coefficients[i], masks[i]);
    }
    for (unsigned l = 0; l < LANES; l++)
        mask[l] = masks[1][l] > masks[0][l] ? masks[1][l] : masks[0][l];

    const int16_t(*ref)[LANES] = work->coefficients[0], (*dist)[LANES] = work->coefficients[1];
    for (unsigned k = 0; k < PSNR_HVS_COEFFICIENTS; k++) {
        const float weight = weights->masking[k / N][k % N];
        const float sensitivity = weights->sensitivity[k / N][k % N];
        for (unsigned l = 0; l < LANES; l++) {
            const float difference = fabsf((float)(ref[k][l] - dist[k][l]));
            const float threshold = k ? mask[l] / weight : 0; /* the mean is not masked */
            const float excess = difference - threshold;
            const float visible = (excess > 0 ? excess : 0) * sensitivity;
            work->errors[k][l] = visible * visible;
        }
    }
}

const PsnrHvsKernels ISA_TWIN(psnr_hvs_kernels) = {
    .errors = errors,
};
