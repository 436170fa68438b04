/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Sums of the samples of a plane and of their squares, each square rounded as in binary32: two
 * partial sums for each work-group, row by row of groups. Samples are read as words of 4 bytes;
 * SAMPLE_BITS, 8 or 16, is their width in memory. Rows begin at a word; whatever follows the last
 * sample of a row in its last word is ignored.
 *
 * VARIANT 8 SAMPLE_BITS=8
 * VARIANT 16 SAMPLE_BITS=16
 */
#define WX 32
#define WY 8
#include "dialect/kernel.h"
#include "metrics/float_moment/float_moment_kernel.h"
#include "metrics/psnr/rounded_square.kernel.h"

#define PER_WORD (32 / SAMPLE_BITS)
#define MASK     ((1u << SAMPLE_BITS) - 1u)

KERNEL_BEGIN
KERNEL_IN(0, u32, plane)
KERNEL_OUT(1, u64, partials)
KERNEL_ARGS(2, float_moment_sums_args, p)
GROUP_MEMORY(u64, sums, FLOAT_MOMENT_SUMS *LANES)
KERNEL_BODY
    FIRST
    {
        u32 first = 0u;
        u64 second = U64(0);
        i32 word = GX * FLOAT_MOMENT_WORDS + LX;
        i32 n = p.w - word * PER_WORD; /* samples of the row from this word on */
        i32 end = min_i32((GY + 1) * FLOAT_MOMENT_ROWS, p.h);
        if (n > 0) {
            for (i32 y = GY * FLOAT_MOMENT_ROWS + LY; y < end; y += WY) {
                u32 samples = AT(plane, y * p.stride + word);
                UNROLL
                for (i32 k = 0; k < PER_WORD; ++k) {
                    if (k < n) {
                        u32 v = (samples >> (k * SAMPLE_BITS)) & MASK;
                        first += v;
                        second += U64(rounded_square(v));
                    }
                }
            }
        }
        AT(sums, LANE) = U64(first);
        AT(sums, LANES + LANE) = second;
    }
    GROUP_SUMS(sums, FLOAT_MOMENT_SUMS)
    THEN
    {
        if (LANE < FLOAT_MOMENT_SUMS) {
            AT(partials, (GY * NGX + GX) * FLOAT_MOMENT_SUMS + LANE) = AT(sums, LANE * LANES);
        }
    }
KERNEL_END
