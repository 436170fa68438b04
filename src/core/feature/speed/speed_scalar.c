/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "feature/speed/speed_kernels.h"

/* Some columns at a time, so that their sums stay in registers. */
enum { COLUMNS = 16 };

static void weigh_rows(const float *const rows[], const float taps[], int n_taps,
                       float *restrict out, unsigned w)
{
    for (unsigned first = 0; first < w; first += COLUMNS) {
        float sum[COLUMNS] = {0};
        for (int j = 0; j < n_taps; j++) {
            const float *row = rows[j] + first;
            for (int x = 0; x < COLUMNS; x++)
                sum[x] += taps[j] * row[x];
        }
        memcpy(out + first, sum, sizeof(sum));
    }
}

/* The sums of eight neighbouring samples are kept side by side; only five are of use. */
static void window_sums(const float *plane, size_t stride, const SpeedGeometry *geometry,
                        float sums[SPEED_BLOCK][8])
{
    for (int row = 0; row < SPEED_BLOCK; row++) {
        float sum[8] = {0};
        for (unsigned y = 0; y < geometry->window_h; y++) {
            const float *samples = plane + (y + (unsigned)row) * stride;
            for (unsigned x = 0; x < geometry->window_w; x++) {
                for (int i = 0; i < 8; i++)
                    sum[i] += samples[x + (unsigned)i];
            }
        }
        memcpy(sums[row], sum, sizeof(sum));
    }
}

/* Sums are taken a tile of 4x4 at a time, which fits into registers. */
enum { TILE = 4 };

static void add_tile(double (*restrict deviations)[SPEED_PADDED_SAMPLES], unsigned n, int a, int b,
                     double (*restrict sums)[SPEED_PADDED_SAMPLES])
{
    double tile[TILE][TILE];
    for (int i = 0; i < TILE; i++)
        memcpy(tile[i], &sums[a + i][b], sizeof(tile[i]));
    for (unsigned k = 0; k < n; k++) {
        const double *left = &deviations[k][a], *right = &deviations[k][b];
        for (int i = 0; i < TILE; i++) {
            for (int j = 0; j < TILE; j++)
                tile[i][j] += left[i] * right[j];
        }
    }
    for (int i = 0; i < TILE; i++)
        memcpy(&sums[a + i][b], tile[i], sizeof(tile[i]));
}

static void add_products(double (*deviations)[SPEED_PADDED_SAMPLES], unsigned n,
                         double (*sums)[SPEED_PADDED_SAMPLES])
{
    for (int a = 0; a < SPEED_PADDED_SAMPLES; a += TILE) {
        for (int b = 0; b <= a; b += TILE)
            add_tile(deviations, n, a, b, sums);
    }
}

void speed_kernels_init(SpeedKernels *kernels, unsigned cpu_flags)
{
    (void)cpu_flags;
    *kernels = (SpeedKernels){
        .weigh_rows = weigh_rows,
        .window_sums = window_sums,
        .add_products = add_products,
    };
}
