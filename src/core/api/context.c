/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Exported functions: contexts, alone and in groups. */
#include "engine/context.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "api/api.h"
#include "engine/backend_manager.h"
#include "libvmaf/feature.h"
#include "libvmaf/libvmaf_ext.h"
#include "metrics/framework/extractor.h"
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

/* ---- features ---- */

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

VMAF_API int vmaf_planes_needed(VmafContext *vmaf, enum VmafPixelFormat pix_fmt, unsigned *planes)
{
    PictureFormat format;
    if (!vmaf || !planes || picture_format_init(&format, pix_fmt, 8, 1, 1))
        return -EINVAL;
    *planes = feature_set_needs(&vmaf->features, pix_fmt).planes;
    return 0;
}

/* ---- backends ---- */

static bool is_set(const char *name)
{
    return name && *name;
}

VMAF_API int vmaf_backend_select(VmafContext *vmaf, const char *name, int device)
{
    if (!vmaf || !is_set(name) || device < -2)
        return -EINVAL;
    const BackendDeviceRequest request = {.index = device};
    return context_backend_select(vmaf, name, &request);
}

VMAF_API int vmaf_backend_consider(VmafContext *vmaf, const char *name, int device)
{
    if (!vmaf || !is_set(name) || device < -2)
        return -EINVAL;
    const int err = context_check_open(vmaf);
    return err ? err : backend_manager_hint(vmaf->manager, name, false, device);
}

VMAF_API int vmaf_backend_exclude(VmafContext *vmaf, const char *name)
{
    if (!vmaf || !is_set(name))
        return -EINVAL;
    const int err = context_check_open(vmaf);
    return err ? err : backend_manager_hint(vmaf->manager, name, true, -1);
}

VMAF_API int vmaf_backend_tune(VmafContext *vmaf, const VmafBackendTuning *tuning)
{
    VmafBackendTuning all = {0};
    if (!vmaf || !tuning || tuning->struct_size < offsetof(VmafBackendTuning, reserved))
        return -EINVAL;
    memcpy(&all, tuning, tuning->struct_size < sizeof(all) ? tuning->struct_size : sizeof(all));
    const int err = context_check_open(vmaf);
    if (!err)
        backend_manager_tune(vmaf->manager, &all);
    return err;
}

VMAF_API int vmaf_backend_status(VmafContext *vmaf, VmafBackendStatus *status)
{
    if (!vmaf || !status)
        return -EINVAL;
    VmafBackendStatus all;
    context_backend_status(vmaf, &all);
    return deliver(status, status->struct_size, &all, sizeof(all));
}

VMAF_API int vmaf_feature_placement(VmafContext *vmaf, unsigned index,
                                    VmafFeaturePlacement *placement)
{
    if (!vmaf || !placement)
        return -EINVAL;
    VmafFeaturePlacement all;
    if (index >= vmaf->features.count)
        return -ERANGE;
    int err = backend_manager_placement(vmaf->manager, vmaf->features.instances[index], &all);
    return err ? err : deliver(placement, placement->struct_size, &all, sizeof(all));
}

VMAF_API int vmaf_backend_event(VmafContext *vmaf, unsigned index, VmafBackendEvent *event)
{
    if (!vmaf || !event)
        return -EINVAL;
    VmafBackendEvent all;
    int err = backend_manager_event(vmaf->manager, index, &all);
    return err ? err : deliver(event, event->struct_size, &all, sizeof(all));
}

VMAF_API int vmaf_backend_device_use(VmafContext *vmaf, unsigned index, VmafBackendDeviceUse *use)
{
    if (!vmaf || !use)
        return -EINVAL;
    VmafBackendDeviceUse all;
    int err = backend_manager_device_use(vmaf->manager, index, &all);
    return err ? err : deliver(use, use->struct_size, &all, sizeof(all));
}

/* ---- frames ---- */

VMAF_API int vmaf_read_pictures(VmafContext *vmaf, VmafPicture *ref, VmafPicture *dist,
                                unsigned index)
{
    if (!vmaf || !ref != !dist)
        return -EINVAL;
    return ref ? context_read(vmaf, ref, dist, index) : context_flush(vmaf);
}

VMAF_API int vmaf_keep_last_pair(VmafContext *vmaf)
{
    if (!vmaf || vmaf->started || vmaf->flushed)
        return -EINVAL;
    vmaf->still.keeps_wrapped = true;
    return 0;
}

/* ---- groups ---- */

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

/* ---- runs in parts ---- */

VMAF_API int vmaf_lead_in(VmafContext *vmaf, unsigned *n_pairs)
{
    if (!vmaf || !n_pairs)
        return -EINVAL;
    const FeatureNeeds needs = feature_set_needs(&vmaf->features, VMAF_PIX_FMT_YUV420P);
    *n_pairs = needs_history(&needs);
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
    if (!vmaf || !keep)
        return -EINVAL;
    if (vmaf->started || vmaf->flushed)
        return -EBUSY;
    vmaf->records.keep = keep;
    vmaf->records.cookie = cookie;
    vmaf->records.only = only != 0;
    return 0;
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
