/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The mode filter of a scale, whose results are the codes of the band - by number, from 1; 0 for
 * those outside and for pixels that are masked out - and the image of the next scale. Each lane
 * walks down a column.
 */
#define WX 64
#define WY 4
#include "dialect/kernel.h"
#include "metrics/cambi/cambi_kernel.h"

#define LANE_ROWS (CAMBI_MODE_ROWS / WY)

/* The value that occurs at least twice, or else the smallest. */
FN i32 mode(i32 a, i32 b, i32 c)
{
    i32 least = min_i32(min_i32(a, b), c);
    i32 unless_a = b == c ? b : least;
    return a == b || a == c ? a : unless_a;
}

KERNEL_BEGIN
KERNEL_IN(0, u16, image)
KERNEL_OUT(1, u16, band)
KERNEL_OUT(2, u16, half_image)
KERNEL_ARGS(3, cambi_mode_args, p)
KERNEL_BODY
    FIRST
    {
        i32 x = GX * CAMBI_MODE_COLUMNS + LX, y = GY * CAMBI_MODE_ROWS + LY * LANE_ROWS;
        if (x < p.w && y < p.h) {
            i32 left = max_i32(x - 1, 0), right = min_i32(x + 1, p.w - 1);
            i32 centre[LANE_ROWS + 2];
            i32 across[LANE_ROWS + 2];
            UNROLL
            for (i32 k = 0; k < LANE_ROWS + 2; ++k) {
                i32 row = clamp_i32(y + k - 1, 0, p.h - 1) * p.w;
                centre[k] = I32(AT(image, row + x));
                /* At the border two of the three are the pixel's own: it stays as it is. */
                across[k] = mode(I32(AT(image, row + left)) & 0x7FFF, centre[k] & 0x7FFF,
                                 I32(AT(image, row + right)) & 0x7FFF);
            }
            UNROLL
            for (i32 k = 0; k < LANE_ROWS; ++k) {
                i32 row = y + k;
                if (row < p.h) {
                    i32 filtered = mode(across[k], across[k + 1], across[k + 2]);
                    i32 code = row > 0 && row < p.h - 1 ? filtered : centre[k + 1] & 0x7FFF;
                    i32 mask = centre[k + 1] & 0x8000;
                    i32 number = code - p.first_code + 1;
                    i32 is_in_band = mask != 0 && number > 0 && number <= p.n_codes ? 1 : 0;
                    AT(band, row * p.w + x) = U16(is_in_band != 0 ? number : 0);
                    if ((x & 1) == 0 && (row & 1) == 0) {
                        AT(half_image, (row >> 1) * ((p.w + 1) >> 1) + (x >> 1)) = U16(code + mask);
                    }
                }
            }
        }
    }
KERNEL_END
