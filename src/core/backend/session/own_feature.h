/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_SESSION_OWN_FEATURE_H
#define CORE_BACKEND_SESSION_OWN_FEATURE_H

/*
 * What a plugin says of its features: the pictures that they take, and features that only one
 * backend knows. Those have no extractor of the core, but one called "<plugin>_<feature>", made
 * from what the plugin says of them; the backend answers with their scores.
 */

#include "backend/discovery/plugin.h"
#include "metrics/framework/extractor.h"

/* VMAF_BACKEND_PIXEL_*. */
uint32_t backend_pixel_format(enum VmafPixelFormat pix_fmt);
/* 0, or -ENOTSUP with a reason if the feature does not take such pictures. */
int feature_limits_check(const VmafBackendFeature *spec, const PictureFormat *format, Reason *why);

/* The extractor of such a feature. Created at first use and kept with the plugin until the process
 * ends. `feature` belongs to the plugin and has the flag VMAF_BACKEND_FEATURE_OWN. NULL if memory
 * runs out. */
const FeatureExtractor *own_feature_extractor(const Plugin *plugin, const PluginFeature *feature);
/* What is behind such an extractor; NULL if it is one of the core's. */
const PluginFeature *own_feature_of(const FeatureExtractor *extractor);

#endif
