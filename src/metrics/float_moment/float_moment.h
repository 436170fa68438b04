/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_MOMENT_FLOAT_MOMENT_H
#define METRICS_FLOAT_MOMENT_FLOAT_MOMENT_H

#include "metrics/framework/extractor.h"

/* First and second moments of the luma of both pictures, in the 8-bit range. */
extern const FeatureExtractor float_moment_extractor;

#endif
