/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The first step of an ordered sum: about what each chunk and each block of terms adds up to, in
 * fixed point. A group does a block.
 *
 * VARIANT 32 BITS=32 WORD=u32
 * VARIANT 64 BITS=64 WORD=u64
 */
#define WX 128
#define WY 1
#include "dialect/kernel.h"
#include "reduce/reduce_args.h"
#include "reduce/ordered_units.h"

#define PER_CHUNK (ORDERED_SUM_CHUNK / ORDERED_SUM_SEGMENT)
#define PER_TILE  (ORDERED_SUM_TILE / ORDERED_SUM_CHUNK)

KERNEL_BEGIN
KERNEL_IN(0, WORD, terms)
KERNEL_OUT(1, u64, of_chunks)
KERNEL_OUT(2, u64, of_blocks)
KERNEL_ARGS(3, ordered_sum_args, p)
GROUP_MEMORY(WORD, tile, TILE_TERMS)
GROUP_MEMORY(u64, segments, ORDERED_SUM_LANES)
GROUP_MEMORY(u64, chunks, ORDERED_SUM_LANES)
KERNEL_BODY
    for (i32 number = 0; number < ORDERED_SUM_BLOCK / ORDERED_SUM_TILE; ++number) {
        THEN
        {
            u32 first = U32(GX) * U32(ORDERED_SUM_BLOCK) + U32(number) * U32(ORDERED_SUM_TILE);
            LOAD_TILE(first)
        }
        THEN
        {
            u64 sum = U64(0);
            for (i32 i = 0; i < ORDERED_SUM_SEGMENT; ++i) {
                sum += estimate_of(AT(tile, TILE_TERM(LANE, i)), p.scale);
            }
            AT(segments, LANE) = sum;
        }
        THEN
        {
            if (LANE < PER_TILE) {
                u64 sum = U64(0);
                for (i32 k = 0; k < PER_CHUNK; ++k) {
                    sum += AT(segments, LANE * PER_CHUNK + k);
                }
                AT(chunks, number * PER_TILE + LANE) = sum;
            }
        }
    }
    THEN
    {
        AT(of_chunks, GX * ORDERED_SUM_CHUNKS + LANE) = AT(chunks, LANE);
    }
    GROUP_SUMS(chunks, 1)
    THEN
    {
        if (LANE == 0) {
            AT(of_blocks, GX) = AT(chunks, 0);
        }
    }
KERNEL_END
