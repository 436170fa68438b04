/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Exported functions: context, registration, frames. */

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "api/api.h"
#include "engine/context.h"
#include "libvmaf/feature.h"
#include "libvmaf/libvmaf_ext.h"
#include "metrics/framework/registry.h"
#include "support/dictionary.h"

VMAF_API const char *vmaf_version(void)
{
    return VMAF_VERSION_STRING;
}

VMAF_API int vmaf_init(VmafContext **vmaf, VmafConfiguration cfg)
{
    if (!vmaf)
        return -EINVAL;
    *vmaf = NULL;
    return context_create(vmaf, cfg);
}

VMAF_API int vmaf_close(VmafContext *vmaf)
{
    if (!vmaf)
        return -EINVAL;
    context_destroy(vmaf);
    return 0;
}

VMAF_API int vmaf_use_features_from_model(VmafContext *vmaf, VmafModel *model)
{
    if (!vmaf || !model)
        return -EINVAL;
    return context_use_model(vmaf, model);
}

VMAF_API int vmaf_use_features_from_model_collection(VmafContext *vmaf,
                                                     VmafModelCollection *model_collection)
{
    if (!vmaf || !model_collection)
        return -EINVAL;
    int err = 0;
    for (unsigned i = 0; i < model_collection_size(model_collection) && !err; i++)
        err = context_use_model(vmaf, model_collection_member(model_collection, i));
    return err;
}

VMAF_API int vmaf_use_feature(VmafContext *vmaf, const char *feature_name,
                              VmafFeatureDictionary *opts_dict)
{
    if (!vmaf || !feature_name)
        return -EINVAL;
    const FeatureExtractor *extractor = registry_find(feature_name);
    int err = extractor ? context_use_extractor(vmaf, extractor, opts_dict, true)
                        : context_use_pinned(vmaf, feature_name, opts_dict);
    if (!err)
        dictionary_destroy(opts_dict);
    return err;
}

VMAF_API int vmaf_import_feature_score(VmafContext *vmaf, const char *feature_name, double value,
                                       unsigned index)
{
    if (!vmaf || !feature_name)
        return -EINVAL;
    return context_import(vmaf, feature_name, index, value);
}

VMAF_API int vmaf_read_pictures(VmafContext *vmaf, VmafPicture *ref, VmafPicture *dist,
                                unsigned index)
{
    if (!vmaf || !ref != !dist)
        return -EINVAL;
    return ref ? context_read(vmaf, ref, dist, index) : context_flush(vmaf);
}

VMAF_API int vmaf_keep_last_pair(VmafContext *vmaf)
{
    return vmaf ? context_keep_last_pair(vmaf) : -EINVAL;
}

VMAF_API int vmaf_planes_needed(VmafContext *vmaf, enum VmafPixelFormat pix_fmt, unsigned *planes)
{
    PictureFormat format;
    if (!vmaf || !planes || picture_format_init(&format, pix_fmt, 8, 1, 1))
        return -EINVAL;
    *planes = feature_set_needs(&vmaf->features, pix_fmt).planes;
    return 0;
}

/* Exported functions: option dictionaries. */

VMAF_API int vmaf_feature_dictionary_set(VmafFeatureDictionary **dict, const char *key,
                                         const char *val)
{
    if (!dict || !key || !val)
        return -EINVAL;
    Dictionary *target = *dict ? *dict : dictionary_create();
    if (!target)
        return -ENOMEM;
    char normalised[32];
    int err = dictionary_set(target, key, option_value_normalise(val, normalised));
    if (!err)
        *dict = target;
    else if (!*dict)
        dictionary_destroy(target);
    return err;
}

VMAF_API int vmaf_feature_dictionary_free(VmafFeatureDictionary **dict)
{
    if (!dict)
        return -EINVAL;
    dictionary_destroy(*dict);
    *dict = NULL;
    return 0;
}

/* Exported functions: groups of contexts. */

VMAF_API int vmaf_group_create(VmafGroup **group, const VmafGroupConfiguration *cfg)
{
    if (!group)
        return -EINVAL;
    *group = NULL;
    if (!cfg || cfg->struct_size < sizeof(VmafGroupConfiguration))
        return -EINVAL;
    return group_create(group, cfg->n_threads);
}

VMAF_API int vmaf_group_add(VmafGroup *group, VmafContext *vmaf)
{
    if (!group || !vmaf)
        return -EINVAL;
    return group_add(group, vmaf);
}

VMAF_API int vmaf_group_read_pictures(VmafGroup *group, VmafPicture *ref, VmafPicture *dist,
                                      int *status, unsigned index)
{
    if (!group || !ref || !ref->ref || !dist || !status)
        return -EINVAL;
    return group_read(group, ref, dist, status, index);
}

VMAF_API int vmaf_group_close(VmafGroup *group)
{
    if (!group)
        return -EINVAL;
    group_destroy(group);
    return 0;
}

/* Exported functions: runs in parts. */

VMAF_API int vmaf_lead_in(VmafContext *vmaf, unsigned *n_pairs)
{
    if (!vmaf || !n_pairs)
        return -EINVAL;
    *n_pairs = context_lead_in(vmaf);
    return 0;
}

VMAF_API int vmaf_read_context(VmafContext *vmaf, VmafPicture *ref, VmafPicture *dist)
{
    return vmaf && ref && dist ? context_read_context(vmaf, ref, dist) : -EINVAL;
}

VMAF_API int vmaf_keep_records(VmafContext *vmaf,
                               int (*keep)(void *cookie, const VmafStoredFrame *frame),
                               void *cookie, int only)
{
    return vmaf && keep ? context_keep_records(vmaf, keep, cookie, only != 0) : -EINVAL;
}

VMAF_API int vmaf_records_format(VmafContext *vmaf, enum VmafPixelFormat pix_fmt, unsigned bpc,
                                 unsigned w, unsigned h)
{
    PictureFormat format;
    if (!vmaf || picture_format_init(&format, pix_fmt, bpc, w, h))
        return -EINVAL;
    return context_records_format(vmaf, &format);
}

VMAF_API int vmaf_records_layout(VmafContext *vmaf, char **json)
{
    if (!vmaf || !json)
        return -EINVAL;
    *json = NULL;
    return context_records_layout(vmaf, json);
}

VMAF_API int vmaf_read_records_from(VmafContext *vmaf, const char *layout, char **missing)
{
    if (missing)
        *missing = NULL;
    return vmaf && layout ? context_read_records_from(vmaf, layout, missing) : -EINVAL;
}

VMAF_API int vmaf_read_record(VmafContext *vmaf, const VmafStoredFrame *frame)
{
    if (!vmaf || !frame || frame->struct_size < sizeof(*frame))
        return -EINVAL;
    return context_read_record(vmaf, frame);
}
