/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * A plane, or the difference of two, low-pass filtered and reduced 16 times, in binary32: first
 * down the columns, then along the rows, each a sum from the first tap to the last that begins with
 * 0. SAMPLE is u8 or u16.
 *
 * A group computes 14 samples of a row. A lane filters a column that one of their taps falls on,
 * which is 9 samples of each 16 x 16 with the usual taps; tables say which columns and rows these
 * are, mirrored at the borders. If RESAMPLED is 1 they are resized first, each one a sum of n_parts
 * x n_parts samples, row by row, weighted by the product of the weights of column and row.
 *
 * Samples above 8 bits are not scaled to that range before. That is a factor of a power of two, and
 * rounding is the same with and without it as long as no number is a denormal. If nothing is
 * resized, numbers are multiples of 2^-8 of a sample times taps above 2^-12, and the factor is
 * applied to the result. Otherwise it is in the weights of rows: those of lanczos4 can be close to
 * 10^-17, two of them times 2^-8 are not below 2^-125. The sum that the result is divided by has
 * its inverse.
 *
 * VARIANT 8 SAMPLE=u8 RESAMPLED=0
 * VARIANT 16 SAMPLE=u16 RESAMPLED=0
 * VARIANT resampled_8 SAMPLE=u8 RESAMPLED=1
 * VARIANT resampled_16 SAMPLE=u16 RESAMPLED=1
 * NATIVE
 */
#define WX 128
#define WY 1
#include "dialect/kernel.h"

#include "dialect/binary32.h"
#include "metrics/speed/speed_kernel.h"

#define COLUMNS SPEED_LOW_PASS_COLUMNS

KERNEL_BEGIN
KERNEL_IN(0, SAMPLE, plane)
KERNEL_IN(1, SAMPLE, subtracted)
KERNEL_IN(2, speed_tap, columns)
KERNEL_IN(3, speed_tap, rows)
KERNEL_IN(4, f32, taps)
KERNEL_OUT(5, f32, decimated)
KERNEL_ARGS(6, speed_low_pass_args, p)
GROUP_MEMORY(f32, filtered, COLUMNS *SPEED_LOW_PASS_MAX_TAPS)
KERNEL_BODY
    FIRST
    {
        i32 first = GX * COLUMNS;
        i32 n = min_i32(p.w - first, COLUMNS) * p.n_taps;
        for (i32 k = LANE; k < n; k += LANES) {
            f32 sum = F32(0u);
            for (i32 j = 0; j < p.n_taps; ++j) {
#if RESAMPLED
                i32 column = (first * p.n_taps + k) * p.n_parts;
                i32 row = (GY * p.n_taps + j) * p.n_parts;
                f32 value = F32(0u), weights = F32(0u);
                for (i32 v = 0; v < p.n_parts; ++v) {
                    u32 begin = AT(rows, row + v).index * U32(p.stride);
                    f32 of_row = f32_of_bits(AT(rows, row + v).weight);
                    for (i32 u = 0; u < p.n_parts; ++u) {
                        u32 at = begin + AT(columns, column + u).index;
                        i32 less = p.is_difference != 0 ? I32(AT(subtracted, at)) : p.centre;
                        f32 weight = mul_f32(f32_of_bits(AT(columns, column + u).weight), of_row);
                        value =
                            add_f32(value, mul_f32(f32_of_i32(I32(AT(plane, at)) - less), weight));
                        weights = add_f32(weights, weight);
                    }
                }
                if (p.is_normalised != 0) {
                    value = div_f32(value, mul_f32(weights, f32_of_bits(p.factor)));
                }
#else
                u32 at = AT(rows, GY * p.n_taps + j).index * U32(p.stride) +
                         AT(columns, first * p.n_taps + k).index;
                i32 less = p.is_difference != 0 ? I32(AT(subtracted, at)) : p.centre;
                f32 value = f32_of_i32(I32(AT(plane, at)) - less);
#endif
                sum = add_f32(sum, mul_f32(AT(taps, j), value));
            }
            AT(filtered, k) = sum;
        }
    }
    THEN
    {
        i32 x = GX * COLUMNS + LANE;
        if (LANE < COLUMNS && x < p.w) {
            f32 sum = F32(0u);
            for (i32 i = 0; i < p.n_taps; ++i) {
                sum = add_f32(sum, mul_f32(AT(taps, i), AT(filtered, LANE * p.n_taps + i)));
            }
#if !RESAMPLED
            sum = mul_f32(sum, f32_of_bits(p.factor));
#endif
            AT(decimated, GY * p.w + x) = sum;
        }
    }
KERNEL_END
