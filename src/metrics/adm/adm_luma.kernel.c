/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * ADM, scale 0: from luma of both pictures to the first approximation and the sums of the scale, in
 * one pass. SAMPLE_BITS, 8 or 16, is the width of samples in memory; PAIR is the word of two of
 * them that a lane loads. VARIANTS is the number of variants of decoupling.
 *
 * A group covers 32 x 16 positions, which are 64 x 32 samples, and reads 72 x 38 of each
 * picture: 10.7 bytes per position at 8 bits (21.4 at 16), a quarter of which its neighbours read
 * too. It writes 4 bytes of approximation and 2.3 of partial sums. About 770 instructions per
 * position, 160 of them multiplications (AMD, without rare paths). A second variant costs about 350
 * instructions, and 1.5 bytes of partial sums.
 *
 * VARIANT 8 SAMPLE_BITS=8 PAIR=u16 VARIANTS=1
 * VARIANT 16 SAMPLE_BITS=16 PAIR=u32 VARIANTS=1
 * VARIANT 8_x2 SAMPLE_BITS=8 PAIR=u16 VARIANTS=2
 * VARIANT 16_x2 SAMPLE_BITS=16 PAIR=u32 VARIANTS=2
 */
#define WX 16
#define WY 16
#include "dialect/kernel.h"

#define COEFFICIENT_BITS 16
#include "metrics/adm/adm_kernel.h"
#include "metrics/adm/decouple.kernel.h"
#include "metrics/adm/masking.kernel.h"
#include "metrics/adm/tile.kernel.h"

/* A group's results of the vertical pass: for each pair of columns a word of low and high of the
 * even column, and one of the odd. */
#define PAIRS    (TILE_COLUMNS + 4)
#define SEGMENTS 3 /* a lane makes this part of a pair's rows */
#define ROWS     (BORDERED_ROWS / SEGMENTS)

#define PAIR_AT(picture, row, pair) AT(pool, ((picture)*BORDERED_ROWS + (row)) * PAIRS + (pair))
#define POSITION_AT(picture, row, column)                                                          \
    horizontal_16(                                                                                 \
        U32(PAIR_AT(picture, row, column) >> 32), U32(PAIR_AT(picture, row, column + 1)),          \
        U32(PAIR_AT(picture, row, column + 1) >> 32), U32(PAIR_AT(picture, row, column + 2)))
#define NEIGHBOURS (2 * BORDERED_ROWS * PAIRS) /* where they begin in the pool */

#define SPAN (2 * BORDERED_ROWS + 2) /* rows of samples */

/* Loads 2 ROWS + 2 rows of a pair of columns. */
#define LOAD_ROWS(picture, stride)                                                                 \
    UNROLL                                                                                         \
    for (i32 k = 0; k < 2 * ROWS + 2; ++k) {                                                       \
        u32 word = U32(AT(picture, U32(AT(rows, first_row + k) * (stride) + column)));             \
        samples[k] = packed_samples(word >> even_shift, word >> odd_shift, MID);                   \
    }

/* The value that samples are relative to; LOW_MID is the low-pass filter's answer to the rest of
 * mid grey, which is subtracted after the filter. Words of 16 bits wrap. */
#if SAMPLE_BITS == 8
#define MID     0u
#define LOW_MID (128 * 46342)
#else
#define MID     (1u << (p.vertical - 1))
#define LOW_MID 0
#endif
#define SAMPLE_MASK ((1u << (SAMPLE_BITS - 1) << 1) - 1u)

FN u32 packed_samples(u32 even, u32 odd, u32 mid)
{
    return ((even - mid) & SAMPLE_MASK) | ((odd - mid) & SAMPLE_MASK) << 16;
}

/* One column of the vertical pass: low in the lower half of the result, high in the upper. */
FN u32 vertical_pass(i32 x0, i32 x1, i32 x2, i32 x3, i32 depth)
{
    i32 half_unit = 1 << (depth - 1);
    return packed_i16((low_pass(x0, x1, x2, x3) + (half_unit - LOW_MID)) >> depth,
                      (high_pass(x0, x1, x2, x3) + half_unit) >> depth);
}

KERNEL_BEGIN
KERNEL_IN(0, PAIR, ref)
KERNEL_IN(1, PAIR, dist)
KERNEL_OUT(2, i16, approx)
KERNEL_OUT(3, u64, partials)
KERNEL_ARGS(4, adm_scale_args, p)
GROUP_MEMORY(i32, rows, SPAN)
GROUP_MEMORY(u64, pool, POOL_SIZE)
LANE_STATE_ARRAY(u32, weighted, 6 * VARIANTS * LANE_COLUMNS)
LANE_STATE_ARRAY(u32, centre, 2 * VARIANTS * LANE_COLUMNS)
LANE_STATE_ARRAY(u64, sums, ADM_SUMS(VARIANTS))
KERNEL_BODY
    FIRST
    {
        if (LANE < SPAN) {
            AT(rows, LANE) = mirrored_sample(2 * TILE_Y - 3 + LANE, p.h);
        }
    }
    THEN
    {
        /* Half of the lanes work on each picture, so that a warp works on one. */
        i32 picture = LANE / (LANES / 2);
        i32 segment = LANE % (LANES / 2) / PAIRS;
        i32 pair = LANE % (LANES / 2) % PAIRS;
        if (segment < SEGMENTS) {
            i32 first_row = 2 * segment * ROWS;
            i32 even = mirrored_sample(2 * (TILE_X - 2 + pair), p.w);
            i32 odd = mirrored_sample(2 * (TILE_X - 2 + pair) + 1, p.w);
            /* If the two do not lie in one word, one of them counts: the odd one left of the
             * picture. */
            i32 column = (TILE_X - 2 + pair < 0 ? odd : even) >> 1;
            i32 even_shift = (even & 1) * SAMPLE_BITS;
            i32 odd_shift = (odd & 1) * SAMPLE_BITS;
            u32 samples[2 * ROWS + 2];
            if (picture == 0) {
                LOAD_ROWS(ref, p.ref_stride)
            } else {
                LOAD_ROWS(dist, p.dist)
            }
            UNROLL
            for (i32 k = 0; k < ROWS; ++k) {
                u32 x0 = samples[2 * k], x1 = samples[2 * k + 1];
                u32 x2 = samples[2 * k + 2], x3 = samples[2 * k + 3];
                u32 even_word = vertical_pass(lower_i16(x0), lower_i16(x1), lower_i16(x2),
                                              lower_i16(x3), p.vertical);
                u32 odd_word = vertical_pass(upper_i16(x0), upper_i16(x1), upper_i16(x2),
                                             upper_i16(x3), p.vertical);
                u64 words = U64(even_word) | U64(odd_word) << 32;
                PAIR_AT(picture, segment * ROWS + k, pair) = words;
            }
        }
    }
#define APPROX_TYPE I16
#include "metrics/adm/tile_blocks.kernel.h"
KERNEL_END
