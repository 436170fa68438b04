/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The last step of an ordered sum, by one group: follows the sum itself through the blocks. Where
 * the units of a block do not hold for it, it goes through the block's chunks; where those of a
 * chunk do not, lanes count units of segments again, for the power that the sum really has; and
 * where those do not hold either, since the sum passes a power of two, one lane adds the segment's
 * terms one after the other.
 *
 * Lane 0 does all that depends on the sum. All lanes decide by group memory whether to stay in a
 * loop: it is written only in blocks after which another one follows.
 *
 * A software device ends a lane's loops after 65535 turns in all. That is enough but for sums that
 * pass powers of two in hundreds of thousands of terms; those are then NaN, which no record allows.
 *
 * VARIANT 32 BITS=32 WORD=u32
 * VARIANT 64 BITS=64 WORD=u64
 */
#define WX 128
#define WY 1
#include "dialect/kernel.h"
#include "dialect/binary64.h"
#include "reduce/reduce_args.h"
#include "reduce/ordered_units.h"

#if BITS == 64
#define ADD_WORDS(a, b) bits_of_f64(add_f64(f64_of_bits(a), f64_of_bits(b)))
#else
#define ADD_WORDS(a, b) bits_of_f32(add_f32(f32_of_bits(a), f32_of_bits(b)))
#endif
#define NOT_DONE  (TO_WORD(0) - TO_WORD(1)) /* a NaN */
#define PER_CHUNK (ORDERED_SUM_CHUNK / ORDERED_SUM_SEGMENT)

/* Elements of the group's state. */
#define BLOCK    0 /* the next one, of those that are loaded */
#define BLOCKS   1 /* that are loaded */
#define FAILED   2 /* the block that did not hold */
#define CHUNK    3 /* the next one of it */
#define CHUNKS   4 /* of it; 0: all blocks hold */
#define SEGMENT  5 /* the next one from this chunk on */
#define SEGMENTS 6 /* that are loaded; 0: all chunks hold */
#define POWER    7 /* for which they are counted */
#define ADDED    8 /* segments, term by term */
#define COUNTED  9 /* times that segments were counted */

/* Ends the walk through segments where a chunk begins whose run is for the power that the sum has.
 */
#define STOP_AT_CHUNK                                                                              \
    if (s.fits != 0 && segment % PER_CHUNK == 0 &&                                                 \
        AT(at, CHUNK) + segment / PER_CHUNK < ORDERED_SUM_CHUNKS &&                                \
        AT(runs_power, AT(at, CHUNK) + segment / PER_CHUNK) == s.power) {                          \
        end = segment;                                                                             \
    }

KERNEL_BEGIN
KERNEL_IN(0, WORD, terms)
KERNEL_IN(1, ordered_run, chunk_runs)
KERNEL_IN(2, ordered_run, block_runs)
KERNEL_IN(3, u64, earlier) /* results for the terms before */
KERNEL_OUT(4, u64, results)
KERNEL_ARGS(5, ordered_sum_args, p)
/* The runs of blocks, then of the chunks of one. */
GROUP_MEMORY(i64, runs_units, ORDERED_SUM_LANES)
GROUP_MEMORY(i64, runs_low, ORDERED_SUM_LANES)
GROUP_MEMORY(i64, runs_high, ORDERED_SUM_LANES)
GROUP_MEMORY(i32, runs_odd, ORDERED_SUM_LANES)
GROUP_MEMORY(i32, runs_power, ORDERED_SUM_LANES)
GROUP_MEMORY(WORD, tile, TILE_TERMS)
GROUP_MEMORY(i64, segments_units, ORDERED_SUM_LANES)
GROUP_MEMORY(i64, segments_low, ORDERED_SUM_LANES)
GROUP_MEMORY(i64, segments_high, ORDERED_SUM_LANES)
GROUP_MEMORY(i32, segments_odd, ORDERED_SUM_LANES)
GROUP_MEMORY(i32, segments_power, ORDERED_SUM_LANES)
GROUP_MEMORY(WORD, sum, 1)
GROUP_MEMORY(i32, at, 10)
KERNEL_BODY
    FIRST
    {
        if (LANE == 0) {
            AT(sum, 0) = p.first_block == 0u ? TO_WORD(0) : TO_WORD(AT(earlier, 0));
            AT(at, ADDED) = p.first_block == 0u ? 0 : I32(AT(earlier, 1));
            AT(at, COUNTED) = p.first_block == 0u ? 0 : I32(AT(earlier, 2));
            AT(at, BLOCK) = 0;
            AT(at, CHUNK) = 0;
            AT(at, CHUNKS) = 0;
        }
    }
    THEN
    {
    }
    i32 n_blocks = I32((p.count + U32(ORDERED_SUM_BLOCK - 1)) / U32(ORDERED_SUM_BLOCK));
    while (AT(at, BLOCK) < n_blocks) {
        THEN
        {
            if (AT(at, BLOCK) + LANE < n_blocks) {
                ordered_run run = LOAD_RUN(block_runs, AT(at, BLOCK) + LANE);
                PUT_RUN(runs, LANE, run)
            }
        }
        THEN
        {
            if (LANE == 0) {
                running_sum s = running_sum_of(AT(sum, 0));
                i32 first = AT(at, BLOCK);
                i32 end = min_i32(n_blocks - first, LANES);
                i32 block = 0;
                for (; block < end && s.fits != 0; ++block) {
                    s = running_sum_append(s, GET_RUN(runs, block));
                }
                AT(sum, 0) = word_of_sum(s);
                AT(at, BLOCK) = first + block;
                AT(at, FAILED) = first + block - 1;
                AT(at, CHUNK) = 0;
                AT(at, CHUNKS) = s.fits != 0 ? 0 : ORDERED_SUM_CHUNKS;
            }
        }
        THEN
        {
            if (AT(at, CHUNKS) != 0) {
                i32 chunk = AT(at, FAILED) * ORDERED_SUM_CHUNKS + LANE;
                ordered_run run = LOAD_RUN(chunk_runs, chunk);
                PUT_RUN(runs, LANE, run)
            }
        }
        while (AT(at, CHUNK) < AT(at, CHUNKS)) {
            THEN
            {
                if (LANE == 0) {
                    running_sum s = running_sum_of(AT(sum, 0));
                    i32 chunk = AT(at, CHUNK);
                    for (; chunk < ORDERED_SUM_CHUNKS && s.fits != 0; ++chunk) {
                        s = running_sum_append(s, GET_RUN(runs, chunk));
                    }
                    chunk -= 1 - s.fits;
                    AT(sum, 0) = word_of_sum(s);
                    AT(at, CHUNK) = chunk;
                    AT(at, SEGMENT) = 0;
                    AT(at, SEGMENTS) =
                        min_i32((ORDERED_SUM_CHUNKS - chunk) * PER_CHUNK, ORDERED_SUM_LANES);
                    AT(at, POWER) = s.power;
                }
            }
            THEN
            {
                if (AT(at, SEGMENTS) != 0) {
                    i32 chunk = AT(at, FAILED) * ORDERED_SUM_CHUNKS + AT(at, CHUNK);
                    u32 first = U32(chunk) * U32(ORDERED_SUM_CHUNK);
                    LOAD_TILE(first)
                }
            }
            while (AT(at, SEGMENT) < AT(at, SEGMENTS)) {
                THEN
                {
                    segment_run run = segment_begin(AT(at, POWER));
                    UNROLL
                    for (i32 i = 0; i < ORDERED_SUM_SEGMENT; ++i) {
                        run = segment_add(run, AT(tile, TILE_TERM(LANE, i)));
                    }
                    ordered_run counted = run_of_segment(run);
                    PUT_RUN(segments, LANE, counted)
                }
                THEN
                {
                    if (LANE == 0) {
                        running_sum s = running_sum_of(AT(sum, 0));
                        i32 segment = AT(at, SEGMENT);
                        i32 end = AT(at, SEGMENTS);
                        while (segment < end && s.power == AT(at, POWER)) {
                            UNROLL
                            for (i32 k = 0; k < 8; ++k) {
                                if (segment < end && s.fits != 0) {
                                    s = running_sum_append(s, GET_RUN(segments, segment));
                                    segment += s.fits;
                                    STOP_AT_CHUNK
                                }
                            }
                            if (s.fits == 0) {
                                WORD word = word_of_sum(s);
                                UNROLL
                                for (i32 i = 0; i < ORDERED_SUM_SEGMENT; ++i) {
                                    word = ADD_WORDS(word, AT(tile, TILE_TERM(segment, i)));
                                }
                                s = running_sum_of(word);
                                segment += 1;
                                AT(at, ADDED) += 1;
                                STOP_AT_CHUNK
                            }
                        }
                        AT(sum, 0) = word_of_sum(s);
                        AT(at, POWER) = s.power;
                        AT(at, COUNTED) += 1;
                        AT(at, SEGMENT) = segment;
                        AT(at, SEGMENTS) = end;
                        if (segment == end) {
                            AT(at, CHUNK) += segment / PER_CHUNK;
                        }
                    }
                }
                THEN
                {
                }
            }
        }
    }
    THEN
    {
        if (LANE == 0) {
            i32 is_done = AT(at, BLOCK) >= n_blocks && AT(at, CHUNK) >= AT(at, CHUNKS) ? 1 : 0;
            AT(results, 0) = U64(is_done != 0 ? AT(sum, 0) : NOT_DONE);
            AT(results, 1) = U64(AT(at, ADDED));
            AT(results, 2) = U64(AT(at, COUNTED));
        }
    }
KERNEL_END
