/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_VIF_FLOAT_VIF_H
#define METRICS_FLOAT_VIF_FLOAT_VIF_H

#include "metrics/framework/option.h"

/* Options of float_vif, and the sizes of its pictures. */

enum { FLOAT_VIF_SCALES = 4 };

typedef struct FloatVifOptions {
    bool debug;
    double vif_enhn_gain_limit;
    double vif_kernelscale;
    double vif_prescale;
    double vif_scale_min_val[FLOAT_VIF_SCALES]; /* of scales 1 to 3 */
    const char *vif_prescale_method;
    double vif_sigma_nsq;
    bool vif_skip_scale0;
} FloatVifOptions;

/* Ends with an empty entry. */
extern const OptionSpec float_vif_option_specs[];

/* The size of luma of w x h samples after prescaling, that of scale 0; that of scale s is
 * scaled_w >> s, scaled_h >> s. */
void float_vif_size(const FloatVifOptions *options, unsigned w, unsigned h, unsigned *scaled_w,
                    unsigned *scaled_h);

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

enum { FLOAT_VIF_MAX_TAPS = 65 };

/* The Gaussian window of a scale, which is also the low-pass filter before it is reduced to that
 * scale. */
typedef struct FloatVifWindow {
    int radius;
    float taps[FLOAT_VIF_MAX_TAPS]; /* 2 radius + 1, from the left */
} FloatVifWindow;

FloatVifWindow float_vif_window(double kernelscale, int scale);

#endif
