/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The next scale of an image: the low-pass filter of 9 x 9 taps at every second column and row.
 * SAMPLE_BITS is the width of samples in memory, 8 or 16 for pictures, 32 for bits of binary32;
 * SAMPLE is u8, u16 or u32. What is written is binary32.
 *
 * Sums are made in fixed point where that is exact (fixed_sum.kernel.h): magnitudes of the taps add
 * up to less than 1.91 and are above 2^-12. If e is the exponent of the largest sample, magnitudes
 * of products add up to less than 2^(e + 2), which must be at most 2^53 units of 2^(least - 35): e
 * - least may be 16. That is always so for pictures, whose samples are multiples of one of them,
 * and nearly always else; otherwise the lane adds in binary64, row by row as the metric does.
 *
 * VARIANT 8 SAMPLE_BITS=8 SAMPLE=u8
 * VARIANT 16 SAMPLE_BITS=16 SAMPLE=u16
 * VARIANT 32 SAMPLE_BITS=32 SAMPLE=u32
 * NATIVE
 */
#define WX 32
#define WY 8
#include "dialect/kernel.h"
#include "dialect/binary32.h"
#include "dialect/binary64.h"
#include "metrics/float_ssim/fixed_sum.kernel.h"
#include "metrics/float_ssim/float_ssim_kernel.h"

#define RADIUS    SSIM_PYRAMID_RADIUS
#define TAPS      SSIM_PYRAMID_TAPS
#define SPAN_X    (2 * WX + TAPS - 2)
#define SPAN_Y    (2 * WY + TAPS - 2)
#define HALF_X    ((SPAN_X + 1) / 2)
#define ROW       (2 * HALF_X) /* even columns, then odd ones */
#define LEAST_TAP 115          /* exponent of the tap closest to 0 */
#define MAX_RANGE 16
#define MIN_LEAST 42 /* with smaller samples products may be subnormal */

#if SAMPLE_BITS == 8
#define SAMPLE_OF(value) f32_bits_of_sample(value, 8)
#define UNIT_EXPONENT    127
#elif SAMPLE_BITS == 16
#define SAMPLE_OF(value) f32_bits_of_sample(value, p.depth)
#define UNIT_EXPONENT    (127 + 8 - p.depth)
#else
#define SAMPLE_OF(value) (value)
#endif

/* The tap at distances from the border of the window. */
#define TAP(v, u)         AT(taps, min_i32(v, TAPS - 1 - (v)) * (RADIUS + 1) + min_i32(u, TAPS - 1 - (u)))
#define TILE_SAMPLE(v, u) AT(tile, (2 * LY + (v)) * ROW + (u) % 2 * HALF_X + LX + (u) / 2)

KERNEL_BEGIN
KERNEL_IN(0, SAMPLE, image)
KERNEL_IN(1, u32, taps)
KERNEL_OUT(2, u32, next)
KERNEL_ARGS(3, ssim_halve_args, p)
GROUP_MEMORY(u32, tile, SPAN_Y *ROW)
KERNEL_BODY
    FIRST
    {
        for (i32 i = LANE; i < SPAN_Y * SPAN_X; i += LANES) {
            i32 u = i % SPAN_X, v = i / SPAN_X;
            i32 x = mirror_half_sample(2 * GX * SSIM_HALVE_COLUMNS - RADIUS + u, p.w);
            i32 y = mirror_half_sample(2 * GY * SSIM_HALVE_ROWS - RADIUS + v, p.h);
            AT(tile, v * ROW + u % 2 * HALF_X + u / 2) =
                SAMPLE_OF(U32(AT(image, y * p.stride + x)));
        }
    }
    THEN
    {
        i32 x = GX * SSIM_HALVE_COLUMNS + LX, y = GY * SSIM_HALVE_ROWS + LY;
        if (x < p.next_w && y < p.next_h) {
            u32 result = 0u;
#if SAMPLE_BITS == 32
            u32 largest = 0u, smallest = 0xFFFFFFFFu; /* but for 0, which wraps */
            for (i32 v = 0; v < TAPS; ++v) {
                UNROLL
                for (i32 u = 0; u < TAPS; ++u) {
                    u32 size = TILE_SAMPLE(v, u) & 0x7FFFFFFFu;
                    largest = size > largest ? size : largest;
                    smallest = size - 1u < smallest ? size - 1u : smallest;
                }
            }
            i32 least = I32((smallest + 1u) >> 23);
            i32 is_fixed = least >= MIN_LEAST && I32(largest >> 23) - least <= MAX_RANGE ? 1 : 0;
            if (is_fixed == 0 && largest != 0u) {
                f64 sum = F64_BITS(0u, 0u);
                for (i32 v = 0; v < TAPS; ++v) {
                    for (i32 u = 0; u < TAPS; ++u) {
                        f32 product =
                            mul_f32(f32_of_bits(TILE_SAMPLE(v, u)), f32_of_bits(TAP(v, u)));
                        sum = add_f64(sum, f64_of_f32(product));
                    }
                }
                result = bits_of_f32(f32_of_f64(sum));
            }
#else
            i32 least = UNIT_EXPONENT, is_fixed = 1;
#endif
            if (is_fixed != 0) {
                i64 sum = I64(0);
                for (i32 v = 0; v < TAPS; ++v) {
                    UNROLL
                    for (i32 u = 0; u < TAPS; ++u) {
                        sum += fixed_product(TILE_SAMPLE(v, u), TAP(v, u), least, LEAST_TAP);
                    }
                }
                result = f32_bits_of_fixed(sum, least + LEAST_TAP);
            }
            AT(next, y * p.next_stride + x) = result;
        }
    }
KERNEL_END
