/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_FLOAT_MOMENT_FLOAT_MOMENT_H
#define CORE_FEATURE_FLOAT_MOMENT_FLOAT_MOMENT_H

#include "feature/extractor.h"

/* First and second moments of the luma of both pictures, in the 8-bit range. */
extern const FeatureExtractor float_moment_extractor;

#endif
