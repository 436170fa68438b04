/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Compiled for AVX2 where that exists, and with the same options for every build type. */
#include "bench.h"

/* Columns per step: their sums fit in eight registers of 256 bits. */
enum { COLUMNS = 64 };

/* Binomial weights: a Gaussian window in whole numbers. */
static const int32_t taps[FILTER_TAPS] = {
    1, 16, 120, 560, 1820, 4368, 8008, 11440, 12870, 11440, 8008, 4368, 1820, 560, 120, 16, 1,
};

void calibrate_vector(const uint8_t *plane, uint32_t *out)
{
    for (int y = 0; y < FILTER_HEIGHT; ++y)
        for (int x = 0; x < FILTER_WIDTH; x += COLUMNS) {
            int32_t sum[COLUMNS] = {0};
            for (int k = 0; k < FILTER_TAPS; ++k) {
                const uint8_t *row = plane + (y + k) * FILTER_WIDTH + x;
                for (int i = 0; i < COLUMNS; ++i)
                    sum[i] += taps[k] * row[i];
            }
            for (int i = 0; i < COLUMNS; ++i)
                out[y * FILTER_WIDTH + x + i] = (uint32_t)sum[i] >> 8;
        }
}
