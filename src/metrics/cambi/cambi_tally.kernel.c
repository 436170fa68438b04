/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Histograms of the contrasts of all scales (GY), by one of the digits of cambi_kernel.h:
 * LEVEL 1, 2 or 3. Levels 2 and 3 first find the digit before in the histogram that the last level
 * has made. A group counts its slice of the scale in its own memory, and adds that to the scale's
 * counters. Contrasts of zero are left out.
 *
 * VARIANT 1 LEVEL=1
 * VARIANT 2 LEVEL=2
 * VARIANT 3 LEVEL=3
 */
#define WX 256
#define WY 1
#include "dialect/kernel.h"
#include "metrics/cambi/cambi_kernel.h"
#include "metrics/cambi/find_digit.kernel.h"

#if LEVEL == 1
#define DIGITS    CAMBI_DIGITS_1
#define HISTOGRAM CAMBI_HISTOGRAM_1
#define SHIFT     16
#elif LEVEL == 2
#define DIGITS    CAMBI_DIGITS_2
#define HISTOGRAM CAMBI_HISTOGRAM_2
#define SHIFT     8
#else
#define DIGITS    CAMBI_DIGITS_3
#define HISTOGRAM CAMBI_HISTOGRAM_3
#define SHIFT     0
#endif

KERNEL_BEGIN
KERNEL_IN(0, u32, contrasts)
KERNEL_IN(1, cambi_scale, scales)
KERNEL_OUT(2, u32, counters)
KERNEL_ARGS(3, cambi_tally_args, p)
GROUP_MEMORY(u32, histogram, DIGITS)
#if LEVEL > 1
GROUP_MEMORY(u32, digit, 2)
GROUP_MEMORY(u32, find_sums, LANES)
GROUP_MEMORY(u32, find_parts, FIND_PARTS)
#endif
KERNEL_BODY
    FIRST
    {
        for (i32 i = LANE; i < DIGITS; i += LANES) {
            AT(histogram, i) = 0u;
        }
    }
#if LEVEL == 2
    FIND_DIGIT(GY * CAMBI_COUNTERS + CAMBI_HISTOGRAM_1, CAMBI_DIGITS_1, AT(scales, GY).pooled)
#elif LEVEL == 3
    FIND_DIGIT(GY * CAMBI_COUNTERS + CAMBI_HISTOGRAM_2, CAMBI_DIGITS_2,
               AT(counters, GY * CAMBI_COUNTERS + CAMBI_FOUND_2 + 1))
#endif
    THEN
    {
        i32 begin = AT(scales, GY).first + GX * p.pixels;
        i32 end = min_i32(begin + p.pixels, AT(scales, GY).end);
#if LEVEL == 1
        for (i32 i = begin + LANE; i < end; i += LANES) {
            u32 bits = AT(contrasts, i);
            if (bits != 0u) {
                ATOMIC_ADD(histogram, (bits >> SHIFT) - U32(CAMBI_DIGIT_1_FIRST), 1u);
            }
        }
#else
#if LEVEL == 2
        u32 before = AT(digit, 0) + U32(CAMBI_DIGIT_1_FIRST);
        i32 found_at = GY * CAMBI_COUNTERS + CAMBI_FOUND_2;
#else
        u32 before = (AT(counters, GY * CAMBI_COUNTERS + CAMBI_FOUND_2) << 8) | AT(digit, 0);
        i32 found_at = GY * CAMBI_COUNTERS + CAMBI_FOUND_3;
#endif
        /* Without a digit, all contrasts are pooled, and the weakest is less than any. */
        before = AT(digit, 0) != FIND_NO_DIGIT ? before : 0u;
        if (GX == 0 && LANE == 0) {
            AT(counters, found_at) = before;
            AT(counters, found_at + 1) = AT(digit, 1);
        }
        if (before != 0u) {
            for (i32 i = begin + LANE; i < end; i += LANES) {
                u32 bits = AT(contrasts, i);
                if ((bits >> (SHIFT + 8)) == before) {
                    ATOMIC_ADD(histogram, (bits >> SHIFT) & 0xFFu, 1u);
                }
            }
        }
#endif
    }
    THEN
    {
        for (i32 i = LANE; i < DIGITS; i += LANES) {
            u32 n = AT(histogram, i);
            if (n != 0u) {
                ATOMIC_ADD(counters, GY * CAMBI_COUNTERS + HISTOGRAM + i, n);
            }
        }
    }
KERNEL_END
