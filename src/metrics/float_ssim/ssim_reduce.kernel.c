/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * A picture reduced by a factor f: sums of f^2 samples, each divided by f^2 and rounded to binary32
 * before. SAMPLE is u8 or u16.
 *
 * Sums are made in fixed point (fixed_sum.kernel.h): with M the mantissa of 1 / f^2, a sample s
 * gives at most s M rounded up, and f^2 M is below 2^24 f^2. For f <= 64 and 16 bits that is 2^52
 * at most, the unit being that of the product of the sample 1. No addition of the metric's rounds.
 *
 * VARIANT 8 SAMPLE=u8
 * VARIANT 16 SAMPLE=u16
 */
#define WX 32
#define WY 4
#include "dialect/kernel.h"
#include "metrics/float_ssim/fixed_sum.kernel.h"
#include "metrics/float_ssim/float_ssim_kernel.h"

KERNEL_BEGIN
KERNEL_IN(0, SAMPLE, picture)
KERNEL_OUT(1, u32, reduced)
KERNEL_ARGS(2, ssim_reduce_args, p)
KERNEL_BODY
    FIRST
    {
        i32 x = GX * SSIM_REDUCE_COLUMNS + LX, y = GY * SSIM_REDUCE_ROWS + LY;
        if (x < p.reduced_w && y < p.reduced_h) {
            u32 share = mantissa_of(p.share);
            i32 first_x = x * p.factor - p.factor / 2, first_y = y * p.factor - p.factor / 2;
            i64 sum = I64(0);
            for (i32 v = 0; v < p.factor; ++v) {
                i32 row = mirror_half_sample(first_y + v, p.h) * p.stride;
                for (i32 u = 0; u < p.factor; ++u) {
                    u32 value = U32(AT(picture, row + mirror_half_sample(first_x + u, p.w)));
                    i32 msb = I32(MSB32(value | 1u));
                    sum += I64(U64(rounded_product(value << (23 - msb), share)) << msb);
                }
            }
            AT(reduced, y * p.reduced_stride + x) =
                f32_bits_of_fixed(sum, 127 + 8 - p.depth + I32(p.share >> 23));
        }
    }
KERNEL_END
