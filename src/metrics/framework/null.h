/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FRAMEWORK_NULL_H
#define METRICS_FRAMEWORK_NULL_H

#include "metrics/framework/extractor.h"

/* `null`: accepts every frame and computes nothing; for timing everything else. */
extern const FeatureExtractor null_extractor;

#endif
