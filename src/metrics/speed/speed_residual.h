/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SPEED_SPEED_RESIDUAL_H
#define METRICS_SPEED_SPEED_RESIDUAL_H

/*
 * From a plane to what is analysed: the plane reduced 16 times, less its local mean. Only those
 * samples of the resized and filtered planes are computed on which the result depends.
 */

#include "metrics/speed/speed_kernels.h"
#include "picture/format.h"

/* A plane of one picture, or the difference of a plane of two. */
typedef struct SpeedSource {
    const VmafPicture *picture;
    const VmafPicture *less; /* is subtracted; NULL for one picture */
    unsigned plane;
    unsigned bpc;
} SpeedSource;

/* Rows that may be needed again soon. Row y is in slot y % n_slots or nowhere. */
typedef struct SpeedRowCache {
    float *rows;
    size_t stride;
    unsigned n_slots;
    unsigned numbers[SPEED_MAX_LOW_PASS_TAPS];
} SpeedRowCache;

typedef struct SpeedResidualScratch {
    float *memory;
    SpeedRowCache input, scaled;
    float *columns;   /* a row after the vertical filter; mirrored ends on both sides */
    float *decimated; /* before the local mean is subtracted */
    float *residual;  /* the result; rows are followed by at least 3 finite numbers */
    size_t stride;    /* of the last two */
} SpeedResidualScratch;

/* Scratch memory for any of the views. 0, -ENOMEM. */
int speed_residual_scratch_init(SpeedResidualScratch *scratch, const SpeedView views[],
                                unsigned n_views);
void speed_residual_scratch_clear(SpeedResidualScratch *scratch);

/* Leaves decimated_w x decimated_h samples in scratch->residual. */
void speed_residual(const SpeedView *view, const SpeedKernels *kernels, const SpeedSource *source,
                    SpeedResidualScratch *scratch);

#endif
