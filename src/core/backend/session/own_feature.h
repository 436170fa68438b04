/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_SESSION_OWN_FEATURE_H
#define CORE_BACKEND_SESSION_OWN_FEATURE_H

/* Features that only one backend knows: extractors "<plugin>_<feature>" made from what the plugin
 * says of them. They have no extractor of the core; the backend answers with their scores. */

#include "backend/discovery/plugin.h"
#include "metrics/framework/extractor.h"

/* Created at first use and kept with the plugin until the process ends. `feature` belongs to the
 * plugin and has the flag VMAF_BACKEND_FEATURE_OWN. NULL if memory runs out. */
const FeatureExtractor *own_feature_extractor(const Plugin *plugin, const PluginFeature *feature);
/* What is behind such an extractor; NULL if it is one of the core's. */
const PluginFeature *own_feature_of(const FeatureExtractor *extractor);

#endif
