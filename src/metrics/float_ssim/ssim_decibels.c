/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_ssim/ssim_decibels.h"

#include <math.h>
#include <stdint.h>

#include "metrics/common/math/math_functions.h"

static double limit(const PictureFormat *format)
{
    const uint32_t peak = (1u << format->bpc) - 1;
    const double n_samples = (double)(format->w[0] * format->h[0]);
    return ceil(10 * math_log10((double)(peak * peak) / (0.5 / n_samples)));
}

double ssim_decibels(double index, const PictureFormat *format, bool is_clipped)
{
    const double max = is_clipped ? limit(format) : INFINITY;
    const double decibels = -10 * math_log10(1 - index);
    /* Not fmin: an index that is not a number gets the maximum. */
    return decibels < max ? decibels : max;
}
