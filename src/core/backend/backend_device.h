/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_BACKEND_DEVICE_H
#define CORE_BACKEND_BACKEND_DEVICE_H

/*
 * Opened devices, shared by everybody in the process who asks for the same one. A device that was
 * lost is not handed out again; it is opened anew once its last holder has released it.
 */

#include "backend/registry.h"

typedef struct BackendDevice BackendDevice;

typedef struct BackendDeviceRequest {
    BackendDevice *opened; /* not NULL: this one, which somebody holds; the rest is not used */
    int index;             /* of the probe; -1: the first that is not software, else the first */
    bool hardware_only;    /* software devices are passed over */
    uint32_t external;     /* VMAF_BACKEND_EXTERNAL_*: not shared, index is not used */
    uint32_t n_handles;
    uint64_t handles[VMAF_BACKEND_MAX_HANDLES];
    uint32_t flags; /* VMAF_BACKEND_DEVICE_FLAG_* */
} BackendDeviceRequest;

/*
 * Opens the device or shares an open one; loads and probes first where that was not done. 0;
 * negative errno with an availability: BACKEND_INIT_FAILED if opening failed or took longer than
 * the time limit, BACKEND_NO_DEVICE for an index out of range (-EINVAL) or no hardware (-ENODEV).
 */
int backend_device_acquire(BackendDevice **device, BackendEntry *entry,
                           const BackendDeviceRequest *request, BackendAvailability *availability);
/* One more holder of an open device, who releases it as well. */
void backend_device_hold(BackendDevice *device);
void backend_device_release(BackendDevice *device); /* NULL allowed */

const Plugin *backend_device_plugin(const BackendDevice *device);
VmafBackendDevice *backend_device_handle(const BackendDevice *device);
/* Index in the enumeration, -1 if external; description NULL if external. */
int backend_device_index(const BackendDevice *device);
const BackendDeviceDescription *backend_device_description(const BackendDevice *device);
/* It belongs to a process that this one was forked from: it must be left alone, but may be
 * released. */
bool backend_device_is_foreign(const BackendDevice *device);
/* Nobody gets it any more until it was closed. */
void backend_device_mark_lost(BackendDevice *device);
/* Never to be closed or called again, because a call into it hangs: marks the plugin dead. */
void backend_device_abandon(BackendDevice *device);

#endif
