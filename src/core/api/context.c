/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Exported functions: context, registration, frames. */
#include "engine/context.h"

#include <errno.h>

#include "api/export.h"
#include "engine/context_backend.h"
#include "libvmaf/libvmaf_ext.h"
#include "metrics/framework/registry.h"

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
