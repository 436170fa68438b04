/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/speed/speed_view.h"

int speed_view_init(SpeedView *view, const SpeedOptions *options, unsigned w, unsigned h)
{
    *view = (SpeedView){
        .geometry = speed_geometry(w, h, options->speed_prescale),
        .filters = speed_filters(options->speed_kernelscale),
        .use_ref_diff = options->speed_use_ref_diff,
    };
    const SpeedGeometry *g = &view->geometry;
    if (!speed_is_resized(g, options->speed_prescale))
        return 0;
    return resampler_create(&view->resampler, resample_method(options->speed_prescale_method), w, h,
                            g->scaled_w, g->scaled_h);
}

void speed_view_clear(SpeedView *view)
{
    resampler_destroy(view->resampler);
}
