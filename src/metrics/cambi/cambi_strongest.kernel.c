/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Sums the strongest contrasts of each scale (GY), once cambi_tally.kernel.c has found all digits
 * of the weakest of them: those above it, and it as often as it is pooled. Numbers are in units of
 * 2^-24; whole numbers and fractions are added apart, so that 64 bits suffice: for each scale a row
 * of partial sums of whole numbers, then one of fractions.
 */
#define WX 256
#define WY 1
#include "dialect/kernel.h"
#include "metrics/cambi/cambi_kernel.h"
#include "metrics/cambi/find_digit.kernel.h"

#define FRACTION_MASK 0xFFFFFFu

/* In units of 2^-24; the bits are those of a contrast that is not zero. */
FN u64 units_of(u32 bits)
{
    i32 shift = I32(bits >> 23) - (CAMBI_CONTRAST_MIN_BITS >> 23);
    return U64((bits & 0x7FFFFFu) | 0x800000u) << shift;
}

KERNEL_BEGIN
KERNEL_IN(0, u32, contrasts)
KERNEL_IN(1, cambi_scale, scales)
KERNEL_IN(2, u32, counters)
KERNEL_OUT(3, u64, partials)
KERNEL_ARGS(4, cambi_tally_args, p)
GROUP_MEMORY(u64, sums, 2 * LANES)
GROUP_MEMORY(u32, digit, 2)
GROUP_MEMORY(u32, find_sums, LANES)
GROUP_MEMORY(u32, find_parts, FIND_PARTS)
KERNEL_BODY
    FIRST
    {
    }
    FIND_DIGIT(GY * CAMBI_COUNTERS + CAMBI_HISTOGRAM_3, CAMBI_DIGITS_3,
               AT(counters, GY * CAMBI_COUNTERS + CAMBI_FOUND_3 + 1))
    THEN
    {
        u32 weakest = 0u;
        if (AT(digit, 0) != FIND_NO_DIGIT) {
            weakest = (AT(counters, GY * CAMBI_COUNTERS + CAMBI_FOUND_3) << 8) | AT(digit, 0);
        }
        i32 begin = AT(scales, GY).first + GX * p.pixels;
        i32 end = min_i32(begin + p.pixels, AT(scales, GY).end);
        u64 whole = U64(0), fraction = U64(0);
        for (i32 i = begin + LANE; i < end; i += LANES) {
            u32 bits = AT(contrasts, i);
            if (bits > weakest) {
                u64 units = units_of(bits);
                whole += units >> CAMBI_CONTRAST_FRACTION_BITS;
                fraction += U64(U32(units) & FRACTION_MASK);
            }
        }
        if (GX == 0 && LANE == 0 && weakest != 0u) {
            u64 units = units_of(weakest), times = U64(AT(digit, 1));
            whole += (units >> CAMBI_CONTRAST_FRACTION_BITS) * times;
            fraction += U64(U32(units) & FRACTION_MASK) * times;
        }
        AT(sums, LANE) = whole;
        AT(sums, LANES + LANE) = fraction;
    }
    GROUP_SUMS(sums, 2)
    THEN
    {
        if (LANE < 2) {
            AT(partials, (GY * 2 + LANE) * NGX + GX) = AT(sums, LANE * LANES);
        }
    }
KERNEL_END
