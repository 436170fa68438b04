/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_VIF_VIF_H
#define METRICS_VIF_VIF_H

#include <stdint.h>

#include "metrics/framework/option.h"
#include "metrics/vif/vif_kernel.h"

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

/*
 * Logarithms to base 2 in units of 1/2048, by table from the 16 leading bits of the argument.
 *
 * With T(i) = floor(2048 * single(log2 i) + 0.5) for 2^15 <= i < 2^16, where single() rounds to
 * 24 significant bits, the logarithm of v is T(v >> k) + 2048 k, where v >> k has 16 bits. The
 * rounding to single precision is part of the definition: it decides some ties.
 */

/*
 * T in 8 KiB. Among eight consecutive indices T grows by at most one, so an entry holds the value
 * at the first of them and where the step is: entry b is 8 (T(8b) - 30720) + e, for
 * b = i / 8 - 4096, with e such that T(8b + j) = 30720 + (entry + j) / 8, rounded down.
 */
extern const uint16_t vif_log_steps[VIF_LOG_STEPS];

#endif
