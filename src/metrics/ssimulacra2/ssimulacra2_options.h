/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SSIMULACRA2_SSIMULACRA2_OPTIONS_H
#define METRICS_SSIMULACRA2_SSIMULACRA2_OPTIONS_H

#include "metrics/framework/option.h"

typedef struct Ssimulacra2Options {
    int yuv_matrix; /* Ssimulacra2Matrix */
} Ssimulacra2Options;

/* How samples encode colour. */
enum Ssimulacra2Matrix {
    SSIMULACRA2_BT709_LIMITED,
    SSIMULACRA2_BT601_LIMITED,
    SSIMULACRA2_BT709_FULL,
    SSIMULACRA2_BT601_FULL,
};

/* Ends with an empty entry. */
extern const OptionSpec ssimulacra2_option_specs[];

#endif
