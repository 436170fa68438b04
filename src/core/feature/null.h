/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_NULL_H
#define CORE_FEATURE_NULL_H

#include "feature/extractor.h"

/* `null`: accepts every frame and computes nothing; for timing everything else. */
extern const FeatureExtractor null_extractor;

#endif
