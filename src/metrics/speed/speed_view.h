/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SPEED_SPEED_VIEW_H
#define METRICS_SPEED_SPEED_VIEW_H

/* How planes are looked at, for sizes and options. */

#include "metrics/common/resample.h"
#include "metrics/speed/speed_geometry.h"

typedef struct SpeedView {
    SpeedGeometry geometry;
    Resampler *resampler; /* NULL: planes are used as they are */
    SpeedFilters filters;
    bool use_ref_diff;
} SpeedView;

/* 0, -ENOMEM. The options must have been checked. */
int speed_view_init(SpeedView *view, const SpeedOptions *options, unsigned w, unsigned h);
void speed_view_clear(SpeedView *view);

#endif
