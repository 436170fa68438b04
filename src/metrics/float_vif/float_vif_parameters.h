/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_VIF_FLOAT_VIF_PARAMETERS_H
#define METRICS_FLOAT_VIF_FLOAT_VIF_PARAMETERS_H

#include "metrics/float_vif/float_vif_options.h"

/* What becomes of a pixel's statistics, from the options. */
typedef struct FloatVifParameters {
    float gain_limit;
    double noise_variance;
    float inverse_noise; /* if multiplying by it is the same as dividing by the variance, else 0 */
    float flat_factor;   /* what a variance below the noise counts */
} FloatVifParameters;

FloatVifParameters float_vif_parameters(const FloatVifOptions *options);

/* The least binary32 number that is not below another: comparisons of binary32 numbers with either
 * come out the same. */
float float_vif_round_up(double value);

#endif
