/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "metrics/common/rows.h"
#include "metrics/speed/speed_internal.h"
#include "support/cpu.h"
#include "support/vector_lanes.h"

/* Exact: samples of all depths fit into binary32. */
static void load_differences(const void *samples, const void *subtracted, bool deep, float factor,
                             float *restrict out, unsigned w)
{
    const uint8_t *a = samples, *b = subtracted;
    const uint16_t *deep_a = samples, *deep_b = subtracted;
    if (deep) {
        for (unsigned x = 0; x < w; x++)
            out[x] = (float)(deep_a[x] - deep_b[x]) * factor;
    } else {
        for (unsigned x = 0; x < w; x++)
            out[x] = (float)(a[x] - b[x]);
    }
}

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

typedef UnalignedLanesF64 Doubles;

static inline Doubles *vector_at(double *row, int index)
{
    return (Doubles *)row + index;
}

/* Sums are taken a tile at a time, which fits into registers. */
enum { TILE_ROWS = SPEED_BLOCK, TILE_VECTORS = 2, TILE_COLUMNS = TILE_VECTORS * LANES_64 };

static void add_tile(double (*restrict deviations)[SPEED_PADDED_SAMPLES], unsigned n, int a, int b,
                     double (*restrict sums)[SPEED_PADDED_SAMPLES])
{
    Doubles tile[TILE_ROWS][TILE_VECTORS];
    for (int i = 0; i < TILE_ROWS; i++) {
        for (int j = 0; j < TILE_VECTORS; j++)
            tile[i][j] = *vector_at(&sums[a + i][b], j);
    }
    for (unsigned k = 0; k < n; k++) {
        const double *left = &deviations[k][a];
        for (int j = 0; j < TILE_VECTORS; j++) {
            const Doubles right = *vector_at(&deviations[k][b], j);
            for (int i = 0; i < TILE_ROWS; i++)
                tile[i][j] += left[i] * right;
        }
    }
    for (int i = 0; i < TILE_ROWS; i++) {
        for (int j = 0; j < TILE_VECTORS; j++)
            *vector_at(&sums[a + i][b], j) = tile[i][j];
    }
}

static void add_products(double (*deviations)[SPEED_PADDED_SAMPLES], unsigned n,
                         double (*sums)[SPEED_PADDED_SAMPLES])
{
    for (int a = 0; a < SPEED_BLOCK_SAMPLES; a += TILE_ROWS) {
        for (int b = 0; b < a + TILE_ROWS; b += TILE_COLUMNS)
            add_tile(deviations, n, a, b, sums);
    }
}

const SpeedFunctions ISA_VARIANT(speed_functions) = {
    .load_samples = load_centred_samples,
    .load_differences = load_differences,
    .weigh_rows = weigh_rows,
    .window_sums = window_sums,
    .add_products = add_products,
};
