/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_PSNR_ROUNDED_SQUARE_KERNEL_H
#define METRICS_PSNR_ROUNDED_SQUARE_KERNEL_H

/*
 * The square of a magnitude below 2^16 in binary32: rounded to 24 significant bits, ties to even.
 * It is an integer below 2^32, so sums of such squares are exact. Squares of 12 bits stay as they
 * are.
 *
 * At a tie the even neighbour is the lower one: a square of which `drop` bits are lost and only the
 * highest of these is set is 2^(drop - 1) times an odd square, which is 1 modulo 8, so that the bit
 * above is 0.
 */
FN u32 rounded_square(u32 magnitude)
{
    u32 square = magnitude * magnitude;
    if (square >= (1u << 24)) {
        i32 drop = I32(MSB32(square)) - 23; /* 1 to 8 bits */
        /* Nothing carries out of 32 bits: the largest square is 2^32 - 2^17 + 1. */
        square = ((square + (1u << (drop - 1)) - 1u) >> drop) << drop;
    }
    return square;
}

#endif
