/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Exported functions: what this library contains. */
#include <errno.h>

#include "api/api.h"
#include "libvmaf/libvmaf_ext.h"
#include "metrics/framework/registry.h"
#include "model/model.h"

VMAF_API int vmaf_extractor_info(unsigned index, VmafExtractorInfo *info)
{
    if (!info)
        return -EINVAL;
    const FeatureExtractor *extractor = registry_get(index);
    if (!extractor)
        return -ERANGE;
    VmafExtractorInfo all = {.name = extractor->name, .summary = extractor->summary};
    while (extractor->options[all.n_options].name)
        all.n_options++;
    return deliver(info, info->struct_size, &all, sizeof(all));
}

VMAF_API int vmaf_extractor_option_info(const char *extractor_name, unsigned index,
                                        VmafOptionInfo *info)
{
    if (!extractor_name || !info)
        return -EINVAL;
    const FeatureExtractor *extractor = registry_find(extractor_name);
    if (!extractor)
        return -EINVAL;
    const OptionSpec *spec = extractor->options;
    for (unsigned i = 0; i < index && spec->name; i++)
        spec++;
    if (!spec->name)
        return -ERANGE;
    VmafOptionInfo all = {
        .name = spec->name,
        .alias = spec->flags & OPTION_NAMED ? (spec->alias ? spec->alias : spec->name) : NULL,
        .help = spec->help,
        .type = spec->type,
        .default_value = spec->default_value,
        .default_string = spec->default_string,
        .min = spec->min,
        .max = spec->max,
        .names_files = (spec->flags & OPTION_FILES) != 0,
    };
    return deliver(info, info->struct_size, &all, sizeof(all));
}

VMAF_API int vmaf_builtin_model_info(unsigned index, VmafBuiltinModelInfo *info)
{
    if (!info)
        return -EINVAL;
    VmafBuiltinModelInfo all = {0};
    all.name = builtin_model_name(index, &all.is_collection);
    if (!all.name)
        return -ERANGE;
    return deliver(info, info->struct_size, &all, sizeof(all));
}
