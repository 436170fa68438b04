/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Who computes which feature, as a matrix. */
#include <string.h>

#include "metrics/framework/registry.h"
#include "report/capabilities_parts.h"

static const char *how(const Plugin *plugin, const char *feature)
{
    for (unsigned i = 0; i < plugin->n_features; i++) {
        const VmafBackendFeature *spec = &plugin->features[i].spec;
        if (!(spec->flags & VMAF_BACKEND_FEATURE_OWN) && !strcmp(spec->name, feature))
            return spec->exactness == VMAF_BACKEND_EXACT ? "exact" : "bounded";
    }
    return "cpu";
}

json_t *capabilities_coverage(const Plugin *const plugins[], unsigned n_plugins)
{
    json_t *list = json_array();
    for (unsigned i = 0; registry_get(i); i++) {
        const FeatureExtractor *extractor = registry_get(i);
        if (!extractor->accumulate)
            continue;
        json_t *row = json_pack("{s:s}", "feature", extractor->name);
        json_t *backends = json_object();
        for (unsigned p = 0; p < n_plugins && backends; p++) {
            if (json_object_set_new(backends, plugins[p]->name,
                                    json_string(how(plugins[p], extractor->name)))) {
                json_decref(backends);
                backends = NULL;
            }
        }
        if (json_object_set_new(row, "backends", backends)) { /* which takes them in any case */
            json_decref(row);
            row = NULL;
        }
        list = capabilities_append(list, row);
    }
    return list;
}
