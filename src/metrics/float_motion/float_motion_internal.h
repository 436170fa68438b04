/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_MOTION_FLOAT_MOTION_INTERNAL_H
#define METRICS_FLOAT_MOTION_FLOAT_MOTION_INTERNAL_H

#include <stdbool.h>

#include "metrics/float_motion/float_motion.h"
#include "metrics/framework/extractor.h"

/* How much the low-pass filtered reference changes from frame to frame, in floating point. */
extern const FeatureExtractor float_motion_extractor;

/*
 * The rows of float_motion. All instruction sets give the same bits: sums have the order that is
 * written here.
 */

typedef struct FloatMotionFunctions {
    /* out[x] = samples[x] factor - 128. `deep`: words; bytes have the factor 1. */
    void (*load)(const void *samples, bool deep, float factor, float *out, unsigned w);
    /* out[x] = taps[0] rows[0][x] + taps[1] rows[1][x] + ..., added in this order; 3 or 5 taps. */
    void (*filter_columns)(const float *const rows[], const float taps[], int n_taps, float *out,
                           unsigned w);
    /* out[x] = taps[0] row[x - n_taps / 2] + ..., added in this order; 3 or 5 taps. */
    void (*filter_row)(const float *row, const float taps[], int n_taps, float *out, unsigned w);
    /* out[x] = |a[x] - b[x]| */
    void (*differences)(const float *a, const float *b, float *out, unsigned w);
} FloatMotionFunctions;

/* Most rows that are done together. */
enum { FLOAT_MOTION_BLOCK_ROWS = 16 };

/* Rows of a plane of two frames. */
typedef struct FloatMotionBlock {
    /* Rows of samples: those of the block, with n_taps / 2 above and below it. */
    const void *rows[2][FLOAT_MOTION_BLOCK_ROWS + 4];
    /* Rows that the next block reads for the first time. */
    const void *next[2][FLOAT_MOTION_BLOCK_ROWS];
    unsigned w;   /* at least 1 + n_taps / 2 */
    bool deep;    /* as in `load` */
    float factor; /* a power of two */
    const float *taps;
    int n_taps; /* 3 or 5; the taps are symmetric */
} FloatMotionBlock;

typedef struct FloatMotionBlocks {
    unsigned n_rows; /* of a block; 0: there is no function */
    /* sums[i]: the differences of row i of the block, filtered down the columns and then along the
     * row, whose ends are mirrored; added from left to right. As with the functions above. */
    void (*sum_rows)(const FloatMotionBlock *block, float sums[]);
} FloatMotionBlocks;

/* The functions for the instruction sets in `cpu_flags`. */
const FloatMotionFunctions *float_motion_functions(unsigned cpu_flags);
const FloatMotionBlocks *float_motion_blocks(unsigned cpu_flags);

#endif
