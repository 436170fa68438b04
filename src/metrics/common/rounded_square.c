/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/common/rows.h"

/* Independent sums, which can be vector lanes. A sum of 2^21 squares below 2^32 is exact in
 * binary64. */
enum { LANES = 4, COLUMNS_PER_SUM = 1 << 20 };

static uint64_t total(const double lanes[LANES])
{
    return (uint64_t)((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));
}

static inline double rounded_square(int value)
{
    const float exact = (float)value;
    return (double)(exact * exact);
}

uint64_t rounded_square_sum(const uint16_t *samples, unsigned w)
{
    uint64_t sum = 0;
    for (unsigned begin = 0; begin < w; begin += COLUMNS_PER_SUM) {
        const unsigned end = w - begin < COLUMNS_PER_SUM ? w : begin + COLUMNS_PER_SUM;
        double lanes[LANES] = {0};
        unsigned x = begin;
        for (; x + LANES <= end; x += LANES)
            for (int lane = 0; lane < LANES; lane++)
                lanes[lane] += rounded_square(samples[x + (unsigned)lane]);
        for (; x < end; x++)
            lanes[0] += rounded_square(samples[x]);
        sum += total(lanes);
    }
    return sum;
}

uint64_t rounded_square_difference_sum(const uint16_t *a, const uint16_t *b, unsigned w)
{
    uint64_t sum = 0;
    for (unsigned begin = 0; begin < w; begin += COLUMNS_PER_SUM) {
        const unsigned end = w - begin < COLUMNS_PER_SUM ? w : begin + COLUMNS_PER_SUM;
        double lanes[LANES] = {0};
        unsigned x = begin;
        for (; x + LANES <= end; x += LANES)
            for (int lane = 0; lane < LANES; lane++)
                lanes[lane] += rounded_square(a[x + (unsigned)lane] - b[x + (unsigned)lane]);
        for (; x < end; x++)
            lanes[0] += rounded_square(a[x] - b[x]);
        sum += total(lanes);
    }
    return sum;
}
