/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/ssimulacra2/ssimulacra2_options.h"

const OptionSpec ssimulacra2_option_specs[] = {
    {.name = "yuv_matrix",
     .help = "0: BT.709 limited range, 1: BT.601 limited, 2: BT.709 full, 3: BT.601 full",
     .type = OPTION_INT,
     .flags = OPTION_ACCUMULATE,
     .offset = offsetof(Ssimulacra2Options, yuv_matrix),
     .default_value = SSIMULACRA2_BT709_LIMITED,
     .min = SSIMULACRA2_BT709_LIMITED,
     .max = SSIMULACRA2_BT601_FULL},
    {0},
};
