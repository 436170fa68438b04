/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Sum of absolute values of the low-pass filtered difference between two pictures: one partial sum
 * for each work-group, row by row of groups. SAMPLE_BITS, 8 or 16, is the width of samples in
 * memory; SAMPLE is u8 or u16.
 *
 * A group covers 124 x 16 pixels. First each lane walks down a column, with the last five
 * differences in registers, and leaves the vertically filtered ones in group memory; then it
 * filters rows, four neighbours at a time. Per pixel, 2 bytes are read from device memory (4 above
 * 8 bits), 1.3 times; 48 instructions of PTX, 7 of them multiplications (docs/kernels.md).
 *
 * The filter has five taps that sum to 65536, and each pass rounds once, so neither can be left
 * out. Where the sum of 17 bits times taps leaves 32 bits it is split without a further product:
 * with `three` the sum of the centre and its neighbours,
 *
 *     sum = MOTION_TAP0 centre + MOTION_TAP1 near + MOTION_TAP2 far = 16384 three + rest
 *
 * where the rest, of taps closer to 0, is below 65536 * 17904 < 2^31. All operands of products are
 * below 2^20.
 *
 * VARIANT 8 SAMPLE_BITS=8 SAMPLE=u8
 * VARIANT 16 SAMPLE_BITS=16 SAMPLE=u16
 */
#define WX 128
#define WY 1
#include "dialect/kernel.h"
#include "metrics/motion/motion_kernel.h"
#include "metrics/motion/reflect.kernel.h"

#if SAMPLE_BITS == 8
#define DEPTH 8
#else
#define DEPTH p.depth
#endif

#define RADIUS     MOTION_RADIUS
#define SPAN       (MOTION_SAD_ROWS + 2 * RADIUS)
#define NEIGHBOURS 4 /* in a row, filtered by a lane */
#define SEGMENTS   (LANES / NEIGHBOURS)

/* The sum in multiples of 2^14, and the rest with half a unit of 2^bits; see above. */
FN i32 rest_of(i32 centre, i32 three, i32 far, i32 bits)
{
    return MAD24(MOTION_TAP0 - MOTION_TAP1, centre,
                 MAD24(MOTION_TAP1 - 16384, three, MAD24(MOTION_TAP2, far, 1 << (bits - 1))));
}

/* The filtered value, from differences or, for 16 bits, from what they gave. */
FN i32 filtered(i32 far1, i32 near1, i32 centre, i32 near2, i32 far2, i32 bits)
{
    i32 three = near1 + centre + near2;
    i32 rest = rest_of(centre, three, far1 + far2, bits);
    return (three * 64 + (rest >> 8)) >> (bits - 8);
}

KERNEL_BEGIN
KERNEL_IN(0, SAMPLE, earlier)
KERNEL_IN(1, SAMPLE, ref)
KERNEL_OUT(2, u64, partials)
KERNEL_ARGS(3, motion_sad_args, p)
GROUP_MEMORY(i32, rows, SPAN)
GROUP_MEMORY(i32, column, LANES *MOTION_SAD_ROWS)
GROUP_MEMORY(u32, sums, LANES)
KERNEL_BODY
    FIRST
    {
        /* Where the rows begin. */
        if (LANE < SPAN) {
            AT(rows, LANE) = reflect(GY * MOTION_SAD_ROWS + LANE - RADIUS, p.h) * p.stride;
        }
    }
    THEN
    {
        i32 x = reflect(GX * MOTION_SAD_COLUMNS + LANE - RADIUS, p.w);
        i32 difference[SPAN];
        UNROLL
        for (i32 i = 0; i < SPAN; ++i) {
            u32 at = U32(AT(rows, i) + x);
            difference[i] = I32(AT(earlier, at)) - I32(AT(ref, at));
        }
        UNROLL
        for (i32 y = 0; y < MOTION_SAD_ROWS; ++y) {
            AT(column, y * LANES + LANE) =
                filtered(difference[y], difference[y + 1], difference[y + 2], difference[y + 3],
                         difference[y + 4], DEPTH);
        }
    }
    THEN
    {
        i32 first = LANE % SEGMENTS * NEIGHBOURS;
        i32 columns = min_i32(p.w - GX * MOTION_SAD_COLUMNS, MOTION_SAD_COLUMNS) - first;
        i32 end = min_i32(p.h - GY * MOTION_SAD_ROWS, MOTION_SAD_ROWS);
        u32 sum = 0u;
        if (columns > 0) {
            for (i32 y = LANE / SEGMENTS; y < end; y += LANES / SEGMENTS) {
                i32 value[NEIGHBOURS + 2 * RADIUS];
                UNROLL
                for (i32 k = 0; k < NEIGHBOURS + 2 * RADIUS; ++k) {
                    value[k] = AT(column, y * LANES + first + k);
                }
                UNROLL
                for (i32 k = 0; k < NEIGHBOURS; ++k) {
                    i32 blurred = filtered(value[k], value[k + 1], value[k + 2], value[k + 3],
                                           value[k + 4], 16);
                    sum += k < columns ? U32(abs_i32(blurred)) : 0u;
                }
            }
        }
        AT(sums, LANE) = sum;
    }
    GROUP_SUMS(sums, 1)
    THEN
    {
        if (LANE == 0) {
            AT(partials, GY * NGX + GX) = U64(AT(sums, 0));
        }
    }
KERNEL_END
