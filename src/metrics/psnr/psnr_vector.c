/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/psnr/psnr_internal.h"
#include "support/vector.h"

static inline uint32_t sum_of(VecPair sums)
{
    return (uint32_t)vec_sum_32u(vec_add_32(sums.low, sums.high));
}

static uint64_t row_sse8(const void *ref, const void *dist, unsigned w)
{
    uint64_t total = 0;
    for (unsigned begin = 0; begin < w; begin += PSNR_COLUMNS_PER_SUM_8) {
        const uint8_t *a = (const uint8_t *)ref + begin, *b = (const uint8_t *)dist + begin;
        const unsigned n = psnr_at_most(w - begin, PSNR_COLUMNS_PER_SUM_8);
        VecPair sums = {vec_zero(), vec_zero()};
        size_t x = 0;
        for (; x + VEC_BYTES <= n; x += VEC_BYTES)
            sums = vec_add_squared_differences_u8(sums, a + x, b + x);
        if (x < n) {
            const VecPair d = vec_difference_of_bytes(a, b, x, n);
            sums = vec_add_squares_16s(vec_add_squares_16s(sums, d.low), d.high);
        }
        total += sum_of(sums);
    }
    return total;
}

static inline VecPair add_squares_narrow(VecPair sums, Vec a, Vec b)
{
    return vec_add_squares_16s(sums, vec_sub_16(a, b));
}

static inline __attribute__((always_inline)) uint64_t
row_sse_narrow(const void *ref, const void *dist, unsigned w, unsigned columns_per_sum)
{
    uint64_t total = 0;
    for (unsigned begin = 0; begin < w; begin += columns_per_sum) {
        const uint16_t *a = (const uint16_t *)ref + begin, *b = (const uint16_t *)dist + begin;
        const unsigned n = psnr_at_most(w - begin, columns_per_sum);
        VecPair sums = {vec_zero(), vec_zero()};
        size_t x = 0;
        for (; x + 2 * VEC_16 <= n; x += 2 * VEC_16) {
            sums = add_squares_narrow(sums, vec_load(a + x), vec_load(b + x));
            sums = add_squares_narrow(sums, vec_load(a + x + VEC_16), vec_load(b + x + VEC_16));
        }
        for (; x < n; x += VEC_16)
            sums = add_squares_narrow(sums, vec_load_samples(a, x, n, true),
                                      vec_load_samples(b, x, n, true));
        total += sum_of(sums);
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

static inline Vec add_squares_16(Vec sum, Vec a, Vec b)
{
    return vec_add_squares_16u(sum, vec_magnitude_of_difference_16u(a, b));
}

static uint64_t row_sse16(const void *ref, const void *dist, unsigned w)
{
    const uint16_t *a = ref, *b = dist;
    Vec sum = vec_zero();
    size_t x = 0;
    for (; x + 2 * VEC_16 <= w; x += 2 * VEC_16) {
        sum = add_squares_16(sum, vec_load(a + x), vec_load(b + x));
        sum = add_squares_16(sum, vec_load(a + x + VEC_16), vec_load(b + x + VEC_16));
    }
    for (; x < w; x += VEC_16)
        sum = add_squares_16(sum, vec_load_samples(a, x, w, true), vec_load_samples(b, x, w, true));
    return vec_sum_64(sum);
}

void ISA_VARIANT(psnr_functions_fill)(PsnrFunctions *functions, unsigned bpc)
{
    functions->row_sse = bpc == 8    ? row_sse8
                         : bpc <= 10 ? row_sse10
                         : bpc <= 12 ? row_sse12
                                     : row_sse16;
}
