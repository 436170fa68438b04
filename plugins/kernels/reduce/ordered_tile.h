/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * A tile of terms: the segments of the lanes one after the other, each followed by an element that
 * is not used, so that lanes which walk their segments side by side use different banks. LOAD_TILE
 * is what a block does that loads the tile at term `first`; after the last term it is +0, which
 * changes no sum.
 */
#define TILE_TERMS            (ORDERED_SUM_LANES * (ORDERED_SUM_SEGMENT + 1))
#define TILE_TERM(segment, i) ((segment) * (ORDERED_SUM_SEGMENT + 1) + (i))
#define LOAD_TILE(first)                                                                           \
    UNROLL                                                                                         \
    for (i32 k = 0; k < ORDERED_SUM_SEGMENT; ++k) {                                                \
        i32 i = k * LANES + LANE;                                                                  \
        AT(tile, TILE_TERM(i / ORDERED_SUM_SEGMENT, i % ORDERED_SUM_SEGMENT)) =                    \
            (first) + U32(i) < p.count ? AT(terms, (first) + U32(i)) : TO_WORD(0);                 \
    }
