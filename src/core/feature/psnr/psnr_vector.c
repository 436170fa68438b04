/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/psnr/psnr_kernels.h"
#include "support/vector_samples.h"

/* The sums wrap after as many columns as those of the scalar kernels. */
enum {
    COLUMNS_PER_SUM_8 = 1 << 15,
    COLUMNS_PER_SUM_10 = 1 << 12,
    COLUMNS_PER_SUM_12 = 1 << 8,
};

static inline __attribute__((always_inline)) uint64_t
row_sse_narrow(const void *ref, const void *dist, unsigned w, bool deep, unsigned columns_per_sum)
{
    uint64_t total = 0;
    for (unsigned begin = 0; begin < w; begin += columns_per_sum) {
        const unsigned end = w - begin < columns_per_sum ? w : begin + columns_per_sum;
        Vec sum = vec_zero();
        for (unsigned x = begin; x < end; x += VEC_16) {
            const Vec d =
                vec_sub_16(vec_load_samples(ref, x, w, deep), vec_load_samples(dist, x, w, deep));
            sum = vec_add_32(sum, vec_multiply_add(d, d));
        }
        total += (uint32_t)vec_sum_32u(sum);
    }
    return total;
}

static uint64_t row_sse8(const void *ref, const void *dist, unsigned w)
{
    return row_sse_narrow(ref, dist, w, false, COLUMNS_PER_SUM_8);
}

static uint64_t row_sse10(const void *ref, const void *dist, unsigned w)
{
    return row_sse_narrow(ref, dist, w, true, COLUMNS_PER_SUM_10);
}

static uint64_t row_sse12(const void *ref, const void *dist, unsigned w)
{
    return row_sse_narrow(ref, dist, w, true, COLUMNS_PER_SUM_12);
}

/* Adds squares of unsigned 32-bit elements, up to 16 bits large. */
static inline Vec add_squares(Vec sum, Vec low, Vec high)
{
    const Vec squares = vec_add_64(vec_mul_32u(low, low), vec_mul_32u(high, high));
    return vec_add_64(sum, squares);
}

static uint64_t row_sse16(const void *ref, const void *dist, unsigned w)
{
    const Vec lower = vec_set_64(UINT16_MAX);
    Vec sum = vec_zero();
    for (unsigned x = 0; x < w; x += VEC_16) {
        const Vec a = vec_load_samples(ref, x, w, true), b = vec_load_samples(dist, x, w, true);
        const Vec d = vec_sub_16(vec_max_16u(a, b), vec_min_16u(a, b));
        /* Four differences in each 64 bits. */
        sum = add_squares(sum, vec_and(d, lower), vec_and(vec_shift_right_64u(d, 16), lower));
        sum = add_squares(sum, vec_and(vec_shift_right_64u(d, 32), lower),
                          vec_shift_right_64u(d, 48));
    }
    return vec_sum_64(sum);
}

void ISA_VARIANT(psnr_kernels_init)(PsnrKernels *kernels, unsigned bpc)
{
    kernels->row_sse = bpc == 8    ? row_sse8
                       : bpc <= 10 ? row_sse10
                       : bpc <= 12 ? row_sse12
                                   : row_sse16;
}
