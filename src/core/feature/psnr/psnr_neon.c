/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <arm_neon.h>
#include <string.h>

#include "feature/psnr/psnr_kernels.h"

/* The sums wrap after as many columns as those of the scalar kernels. */
enum {
    COLUMNS_PER_SUM_8 = 1 << 15,
    COLUMNS_PER_SUM_10 = 1 << 12,
    COLUMNS_PER_SUM_12 = 1 << 8,
};

enum { BLOCK_8 = 16, BLOCK_16 = 8 }; /* columns of a vector of bytes and of words */

static inline unsigned at_most(unsigned n, unsigned limit)
{
    return n < limit ? n : limit;
}

/* The last columns of a row, where the memory of a picture may end, and zeros. */
static inline uint8x16_t load_last(const void *samples, size_t size)
{
    uint8_t block[16] = {0};
    memcpy(block, samples, size);
    return vld1q_u8(block);
}

static inline uint16x8_t load_last_words(const uint16_t *samples, unsigned n)
{
    return vreinterpretq_u16_u8(load_last(samples, n * sizeof(*samples)));
}

/* Two sums, so that an addition need not wait for the one before. */
typedef struct Sums {
    uint32x4_t low, high;
} Sums;

static inline Sums add_squares_8(Sums sums, uint8x16_t a, uint8x16_t b)
{
    const uint8x16_t d = vabdq_u8(a, b);
    return (Sums){vpadalq_u16(sums.low, vmull_u8(vget_low_u8(d), vget_low_u8(d))),
                  vpadalq_u16(sums.high, vmull_high_u8(d, d))};
}

static uint64_t row_sse8(const void *ref, const void *dist, unsigned w)
{
    uint64_t total = 0;
    for (unsigned begin = 0; begin < w; begin += COLUMNS_PER_SUM_8) {
        const uint8_t *a = (const uint8_t *)ref + begin, *b = (const uint8_t *)dist + begin;
        const unsigned n = at_most(w - begin, COLUMNS_PER_SUM_8);
        Sums sums = {vdupq_n_u32(0), vdupq_n_u32(0)};
        size_t x = 0;
        for (; x + BLOCK_8 <= n; x += BLOCK_8)
            sums = add_squares_8(sums, vld1q_u8(a + x), vld1q_u8(b + x));
        if (x < n)
            sums = add_squares_8(sums, load_last(a + x, n - x), load_last(b + x, n - x));
        total += vaddvq_u32(vaddq_u32(sums.low, sums.high));
    }
    return total;
}

static inline Sums add_squares_narrow(Sums sums, uint16x8_t a, uint16x8_t b)
{
    const int16x8_t d = vreinterpretq_s16_u16(vsubq_u16(a, b));
    const int32x4_t low = vreinterpretq_s32_u32(sums.low), high = vreinterpretq_s32_u32(sums.high);
    return (Sums){vreinterpretq_u32_s32(vmlal_s16(low, vget_low_s16(d), vget_low_s16(d))),
                  vreinterpretq_u32_s32(vmlal_high_s16(high, d, d))};
}

static inline uint64_t row_sse_narrow(const void *ref, const void *dist, unsigned w,
                                      unsigned columns_per_sum)
{
    uint64_t total = 0;
    for (unsigned begin = 0; begin < w; begin += columns_per_sum) {
        const uint16_t *a = (const uint16_t *)ref + begin, *b = (const uint16_t *)dist + begin;
        const unsigned n = at_most(w - begin, columns_per_sum);
        Sums sums = {vdupq_n_u32(0), vdupq_n_u32(0)};
        size_t x = 0;
#pragma GCC unroll 2
        for (; x + BLOCK_16 <= n; x += BLOCK_16)
            sums = add_squares_narrow(sums, vld1q_u16(a + x), vld1q_u16(b + x));
        if (x < n)
            sums = add_squares_narrow(sums, load_last_words(a + x, n - (unsigned)x),
                                      load_last_words(b + x, n - (unsigned)x));
        total += vaddvq_u32(vaddq_u32(sums.low, sums.high));
    }
    return total;
}

static uint64_t row_sse10(const void *ref, const void *dist, unsigned w)
{
    return row_sse_narrow(ref, dist, w, COLUMNS_PER_SUM_10);
}

static uint64_t row_sse12(const void *ref, const void *dist, unsigned w)
{
    return row_sse_narrow(ref, dist, w, COLUMNS_PER_SUM_12);
}

static inline uint64x2_t add_squares_16(uint64x2_t sum, uint16x8_t a, uint16x8_t b)
{
    const uint16x8_t d = vabdq_u16(a, b);
    sum = vpadalq_u32(sum, vmull_u16(vget_low_u16(d), vget_low_u16(d)));
    return vpadalq_u32(sum, vmull_high_u16(d, d));
}

static uint64_t row_sse16(const void *ref, const void *dist, unsigned w)
{
    const uint16_t *a = ref, *b = dist;
    uint64x2_t sum = vdupq_n_u64(0);
    size_t x = 0;
#pragma GCC unroll 2
    for (; x + BLOCK_16 <= w; x += BLOCK_16)
        sum = add_squares_16(sum, vld1q_u16(a + x), vld1q_u16(b + x));
    if (x < w)
        sum = add_squares_16(sum, load_last_words(a + x, w - (unsigned)x),
                             load_last_words(b + x, w - (unsigned)x));
    return vaddvq_u64(sum);
}

void psnr_kernels_init_neon(PsnrKernels *kernels, unsigned bpc)
{
    kernels->row_sse = bpc == 8    ? row_sse8
                       : bpc <= 10 ? row_sse10
                       : bpc <= 12 ? row_sse12
                                   : row_sse16;
}
