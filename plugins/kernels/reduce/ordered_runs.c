/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The second step of an ordered sum: estimates say which power the sum has where a chunk begins,
 * and lanes count the units that the chunk then adds. A group does a block.
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
#define PER_PART  16 /* chunks whose estimates, or whose runs, a lane puts together */
#define PARTS     (ORDERED_SUM_CHUNKS / PER_PART)

KERNEL_BEGIN
KERNEL_IN(0, WORD, terms)
KERNEL_IN(1, u64, of_chunks)
KERNEL_IN(2, u64, of_blocks) /* of the whole sum */
KERNEL_OUT(3, ordered_run, chunk_runs)
KERNEL_OUT(4, ordered_run, block_runs)
KERNEL_ARGS(5, ordered_sum_args, p)
GROUP_MEMORY(WORD, tile, TILE_TERMS)
GROUP_MEMORY(u64, before, ORDERED_SUM_LANES)    /* estimates of blocks before this one */
GROUP_MEMORY(u64, estimates, ORDERED_SUM_LANES) /* of the chunks */
GROUP_MEMORY(u64, of_parts, PARTS)
GROUP_MEMORY(i32, powers, ORDERED_SUM_LANES) /* where the chunks begin */
GROUP_MEMORY(i64, segments_units, ORDERED_SUM_LANES)
GROUP_MEMORY(i64, segments_low, ORDERED_SUM_LANES)
GROUP_MEMORY(i64, segments_high, ORDERED_SUM_LANES)
GROUP_MEMORY(i32, segments_odd, ORDERED_SUM_LANES)
GROUP_MEMORY(i32, segments_power, ORDERED_SUM_LANES)
GROUP_MEMORY(i64, runs_units, ORDERED_SUM_LANES)
GROUP_MEMORY(i64, runs_low, ORDERED_SUM_LANES)
GROUP_MEMORY(i64, runs_high, ORDERED_SUM_LANES)
GROUP_MEMORY(i32, runs_odd, ORDERED_SUM_LANES)
GROUP_MEMORY(i32, runs_power, ORDERED_SUM_LANES)
KERNEL_BODY
    FIRST
    {
        u64 sum = U64(0);
        for (i32 block = LANE; block < I32(p.first_block) + GX; block += LANES) {
            sum += AT(of_blocks, block);
        }
        AT(before, LANE) = sum;
        AT(estimates, LANE) = AT(of_chunks, GX * ORDERED_SUM_CHUNKS + LANE);
    }
    GROUP_SUMS(before, 1)
    THEN
    {
        if (LANE < PARTS) {
            u64 sum = U64(0);
            for (i32 k = 0; k < PER_PART; ++k) {
                sum += AT(estimates, LANE * PER_PART + k);
            }
            AT(of_parts, LANE) = sum;
        }
    }
    THEN
    {
        u64 sum = AT(before, 0);
        for (i32 part = 0; part < LANE / PER_PART; ++part) {
            sum += AT(of_parts, part);
        }
        for (i32 k = 0; k < LANE % PER_PART; ++k) {
            sum += AT(estimates, LANE / PER_PART * PER_PART + k);
        }
        AT(powers, LANE) = estimated_power(sum, p.scale);
    }
    for (i32 number = 0; number < ORDERED_SUM_BLOCK / ORDERED_SUM_TILE; ++number) {
        THEN
        {
            u32 first = U32(GX) * U32(ORDERED_SUM_BLOCK) + U32(number) * U32(ORDERED_SUM_TILE);
            LOAD_TILE(first)
        }
        THEN
        {
            segment_run run = segment_begin(AT(powers, number * PER_TILE + LANE / PER_CHUNK));
            for (i32 i = 0; i < ORDERED_SUM_SEGMENT; ++i) {
                run = segment_add(run, AT(tile, TILE_TERM(LANE, i)));
            }
            ordered_run counted = run_of_segment(run);
            PUT_RUN(segments, LANE, counted)
        }
        THEN
        {
            if (LANE < PER_TILE) {
                ordered_run run = GET_RUN(segments, LANE * PER_CHUNK);
                for (i32 k = 1; k < PER_CHUNK; ++k) {
                    run = run_append(run, GET_RUN(segments, LANE * PER_CHUNK + k));
                }
                PUT_RUN(runs, number * PER_TILE + LANE, run)
            }
        }
    }
    THEN
    {
        ordered_run run = GET_RUN(runs, LANE);
        STORE_RUN(chunk_runs, GX * ORDERED_SUM_CHUNKS + LANE, run)
    }
    THEN
    {
        if (LANE < PARTS) {
            ordered_run run = GET_RUN(runs, LANE * PER_PART);
            for (i32 k = 1; k < PER_PART; ++k) {
                run = run_append(run, GET_RUN(runs, LANE * PER_PART + k));
            }
            PUT_RUN(runs, LANE * PER_PART, run)
        }
    }
    THEN
    {
        if (LANE == 0) {
            ordered_run run = GET_RUN(runs, 0);
            for (i32 part = 1; part < PARTS; ++part) {
                run = run_append(run, GET_RUN(runs, part * PER_PART));
            }
            STORE_RUN(block_runs, GX, run)
        }
    }
KERNEL_END
