/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>

#include "engine/backend_manager.h"
#include "engine/context.h"
#include "engine/frame_queue.h"
#include "platform/process.h"

/* Nothing about backends can be changed any more, or not in this process. */
static int check_open(const VmafContext *context)
{
    if (backend_manager_is_foreign(context->manager))
        return -ENODEV;
    return context->started || context->flushed ? -EBUSY : 0;
}

int context_backend_select(VmafContext *context, const char *name,
                           const BackendDeviceRequest *request)
{
    TRACE_CALL(context->trace, "select a backend", .detail = name);
    const int err = check_open(context);
    return err ? err : backend_manager_select(context->manager, name, request);
}

int context_backend_consider(VmafContext *context, const char *name, int device)
{
    const int err = check_open(context);
    return err ? err : backend_manager_consider(context->manager, name, device);
}

int context_backend_exclude(VmafContext *context, const char *name)
{
    const int err = check_open(context);
    return err ? err : backend_manager_exclude(context->manager, name);
}

int context_backend_tune(VmafContext *context, const VmafBackendTuning *tuning)
{
    const int err = check_open(context);
    if (!err)
        backend_manager_tune(context->manager, tuning);
    return err;
}

void context_backend_set_in_flight(VmafContext *context, unsigned frames)
{
    backend_manager_set_in_flight(context->manager, frames);
}

static int use_pinned(VmafContext *context, const char *name, const Dictionary *dict, Reason *why)
{
    if (context->started || context->flushed)
        return refuse(why, -EINVAL, "features must be registered before the first picture");
    const FeatureExtractor *extractor;
    bool newly_chosen;
    int err = backend_manager_find_pinned(context->manager, name, &extractor, &newly_chosen, why);
    if (err)
        return err;
    err = feature_set_add_pinned(&context->features, extractor, dict, why);
    if (err && newly_chosen)
        backend_manager_unchoose(context->manager);
    return err;
}

int context_use_pinned(VmafContext *context, const char *name, const Dictionary *dict)
{
    if (backend_manager_is_foreign(context->manager))
        return -ENODEV;
    if (!backend_manager_is_pinned_name(name)) {
        log_message(&context->logger, VMAF_LOG_LEVEL_ERROR, "there is no feature extractor \"%s\"",
                    name);
        return -EINVAL;
    }
    Reason why = {{0}};
    const int err = use_pinned(context, name, dict, &why);
    if (err)
        log_message(&context->logger, VMAF_LOG_LEVEL_ERROR, "feature \"%s\": %s", name,
                    why.text[0] ? why.text : "out of memory");
    return err;
}

int context_import_picture(VmafContext *context, VmafPicture *pic, const PictureImport *import)
{
    if (backend_manager_is_foreign(context->manager))
        return -ENODEV;
    Reason why = {{0}};
    BackendDevice *device = backend_manager_device(context->manager);
    int err = device ? picture_import(pic, device, import, &why)
                     : refuse(&why, -ENOTSUP,
                              "no backend was chosen by name, so there is no device for pictures");
    if (!err)
        return 0;
    backend_manager_note_reason(context->manager, why.text);
    log_message(&context->logger, VMAF_LOG_LEVEL_ERROR, "a picture on a device: %s", why.text);
    return err;
}

void context_backend_status(VmafContext *context, VmafBackendStatus *status)
{
    backend_manager_status(context->manager, status);
    status->downloads = atomic_load(&context->n_downloads);
    if (!atomic_load(&context->started) || context->process != vmaf_process_id())
        return; /* no thread of a forked process unlocks the queue */
    const RunProgress progress = frame_queue_progress(context->queue);
    status->frames = progress.n_retired;
    status->frames_by_backend = progress.n_by_backend;
}

int context_backend_placement(VmafContext *context, unsigned index, VmafFeaturePlacement *placement)
{
    if (index >= context->features.count)
        return -ERANGE;
    return backend_manager_placement(context->manager, context->features.instances[index],
                                     placement);
}

int context_backend_device_use(VmafContext *context, unsigned index, VmafBackendDeviceUse *use)
{
    return backend_manager_device_use(context->manager, index, use);
}

int context_backend_event(VmafContext *context, unsigned index, VmafBackendEvent *event)
{
    return backend_manager_event(context->manager, index, event);
}
