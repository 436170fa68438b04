/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DEVICE_H
#define CORE_BACKEND_DEVICE_H

/*
 * Opened devices, shared by everybody in the process who asks for the same one. A device that was
 * lost is not shared any more; it is opened anew once its last holder has released it.
 */

#include <stdbool.h>
#include <stdint.h>

#include "backend/registry.h"
#include "picture/picture_pool.h"

typedef struct BackendDevice BackendDevice;
typedef struct DeviceTimes DeviceTimes;

typedef struct BackendDeviceRequest {
    BackendDevice *opened; /* not NULL: this one, which is held already; the rest is ignored */
    int index;          /* in the enumeration; -1: the first that is not software, else the first */
    bool hardware_only; /* software devices are passed over */
    bool discrete_first; /* with index -1: a discrete device, if there is one */
    /* With index -1: hardware that is passed over, by whatever backend it was used. */
    const BackendDeviceDescription *const *avoided;
    unsigned n_avoided;
    uint32_t external; /* VMAF_BACKEND_EXTERNAL_*: not shared, index is not used */
    uint32_t n_handles;
    uint64_t handles[VMAF_BACKEND_MAX_HANDLES];
    uint32_t flags; /* VMAF_BACKEND_DEVICE_FLAG_* */
    /* For an external device: members of VmafBackendDeviceParams with the same names. */
    void (*lock)(void *cookie);
    void (*unlock)(void *cookie);
    void *lock_cookie;
    const void *enabled_features;
    const char *const *enabled_extensions;
    uint32_t n_enabled_extensions;
} BackendDeviceRequest;

/*
 * Opens the device or shares an open one, after probing and loading the plugin if that is still to
 * be done. 0; negative errno with an availability: BACKEND_INIT_FAILED if opening failed or took
 * longer than the time limit, BACKEND_NO_DEVICE for an index out of range (-EINVAL) or no hardware
 * (-ENODEV).
 */
int backend_device_acquire(BackendDevice **device, BackendEntry *entry,
                           const BackendDeviceRequest *request, BackendAvailability *availability);
/* Adds a holder of an open device. Each holder releases it once. */
void backend_device_hold(BackendDevice *device);
void backend_device_release(BackendDevice *device); /* NULL allowed */

const Plugin *backend_device_plugin(const BackendDevice *device);
VmafBackendDevice *backend_device_handle(const BackendDevice *device);
/* Index in the enumeration, -1 if external; description NULL if external. */
int backend_device_index(const BackendDevice *device);
const BackendDeviceDescription *backend_device_description(const BackendDevice *device);
/* What its sessions took; NULL: the device was opened without PROFILING. */
DeviceTimes *backend_device_times(const BackendDevice *device);
/* True if the device belongs to the process that this one was forked from: then it must not be
 * used, but may be released. */
bool backend_device_is_foreign(const BackendDevice *device);
/* The device is not shared any more until it has been closed. */
void backend_device_mark_lost(BackendDevice *device);
/* A call into the device hangs: it is never called or closed again, and no further device of its
 * plugin is opened. Other devices of the plugin that are open go on. */
void backend_device_abandon(BackendDevice *device);
bool backend_device_is_abandoned(const BackendDevice *device);

/*
 * Blocks of picture memory that are registered with a device: once, when the first picture in a
 * block is submitted, until the block is freed or the device is closed, whichever comes first. If a
 * device cannot do it, or fails, nothing is different but the speed. Nothing is called of a plugin
 * that was given up.
 */

/* True if the device reads registered host memory, by its abilities and its plugin's functions. */
bool registered_memory_pays(const BackendDevice *device);
/* Registers a block, which may be NULL. By a thread that may call the plugin, and holds a picture
 * in the block. */
void registered_memory_add(BackendDevice *device, PictureBlock *block);

/*
 * What all sessions of a device took, by the kind of work, for programs that ask. Any thread, but
 * for the first and the last function.
 */

/* Switched off. NULL: no memory. */
DeviceTimes *device_times_create(void);
void device_times_destroy(DeviceTimes *times); /* NULL allowed */
/* What is added while it is off is not counted; earlier sums stay. */
void device_times_switch(DeviceTimes *times, bool on);
/* A table of the sums, with a line for each kind of work (free). NULL: no memory. */
char *device_times_text(DeviceTimes *times);

/*
 * What the device did for each frame of a session, for traces and for those sums: asked of backends
 * that offer the extension of libvmaf/backend_profile.h, whichever they are.
 */
typedef struct SessionProfile SessionProfile;

/* To be called by the thread that opens the session. NULL: times are not wanted, or there is no
 * memory. To be released with free(). */
SessionProfile *session_profile_create(const BackendDevice *device);
/* True if the backend of a device offers times at all. */
bool session_profile_is_offered(const BackendDevice *device);
/* To be called by the thread that collects, after each call, with its result. NULL allowed. */
void session_profile_note(SessionProfile *profile, const Plugin *plugin,
                          const VmafBackendSession *session, int32_t result);

#endif
