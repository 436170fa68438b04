/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Sum of squared differences of two planes: one partial sum for each work-group, row by row of
 * groups. Samples are read as words of 4 bytes; SAMPLE_BITS, 8 or 16, is their width in memory.
 * Rows begin at a word; whatever follows the last sample of a row in its last word is ignored.
 * ROUNDED: each square is rounded as in binary32, for float_psnr.
 *
 * VARIANT 8 SAMPLE_BITS=8
 * VARIANT 16 SAMPLE_BITS=16
 * VARIANT rounded SAMPLE_BITS=16 ROUNDED=1
 */
#define WX 32
#define WY 8
#include "dialect/kernel.h"
#include "metrics/psnr/psnr_kernel.h"
#include "metrics/psnr/rounded_square.kernel.h"

#define PER_WORD (32 / SAMPLE_BITS)
#define MASK     ((1u << SAMPLE_BITS) - 1u)

KERNEL_BEGIN
KERNEL_IN(0, u32, ref)
KERNEL_IN(1, u32, dist)
KERNEL_OUT(2, u64, partials)
KERNEL_ARGS(3, psnr_sse_args, p)
GROUP_MEMORY(u64, sums, LANES)
KERNEL_BODY
    FIRST
    {
        u64 sum = U64(0);
        i32 word = GX * PSNR_SSE_WORDS + LX;
        i32 n = p.w - word * PER_WORD; /* samples of the row from this word on */
        i32 end = (GY + 1) * PSNR_SSE_ROWS;
        end = end < p.h ? end : p.h;
        if (n > 0) {
            for (i32 y = GY * PSNR_SSE_ROWS + LY; y < end; y += WY) {
                u32 r = AT(ref, y * p.ref_stride + word);
                u32 d = AT(dist, y * p.dist_stride + word);
                UNROLL
                for (i32 k = 0; k < PER_WORD; ++k) {
                    if (k < n) {
                        i32 e = I32((r >> (k * SAMPLE_BITS)) & MASK) -
                                I32((d >> (k * SAMPLE_BITS)) & MASK);
                        u32 m = U32(e < 0 ? -e : e);
#if defined(ROUNDED)
                        sum += U64(rounded_square(m));
#else
                        sum += U64(m * m); /* 65535^2 is below 2^32 */
#endif
                    }
                }
            }
        }
        AT(sums, LANE) = sum;
    }
    GROUP_SUMS(sums, 1)
    THEN
    {
        if (LANE == 0) {
            AT(partials, GY * NGX + GX) = AT(sums, 0);
        }
    }
KERNEL_END
