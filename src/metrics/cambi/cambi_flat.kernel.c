/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * From luma to codes of 10 bits with the mask of flat parts in bit 15. SAMPLE is u8 or u16. A group
 * covers 58 x 16 pixels and loads four more on each side: codes are made, smoothed if that is
 * wanted, compared with their neighbours, and what is flat is counted in 7x7 pixels, first down
 * columns, then along rows.
 *
 * VARIANT 8 SAMPLE=u8
 * VARIANT 16 SAMPLE=u16
 */
#define WX 64
#define WY 4
#include "dialect/kernel.h"
#include "metrics/cambi/cambi_kernel.h"

#define RADIUS  CAMBI_FLAT_RADIUS
#define SIDE    (2 * RADIUS + 1)
#define COLUMNS CAMBI_FLAT_COLUMNS
#define ROWS    CAMBI_FLAT_ROWS
/* Where flatness is known; codes go one further, and what they are smoothed from one more. */
#define FLAT_W    (COLUMNS + 2 * RADIUS)
#define FLAT_H    (ROWS + 2 * RADIUS)
#define CODE_W    (FLAT_W + 1)
#define CODE_H    (FLAT_H + 1)
#define RAW_W     (CODE_W + 1)
#define RAW_H     (CODE_H + 1)
#define LANE_ROWS (ROWS / WY)

FN i32 code_of(i32 value, i32 depth)
{
    return depth <= 10 ? value << (10 - depth)
                       : (value >> (depth - 10)) + ((value >> (depth - 11)) & 1);
}

KERNEL_BEGIN
KERNEL_IN(0, SAMPLE, luma)
KERNEL_IN(1, u32, positions)
KERNEL_OUT(2, u16, image)
KERNEL_ARGS(3, cambi_flat_args, p)
GROUP_MEMORY(i32, raw, RAW_W *RAW_H)
GROUP_MEMORY(i32, codes, CODE_W *CODE_H)
GROUP_MEMORY(i32, column, FLAT_W *ROWS)
KERNEL_BODY
    FIRST
    {
        for (i32 i = LANE; i < RAW_W * RAW_H; i += LANES) {
            i32 x = clamp_i32(GX * COLUMNS - RADIUS + i % RAW_W, 0, p.w - 1);
            i32 y = clamp_i32(GY * ROWS - RADIUS + i / RAW_W, 0, p.h - 1);
            if (p.is_resized != 0) {
                x = I32(AT(positions, x));
                y = I32(AT(positions, p.w + y));
            }
            AT(raw, i) = code_of(I32(AT(luma, y * p.stride + x)), p.depth);
        }
    }
    THEN
    {
        /* Beyond the right and the lower border codes repeat, so that a mean of four is one of two
         * there, and all are flat towards the border. */
        for (i32 i = LANE; i < CODE_W * CODE_H; i += LANES) {
            i32 at = i / CODE_W * RAW_W + i % CODE_W;
            i32 code = AT(raw, at);
            if (p.smooths != 0) {
                code += AT(raw, at + 1) + AT(raw, at + RAW_W) + AT(raw, at + RAW_W + 1);
                code >>= 2;
            }
            AT(codes, i) = code;
        }
    }
    THEN
    {
        i32 x = GX * COLUMNS - RADIUS + LX, y = GY * ROWS - RADIUS + LY * LANE_ROWS;
        i32 at = LY * LANE_ROWS * CODE_W + LX;
        i32 is_flat[LANE_ROWS + 2 * RADIUS];
        UNROLL
        for (i32 k = 0; k < LANE_ROWS + 2 * RADIUS; ++k) {
            i32 code = AT(codes, at + k * CODE_W);
            is_flat[k] = x >= 0 && x < p.w && y + k >= 0 && y + k < p.h &&
                                 code == AT(codes, at + k * CODE_W + 1) &&
                                 code == AT(codes, at + k * CODE_W + CODE_W)
                             ? 1
                             : 0;
        }
        UNROLL
        for (i32 k = 0; k < LANE_ROWS; ++k) {
            AT(column, (LY * LANE_ROWS + k) * FLAT_W + LX) =
                is_flat[k] + is_flat[k + 1] + is_flat[k + 2] + is_flat[k + 3] + is_flat[k + 4] +
                is_flat[k + 5] + is_flat[k + 6];
        }
    }
    THEN
    {
        i32 column_end = min_i32(COLUMNS, p.w - GX * COLUMNS);
        i32 row_end = min_i32(ROWS, p.h - GY * ROWS);
        i32 x = LX * p.step;
        if (x < column_end) {
            for (i32 y = LY * p.step; y < row_end; y += WY * p.step) {
                i32 sum = 0;
                UNROLL
                for (i32 k = 0; k < SIDE; ++k) {
                    sum += AT(column, y * FLAT_W + x + k);
                }
                u32 code = U32(AT(codes, (y + RADIUS) * CODE_W + x + RADIUS)) & 0x7FFFu;
                i32 out_x = (GX * COLUMNS + x) / p.step, out_y = (GY * ROWS + y) / p.step;
                AT(image, out_y * p.out_w + out_x) = U16(code | (sum > p.threshold ? 0x8000u : 0u));
            }
        }
    }
KERNEL_END
