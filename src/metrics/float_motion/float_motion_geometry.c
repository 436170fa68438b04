/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_motion/float_motion_geometry.h"

#include <math.h>

FloatMotionLayout float_motion_layout(const FloatMotionOptions *options,
                                      const unsigned w[FLOAT_MOTION_PLANES],
                                      const unsigned h[FLOAT_MOTION_PLANES])
{
    FloatMotionLayout layout = {.n_planes = options->motion_add_uv ? FLOAT_MOTION_PLANES : 1};
    if (options->force_zero)
        layout.n_planes = 0;
    for (unsigned p = 0; p < layout.n_planes; p++) {
        for (int s = 0; s < (options->motion_add_scale1 ? 2 : 1); s++) {
            layout.w[p][s] = s ? (w[p] + 1) / 2 : w[p];
            layout.h[p][s] = s ? (h[p] + 1) / 2 : h[p];
            layout.offset[p][s] = layout.n_rows;
            layout.n_rows += layout.h[p][s];
        }
    }
    return layout;
}

FloatMotionPlace float_motion_place(unsigned i, unsigned n, unsigned n_reduced)
{
    const float ratio = (float)n / (float)n_reduced;
    const float at = (float)(((double)i + 0.5) * (double)ratio - 0.5);
    const float first = floorf(at);
    return (FloatMotionPlace){(unsigned)first, (unsigned)ceilf(at), at - first};
}
