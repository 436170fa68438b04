/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>

#include "metrics/common/filter_taps.h"
#include "metrics/float_vif/float_vif.h"

const OptionSpec float_vif_option_specs[] = {
    {.name = "debug",
     .help = "also write totals, numerators and denominators",
     .type = OPTION_BOOL,
     .offset = offsetof(FloatVifOptions, debug)},
    {.name = "vif_enhn_gain_limit",
     .alias = "egl",
     .help = "limit of the gain: 1 gives no credit for enhancement",
     .type = OPTION_DOUBLE,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(FloatVifOptions, vif_enhn_gain_limit),
     .default_value = 100,
     .min = 1,
     .max = 100},
    {.name = "vif_kernelscale",
     .alias = "ks",
     .help = "factor on the size of the window; one of a list, see the documentation",
     .type = OPTION_DOUBLE,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(FloatVifOptions, vif_kernelscale),
     .default_value = 1,
     .min = 0.1,
     .max = 4},
    {.name = "vif_prescale",
     .alias = "ps",
     .help = "factor by which the pictures are resized first",
     .type = OPTION_DOUBLE,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(FloatVifOptions, vif_prescale),
     .default_value = 1,
     .min = 0.1,
     .max = 4},
    {.name = "vif_scale1_min_val",
     .alias = "s1miv",
     .help = "lower limit of the score of scale 1",
     .type = OPTION_DOUBLE,
     .flags = OPTION_NAMED,
     .offset = offsetof(FloatVifOptions, vif_scale_min_val[1]),
     .max = 1},
    {.name = "vif_scale2_min_val",
     .alias = "s2miv",
     .help = "lower limit of the score of scale 2",
     .type = OPTION_DOUBLE,
     .flags = OPTION_NAMED,
     .offset = offsetof(FloatVifOptions, vif_scale_min_val[2]),
     .max = 1},
    {.name = "vif_scale3_min_val",
     .alias = "s3miv",
     .help = "lower limit of the score of scale 3",
     .type = OPTION_DOUBLE,
     .flags = OPTION_NAMED,
     .offset = offsetof(FloatVifOptions, vif_scale_min_val[3]),
     .max = 1},
    {.name = "vif_prescale_method",
     .alias = "pm",
     .help = "how: nearest, bilinear, bicubic or lanczos4",
     .type = OPTION_STRING,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(FloatVifOptions, vif_prescale_method),
     .default_string = "nearest"},
    {.name = "vif_sigma_nsq",
     .alias = "snsq",
     .help = "variance of the visual noise",
     .type = OPTION_DOUBLE,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(FloatVifOptions, vif_sigma_nsq),
     .default_value = 2,
     .min = 0,
     .max = 5},
    {.name = "vif_skip_scale0",
     .alias = "ssclz",
     .help = "leave out scale 0, whose score is then 0",
     .type = OPTION_BOOL,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(FloatVifOptions, vif_skip_scale0)},
    {0},
};

void float_vif_size(const FloatVifOptions *options, unsigned w, unsigned h, unsigned *scaled_w,
                    unsigned *scaled_h)
{
    *scaled_w = (unsigned)(w * options->vif_prescale + 0.5);
    *scaled_h = (unsigned)(h * options->vif_prescale + 0.5);
}

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

FloatVifWindow float_vif_window(double kernelscale, int scale)
{
    const int size = gaussian_window_size((1 << (4 - scale)) + 1, kernelscale);
    FloatVifWindow window = {.radius = size / 2};
    gaussian_window(window.taps, size, (float)size / 5.0f);
    return window;
}
