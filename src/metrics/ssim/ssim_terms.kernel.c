/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * SSIM from integer sums: for each pixel its similarity times its weight. SAMPLE is u8 or u16;
 * products of samples under a vertical window have 24 or 40 bits, and fit into MOMENT_BITS.
 *
 * A group covers 120 x 4 pixels and sees four farther. Lanes walk down its columns and leave five
 * vertical sums in group memory, then they take pixels: five horizontal sums, exact integers, and
 * some 20 operations in binary64. Samples outside the picture are zero and have no weight. Per
 * pixel 2 bytes are read, 4 above 8 bits, three times, and 8 are written.
 *
 * VARIANT 8 SAMPLE=u8 MOMENT_BITS=32
 * VARIANT 16 SAMPLE=u16 MOMENT_BITS=64
 */
#define WX 128
#define WY 1
#include "dialect/kernel.h"
#include "metrics/ssim/similarity.kernel.h"
#include "metrics/ssim/ssim_kernel.h"

#define COLUMNS SSIM_TERMS_COLUMNS
#define ROWS    SSIM_TERMS_ROWS
#define RADIUS  INTEGER_SSIM_RADIUS
#define OUTSIDE -1

#if MOMENT_BITS == 32
#define MOMENT           u32
#define MOMENT_OF_U32(x) (x)
#else
#define MOMENT           u64
#define MOMENT_OF_U32(x) U64(x)
#endif

/* Vertical sums of samples and of products. */
#define MEAN(kind, row, column)    AT(means, ((kind)*ROWS + (row)) * LANES + (column))
#define PRODUCT(kind, row, column) AT(products, ((kind)*ROWS + (row)) * LANES + (column))

KERNEL_TABLE(u32, window_taps, RADIUS + 1) = {INTEGER_SSIM_WINDOW};

/* The taps around sample i that lie among n samples, added up. */
FN u32 weight_inside(i32 i, i32 n)
{
    u32 weight = window_taps[0];
    UNROLL
    for (i32 distance = 1; distance <= RADIUS; ++distance) {
        weight += distance <= i ? window_taps[distance] : 0u;
        weight += distance < n - i ? window_taps[distance] : 0u;
    }
    return weight;
}

KERNEL_BEGIN
KERNEL_IN(0, SAMPLE, ref)
KERNEL_IN(1, SAMPLE, dist)
KERNEL_OUT(2, f64, terms)
KERNEL_ARGS(3, ssim_terms_args, p)
GROUP_MEMORY(i32, rows, ROWS + 2 * RADIUS)
GROUP_MEMORY(u32, means, 2 * ROWS * LANES)
GROUP_MEMORY(MOMENT, products, 3 * ROWS * LANES)
KERNEL_BODY
    FIRST
    {
        if (LANE < ROWS + 2 * RADIUS) {
            i32 y = GY * ROWS + LANE - RADIUS;
            AT(rows, LANE) = y >= 0 && y < p.h ? y * p.stride : OUTSIDE;
        }
    }
    THEN
    {
        i32 x = GX * COLUMNS + LANE - RADIUS;
        u32 sums[2 * ROWS];
        MOMENT squares[3 * ROWS];
        UNROLL
        for (i32 j = 0; j < ROWS; ++j) {
            sums[j] = 0u;
            sums[ROWS + j] = 0u;
            squares[j] = MOMENT_OF_U32(0u);
            squares[ROWS + j] = MOMENT_OF_U32(0u);
            squares[2 * ROWS + j] = MOMENT_OF_U32(0u);
        }
        UNROLL
        for (i32 i = 0; i < ROWS + 2 * RADIUS; ++i) {
            u32 r = 0u, d = 0u;
            if (AT(rows, i) != OUTSIDE && x >= 0 && x < p.w) {
                r = U32(AT(ref, AT(rows, i) + x));
                d = U32(AT(dist, AT(rows, i) + x));
            }
            UNROLL
            for (i32 j = 0; j < ROWS; ++j) {
                i32 distance = abs_i32(i - j - RADIUS);
                if (distance <= RADIUS) {
                    u32 weight = window_taps[distance];
                    sums[j] += weight * r;
                    sums[ROWS + j] += weight * d;
                    squares[j] += MOMENT_OF_U32(weight) * MOMENT_OF_U32(r * r);
                    squares[ROWS + j] += MOMENT_OF_U32(weight) * MOMENT_OF_U32(d * d);
                    squares[2 * ROWS + j] += MOMENT_OF_U32(weight) * MOMENT_OF_U32(r * d);
                }
            }
        }
        UNROLL
        for (i32 j = 0; j < ROWS; ++j) {
            MEAN(0, j, LANE) = sums[j];
            MEAN(1, j, LANE) = sums[ROWS + j];
            PRODUCT(0, j, LANE) = squares[j];
            PRODUCT(1, j, LANE) = squares[ROWS + j];
            PRODUCT(2, j, LANE) = squares[2 * ROWS + j];
        }
    }
    THEN
    {
        for (i32 pixel = LANE; pixel < ROWS * COLUMNS; pixel += LANES) {
            i32 row = pixel / COLUMNS, column = pixel % COLUMNS;
            i32 x = GX * COLUMNS + column, y = GY * ROWS + row;
            if (x < p.w && y < p.h) {
                u32 ref_sum = 0u, dist_sum = 0u;
                ssim_sums sums;
                sums.ref_ref = U64(0);
                sums.dist_dist = U64(0);
                sums.ref_dist = U64(0);
                UNROLL
                for (i32 k = 0; k <= 2 * RADIUS; ++k) {
                    u32 weight = window_taps[abs_i32(k - RADIUS)];
                    ref_sum += weight * MEAN(0, row, column + k);
                    dist_sum += weight * MEAN(1, row, column + k);
                    sums.ref_ref += U64(weight) * U64(PRODUCT(0, row, column + k));
                    sums.dist_dist += U64(weight) * U64(PRODUCT(1, row, column + k));
                    sums.ref_dist += U64(weight) * U64(PRODUCT(2, row, column + k));
                }
                sums.ref = U64(ref_sum);
                sums.dist = U64(dist_sum);
                sums.weight = U64(weight_inside(x, p.w) * weight_inside(y, p.h));
                f64 c1 = f64_of_bits(p.c1_inside);
                f64 c2 = f64_of_bits(p.c2_inside);
                if (sums.weight != U64(65536)) {
                    f64 weight = rounded_product(sums.weight, U64(1));
                    c1 = mul_f64(mul_f64(f64_of_bits(p.c1), weight), weight);
                    c2 = mul_f64(mul_f64(f64_of_bits(p.c2), weight), weight);
                }
                AT(terms, y * p.w + x) = weighted_similarity(sums, c1, c2);
            }
        }
    }
KERNEL_END
