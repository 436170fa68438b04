/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SPEED_SPEED_OPTIONS_H
#define METRICS_SPEED_SPEED_OPTIONS_H

#include "metrics/framework/option.h"

/* Options of both SpEED extractors. */

typedef struct SpeedOptions {
    double speed_kernelscale;
    double speed_prescale;
    const char *speed_prescale_method;
    double speed_sigma_nn;
    double speed_nn_floor;
    double speed_max_val;
    int speed_weight_var_mode; /* of speed_chroma */
    bool speed_use_ref_diff;   /* of speed_temporal */
} SpeedOptions;

/* End with an empty entry. */
extern const OptionSpec speed_chroma_option_specs[];
extern const OptionSpec speed_temporal_option_specs[];

/* True if options look at planes in the same way, so that records are equal. */
bool speed_record_shared(const SpeedOptions *a, const SpeedOptions *b);

#endif
