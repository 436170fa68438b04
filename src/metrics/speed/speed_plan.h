/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SPEED_SPEED_PLAN_H
#define METRICS_SPEED_SPEED_PLAN_H

/* What accumulating and condensing have in common. */

#include "metrics/speed/speed.h"
#include "metrics/speed/speed_entropy.h"
#include "metrics/speed/speed_residual.h"

enum { SPEED_REFERENCE, SPEED_DISTORTED, SPEED_PICTURES };

typedef struct SpeedVariant {
    unsigned view;
    SpeedNoise noise;
} SpeedVariant;

typedef struct SpeedPlan {
    SpeedKernels kernels;
    bool is_temporal;
    unsigned first_plane, n_planes;
    unsigned bpc;
    unsigned n_views, n_variants;
    SpeedView *views;
    SpeedVariant variants[];
} SpeedPlan;

typedef struct SpeedScratch {
    SpeedResidualScratch residual;
    float *memory;
    float *blocks, *solution; /* transposed: a row for each sample of a block */
    SpeedAnalysis analyses[SPEED_PICTURES];
    SpeedScores *scores; /* of each variant */
} SpeedScratch;

/* Blocks are worked on in groups of 16. */
static inline size_t speed_block_stride(const SpeedGeometry *geometry)
{
    return (geometry->n_blocks + 15) / 16 * (size_t)16;
}

/* The record's planes of one picture, one after the other: numbers of each. */
static inline size_t speed_plane_samples(const SpeedGeometry *geometry)
{
    return (size_t)geometry->blocks_w * geometry->blocks_h;
}

/* The first record of a view that is wanted; NULL: none is. */
void *speed_record_of_view(const SpeedPlan *plan, unsigned view, void *const records[]);

#endif
