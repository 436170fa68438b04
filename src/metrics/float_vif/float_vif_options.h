/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_VIF_FLOAT_VIF_OPTIONS_H
#define METRICS_FLOAT_VIF_FLOAT_VIF_OPTIONS_H

#include "metrics/framework/option.h"

/* Options of float_vif, and the sizes of its pictures. */

enum { FLOAT_VIF_SCALES = 4 };

typedef struct FloatVifOptions {
    bool debug;
    double vif_enhn_gain_limit;
    double vif_kernelscale;
    double vif_prescale;
    double vif_scale_min_val[FLOAT_VIF_SCALES]; /* of scales 1 to 3 */
    const char *vif_prescale_method;
    double vif_sigma_nsq;
    bool vif_skip_scale0;
} FloatVifOptions;

/* Ends with an empty entry. */
extern const OptionSpec float_vif_option_specs[];

/* The size of luma of w x h samples after prescaling, that of scale 0; that of scale s is
 * scaled_w >> s, scaled_h >> s. */
void float_vif_size(const FloatVifOptions *options, unsigned w, unsigned h, unsigned *scaled_w,
                    unsigned *scaled_h);

#endif
