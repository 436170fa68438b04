/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CAMBI_CONTRAST_KERNEL_H
#define METRICS_CAMBI_CONTRAST_KERNEL_H

/*
 * The bits of the binary32 number a m r, where a m, below 2^36, is rounded first, and then the
 * product with r, which is given by its bits and lies in 2^-17 .. 1. To nearest, ties to even.
 *
 * With 2^e the leading power of a m, the product is aligned to 40 bits, of which the upper 24 stay:
 * a m = q 2^(e - 23), 2^23 <= q <= 2^24. r = s 2^(f - 150), 2^23 <= s < 2^24, f its exponent field.
 * Then 2^46 <= q s < 2^48 is exact, and is rounded to 24 bits by a shift of 23 or 24. A carry in
 * rounding makes a mantissa of 2^24, and adding that to the field of the exponent is right as it
 * stands. Results are 0 or at least 2^-1: there are no denormals.
 */
FN u32 contrast_bits(u32 a, u32 m, u32 r)
{
    u64 exact = U64(a) * U64(m);
    u32 bits = 0u;
    if (exact != U64(0)) {
        i32 e = msb_u64(exact);
        u64 aligned = exact << (39 - e);
        u64 q = (aligned + U64(0x7FFF) + ((aligned >> 16) & U64(1))) >> 16;
        u64 product = q * U64((r & 0x7FFFFFu) | 0x800000u);
        i32 shift = (product >> 47) != U64(0) ? 24 : 23;
        u64 below_half = (U64(1) << (shift - 1)) - U64(1);
        u32 mantissa = U32((product + below_half + ((product >> shift) & U64(1))) >> shift);
        bits = (U32(e + shift - 24 + I32(r >> 23)) << 23) + mantissa;
    }
    return bits;
}

/* Four counts of 16 bits: of codes 0 and 2, and of codes 1 and 3 of a word. */
struct counts_of_word {
    u32 even, odd;
};
KERNEL_STRUCT(counts_of_word)

/* Adds four counts of 8 bits. */
FN counts_of_word add_counts(counts_of_word sum, u32 bytes)
{
    sum.even += bytes & 0xFF00FFu;
    sum.odd += (bytes >> 8) & 0xFF00FFu;
    return sum;
}

/* The count of code i of two words, 0 <= i < 8. */
FN u32 count_of(counts_of_word lower, counts_of_word upper, i32 i)
{
    u32 even = i < 4 ? lower.even : upper.even;
    u32 odd = i < 4 ? lower.odd : upper.odd;
    u32 pair = (i & 1) != 0 ? odd : even;
    return (i & 2) != 0 ? pair >> 16 : pair & 0xFFFFu;
}

#endif
