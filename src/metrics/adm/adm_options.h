/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_ADM_ADM_OPTIONS_H
#define METRICS_ADM_ADM_OPTIONS_H

#include "metrics/framework/option.h"

/* Options and limits of ADM. */

enum {
    ADM_MIN_SIZE = 17, /* the coarsest scale needs two coefficients in each direction */
    ADM_MIN_DEPTH = 8,
    ADM_MAX_DEPTH = 16,
};

/* Viewing distance in display heights, times lines of the display: the usual value, and the
 * minimum, which equals it. */
#define ADM_USUAL_RESOLUTION (3.0 * 1080.0)
#define ADM_MIN_RESOLUTION   ADM_USUAL_RESOLUTION

typedef struct AdmOptions {
    bool debug;
    double csf_scale, csf_diag_scale;
    double dlm_weight;
    double enhn_gain_limit;
    double norm_view_dist;  /* in display heights */
    int ref_display_height; /* in lines */
    int csf_mode;           /* AdmCsfMode */
    double noise_weight;
    bool skip_aim, skip_scale0;
    double min_val;
} AdmOptions;

/* The options that ADM shares with float_adm: rows of a table, for a struct with their members. */
#define ADM_COMMON_OPTION_SPECS(Options)                                                           \
    {                                                                                              \
        .name = "debug",                                                                           \
        .help = "also write totals, numerators and denominators",                                  \
        .type = OPTION_BOOL,                                                                       \
        .offset = offsetof(Options, debug),                                                        \
    },                                                                                             \
        {                                                                                          \
            .name = "adm_csf_scale",                                                               \
            .alias = "scf",                                                                        \
            .help =                                                                                \
                "factor on the weights of horizontal and vertical detail; adm_csf_mode 1 only",    \
            .type = OPTION_DOUBLE,                                                                 \
            .flags = OPTION_NAMED | OPTION_ACCUMULATE,                                             \
            .offset = offsetof(Options, csf_scale),                                                \
            .default_value = 1,                                                                    \
            .min = 0,                                                                              \
            .max = 50,                                                                             \
        },                                                                                         \
        {                                                                                          \
            .name = "adm_csf_diag_scale",                                                          \
            .alias = "scfd",                                                                       \
            .help = "factor on the weights of diagonal detail; adm_csf_mode 1 only",               \
            .type = OPTION_DOUBLE,                                                                 \
            .flags = OPTION_NAMED | OPTION_ACCUMULATE,                                             \
            .offset = offsetof(Options, csf_diag_scale),                                           \
            .default_value = 1,                                                                    \
            .min = 0,                                                                              \
            .max = 50,                                                                             \
        },                                                                                         \
        {                                                                                          \
            .name = "adm_dlm_weight",                                                              \
            .alias = "dlmw",                                                                       \
            .help = "weight of adm2 in adm3; the rest is that of 1 - aim",                         \
            .type = OPTION_DOUBLE,                                                                 \
            .flags = OPTION_NAMED,                                                                 \
            .offset = offsetof(Options, dlm_weight),                                               \
            .default_value = 0.5,                                                                  \
            .min = 0,                                                                              \
            .max = 1,                                                                              \
        },                                                                                         \
        {                                                                                          \
            .name = "adm_enhn_gain_limit",                                                         \
            .alias = "egl",                                                                        \
            .help = "limit of the gain: 1 gives no credit for enhancement",                        \
            .type = OPTION_DOUBLE,                                                                 \
            .flags = OPTION_NAMED | OPTION_ACCUMULATE,                                             \
            .offset = offsetof(Options, enhn_gain_limit),                                          \
            .default_value = 100,                                                                  \
            .min = 1,                                                                              \
            .max = 100,                                                                            \
        },                                                                                         \
        {                                                                                          \
            .name = "adm_norm_view_dist",                                                          \
            .alias = "nvd",                                                                        \
            .help = "viewing distance in display heights",                                         \
            .type = OPTION_DOUBLE,                                                                 \
            .flags = OPTION_NAMED | OPTION_ACCUMULATE,                                             \
            .offset = offsetof(Options, norm_view_dist),                                           \
            .default_value = 3,                                                                    \
            .min = 0.75,                                                                           \
            .max = 24,                                                                             \
        },                                                                                         \
        {                                                                                          \
            .name = "adm_noise_weight",                                                            \
            .alias = "nw",                                                                         \
            .help = "weight of the noise floor in numerators and denominators",                    \
            .type = OPTION_DOUBLE,                                                                 \
            .flags = OPTION_NAMED,                                                                 \
            .offset = offsetof(Options, noise_weight),                                             \
            .default_value = 0.03125,                                                              \
            .min = 0,                                                                              \
            .max = 1500,                                                                           \
        },                                                                                         \
        {                                                                                          \
            .name = "adm_skip_scale0",                                                             \
            .alias = "ssz",                                                                        \
            .help = "leave out scale 0",                                                           \
            .type = OPTION_BOOL,                                                                   \
            .flags = OPTION_NAMED | OPTION_ACCUMULATE,                                             \
            .offset = offsetof(Options, skip_scale0),                                              \
        },                                                                                         \
    {                                                                                              \
        .name = "adm_min_val", .alias = "min", .help = "lower limit of adm3",                      \
        .type = OPTION_DOUBLE, .flags = OPTION_NAMED, .offset = offsetof(Options, min_val),        \
        .default_value = 0, .min = 0, .max = 1,                                                    \
    }

/* Ends with an empty entry. */
extern const OptionSpec adm_option_specs[];

#endif
