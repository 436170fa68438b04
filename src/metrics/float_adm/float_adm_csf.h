/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_ADM_FLOAT_ADM_CSF_H
#define METRICS_FLOAT_ADM_FLOAT_ADM_CSF_H

#include "metrics/adm/adm_geometry.h"
#include "metrics/float_adm/float_adm_options.h"

/* Weights of bands h, v and d of a scale from 0 (finest): what the options say, or else the
 * contrast sensitivity. */
void float_adm_weights(const FloatAdmOptions *options, int scale, float weights[ADM_BANDS]);

#endif
