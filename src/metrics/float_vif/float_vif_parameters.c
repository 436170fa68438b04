/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_vif/float_vif_parameters.h"

#include <math.h>

/* 1 / value if that is exact and neither it nor products with variances leave the range of
 * binary32, else 0. */
static float exact_inverse(double value)
{
    int exponent;
    return frexp(value, &exponent) == 0.5 && exponent > -20 ? (float)(1 / value) : 0;
}

FloatVifParameters float_vif_parameters(const FloatVifOptions *options)
{
    const float noise = (float)options->vif_sigma_nsq;
    return (FloatVifParameters){
        .gain_limit = (float)options->vif_enhn_gain_limit,
        .noise_variance = options->vif_sigma_nsq,
        .inverse_noise = exact_inverse(options->vif_sigma_nsq),
        .flat_factor = (float)((double)(noise * noise) / 65025.0),
    };
}

float float_vif_round_up(double value)
{
    const float rounded = (float)value;
    return (double)rounded < value ? nextafterf(rounded, 1e30f) : rounded;
}
