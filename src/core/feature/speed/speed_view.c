/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/speed/speed_view.h"

#include <math.h>
#include <string.h>

#include "feature/common/gaussian_window.h"

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
    g.window_w = (g.blocks_across - 1) * SPEED_BLOCK + 1;
    g.window_h = (blocks_down - 1) * SPEED_BLOCK + 1;
    return g;
}

/* Factors this close to 1 leave the plane as it is, but for its size. */
static bool is_resized(double prescale)
{
    return !(fabs(prescale - 1.0) < 1e-3);
}

int speed_view_init(SpeedView *view, const SpeedOptions *options, unsigned w, unsigned h)
{
    const double scale = options->speed_kernelscale;
    *view = (SpeedView){
        .geometry = speed_geometry(w, h, options->speed_prescale),
        .n_low_pass = gaussian_window_size(LOW_PASS_TAPS, scale),
        .n_local_mean = gaussian_window_size(LOCAL_MEAN_TAPS, scale),
        .use_ref_diff = options->speed_use_ref_diff,
    };
    const SpeedGeometry *g = &view->geometry;
    gaussian_window(view->low_pass, view->n_low_pass, (float)(2.0 * view->n_low_pass / 5.0));
    gaussian_window(view->local_mean, view->n_local_mean, (float)view->n_local_mean / 5.0f);
    if (!is_resized(options->speed_prescale) || (g->scaled_w == w && g->scaled_h == h))
        return 0;
    return resampler_create(&view->resampler, resample_method(options->speed_prescale_method), w, h,
                            g->scaled_w, g->scaled_h);
}

void speed_view_clear(SpeedView *view)
{
    resampler_destroy(view->resampler);
}

bool speed_view_shared(const SpeedOptions *a, const SpeedOptions *b)
{
    return a->speed_kernelscale == b->speed_kernelscale && a->speed_prescale == b->speed_prescale &&
           !strcmp(a->speed_prescale_method, b->speed_prescale_method) &&
           a->speed_use_ref_diff == b->speed_use_ref_diff;
}
