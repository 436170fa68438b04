/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Decimated planes less their local mean, in binary32, as far as blocks cover them. The mean is
 * taken down the columns, then along the rows, each a sum from the first tap to the last that
 * begins with 0. A lane computes a sample by itself: there are few of them. GZ is the plane.
 *
 * NATIVE
 */
#define WX 32
#define WY 4
#include "dialect/kernel.h"

#include "dialect/binary32.h"
#include "metrics/speed/speed_kernel.h"

/* At the border sample, which is not repeated; planes are larger than the reach of the filter. */
FN i32 mirror(i32 i, i32 n)
{
    i32 k = abs_i32(i);
    return k < n ? k : 2 * n - 2 - k;
}

KERNEL_BEGIN
KERNEL_IN(0, f32, decimated)
KERNEL_IN(1, f32, taps)
KERNEL_OUT(2, f32, residual)
KERNEL_ARGS(3, speed_residual_args, p)
KERNEL_BODY
    FIRST
    {
        i32 x = GX * SPEED_RESIDUAL_COLUMNS + LX, y = GY * SPEED_RESIDUAL_ROWS + LY;
        if (x < p.blocks_w && y < p.blocks_h) {
            i32 plane = GZ * p.plane_stride;
            i32 left = x - p.n_taps / 2, top = y - p.n_taps / 2;
            f32 mean = F32(0u);
            for (i32 i = 0; i < p.n_taps; ++i) {
                i32 column = plane + mirror(left + i, p.w);
                f32 sum = F32(0u);
                for (i32 j = 0; j < p.n_taps; ++j) {
                    f32 value = AT(decimated, column + mirror(top + j, p.h) * p.w);
                    sum = add_f32(sum, mul_f32(AT(taps, j), value));
                }
                mean = add_f32(mean, mul_f32(AT(taps, i), sum));
            }
            AT(residual, (GZ * p.blocks_h + y) * p.blocks_w + x) =
                sub_f32(AT(decimated, plane + y * p.w + x), mean);
        }
    }
KERNEL_END
