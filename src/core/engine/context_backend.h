/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_CONTEXT_BACKEND_H
#define CORE_ENGINE_CONTEXT_BACKEND_H

/*
 * The functions of libvmaf_ext.h about the backends of a context, with arguments that were checked.
 * Those that change something return -EBUSY after the first pair, and -ENODEV in another process
 * than the one that has opened a device.
 */

#include "backend/device.h"
#include "backend/session/buffers.h"
#include "engine/context.h"

/* `name` is not NULL; the device may be described in full, such as one that the application
 * opened. */
int context_backend_select(VmafContext *context, const char *name,
                           const BackendDeviceRequest *request);
int context_backend_consider(VmafContext *context, const char *name, int device);
int context_backend_exclude(VmafContext *context, const char *name);
int context_backend_tune(VmafContext *context, const VmafBackendTuning *tuning);
/* Frames that a backend is asked to take at a time, as tuning sets it. */
void context_backend_set_in_flight(VmafContext *context, unsigned frames);

/*
 * For a name that is no extractor's: a feature that is pinned to a backend, which is selected if
 * none is. 0; -EINVAL if no such feature exists; -ENODEV if the backend cannot be used or another
 * one is chosen; all logged.
 */
int context_use_pinned(VmafContext *context, const char *name, const Dictionary *dict);

/* A picture on the device of the backend that was chosen by name. 0; -ENOTSUP, also without such a
 * backend, and the other errors of picture_import; all logged, and in the status. */
int context_import_picture(VmafContext *context, VmafPicture *pic, const PictureImport *import);

void context_backend_status(VmafContext *context, VmafBackendStatus *status);
/* -ERANGE past the last one, as for events. */
int context_backend_placement(VmafContext *context, unsigned index,
                              VmafFeaturePlacement *placement);
int context_backend_device_use(VmafContext *context, unsigned index, VmafBackendDeviceUse *use);
int context_backend_event(VmafContext *context, unsigned index, VmafBackendEvent *event);

#endif
