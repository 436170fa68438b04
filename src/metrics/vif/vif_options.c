/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/vif/vif_options.h"

const OptionSpec vif_option_specs[] = {
    {
        .name = "debug",
        .help = "also write totals, numerators and denominators",
        .type = OPTION_BOOL,
        .offset = offsetof(VifOptions, debug),
    },
    {
        .name = "vif_enhn_gain_limit",
        .alias = "egl",
        .help = "limit of the gain: 1 gives no credit for enhancement",
        .type = OPTION_DOUBLE,
        .flags = OPTION_NAMED | OPTION_ACCUMULATE,
        .offset = offsetof(VifOptions, gain_limit),
        .default_value = 100,
        .min = 1,
        .max = 100,
    },
    {
        .name = "vif_skip_scale0",
        .alias = "ssclz",
        .help = "leave out scale 0, whose score is then 0",
        .type = OPTION_BOOL,
        .flags = OPTION_NAMED | OPTION_ACCUMULATE,
        .offset = offsetof(VifOptions, skip_scale0),
    },
    {0},
};
