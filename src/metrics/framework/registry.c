/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "metrics/framework/extractor.h"
#include "metrics/framework/metric_list.h"

static const FeatureOutput outputs[] = {{0}};

const FeatureExtractor null_extractor = {
    .name = "null",
    .summary = "accepts every frame and computes nothing: for timing input",
    .outputs = outputs,
    .options = no_options,
};

/* `null` is for programs, and no metric. */
#define EXTRACTORS(X) VMAF_METRICS(X) X(null)

#define DECLARE(name) extern const FeatureExtractor name##_extractor;
EXTRACTORS(DECLARE)

#define ADDRESS(name) &name##_extractor,
static const FeatureExtractor *const extractors[] = {EXTRACTORS(ADDRESS)};

enum { N_EXTRACTORS = sizeof(extractors) / sizeof(extractors[0]) };

const FeatureExtractor *registry_get(unsigned index)
{
    return index < N_EXTRACTORS ? extractors[index] : NULL;
}

const FeatureExtractor *registry_find(const char *name)
{
    for (unsigned i = 0; i < N_EXTRACTORS; i++) {
        if (!strcmp(extractors[i]->name, name))
            return extractors[i];
    }
    return NULL;
}

static bool provides(const FeatureExtractor *extractor, const char *feature_name)
{
    for (const FeatureOutput *output = extractor->outputs; output->name; output++) {
        if ((output->flags & OUTPUT_PROVIDED) && !strcmp(output->name, feature_name))
            return true;
    }
    for (const char *const *name = extractor->also_provides; name && *name; name++) {
        if (!strcmp(*name, feature_name))
            return true;
    }
    return false;
}

const FeatureExtractor *registry_find_provider(const char *feature_name)
{
    for (unsigned i = 0; i < N_EXTRACTORS; i++) {
        if (provides(extractors[i], feature_name))
            return extractors[i];
    }
    return NULL;
}
