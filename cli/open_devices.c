/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "open_devices.h"

#include "backends.h"
#include "platform/thread.h"

#include "libvmaf/libvmaf_ext.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The library shares open devices between contexts: one that never scores holds this. */
typedef struct OpenDevice {
    char backend[BACKEND_NAME_SIZE];
    int index;
    VmafContext *holder;
    struct OpenDevice *next;
} OpenDevice;

struct OpenDevices {
    VmafMutex lock;
    VmafCondition changed;
    unsigned n_runs, n_settling;
    unsigned long settled; /* how often all devices were let go */
    bool lost;             /* a device, which a run may still have */
    OpenDevice *first;
};

int open_devices_create(OpenDevices **devices)
{
    *devices = calloc(1, sizeof(**devices));
    if (!*devices)
        return -ENOMEM;
    vmaf_mutex_init(&(*devices)->lock);
    vmaf_condition_init(&(*devices)->changed);
    return 0;
}

static void let_go(OpenDevice *device)
{
    vmaf_close(device->holder);
    free(device);
}

static void let_all_go(OpenDevices *devices)
{
    for (OpenDevice *device = devices->first, *next; device; device = next) {
        next = device->next;
        let_go(device);
    }
    devices->first = NULL;
}

void open_devices_destroy(OpenDevices *devices)
{
    if (!devices)
        return;
    let_all_go(devices);
    vmaf_condition_destroy(&devices->changed);
    vmaf_mutex_destroy(&devices->lock);
    free(devices);
}

void open_devices_enter(OpenDevices *devices)
{
    if (!devices)
        return;
    vmaf_mutex_lock(&devices->lock);
    while ((devices->lost || devices->n_settling) && devices->n_runs)
        vmaf_condition_wait(&devices->changed, &devices->lock);
    devices->lost = false;
    devices->n_runs++;
    vmaf_mutex_unlock(&devices->lock);
}

void open_devices_leave(OpenDevices *devices)
{
    if (!devices)
        return;
    vmaf_mutex_lock(&devices->lock);
    devices->n_runs--;
    vmaf_condition_broadcast(&devices->changed);
    vmaf_mutex_unlock(&devices->lock);
}

bool open_devices_settle(OpenDevices *devices)
{
    if (!devices)
        return false;
    vmaf_mutex_lock(&devices->lock);
    const unsigned long before = devices->settled;
    devices->n_settling++;
    vmaf_condition_broadcast(&devices->changed);
    while (devices->settled == before && devices->n_runs > devices->n_settling)
        vmaf_condition_wait(&devices->changed, &devices->lock);
    if (devices->settled == before) { /* the first of them */
        let_all_go(devices);
        devices->lost = false;
        devices->settled++;
    }
    devices->n_settling--;
    vmaf_condition_broadcast(&devices->changed);
    vmaf_mutex_unlock(&devices->lock);
    return true;
}

/* The place of a device in the list, or the end. */
static OpenDevice **find(OpenDevices *devices, const char *backend, int index)
{
    OpenDevice **at = &devices->first;
    while (*at && ((*at)->index != index || strcmp((*at)->backend, backend) != 0))
        at = &(*at)->next;
    return at;
}

/* What cannot be held is opened again by who needs it. */
static void hold(OpenDevices *devices, const VmafBackendDeviceUse *use)
{
    OpenDevice *device = calloc(1, sizeof(*device));
    const VmafConfiguration config = {.log_level = VMAF_LOG_LEVEL_WARNING};
    if (!device || strlen(use->backend) >= sizeof(device->backend) ||
        vmaf_init(&device->holder, config)) {
        free(device);
        return;
    }
    strcpy(device->backend, use->backend);
    device->index = use->device_index;
    if (vmaf_backend_select(device->holder, device->backend, device->index)) {
        let_go(device);
        return;
    }
    device->next = devices->first;
    devices->first = device;
}

static void forget(OpenDevices *devices, const VmafBackendEvent *event)
{
    OpenDevice **at = find(devices, event->backend, event->device_index), *device = *at;
    devices->lost = true;
    if (!device)
        return;
    *at = device->next;
    let_go(device);
}

void open_devices_keep(OpenDevices *devices, VmafContext *vmaf)
{
    VmafBackendDeviceUse use = {.struct_size = sizeof(use)};
    VmafBackendEvent event = {.struct_size = sizeof(event)};
    if (!devices)
        return;
    vmaf_mutex_lock(&devices->lock);
    for (unsigned i = 0; !vmaf_backend_event(vmaf, i, &event); i++)
        forget(devices, &event);
    for (unsigned i = 0; !vmaf_backend_device_use(vmaf, i, &use); i++) {
        if (use.phase == VMAF_BACKEND_PHASE_ACTIVE && use.device_index >= 0 &&
            !*find(devices, use.backend, use.device_index))
            hold(devices, &use);
    }
    vmaf_mutex_unlock(&devices->lock);
}
