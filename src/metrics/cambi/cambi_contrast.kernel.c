/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The contrast of each pixel: how often its own code and those some steps away occur in the window
 * around it.
 *
 * A group walks down the rows of its tile. For each column, the halo included, it keeps how often
 * each code occurs in the rows under the window, 8 bits a code, four codes to a word: one pixel
 * enters and one leaves a column from row to row, and no other lane writes to it. A pixel's counts
 * are sums of words along the row, 2 radius + 1 columns; as many columns are added at once as
 * cannot carry from byte to byte. So the work for a pixel does not depend on the picture, and grows
 * with the side of the window, not with its area.
 *
 * Not all codes fit: a group serves a slice of the band (GZ). Most tiles have the codes of one or
 * two slices, and groups of the others end early.
 */
#define WX 256
#define WY 1
#include "dialect/kernel.h"
#include "metrics/cambi/cambi_kernel.h"
#include "metrics/cambi/contrast.kernel.h"

/* The place of a code among those that are counted, by its number in the band; negative for 0. */
FN i32 place_of(i32 number, i32 slice, i32 words, i32 reach)
{
    return number != 0 ? number - 1 - slice * 4 * (words - 2 * reach) + 4 * reach : -1;
}

/* What a code adds to its word, if the word is counted. */
FN u32 unit_of(i32 place)
{
    return 1u << (8 * (place & 3));
}

KERNEL_BEGIN
KERNEL_IN(0, u16, band)
KERNEL_IN(1, u32, steps)
KERNEL_IN(2, u32, reciprocals)
KERNEL_OUT(3, u32, contrasts)
KERNEL_ARGS(4, cambi_contrast_args, p)
GROUP_MEMORY(u32, counts, CAMBI_CONTRAST_WORDS)
GROUP_MEMORY(u32, found, 1)
KERNEL_BODY
    FIRST
    {
        if (LANE == 0) {
            AT(found, 0) = 0u;
        }
        for (i32 i = LANE; i < p.words * p.stride; i += LANES) {
            AT(counts, i) = 0u;
        }
    }
    THEN
    {
        i32 first_x = GX * p.out_columns, first_y = GY * p.rows;
        i32 end_x = min_i32(first_x + p.out_columns, p.w);
        i32 end_y = min_i32(first_y + p.rows, p.h);
        u32 n = 0u;
        for (i32 y = first_y; y < end_y; ++y) {
            for (i32 x = first_x + LANE; x < end_x; x += LANES) {
                i32 number = I32(AT(band, y * p.w + x));
                i32 place = place_of(number, GZ, p.words, p.reach);
                n += place >= 4 * p.reach && place < 4 * (p.words - p.reach) ? 1u : 0u;
                if (GZ == 0 && number == 0) {
                    AT(contrasts, y * p.w + x) = 0u;
                }
            }
        }
        if (n != 0u) {
            ATOMIC_ADD(found, 0, n);
        }
    }
    THEN
    {
        /* All but the lowest row under the first windows. */
        if (AT(found, 0) != 0u) {
            i32 begin = max_i32(GY * p.rows - p.radius, 0);
            i32 end = min_i32(GY * p.rows + p.radius, p.h);
            for (i32 column = LANE; column < p.columns; column += LANES) {
                i32 x = GX * p.out_columns - p.radius + column;
                if (x >= 0 && x < p.w) {
                    for (i32 y = begin; y < end; ++y) {
                        i32 place = place_of(I32(AT(band, y * p.w + x)), GZ, p.words, p.reach);
                        if (place >= 0 && place < 4 * p.words) {
                            AT(counts, (place >> 2) * p.stride + column) += unit_of(place);
                        }
                    }
                }
            }
        }
    }
    for (i32 row = 0; row < min_i32(p.rows, p.h - GY * p.rows) && AT(found, 0) != 0u; ++row) {
        THEN
        {
            i32 enters = GY * p.rows + row + p.radius, leaves = enters - 2 * p.radius - 1;
            for (i32 column = LANE; column < p.columns; column += LANES) {
                i32 x = GX * p.out_columns - p.radius + column;
                if (x >= 0 && x < p.w && enters < p.h) {
                    i32 place = place_of(I32(AT(band, enters * p.w + x)), GZ, p.words, p.reach);
                    if (place >= 0 && place < 4 * p.words) {
                        AT(counts, (place >> 2) * p.stride + column) += unit_of(place);
                    }
                }
                if (x >= 0 && x < p.w && leaves >= 0 && row > 0) {
                    i32 place = place_of(I32(AT(band, leaves * p.w + x)), GZ, p.words, p.reach);
                    if (place >= 0 && place < 4 * p.words) {
                        AT(counts, (place >> 2) * p.stride + column) -= unit_of(place);
                    }
                }
            }
        }
        THEN
        {
            i32 y = GY * p.rows + row;
            i32 end = min_i32(p.out_columns, p.w - GX * p.out_columns);
            for (i32 column = LANE; column < end; column += LANES) {
                i32 x = GX * p.out_columns + column;
                i32 number = I32(AT(band, y * p.w + x));
                i32 place = place_of(number, GZ, p.words, p.reach);
                if (place >= 4 * p.reach && place < 4 * (p.words - p.reach)) {
                    i32 window = 2 * p.radius + 1;
                    i32 own_at = (place >> 2) * p.stride + column, in_word = place & 3;
                    counts_of_word upper, lower, none;
                    none.even = 0u;
                    none.odd = 0u;
                    upper = none;
                    for (i32 first = 0; first < window; first += p.at_once) {
                        u32 bytes = 0u;
                        for (i32 i = first; i < min_i32(first + p.at_once, window); ++i) {
                            bytes += AT(counts, own_at + i);
                        }
                        upper = add_counts(upper, bytes);
                    }
                    lower = upper;
                    u32 own = count_of(upper, upper, in_word);
                    u32 visible = AT(steps, CAMBI_CONTRAST_STEPS + number);
                    u32 strongest = 0u;
                    for (i32 word = 0; word < p.reach; ++word) {
                        counts_of_word above = none, below = none;
                        i32 above_at = own_at + (word + 1) * p.stride;
                        i32 below_at = own_at - (word + 1) * p.stride;
                        for (i32 first = 0; first < window; first += p.at_once) {
                            u32 above_bytes = 0u, below_bytes = 0u;
                            for (i32 i = first; i < min_i32(first + p.at_once, window); ++i) {
                                above_bytes += AT(counts, above_at + i);
                                below_bytes += AT(counts, below_at + i);
                            }
                            above = add_counts(above, above_bytes);
                            below = add_counts(below, below_bytes);
                        }
                        UNROLL
                        for (i32 k = 0; k < 4; ++k) {
                            i32 step = 4 * word + k; /* less 1 */
                            u32 up = count_of(upper, above, in_word + k + 1);
                            u32 down = count_of(below, lower, in_word + 3 - k);
                            u32 other = up > down ? up : down;
                            if (((visible >> step) & 1u) != 0u && other != 0u) {
                                u32 contrast = contrast_bits(AT(steps, step) * own, other,
                                                             AT(reciprocals, own + other));
                                strongest = contrast > strongest ? contrast : strongest;
                            }
                        }
                        upper = above;
                        lower = below;
                    }
                    AT(contrasts, y * p.w + x) = strongest;
                }
            }
        }
    }
KERNEL_END
