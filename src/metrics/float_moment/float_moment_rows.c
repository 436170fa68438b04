/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_moment/float_moment_internal.h"
#include "support/cpu.h"

/* Columns over which sums of samples (16 bits) and of squares (8 and 12 bits) fit 32 bits. */
enum { COLUMNS_PER_SUM_8 = 1 << 15, COLUMNS_PER_SUM_12 = 1 << 8 };

static unsigned at_most(unsigned n, unsigned limit)
{
    return n < limit ? n : limit;
}

static void row_moments8(const void *samples, unsigned w, uint64_t *first, uint64_t *second)
{
    const uint8_t *row = samples;
    for (unsigned begin = 0; begin < w; begin += COLUMNS_PER_SUM_8) {
        const unsigned n = at_most(w - begin, COLUMNS_PER_SUM_8);
        const uint8_t *v = row + begin;
        uint32_t sum = 0, squares = 0;
        for (unsigned x = 0; x < n; x++) {
            sum += v[x];
            squares += (uint32_t)(v[x] * v[x]);
        }
        *first += sum;
        *second += squares;
    }
}

static void row_moments12(const void *samples, unsigned w, uint64_t *first, uint64_t *second)
{
    const uint16_t *row = samples;
    for (unsigned begin = 0; begin < w; begin += COLUMNS_PER_SUM_12) {
        const unsigned n = at_most(w - begin, COLUMNS_PER_SUM_12);
        const uint16_t *v = row + begin;
        uint32_t sum = 0, squares = 0;
        for (unsigned x = 0; x < n; x++) {
            sum += v[x];
            squares += (uint32_t)v[x] * v[x];
        }
        *first += sum;
        *second += squares;
    }
}

const FloatMomentFunctions ISA_VARIANT(float_moment_rows) = {
    .row_moments8 = row_moments8,
    .row_moments12 = row_moments12,
};
