/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>
#include <string.h>

#include "metrics/common/filter_taps.h"
#include "metrics/speed/speed.h"

/* The beginning of both tables. */
#define COMMON_OPTION_SPECS                                                                        \
    {.name = "speed_kernelscale",                                                                  \
     .alias = "ks",                                                                                \
     .help = "factor on the size of both filters; one of a list, see the documentation",           \
     .type = OPTION_DOUBLE,                                                                        \
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,                                                    \
     .offset = offsetof(SpeedOptions, speed_kernelscale),                                          \
     .default_value = 1,                                                                           \
     .min = 0.1,                                                                                   \
     .max = 4},                                                                                    \
        {.name = "speed_prescale",                                                                 \
         .alias = "ps",                                                                            \
         .help = "factor by which the planes are resized first",                                   \
         .type = OPTION_DOUBLE,                                                                    \
         .flags = OPTION_NAMED | OPTION_ACCUMULATE,                                                \
         .offset = offsetof(SpeedOptions, speed_prescale),                                         \
         .default_value = 1,                                                                       \
         .min = 0.1,                                                                               \
         .max = 4},                                                                                \
        {.name = "speed_prescale_method",                                                          \
         .alias = "psm",                                                                           \
         .help = "how: nearest, bilinear, bicubic or lanczos4",                                    \
         .type = OPTION_STRING,                                                                    \
         .flags = OPTION_NAMED | OPTION_ACCUMULATE,                                                \
         .offset = offsetof(SpeedOptions, speed_prescale_method),                                  \
         .default_string = "nearest"},                                                             \
        {.name = "speed_sigma_nn",                                                                 \
         .alias = "snn",                                                                           \
         .help = "variance of the neural noise",                                                   \
         .type = OPTION_DOUBLE,                                                                    \
         .flags = OPTION_NAMED | OPTION_CONDENSE,                                                  \
         .offset = offsetof(SpeedOptions, speed_sigma_nn),                                         \
         .default_value = 0.29,                                                                    \
         .min = 0.1,                                                                               \
         .max = 2},                                                                                \
    {                                                                                              \
        .name = "speed_nn_floor", .alias = "nnf",                                                  \
        .help = "blocks with no more signal than this, relative to the noise, do not count",       \
        .type = OPTION_DOUBLE, .flags = OPTION_NAMED | OPTION_CONDENSE,                            \
        .offset = offsetof(SpeedOptions, speed_nn_floor), .min = 0, .max = 1                       \
    }

const OptionSpec speed_chroma_option_specs[] = {
    COMMON_OPTION_SPECS,
    {.name = "speed_max_val",
     .alias = "mxv",
     .help = "largest score; greater ones are clipped",
     .type = OPTION_DOUBLE,
     .flags = OPTION_NAMED,
     .offset = offsetof(SpeedOptions, speed_max_val),
     .default_value = 1000,
     .min = 0,
     .max = 1000},
    {.name = "speed_weight_var_mode",
     .alias = "wvm",
     .help = "which variances weigh the entropies of a block; see the documentation",
     .type = OPTION_INT,
     .flags = OPTION_NAMED | OPTION_CONDENSE,
     .offset = offsetof(SpeedOptions, speed_weight_var_mode),
     .min = 0,
     .max = 6},
    {0},
};

const OptionSpec speed_temporal_option_specs[] = {
    COMMON_OPTION_SPECS,
    {.name = "speed_max_val",
     .alias = "mxv",
     .help = "shows in the key, but has no effect on scores, as in libvmaf",
     .type = OPTION_DOUBLE,
     .flags = OPTION_NAMED,
     .offset = offsetof(SpeedOptions, speed_max_val),
     .default_value = 1000,
     .min = 0,
     .max = 1000},
    {.name = "speed_use_ref_diff",
     .alias = "urd",
     .help = "subtract the reference frame from the distorted one before it",
     .type = OPTION_BOOL,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(SpeedOptions, speed_use_ref_diff)},
    {0},
};

bool speed_record_shared(const SpeedOptions *a, const SpeedOptions *b)
{
    return a->speed_kernelscale == b->speed_kernelscale && a->speed_prescale == b->speed_prescale &&
           !strcmp(a->speed_prescale_method, b->speed_prescale_method) &&
           a->speed_use_ref_diff == b->speed_use_ref_diff;
}

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
