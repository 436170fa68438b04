/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/speed/speed_checks.h"

#include <errno.h>

#include "metrics/common/gaussian_scale.h"
#include "metrics/common/resample.h"
#include "metrics/speed/speed_geometry.h"

int speed_check_options(const void *opaque, Reason *why)
{
    const SpeedOptions *options = opaque;
    ResampleMethod method;
    int err = gaussian_scale_check("speed_kernelscale", options->speed_kernelscale, why);
    if (err)
        return err;
    return resample_method_parse("speed_prescale_method", options->speed_prescale_method, &method,
                                 why);
}

int speed_check_planes(const char *what, const SpeedOptions *options, const PictureFormat *format,
                       unsigned plane, Reason *why)
{
    const SpeedGeometry geometry =
        speed_geometry(format->w[plane], format->h[plane], options->speed_prescale);
    if (speed_geometry_fits(&geometry))
        return 0;
    return refuse(why, -EINVAL, "%s of at least %dx%d samples%s, not %ux%u", what, SPEED_MIN_SIZE,
                  SPEED_MIN_SIZE, options->speed_prescale == 1 ? "" : " after resizing",
                  geometry.scaled_w, geometry.scaled_h);
}
