/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/adm/adm_options.h"

#include "metrics/adm/adm_csf.h"

const OptionSpec adm_option_specs[] = {
    ADM_COMMON_OPTION_SPECS(AdmOptions),
    {
        .name = "adm_ref_display_height",
        .alias = "rdh",
        .help = "height of the display in lines",
        .type = OPTION_INT,
        .flags = OPTION_NAMED | OPTION_ACCUMULATE,
        .offset = offsetof(AdmOptions, ref_display_height),
        .default_value = 1080,
        .min = 1,
        .max = 4320,
    },
    {
        .name = "adm_csf_mode",
        .alias = "csf",
        .help = "contrast sensitivity: 0 Watson, 1 Barten, 2 blend of both, 3 second blend",
        .type = OPTION_INT,
        .flags = OPTION_NAMED | OPTION_ACCUMULATE,
        .offset = offsetof(AdmOptions, csf_mode),
        .default_value = ADM_CSF_WATSON,
        .min = ADM_CSF_WATSON,
        .max = ADM_CSF_BLEND_MAE,
    },
    {
        .name = "adm_skip_aim",
        .help = "leave out the additive impairment, which then counts as 0",
        .type = OPTION_BOOL,
        .flags = OPTION_ACCUMULATE,
        .offset = offsetof(AdmOptions, skip_aim),
    },
    {0},
};
