/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Squares of the filtered reference, and of its difference from the filtered distorted picture, in
 * binary32. SAMPLE, u8 or u16, is how samples are stored.
 *
 * The reference goes through the 3x3 filter (1 2 1) / 4 in both directions, which is exact. The
 * distorted picture goes through a 5x5 filter whose sums are rounded: from left to right in each of
 * the five rows, then the sums of the rows from top to bottom. Filtered samples are 16 times what
 * they are in code values, which only scales all that follows (docs/metrics/float_ansnr.md).
 *
 * A group covers 124 x 16 pixels: samples of the distorted picture, and sums of three rows of the
 * reference, go to group memory, column by column. Then each lane walks down a column with four
 * sums in work, each for one of the next output rows.
 *
 * VARIANT 8 SAMPLE=u8
 * VARIANT 16 SAMPLE=u16
 * NATIVE
 */
#define WX 128
#define WY 1
#include "dialect/kernel.h"
#include "dialect/binary32.h"
#include "metrics/float_ansnr/float_ansnr_kernel.h"

#define RADIUS 2
#define SPAN   (FLOAT_ANSNR_ROWS + 2 * RADIUS)

/* Mirrored at the first sample, which is not repeated, and behind the last one, which is; results
 * farther out are not used, and only clamped. */
FN i32 mirrored(i32 i, i32 n)
{
    i32 inside = abs_i32(i);
    return clamp_i32(inside < n ? inside : 2 * n - 1 - inside, 0, n - 1);
}

FN f32 row_sum(f32 x0, f32 x1, f32 x2, f32 x3, f32 x4, u32 tap0, u32 tap1, u32 tap2)
{
    f32 sum = add_f32(mul_f32(x0, f32_of_bits(tap0)), mul_f32(x1, f32_of_bits(tap1)));
    sum = add_f32(sum, mul_f32(x2, f32_of_bits(tap2)));
    sum = add_f32(sum, mul_f32(x3, f32_of_bits(tap1)));
    return add_f32(sum, mul_f32(x4, f32_of_bits(tap0)));
}

KERNEL_BEGIN
KERNEL_IN(0, SAMPLE, ref)
KERNEL_IN(1, SAMPLE, dist)
KERNEL_OUT(2, f32, signal)
KERNEL_OUT(3, f32, noise)
KERNEL_ARGS(4, float_ansnr_squares_args, p)
GROUP_MEMORY(i32, rows, SPAN)
GROUP_MEMORY(f32, samples, LANES *SPAN)
GROUP_MEMORY(i32, columns, LANES *FLOAT_ANSNR_ROWS)
KERNEL_BODY
    FIRST
    {
        /* Where the rows begin. */
        if (LANE < SPAN) {
            AT(rows, LANE) = mirrored(GY * FLOAT_ANSNR_ROWS + LANE - RADIUS, p.h) * p.stride;
        }
    }
    THEN
    {
        i32 x = mirrored(GX * FLOAT_ANSNR_COLUMNS + LANE - RADIUS, p.w);
        for (i32 i = 0; i < SPAN; ++i) {
            AT(samples, i * LANES + LANE) =
                f32_of_i32(I32(AT(dist, U32(AT(rows, i) + x))) - p.centre);
        }
        i32 above = I32(AT(ref, U32(AT(rows, RADIUS - 1) + x)));
        i32 here = I32(AT(ref, U32(AT(rows, RADIUS) + x)));
        for (i32 y = 0; y < FLOAT_ANSNR_ROWS; ++y) {
            i32 below = I32(AT(ref, U32(AT(rows, y + RADIUS + 1) + x)));
            AT(columns, y * LANES + LANE) = above + 2 * here + below;
            above = here;
            here = below;
        }
    }
    THEN
    {
        i32 x = GX * FLOAT_ANSNR_COLUMNS + LANE;
        i32 end = min_i32(p.h - GY * FLOAT_ANSNR_ROWS, FLOAT_ANSNR_ROWS);
        if (LANE < FLOAT_ANSNR_COLUMNS && x < p.w) {
            /* Sums of the first row of an output, of its first two, three and four rows. */
            f32 sum1 = F32(0u), sum2 = sum1, sum3 = sum1, sum4 = sum1;
            for (i32 i = 0; i < end + 2 * RADIUS; ++i) {
                i32 at = i * LANES + LANE;
                f32 x0 = AT(samples, at), x1 = AT(samples, at + 1), x2 = AT(samples, at + 2);
                f32 x3 = AT(samples, at + 3), x4 = AT(samples, at + 4);
                f32 outer = row_sum(x0, x1, x2, x3, x4, p.tap00, p.tap01, p.tap02);
                f32 inner = row_sum(x0, x1, x2, x3, x4, p.tap01, p.tap11, p.tap12);
                f32 middle = row_sum(x0, x1, x2, x3, x4, p.tap02, p.tap12, p.tap22);
                f32 filtered_dist = add_f32(sum4, outer);
                sum4 = add_f32(sum3, inner);
                sum3 = add_f32(sum2, middle);
                sum2 = add_f32(sum1, inner);
                sum1 = outer;
                i32 y = i - 2 * RADIUS;
                if (y >= 0) {
                    i32 from = y * LANES + LANE + RADIUS;
                    f32 filtered_ref =
                        f32_of_i32(AT(columns, from - 1) + 2 * AT(columns, from) +
                                   AT(columns, from + 1) - FLOAT_ANSNR_UNITS * p.centre);
                    f32 difference = sub_f32(filtered_ref, filtered_dist);
                    u32 to = U32((GY * FLOAT_ANSNR_ROWS + y) * p.w + x);
                    AT(signal, to) = mul_f32(filtered_ref, filtered_ref);
                    AT(noise, to) = mul_f32(difference, difference);
                }
            }
        }
    }
KERNEL_END
