/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Squared errors of rows in plain C, for psnr and float_psnr. */
#include "metrics/common/rows.h"
#include "metrics/psnr/psnr_internal.h"
#include "support/loops.h"

static uint64_t row_sse8(const void *ref, const void *dist, unsigned w)
{
    uint64_t total = 0;
    for (unsigned begin = 0; begin < w; begin += PSNR_COLUMNS_PER_SUM_8) {
        const uint8_t *a = (const uint8_t *)ref + begin, *b = (const uint8_t *)dist + begin;
        const unsigned n = psnr_at_most(w - begin, PSNR_COLUMNS_PER_SUM_8);
        uint32_t sum = 0;
        SUMS_OF_PRODUCTS
        for (unsigned x = 0; x < n; x++) {
            const int16_t d = (int16_t)(a[x] - b[x]);
            sum += (uint32_t)(d * d);
        }
        total += sum;
    }
    return total;
}

static inline uint64_t row_sse_narrow(const uint16_t *ref, const uint16_t *dist, unsigned w,
                                      unsigned columns_per_sum)
{
    uint64_t total = 0;
    for (unsigned begin = 0; begin < w; begin += columns_per_sum) {
        const uint16_t *a = ref + begin, *b = dist + begin;
        const unsigned n = psnr_at_most(w - begin, columns_per_sum);
        uint32_t sum = 0;
        SUMS_OF_PRODUCTS
        for (unsigned x = 0; x < n; x++) {
            const int16_t d = (int16_t)(a[x] - b[x]);
            sum += (uint32_t)(d * d);
        }
        total += sum;
    }
    return total;
}

static uint64_t row_sse10(const void *ref, const void *dist, unsigned w)
{
    return row_sse_narrow(ref, dist, w, PSNR_COLUMNS_PER_SUM_10);
}

static uint64_t row_sse12(const void *ref, const void *dist, unsigned w)
{
    return row_sse_narrow(ref, dist, w, PSNR_COLUMNS_PER_SUM_12);
}

static uint64_t row_sse16(const void *ref, const void *dist, unsigned w)
{
    const uint16_t *a = ref, *b = dist;
    uint64_t sum = 0;
    VECTORS_OF(uint16_t)
    for (unsigned x = 0; x < w; x++) {
        const uint16_t d = (uint16_t)(a[x] > b[x] ? a[x] - b[x] : b[x] - a[x]);
        sum += (uint32_t)d * d;
    }
    return sum;
}

void ISA_VARIANT(psnr_kernels_fill)(PsnrKernels *kernels, unsigned bpc)
{
    kernels->row_sse = bpc == 8    ? row_sse8
                       : bpc <= 10 ? row_sse10
                       : bpc <= 12 ? row_sse12
                                   : row_sse16;
}

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
