/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_motion/float_motion_internal.h"
#include "support/cpu.h"

#ifdef __AVX2__
#include <string.h>

#include "support/loops.h"
#include "support/vector_lanes.h"

/*
 * Each lane is a row. Samples are filtered down the columns where they lie, as many rows as there
 * are lanes and some more; squares of them are turned, so that a vector holds a column of all these
 * rows. From column to column then go the filter along the rows and the sum of each row, in the
 * order that the metric wants. Nothing is stored but the squares.
 */

/* Rows are done in as many squares above each other as fill a block, so that the rows around it are
 * few. */
enum { SQUARES = FLOAT_MOTION_BLOCK_ROWS / LANES_32, CACHE_LINE = 64 };
enum { MOST_TAPS = 5, MOST_RADIUS = MOST_TAPS / 2 };

/* A column of a block. */
typedef struct Column {
    LanesF32 rows[SQUARES];
} Column;

/* Sums of the filter that wait for further samples: of the next output, of the one after that, ...
 */
typedef struct Waiting {
    LanesF32 sums[MOST_TAPS - 1];
} Waiting;

/* Adds the next sample, and returns the output of which it is the last. Taps are symmetric; `terms`
 * are the products of the sample with the first half of them, the middle one included. */
static inline LanesF32 filter(Waiting *waiting, const LanesF32 terms[], int n_taps)
{
    LanesF32 *const sums = waiting->sums;
    const LanesF32 out = sums[0] + terms[0];
    if (n_taps == 3) {
        sums[0] = sums[1] + terms[1];
        sums[1] = terms[0];
    } else {
        sums[0] = sums[1] + terms[1];
        sums[1] = sums[2] + terms[2];
        sums[2] = sums[3] + terms[1];
        sums[3] = terms[0];
    }
    return out;
}

static inline LanesF32 filter_along(Waiting *waiting, LanesF32 in, const LanesF32 taps[],
                                    int n_taps)
{
    LanesF32 terms[MOST_RADIUS + 1];
    for (int k = 0; k <= n_taps / 2; k++)
        terms[k] = in * taps[k];
    return filter(waiting, terms, n_taps);
}

static inline LanesF32 load_samples(const void *samples, size_t x, bool deep)
{
#ifdef __AVX512BW__
    const __m512i numbers =
        deep ? _mm512_cvtepu16_epi32(
                   _mm256_loadu_si256((const void *)((const uint16_t *)samples + x)))
             : _mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)((const uint8_t *)samples + x)));
#else
    const __m256i numbers =
        deep ? _mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)((const uint16_t *)samples + x)))
             : _mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)((const uint8_t *)samples + x)));
#endif
    return lanes_f32_of_i32((LanesI32)numbers);
}

/* Taps for samples as they are, and what is to be subtracted from products: those of the sample
 * that counts as 0. */
typedef struct Down {
    LanesF32 taps[MOST_RADIUS + 1], zeros[MOST_RADIUS + 1];
} Down;

/* Rounded once, as the product of a tap with a sample that is centred and scaled: that changes no
 * bit of it, since centre and scale are powers of two and the difference of samples is exact. */
static inline LanesF32 term_of(const Down *down, int k, LanesF32 in)
{
#ifdef __AVX512BW__
    return (LanesF32)_mm512_fmsub_ps((__m512)in, (__m512)down->taps[k], (__m512)down->zeros[k]);
#else
    return (LanesF32)_mm256_fmsub_ps((__m256)in, (__m256)down->taps[k], (__m256)down->zeros[k]);
#endif
}

static inline LanesF32 filter_down(Waiting *waiting, LanesF32 in, const Down *down, int n_taps)
{
    LanesF32 terms[MOST_RADIUS + 1];
    for (int k = 0; k <= n_taps / 2; k++)
        terms[k] = term_of(down, k, in);
    return filter(waiting, terms, n_taps);
}

/* Squares of samples, filtered down the columns and turned. */
static inline void filter_squares(const void *const rows[], size_t x, bool deep, const Down *down,
                                  int n_taps, Column columns[LANES_32])
{
    Waiting waiting = {{{0}}};
    UNROLL_FULLY(MOST_TAPS)
    for (int r = 0; r < n_taps - 1; r++)
        filter_down(&waiting, load_samples(rows[r], x, deep), down, n_taps);
    UNROLL_FULLY(SQUARES)
    for (int s = 0; s < SQUARES; s++) {
        LanesF32 square[LANES_32];
        UNROLL_FULLY(LANES_32)
        for (int r = 0; r < LANES_32; r++) {
            const void *row = rows[s * LANES_32 + r + n_taps - 1];
            square[r] = filter_down(&waiting, load_samples(row, x, deep), down, n_taps);
        }
        lanes_transpose_f32(square);
        UNROLL_FULLY(LANES_32)
        for (int i = 0; i < LANES_32; i++)
            columns[i].rows[s] = square[i];
    }
}

/* The last squares of a row are completed with anything. */
static void filter_last_squares(const void *const rows[], size_t x, unsigned w, bool deep,
                                const Down *down, int n_taps, Column columns[LANES_32])
{
    uint16_t samples[FLOAT_MOTION_BLOCK_ROWS + MOST_TAPS - 1][LANES_32] = {{0}};
    const void *copies[FLOAT_MOTION_BLOCK_ROWS + MOST_TAPS - 1];
    const size_t size = deep ? sizeof(uint16_t) : sizeof(uint8_t);
    for (int r = 0; r < FLOAT_MOTION_BLOCK_ROWS + n_taps - 1; r++)
        copies[r] = memcpy(samples[r], (const uint8_t *)rows[r] + x * size, (w - x) * size);
    filter_squares(copies, 0, deep, down, n_taps, columns);
}

/* Both pictures on their way along the rows. */
typedef struct Block {
    Waiting waiting[SQUARES][2];
    Column columns[2][MOST_RADIUS + LANES_32]; /* those of squares, and the last ones before */
    LanesF32 sums[SQUARES];
} Block;

/* Takes columns begin <= i < end, and adds the differences that they complete, or does not. */
static inline void take_columns(Block *block, int begin, int end, int step, bool adds,
                                const LanesF32 taps[], int n_taps)
{
    for (int s = 0; s < SQUARES; s++) {
        Waiting a = block->waiting[s][0], b = block->waiting[s][1];
        LanesF32 sum = block->sums[s];
        for (int i = begin; i != end; i += step) {
            const Column *const columns[2] = {&block->columns[0][MOST_RADIUS + i],
                                              &block->columns[1][MOST_RADIUS + i]};
            const LanesF32 difference = filter_along(&a, columns[0]->rows[s], taps, n_taps) -
                                        filter_along(&b, columns[1]->rows[s], taps, n_taps);
            if (adds)
                sum += (LanesF32)((LanesI32)difference & INT32_MAX);
        }
        block->waiting[s][0] = a;
        block->waiting[s][1] = b;
        block->sums[s] = sum;
    }
}

/* A part of the rows that the next block begins with, once for each line of the cache. */
static inline void prefetch(const FloatMotionBlock *task, size_t at)
{
    if (at % CACHE_LINE)
        return;
    for (int p = 0; p < 2; p++)
        for (int r = 0; r < FLOAT_MOTION_BLOCK_ROWS; r++)
            __builtin_prefetch((const uint8_t *)task->next[p][r] + at);
}

static inline void sum_block(const FloatMotionBlock *task, float sums[], bool deep, int n_taps)
{
    const int radius = n_taps / 2;
    Block block = {.sums = {{0}}};
    LanesF32 along[MOST_RADIUS + 1];
    Down down;
    for (int k = 0; k <= radius; k++) {
        along[k] = (LanesF32){0} + task->taps[k];
        down.taps[k] = along[k] * task->factor;
        down.zeros[k] = along[k] * 128;
    }
    int n_columns = 0;
    for (size_t x = 0; x < task->w; x += LANES_32) {
        n_columns = task->w - x < LANES_32 ? (int)(task->w - x) : LANES_32;
        prefetch(task, x * (deep ? sizeof(uint16_t) : sizeof(uint8_t)));
        for (int p = 0; p < 2; p++) {
            Column *columns = block.columns[p];
            memcpy(columns, columns + LANES_32, MOST_RADIUS * sizeof(*columns));
            if (n_columns == LANES_32)
                filter_squares(task->rows[p], x, deep, &down, n_taps, columns + MOST_RADIUS);
            else
                filter_last_squares(task->rows[p], x, task->w, deep, &down, n_taps,
                                    columns + MOST_RADIUS);
        }
        if (x == 0) { /* mirrored columns, and those that complete no output */
            take_columns(&block, radius, 0, -1, false, along, n_taps);
            take_columns(&block, 0, radius, 1, false, along, n_taps);
        }
        take_columns(&block, x == 0 ? radius : 0, n_columns, 1, true, along, n_taps);
    }
    take_columns(&block, n_columns - 2, n_columns - 2 - radius, -1, true, along, n_taps);
    memcpy(sums, block.sums, sizeof(block.sums));
}

static void sum_rows(const FloatMotionBlock *block, float sums[])
{
    if (block->n_taps == 3)
        sum_block(block, sums, block->deep, 3);
    else if (block->deep)
        sum_block(block, sums, true, 5);
    else
        sum_block(block, sums, false, 5);
}

const FloatMotionBlocks ISA_VARIANT(float_motion_blocks) = {FLOAT_MOTION_BLOCK_ROWS, sum_rows};
#else
/* Without instructions that widen samples, rows one by one are as fast. */
const FloatMotionBlocks ISA_VARIANT(float_motion_blocks) = {0};
#endif
