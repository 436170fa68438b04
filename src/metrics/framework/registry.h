/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FRAMEWORK_REGISTRY_H
#define METRICS_FRAMEWORK_REGISTRY_H

#include "metrics/framework/extractor.h"

/* Extractors of the core, in the order in which lists show them. NULL past the last. */
const FeatureExtractor *registry_get(unsigned index);
/* By exact name; NULL if there is none. */
const FeatureExtractor *registry_find(const char *name);
/* By the base name of a feature, as in models; NULL if no extractor provides it. */
const FeatureExtractor *registry_find_provider(const char *feature_name);

#endif
