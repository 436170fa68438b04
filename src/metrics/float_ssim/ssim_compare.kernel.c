/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Luminance, contrast, structure and their product at each position of the window, in binary64: the
 * terms of the metric's sums. SAMPLE_BITS is the width of samples in memory, 8 or 16 for pictures,
 * 32 for bits of binary32; SAMPLE is u8, u16 or u32.
 *
 * A group walks down 32 columns, a lane for each column and moment: it filters a row, then the last
 * 11 values of its column. After every fifth row the lanes compute similarity, one position each.
 * Nothing but terms goes to device memory.
 *
 * Sums under the window are made in fixed point where that is exact (fixed_sum.kernel.h). The taps
 * add up to less than 1 + 2^-18.9, the least is above 2^-10, products are rounded by at most 2^-24
 * of themselves: if e is the exponent of the largest magnitude, or one more if that is 2^-16 or
 * less below a power of two, the magnitudes of products add up to less than 2^(e + 1), which must
 * be at most 2^53 units of 2^(least - 33). So e - least may be 19. That is always so for samples of
 * 8 bits and their products, and nearly always else; otherwise the lane adds in binary64.
 *
 * VARIANT 8 SAMPLE_BITS=8 SAMPLE=u8
 * VARIANT 16 SAMPLE_BITS=16 SAMPLE=u16
 * VARIANT 32 SAMPLE_BITS=32 SAMPLE=u32
 * NATIVE
 */
#define WX 32
#define WY 5
#include "dialect/kernel.h"
#include "dialect/binary32.h"
#include "dialect/binary64.h"
#include "metrics/float_ssim/fixed_sum.kernel.h"
#include "metrics/float_ssim/float_ssim_kernel.h"

#define BEFORE    (SSIM_TAPS - 1) /* rows that end no window */
#define SPAN      (WX + SSIM_TAPS - 1)
#define ENTERED   (WY * SPAN) /* values of a row, of each moment */
#define LEAST_TAP 117         /* exponent of the first tap */
#define MAX_RANGE 19
#define MIN_LEAST 40 /* with smaller samples products may be subnormal */

/* In group memory: two rows of values, then the last filtered ones of each lane. These stand there
 * twice, so that as many rows as there are taps follow one another from any of them on. */
#define ROWS_BEGIN (2 * ENTERED)
#define VALUES     (ROWS_BEGIN + 2 * SSIM_TAPS * LANES)

/* The table serves unrolled loops, in which its elements become constants. */
KERNEL_TABLE(u32, window_taps, SSIM_TAPS / 2 + 1) = {SSIM_WINDOW(SSIM_BITS)};

FN u32 window_tap(i32 k)
{
    return window_taps[k <= SSIM_TAPS / 2 ? k : SSIM_TAPS - 1 - k];
}

/* A sample, or the product of two. */
#if SAMPLE_BITS == 8
#define SAMPLE_OF(value) f32_bits_of_sample(value, 8)
#define PRODUCT_OF(a, b) f32_bits_of_sample((a) * (b), 8)
#elif SAMPLE_BITS == 16
#define SAMPLE_OF(value) f32_bits_of_sample(value, p.depth)
/* 32 bits are rounded as the product in binary32 is: a power of two makes no difference. */
#define PRODUCT_OF(a, b) bits_of_f32(scale_f32(f32_of_u32((a) * (b)), 16 - 2 * p.depth))
#else
#define SAMPLE_OF(value) (value)
#define PRODUCT_OF(a, b) bits_of_f32(mul_f32(f32_of_bits(a), f32_of_bits(b)))
#endif

/* Moments: means of both pictures, their mean squares, the mean of their product. */
#define MEAN_REF       0
#define MEAN_DIST      1
#define MEAN_REF_REF   2
#define MEAN_DIST_DIST 3
#define MEAN_REF_DIST  4

/* The lanes put a row of samples and their products to `begin` of the values. */
#define ENTER_ROW(row, begin)                                                                      \
    for (i32 i = LANE; i < ENTERED; i += LANES) {                                                  \
        i32 moment = i / SPAN;                                                                     \
        i32 at_x = min_i32(GX * SSIM_COMPARE_COLUMNS + i % SPAN, p.w - 1);                         \
        i32 at = min_i32(GY * SSIM_COMPARE_ROWS + (row), p.h - 1) * p.stride + at_x;               \
        u32 r = U32(AT(ref, at)), d = U32(AT(dist, at));                                           \
        u32 a = moment == MEAN_DIST || moment == MEAN_DIST_DIST ? d : r;                           \
        u32 b = moment == MEAN_REF_REF ? r : d;                                                    \
        AT(values, (begin) + i) = moment < MEAN_REF_REF ? SAMPLE_OF(a) : PRODUCT_OF(a, b);         \
    }

KERNEL_BEGIN
KERNEL_IN(0, SAMPLE, ref)
KERNEL_IN(1, SAMPLE, dist)
KERNEL_OUT(2, u64, index)
KERNEL_OUT(3, u64, luminance)
KERNEL_OUT(4, u64, contrast)
KERNEL_OUT(5, u64, structure)
KERNEL_ARGS(6, ssim_compare_args, p)
GROUP_MEMORY(u32, values, VALUES)
GROUP_MEMORY(u32, means, WY *LANES)
KERNEL_BODY
    FIRST
    {
        ENTER_ROW(0, 0)
    }
    for (i32 begin = 0; begin < min_i32(SSIM_COMPARE_ROWS + BEFORE, p.h - GY * SSIM_COMPARE_ROWS);
         begin += WY) {
        for (i32 step = 0; step < WY; ++step) {
            THEN
            {
                i32 row = begin + step;
                i32 first = row % 2 * ENTERED + LY * SPAN + LX, stride = 1;
                for (i32 pass = 0; pass < (row < BEFORE ? 1 : 2); ++pass) {
                    u32 value[SSIM_TAPS];
                    u32 largest = 0u, smallest = 0xFFFFFFFFu; /* but for 0, which wraps */
                    UNROLL
                    for (i32 k = 0; k < SSIM_TAPS; ++k) {
                        value[k] = AT(values, first + k * stride);
                        u32 size = value[k] & 0x7FFFFFFFu;
                        largest = size > largest ? size : largest;
                        smallest = size - 1u < smallest ? size - 1u : smallest;
                    }
                    i32 least = I32((smallest + 1u) >> 23);
                    i32 range = I32((largest + 0x80u) >> 23) - least;
                    u32 mean = 0u;
                    if (largest != 0u && least >= MIN_LEAST && range <= MAX_RANGE) {
                        i64 sum = I64(0);
                        UNROLL
                        for (i32 k = 0; k < SSIM_TAPS; ++k) {
                            sum += fixed_product(value[k], window_tap(k), least, LEAST_TAP);
                        }
                        mean = f32_bits_of_fixed(sum, least + LEAST_TAP);
                    } else if (largest != 0u) {
                        f64 sum = F64_BITS(0u, 0u);
                        for (i32 k = 0; k < SSIM_TAPS; ++k) {
                            u32 x = AT(values, first + k * stride);
                            f32 product = mul_f32(f32_of_bits(x), f32_of_bits(window_tap(k)));
                            sum = add_f64(sum, f64_of_f32(product));
                        }
                        mean = bits_of_f32(f32_of_f64(sum));
                    }
                    if (pass == 0) {
                        i32 place = ROWS_BEGIN + row % SSIM_TAPS * LANES + LANE;
                        AT(values, place) = mean;
                        AT(values, place + SSIM_TAPS * LANES) = mean;
                        first = ROWS_BEGIN + (row + 1) % SSIM_TAPS * LANES + LANE;
                        stride = LANES;
                    } else {
                        AT(means, step * LANES + LANE) = mean;
                    }
                }
                ENTER_ROW(row + 1, (row + 1) % 2 * ENTERED)
            }
        }
        THEN
        {
            i32 x = GX * SSIM_COMPARE_COLUMNS + LX;
            i32 y = GY * SSIM_COMPARE_ROWS + begin - BEFORE + LY;
            if (begin >= BEFORE && x < p.w - BEFORE && y < p.h - BEFORE) {
                i32 at = y * (p.w - BEFORE) + x;
                i32 from = LY * LANES + LX;
                f32 c1 = F32(SSIM_C1(SSIM_BITS)), c2 = F32(SSIM_C2(SSIM_BITS));
                f32 c3 = F32(SSIM_C3(SSIM_BITS)), zero = F32(0u);
                f32 m1 = f32_of_bits(AT(means, from + MEAN_REF * WX));
                f32 m2 = f32_of_bits(AT(means, from + MEAN_DIST * WX));
                f32 m1_m1 = mul_f32(m1, m1), m2_m2 = mul_f32(m2, m2);
                f32 v1 = sub_f32(f32_of_bits(AT(means, from + MEAN_REF_REF * WX)), m1_m1);
                f32 v2 = sub_f32(f32_of_bits(AT(means, from + MEAN_DIST_DIST * WX)), m2_m2);
                v1 = is_less_f32(v1, zero) != 0 ? zero : v1;
                v2 = is_less_f32(v2, zero) != 0 ? zero : v2;
                f32 sigma = sqrt_f32(mul_f32(v1, v2));
                f32 covariance =
                    sub_f32(f32_of_bits(AT(means, from + MEAN_REF_DIST * WX)), mul_f32(m1, m2));
                /* Rounding must not make flat areas differ. */
                if (is_less_f32(zero, sigma) == 0 && is_less_f32(covariance, zero) != 0) {
                    covariance = zero;
                }
                f64 s = f64_of_f32(div_f32(add_f32(covariance, c3), add_f32(sigma, c3)));
                f64 c = div_f64(add_f64(scale_f64(f64_of_f32(sigma), 1), f64_of_f32(c2)),
                                f64_of_f32(add_f32(add_f32(v1, v2), c2)));
                if ((p.terms & SSIM_TERM_CONTRAST) != 0) {
                    AT(contrast, at) = bits_of_f64(c);
                }
                if ((p.terms & SSIM_TERM_STRUCTURE) != 0) {
                    AT(structure, at) = bits_of_f64(s);
                }
                if ((p.terms & (SSIM_TERM_INDEX | SSIM_TERM_LUMINANCE)) != 0) {
                    f64 product = mul_f64(scale_f64(f64_of_f32(m1), 1), f64_of_f32(m2));
                    f64 l = div_f64(add_f64(product, f64_of_f32(c1)),
                                    f64_of_f32(add_f32(add_f32(m1_m1, m2_m2), c1)));
                    if ((p.terms & SSIM_TERM_LUMINANCE) != 0) {
                        AT(luminance, at) = bits_of_f64(l);
                    }
                    if ((p.terms & SSIM_TERM_INDEX) != 0) {
                        AT(index, at) = bits_of_f64(mul_f64(mul_f64(l, c), s));
                    }
                }
            }
        }
    }
KERNEL_END
