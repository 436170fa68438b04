/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_SPEED_SPEED_VIEW_H
#define CORE_FEATURE_SPEED_SPEED_VIEW_H

/*
 * How planes are looked at: resized, low-pass filtered, reduced 16 times, cut into blocks of 5x5.
 */

#include "feature/common/resample.h"
#include "feature/speed/speed_options.h"

enum {
    SPEED_DECIMATION = 16,
    SPEED_BLOCK = 5,          /* columns and rows of a block */
    SPEED_BLOCK_SAMPLES = 25, /* its samples, in raster order */
    SPEED_MAX_LOW_PASS_TAPS = 35,
    SPEED_MAX_LOCAL_MEAN_TAPS = 9,
};

typedef struct SpeedGeometry {
    unsigned w, h;               /* of the plane */
    unsigned scaled_w, scaled_h; /* resized, or cropped if it is not resized */
    unsigned decimated_w, decimated_h;
    unsigned blocks_across, n_blocks; /* that fit into the decimated plane */
    unsigned window_w, window_h; /* positions that any sample of a 5x5 window takes within them */
} SpeedGeometry;

typedef struct SpeedView {
    SpeedGeometry geometry;
    Resampler *resampler; /* NULL: planes are used as they are */
    int n_low_pass, n_local_mean;
    float low_pass[SPEED_MAX_LOW_PASS_TAPS];
    float local_mean[SPEED_MAX_LOCAL_MEAN_TAPS];
    bool use_ref_diff;
} SpeedView;

SpeedGeometry speed_geometry(unsigned w, unsigned h, double prescale);

/* 0, -ENOMEM. The options must have been checked. */
int speed_view_init(SpeedView *view, const SpeedOptions *options, unsigned w, unsigned h);
void speed_view_clear(SpeedView *view);
/* Whether options look at planes in the same way. */
bool speed_view_shared(const SpeedOptions *a, const SpeedOptions *b);

#endif
