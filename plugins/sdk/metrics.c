/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metric.h"

#include <string.h>

#define VMAF_METRIC_ADDRESS(name) &vmaf_metric_##name,
const VmafMetric *const vmaf_metrics[VMAF_N_METRICS] = {VMAF_METRICS(VMAF_METRIC_ADDRESS)};

const VmafMetric *vmaf_metric_find(const char *name)
{
    for (int i = 0; i < VMAF_N_METRICS; i++) {
        if (!strcmp(vmaf_metrics[i]->name, name))
            return vmaf_metrics[i];
    }
    return NULL;
}

const OptionSpec *vmaf_metric_option(const VmafMetric *metric, const char *name)
{
    for (const OptionSpec *spec = metric->options; spec->name; spec++) {
        if (vmaf_metric_honours(spec) && !strcmp(spec->name, name))
            return spec;
    }
    return NULL;
}
