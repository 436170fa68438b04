/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Sum of absolute values of the low-pass filtered difference between two pictures: one partial sum
 * for each work-group, row by row of groups. A group computes the differences of its tile and of a
 * border of two pixels, and filters them vertically, then horizontally. SAMPLE is u8 or u16.
 *
 * The filter has five taps that sum to 65536. Each pass rounds once, so both must be kept; values
 * of more than 9 bits are split as 256 a + b with 0 <= b < 256, so that nothing needs more than 32
 * bits: (256 A + B + half) >> n is (A + ((B + half) >> 8)) >> (n - 8) for n >= 8.
 */
#define WX 32
#define WY 8
#include "definition/motion/motion_constants.h"
#include "dialect/kernel.h"
#include "motion/motion_sad_args.h"

#define RADIUS MOTION_RADIUS
#define SPAN_X (MOTION_SAD_COLUMNS + 2 * RADIUS)
#define SPAN_Y (MOTION_SAD_ROWS + 2 * RADIUS)

/* One reflection at either border, the border sample not repeated; results farther out are not
 * used, and only clamped. */
FN i32 reflect(i32 i, i32 n)
{
    i32 k = i < 0 ? -i : i;
    k = k >= n ? 2 * n - 2 - k : k;
    return k < 0 ? 0 : k;
}

FN i32 weigh(i32 centre, i32 near, i32 far)
{
    return MOTION_TAP0 * centre + MOTION_TAP1 * near + MOTION_TAP2 * far;
}

FN i32 filtered(i32 centre, i32 near1, i32 near2, i32 far1, i32 far2, i32 bits)
{
    i32 high = weigh(centre >> 8, (near1 >> 8) + (near2 >> 8), (far1 >> 8) + (far2 >> 8));
    i32 low = weigh(centre & 255, (near1 & 255) + (near2 & 255), (far1 & 255) + (far2 & 255));
    return (high + ((low + (1 << (bits - 1))) >> 8)) >> (bits - 8);
}

KERNEL_BEGIN
KERNEL_IN(0, SAMPLE, earlier)
KERNEL_IN(1, SAMPLE, ref)
KERNEL_OUT(2, u64, partials)
KERNEL_ARGS(3, motion_sad_args, p)
GROUP_MEMORY(i32, difference, SPAN_X *SPAN_Y)
GROUP_MEMORY(i32, column, SPAN_X *MOTION_SAD_ROWS)
GROUP_MEMORY(u64, sums, LANES)
KERNEL_BODY
    FIRST
    {
        for (i32 i = LANE; i < SPAN_X * SPAN_Y; i += LANES) {
            i32 x = reflect(GX * MOTION_SAD_COLUMNS + i % SPAN_X - RADIUS, p.w);
            i32 y = reflect(GY * MOTION_SAD_ROWS + i / SPAN_X - RADIUS, p.h);
            AT(difference, i) =
                I32(AT(earlier, y * p.earlier_stride + x)) - I32(AT(ref, y * p.ref_stride + x));
        }
    }
    THEN
    {
        for (i32 i = LANE; i < SPAN_X * MOTION_SAD_ROWS; i += LANES) {
            AT(column, i) = filtered(AT(difference, i + 2 * SPAN_X), AT(difference, i + SPAN_X),
                                     AT(difference, i + 3 * SPAN_X), AT(difference, i),
                                     AT(difference, i + 4 * SPAN_X), p.depth);
        }
    }
    THEN
    {
        u32 sum = 0u;
        i32 columns = p.w - GX * MOTION_SAD_COLUMNS;
        i32 rows = p.h - GY * MOTION_SAD_ROWS;
        rows = rows < MOTION_SAD_ROWS ? rows : MOTION_SAD_ROWS;
        if (LX < columns) {
            for (i32 y = LY; y < rows; y += WY) {
                i32 i = y * SPAN_X + LX;
                i32 value = filtered(AT(column, i + 2), AT(column, i + 1), AT(column, i + 3),
                                     AT(column, i), AT(column, i + 4), 16);
                sum += U32(value < 0 ? -value : value);
            }
        }
        AT(sums, LANE) = U64(sum);
    }
    GROUP_SUMS(sums, 1)
    THEN
    {
        if (LANE == 0) {
            AT(partials, GY * NGX + GX) = AT(sums, 0);
        }
    }
KERNEL_END
