/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "interop.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "engine/backend_manager.h"

/* ---- Plugin and devices ---- */

static bool is_installed(const Vendor *vendor)
{
    BackendEntry *entry = backend_registry_find(vendor->backend);
    return entry && backend_entry_path(entry);
}

int vendor_rejection(const Vendor *vendor)
{
    return is_installed(vendor) ? -EINVAL : -ENOSYS;
}

int vendor_error(int error)
{
    switch (error) {
    case 0:
    case -EINVAL:
    case -ENOMEM:
    case -ENOTSUP:
        return error;
    default:
        return -EIO;
    }
}

/* The error that the vendor headers document for an availability. */
static int error_of(const BackendAvailability *availability)
{
    switch (availability->state) {
    case BACKEND_USABLE:
        return 0;
    case BACKEND_DRIVER_MISSING:
        return -ENODEV;
    case BACKEND_NO_DEVICE:
        return availability->error == -EINVAL ? -EINVAL : -ENODEV;
    case BACKEND_INIT_FAILED:
        if (availability->error == -ENODEV || availability->error == -ENOTSUP)
            return -ENODEV;
        return availability->error == -EINVAL || availability->error == -ENOMEM
                   ? availability->error
                   : -EIO;
    default:
        return -ENOSYS;
    }
}

static int probe(const Vendor *vendor, BackendDeviceList *found, BackendAvailability *availability)
{
    BackendEntry *entry = backend_registry_find(vendor->backend);
    *found = (BackendDeviceList){0};
    if (!entry || !backend_entry_path(entry))
        return backend_availability_set(availability, BACKEND_PLUGIN_NOT_FOUND, -ENOSYS,
                                        "it is not installed");
    backend_entry_enumerate(entry, found, availability);
    return error_of(availability);
}

int vendor_available(const Vendor *vendor)
{
    BackendDeviceList found;
    BackendAvailability availability;
    return probe(vendor, &found, &availability) == 0;
}

int vendor_list(const Vendor *vendor,
                void (*show)(unsigned index, const BackendDeviceDescription *device))
{
    BackendDeviceList found;
    BackendAvailability availability;
    int err = probe(vendor, &found, &availability);
    if (err && err != -ENODEV)
        return err == -ENOSYS ? err : -EIO;
    for (unsigned i = 0; i < found.n_devices; i++) {
        const BackendDeviceDescription *device = &found.devices[i];
        if (show)
            show(i, device);
        else
            log_message(NULL, VMAF_LOG_LEVEL_INFO, "%s device %u: %s (%s)", vendor->title, i,
                        device->name, device->id);
    }
    return (int)found.n_devices;
}

/* ---- Beginning and end ---- */

static void log_availability(const Vendor *vendor, const BackendAvailability *availability)
{
    bool absent = availability->state == BACKEND_PLUGIN_NOT_FOUND ||
                  availability->state == BACKEND_DRIVER_MISSING ||
                  availability->state == BACKEND_NO_DEVICE;
    log_message(NULL, absent ? VMAF_LOG_LEVEL_DEBUG : VMAF_LOG_LEVEL_WARNING, "backend %s: %s",
                vendor->backend, availability->why.text);
}

static int open_device(BackendDevice **device, const Vendor *vendor,
                       const BackendDeviceRequest *request)
{
    BackendAvailability availability;
    BackendEntry *entry = backend_registry_find(vendor->backend);
    if (!entry || !backend_entry_path(entry))
        return -ENOSYS;
    if (!backend_device_acquire(device, entry, request, &availability))
        return 0;
    log_availability(vendor, &availability);
    return error_of(&availability);
}

static int create(InteropState **state, const Vendor *vendor, BackendDevice *device)
{
    *state = calloc(1, sizeof(**state));
    if (!*state) {
        backend_device_release(device);
        return -ENOMEM;
    }
    (*state)->vendor = vendor;
    (*state)->device = device;
    return 0;
}

int interop_state_open(InteropState **state, const Vendor *vendor,
                       const BackendDeviceRequest *request)
{
    BackendDevice *device;
    int err = open_device(&device, vendor, request);
    return err ? err : create(state, vendor, device);
}

int interop_state_open_best(InteropState **state, const Vendor *vendor, uint32_t flags)
{
    static const uint32_t kinds[] = {VMAF_BACKEND_DEVICE_DISCRETE, VMAF_BACKEND_DEVICE_INTEGRATED,
                                     VMAF_BACKEND_DEVICE_VIRTUAL, 0, VMAF_BACKEND_DEVICE_SOFTWARE};
    BackendDeviceList found;
    BackendAvailability availability;
    int err = probe(vendor, &found, &availability);
    if (err)
        return err;
    err = -ENODEV;
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        for (unsigned i = 0; i < found.n_devices; i++) {
            const BackendDeviceRequest request = {.index = (int)i, .flags = flags};
            if (found.devices[i].kind != kinds[k])
                continue;
            err = interop_state_open(state, vendor, &request);
            if (!err)
                return 0;
        }
    }
    return err;
}

static void destroy(InteropState *state)
{
    imports_clear(state);
    backend_device_release(state->device);
    free(state);
}

void interop_state_free(InteropState *state)
{
    if (!state)
        return;
    state->freed = true;
    if (!state->context)
        destroy(state);
}

/* ---- In a context ---- */

static void leave_context(void *attachment)
{
    InteropState *state = attachment;
    picture_supply_clear(state);
    frame_buffers_clear(state);
    imports_leave_context(state);
    state->context = NULL;
    if (state->freed)
        destroy(state);
}

int interop_state_import(VmafContext *context, InteropState *state, const Vendor *vendor)
{
    if (!context || !state)
        return vendor_rejection(vendor);
    if (backend_device_is_foreign(state->device))
        return -ENODEV;
    if (context->attachment || state->context)
        return -EBUSY;
    if (context->features.count || context->started || context->flushed)
        return -EINVAL;
    const BackendDeviceRequest request = {.opened = state->device};
    int err = context_backend_select(context, vendor->backend, &request);
    if (err)
        return err;
    if (state->frames_in_flight)
        backend_manager_set_in_flight(context->manager, state->frames_in_flight);
    context->attachment = state;
    context->attachment_destroy = leave_context;
    state->context = context;
    return 0;
}

InteropState *interop_state_of(const VmafContext *context, const Vendor *vendor)
{
    InteropState *state = context ? context->attachment : NULL;
    return state && state->vendor == vendor ? state : NULL;
}

int vendor_ring_fetch(InteropState *state, BufferRing *ring, unsigned limit, VmafPicture *pic)
{
    const VmafContext *context = state->context;
    if (backend_device_is_foreign(state->device))
        return -ENODEV;
    for (int i = 0; i < FEATURE_MAX_HISTORY && limit < UINT_MAX; i++) {
        limit += buffer_ring_owns(ring, &context->earlier_ref[i]);
        limit += buffer_ring_owns(ring, &context->earlier_dist[i]);
    }
    return buffer_ring_fetch(ring, limit, pic);
}
