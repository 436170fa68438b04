/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_VIF_VIF_OPTIONS_H
#define METRICS_VIF_VIF_OPTIONS_H

#include "metrics/framework/option.h"

/* Options and limits of VIF. */

enum {
    VIF_MIN_SIZE = 8, /* the coarsest scale needs a sample */
    VIF_MIN_DEPTH = 8,
    VIF_MAX_DEPTH = 16,
};

typedef struct VifOptions {
    bool debug;
    double gain_limit;
    bool skip_scale0;
} VifOptions;

/* Ends with an empty entry. */
extern const OptionSpec vif_option_specs[];

#endif
