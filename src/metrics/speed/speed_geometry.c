/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/speed/speed_geometry.h"

#include <math.h>

#include "metrics/common/gaussian_window.h"

/* Sizes of the filters at scale 1. */
enum { LOW_PASS_TAPS = 9, LOCAL_MEAN_TAPS = 2 };

SpeedGeometry speed_geometry(unsigned w, unsigned h, double prescale)
{
    SpeedGeometry g = {.w = w, .h = h};
    g.scaled_w = (unsigned)(w * prescale + 0.5);
    g.scaled_h = (unsigned)(h * prescale + 0.5);
    g.decimated_w = g.scaled_w / SPEED_DECIMATION;
    g.decimated_h = g.scaled_h / SPEED_DECIMATION;
    g.blocks_across = g.decimated_w / SPEED_BLOCK;
    const unsigned blocks_down = g.decimated_h / SPEED_BLOCK;
    g.n_blocks = g.blocks_across * blocks_down;
    g.blocks_w = g.blocks_across * SPEED_BLOCK;
    g.blocks_h = blocks_down * SPEED_BLOCK;
    g.window_w = g.blocks_w - SPEED_BLOCK + 1;
    g.window_h = g.blocks_h - SPEED_BLOCK + 1;
    return g;
}

bool speed_geometry_fits(const SpeedGeometry *geometry)
{
    return geometry->scaled_w >= SPEED_MIN_SIZE && geometry->scaled_h >= SPEED_MIN_SIZE;
}

/* Factors this close to 1 leave the plane as it is. */
bool speed_is_resized(const SpeedGeometry *geometry, double prescale)
{
    return !(fabs(prescale - 1.0) < 1e-3) &&
           (geometry->scaled_w != geometry->w || geometry->scaled_h != geometry->h);
}

SpeedFilters speed_filters(double kernelscale)
{
    SpeedFilters filters = {
        .n_low_pass = gaussian_window_size(LOW_PASS_TAPS, kernelscale),
        .n_local_mean = gaussian_window_size(LOCAL_MEAN_TAPS, kernelscale),
    };
    gaussian_window(filters.low_pass, filters.n_low_pass, (float)(2.0 * filters.n_low_pass / 5.0));
    gaussian_window(filters.local_mean, filters.n_local_mean, (float)filters.n_local_mean / 5.0f);
    return filters;
}
