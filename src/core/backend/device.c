/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/limited_call.h"
#include "backend/registry_internal.h"
#include "backend/selection.h"
#include "platform/process.h"
#include "trace/trace.h"

typedef enum DevicePhase {
    DEVICE_OPENING,
    DEVICE_OPEN,
    DEVICE_CLOSING,
} DevicePhase;

struct BackendDevice {
    BackendEntry *entry;
    const Plugin *plugin;
    const BackendDeviceDescription *description; /* NULL: external */
    int index;                                   /* -1: external */
    uint32_t flags;
    VmafBackendHost host;
    VmafBackendDevice *handle;
    atomic_bool abandoned; /* a call into it hangs */

    /* Under the registry's devices_lock. */
    DevicePhase phase;
    unsigned holders;
    bool lost;
    bool kept; /* a call into it may still be going on */
    struct RegisteredMemory *memory;
    DeviceTimes *times; /* NULL: opened without PROFILING */
    BackendDevice *next;
};

enum { POLL_MS = 20 };

typedef enum MemoryState {
    MEMORY_PENDING, /* it is being registered */
    MEMORY_KNOWN,
    MEMORY_REJECTED,  /* registering failed: it is not tried again */
    MEMORY_FORGETTING /* somebody calls memory_unregister */
} MemoryState;

/* The registration of a block with a device. In two lists; all of it under the registry's
 * devices_lock. */
typedef struct RegisteredMemory {
    BackendDevice *device;
    PictureBlock *block; /* NULL: its owner has not waited, because the plugin hangs */
    MemoryState state;
    VmafBackendMemory *handle;
    struct RegisteredMemory *next_of_device, *next_of_block;
} RegisteredMemory;

/* ---- Calls that may hang ---- */

void backend_device_abandon(BackendDevice *device)
{
    atomic_store(&device->abandoned, true);
    /* The only member that changes after loading. */
    atomic_store(&((Plugin *)device->plugin)->dead, true);
}

bool backend_device_is_abandoned(const BackendDevice *device)
{
    return atomic_load(&device->abandoned);
}

/*
 * Makes a call on a copy of its argument. False if it does not return in time: the device is
 * abandoned then, and the call owns the copy. Without memory for that there is no limit, since
 * ending something without a limit is better than not ending it.
 */
static bool call_within_limit(BackendDevice *device, void (*function)(void *argument),
                              void *argument, size_t size)
{
    void *copy = malloc(size);
    int err = -ENOMEM;
    if (copy) {
        memcpy(copy, argument, size);
        err = limited_call(function, copy, free, backend_registry_time_limit());
    }
    if (err == -ETIMEDOUT) {
        backend_device_abandon(device);
        return false;
    }
    free(copy);
    if (err == -ENOMEM)
        function(argument);
    return true;
}

/* ---- Memory that is registered with devices ---- */

bool registered_memory_pays(const BackendDevice *device)
{
    const BackendDeviceDescription *description = device->description;
    return description && (description->abilities & VMAF_BACKEND_ABILITY_HOST_MEMORY) &&
           device->plugin->api.memory_register;
}

static void unlink_from_device(RegisteredMemory *memory)
{
    RegisteredMemory **link = &memory->device->memory;
    while (*link && *link != memory)
        link = &(*link)->next_of_device;
    if (*link)
        *link = memory->next_of_device;
}

static void unlink_from_block(RegisteredMemory *memory)
{
    if (!memory->block)
        return;
    RegisteredMemory **link = &memory->block->registered;
    while (*link && *link != memory)
        link = &(*link)->next_of_block;
    if (*link) {
        *link = memory->next_of_block;
        atomic_fetch_sub(&memory->block->n_devices, 1);
    }
    memory->block = NULL;
}

static void discard_memory(Registry *registry, RegisteredMemory *memory)
{
    unlink_from_device(memory);
    unlink_from_block(memory);
    free(memory);
    vmaf_condition_broadcast(&registry->devices_changed);
}

/* What the call needs, also after it was given up. */
typedef struct ForgetCall {
    const Plugin *plugin;
    VmafBackendDevice *device;
    VmafBackendMemory *handle;
} ForgetCall;

static void forget_call(void *argument)
{
    const ForgetCall *call = argument;
    PluginGuard guard = plugin_enter();
    call->plugin->api.memory_unregister(call->device, call->handle);
    plugin_leave(&guard);
}

/* Another thread is calling the plugin for this block: waits until that has returned, or the plugin
 * is given up. Locked. */
static void wait_for_other(Registry *registry, PictureBlock *block)
{
    RegisteredMemory *memory = block->registered;
    while (block->registered == memory && !backend_device_is_abandoned(memory->device))
        vmaf_condition_wait_until(&registry->devices_changed, &registry->devices_lock,
                                  vmaf_deadline_after(POLL_MS));
    if (block->registered == memory) /* the thread that hangs owns the rest */
        unlink_from_block(memory);
}

static void forget_block(PictureBlock *block)
{
    Registry *registry = block->registry;
    if (registry->pid != vmaf_process_id())
        return; /* a child: its parent's device does not know this copy of the memory */
    vmaf_mutex_lock(&registry->devices_lock);
    while (block->registered) {
        RegisteredMemory *memory = block->registered;
        if (memory->state == MEMORY_FORGETTING || memory->state == MEMORY_PENDING) {
            wait_for_other(registry, block);
            continue;
        }
        BackendDevice *device = memory->device;
        ForgetCall call = {device->plugin, device->handle, memory->handle};
        const bool known = memory->state == MEMORY_KNOWN && !backend_device_is_abandoned(device);
        memory->state = MEMORY_FORGETTING;
        vmaf_mutex_unlock(&registry->devices_lock);
        if (known) /* the owner of the block waits for this, but not for ever */
            call_within_limit(device, forget_call, &call, sizeof(call));
        vmaf_mutex_lock(&registry->devices_lock);
        discard_memory(registry, memory);
    }
    vmaf_mutex_unlock(&registry->devices_lock);
}

static RegisteredMemory *find_memory(const BackendDevice *device, const PictureBlock *block)
{
    RegisteredMemory *memory = block->registered;
    while (memory && memory->device != device)
        memory = memory->next_of_block;
    return memory;
}

/* Notes that the block is being registered with the device. NULL if there is nothing to do. */
static RegisteredMemory *begin_registering(Registry *registry, BackendDevice *device,
                                           PictureBlock *block)
{
    vmaf_mutex_lock(&registry->devices_lock);
    if (block->registry && block->registry != registry) { /* what the parent process has noted */
        block->registered = NULL;
        atomic_store(&block->n_devices, 0);
    }
    RegisteredMemory *memory = find_memory(device, block) ? NULL : calloc(1, sizeof(*memory));
    if (memory) {
        *memory = (RegisteredMemory){.device = device, .block = block};
        memory->next_of_block = block->registered;
        block->registered = memory;
        memory->next_of_device = device->memory;
        device->memory = memory;
        block->forget = forget_block;
        block->registry = registry;
        atomic_fetch_add(&block->n_devices, 1);
    }
    vmaf_mutex_unlock(&registry->devices_lock);
    return memory;
}

void registered_memory_add(BackendDevice *device, PictureBlock *block)
{
    if (!block || !registered_memory_pays(device))
        return;
    Registry *registry = device->entry->registry;
    RegisteredMemory *memory = begin_registering(registry, device, block);
    if (!memory)
        return;
    VmafBackendMemory *handle = NULL;
    PluginGuard guard = plugin_enter();
    const int32_t result =
        device->plugin->api.memory_register(device->handle, block->address, block->size, &handle);
    plugin_leave(&guard);
    vmaf_mutex_lock(&registry->devices_lock);
    memory->handle = handle;
    memory->state = result == VMAF_BACKEND_OK && handle ? MEMORY_KNOWN : MEMORY_REJECTED;
    vmaf_condition_broadcast(&registry->devices_changed);
    vmaf_mutex_unlock(&registry->devices_lock);
}

/* All memory of a device, which has no other users any more. Calls the plugin. */
static void registered_memory_clear(BackendDevice *device)
{
    Registry *registry = device->entry->registry;
    vmaf_mutex_lock(&registry->devices_lock);
    RegisteredMemory *memory;
    while ((memory = device->memory)) {
        if (memory->state == MEMORY_FORGETTING) { /* the owner of its block is at it */
            vmaf_condition_wait(&registry->devices_changed, &registry->devices_lock);
            continue;
        }
        ForgetCall call = {device->plugin, device->handle, memory->handle};
        const bool known = memory->state == MEMORY_KNOWN;
        memory->state = MEMORY_FORGETTING;
        vmaf_mutex_unlock(&registry->devices_lock);
        if (known)
            forget_call(&call);
        vmaf_mutex_lock(&registry->devices_lock);
        discard_memory(registry, memory);
    }
    vmaf_mutex_unlock(&registry->devices_lock);
}

/* ---- What the plugin may call ---- */

static void log_for_plugin(void *cookie, uint32_t level, const char *text)
{
    const Plugin *plugin = cookie;
    static const enum VmafLogLevel levels[] = {VMAF_LOG_LEVEL_ERROR, VMAF_LOG_LEVEL_WARNING,
                                               VMAF_LOG_LEVEL_INFO, VMAF_LOG_LEVEL_DEBUG};
    if (!text || level < VMAF_BACKEND_LOG_ERROR || level > VMAF_BACKEND_LOG_DEBUG)
        return;
    char line[4 * VMAF_BACKEND_TEXT_SIZE];
    foreign_text(line, sizeof(line), text, sizeof(line));
    log_message(NULL, levels[level - VMAF_BACKEND_LOG_ERROR], "backend %s: %s", plugin->name, line);
}

/* ---- Opening and closing ---- */

/* Once the caller has given up, this owns itself and the device. The device is then never freed,
 * because the plugin may still use the host's functions in it. */
typedef struct DeviceCall {
    BackendDevice *device;
    char id[VMAF_BACKEND_ID_SIZE];
    VmafBackendDeviceParams params;
    VmafBackendDevice *handle;
    BackendAvailability availability;
} DeviceCall;

static void open_call(void *argument)
{
    DeviceCall *call = argument;
    TRACE_SCOPE(TRACE_BACKEND, "open the device", .detail = call->device->plugin->name);
    plugin_open_device(call->device->plugin, &call->params, &call->handle, &call->availability);
}

static void close_call(void *argument)
{
    DeviceCall *call = argument;
    TRACE_SCOPE(TRACE_BACKEND, "close the device", .detail = call->device->plugin->name);
    registered_memory_clear(call->device);
    PluginGuard guard = plugin_enter();
    call->device->plugin->api.device_close(call->handle);
    plugin_leave(&guard);
}

static int open_within_limit(BackendDevice *device, const BackendDeviceRequest *request,
                             BackendAvailability *availability)
{
    DeviceCall *call = calloc(1, sizeof(*call));
    if (!call)
        return backend_out_of_memory(availability);
    call->device = device;
    call->params = (VmafBackendDeviceParams){
        .struct_size = sizeof(call->params),
        .flags = request->flags,
        .host = &device->host,
        .external = request->external,
        .n_handles = request->n_handles,
        .lock = request->lock,
        .unlock = request->unlock,
        .lock_cookie = request->lock_cookie,
        .enabled_features = request->enabled_features,
        .enabled_extensions = request->enabled_extensions,
        .n_enabled_extensions = request->n_enabled_extensions,
    };
    memcpy(call->params.handles, request->handles, sizeof(call->params.handles));
    if (device->description) {
        memcpy(call->id, device->description->id, sizeof(call->id));
        call->params.id = call->id;
    }

    unsigned limit = backend_registry_time_limit();
    int err = limited_call(open_call, call, free, limit);
    if (err == -ETIMEDOUT) {
        backend_device_abandon(device);
        device->kept = true;
        return backend_availability_set(availability, BACKEND_INIT_FAILED, err,
                                        "opening the device took longer than %u ms", limit);
    }
    if (err < 0) {
        backend_out_of_memory(availability);
    } else {
        *availability = call->availability;
        err = call->availability.state == BACKEND_USABLE ? 0 : call->availability.error;
        device->handle = call->handle;
    }
    free(call);
    return err;
}

/* If the device was abandoned or does not return, it is kept. */
static void close_within_limit(BackendDevice *device)
{
    DeviceCall call = {.device = device, .handle = device->handle};
    device->kept = backend_device_is_abandoned(device) ||
                   !call_within_limit(device, close_call, &call, sizeof(call));
}

/* ---- The list of devices ---- */

/* A device to share, or one that has to be closed before another can be opened. */
static BackendDevice *find_shared(Registry *registry, const BackendEntry *entry, int index,
                                  uint32_t flags)
{
    for (BackendDevice *device = registry->devices; device; device = device->next)
        if (device->entry == entry && device->index == index && index >= 0 &&
            device->flags == flags)
            return device;
    return NULL;
}

static void device_free(BackendDevice *device)
{
    device_times_destroy(device->times);
    free(device);
}

/* The lock is held. Removes the device from the list and frees it, unless the plugin may still
 * use it. */
static void discard_device(Registry *registry, BackendDevice *device)
{
    BackendDevice **at = &registry->devices;
    while (*at && *at != device)
        at = &(*at)->next;
    if (*at)
        *at = device->next;
    vmaf_condition_broadcast(&registry->devices_changed);
    if (device->kept) {
        device->next = registry->kept_devices;
        registry->kept_devices = device;
    } else {
        device_free(device);
    }
}

/* The lock is held. 0 and an open device, or NULL if the caller has to open it. */
static int share(Registry *registry, const BackendEntry *entry, int index, uint32_t flags,
                 BackendDevice **device, BackendAvailability *availability)
{
    BackendDevice *found;
    /* Opening and closing a device takes no longer than the time limit. */
    while ((found = find_shared(registry, entry, index, flags)) && found->phase != DEVICE_OPEN)
        vmaf_condition_wait(&registry->devices_changed, &registry->devices_lock);
    *device = found;
    if (!found)
        return 0;
    if (found->lost) {
        *device = NULL;
        return backend_availability_set(availability, BACKEND_INIT_FAILED, -ENODEV,
                                        "the device was lost and is still held by others");
    }
    found->holders++;
    return 0;
}

static BackendDevice *device_create(BackendEntry *entry, const Plugin *plugin, int index,
                                    const BackendDeviceDescription *description, uint32_t flags)
{
    BackendDevice *device = calloc(1, sizeof(*device));
    if (!device)
        return NULL;
    if (flags & VMAF_BACKEND_DEVICE_FLAG_PROFILING)
        device->times = device_times_create(); /* without memory, there are no times */
    atomic_init(&device->abandoned, false);
    device->entry = entry;
    device->plugin = plugin;
    device->description = description;
    device->index = index;
    device->flags = flags;
    device->phase = DEVICE_OPENING;
    device->holders = 1;
    device->host = (VmafBackendHost){
        .struct_size = sizeof(device->host),
        .abi_major = VMAF_BACKEND_ABI_MAJOR,
        .abi_minor = VMAF_BACKEND_ABI_MINOR,
        .cookie = (void *)plugin,
        .log = log_for_plugin,
    };
    return device;
}

static int acquire(BackendDevice **device_out, BackendEntry *entry, const Plugin *plugin, int index,
                   const BackendDeviceDescription *description, const BackendDeviceRequest *request,
                   BackendAvailability *availability)
{
    Registry *registry = entry->registry;
    BackendDevice *fresh = device_create(entry, plugin, index, description, request->flags);
    if (!fresh)
        return backend_out_of_memory(availability);

    vmaf_mutex_lock(&registry->devices_lock);
    int err = share(registry, entry, index, request->flags, device_out, availability);
    bool to_open = !err && !*device_out;
    if (to_open) {
        fresh->next = registry->devices;
        registry->devices = fresh;
    }
    vmaf_mutex_unlock(&registry->devices_lock);
    if (!to_open) {
        device_free(fresh);
        return err;
    }

    err = open_within_limit(fresh, request, availability);
    vmaf_mutex_lock(&registry->devices_lock);
    fresh->phase = DEVICE_OPEN;
    vmaf_condition_broadcast(&registry->devices_changed);
    if (err < 0)
        discard_device(registry, fresh);
    else
        *device_out = fresh;
    vmaf_mutex_unlock(&registry->devices_lock);
    return err;
}

/* Traces show what the device did. */
static BackendDeviceRequest with_profiling(const BackendDeviceRequest *request)
{
    BackendDeviceRequest profiled = *request;
    if (trace_wants_device_times())
        profiled.flags |= VMAF_BACKEND_DEVICE_FLAG_PROFILING;
    return profiled;
}

int backend_device_acquire(BackendDevice **device, BackendEntry *entry,
                           const BackendDeviceRequest *request, BackendAvailability *availability)
{
    const BackendDeviceRequest profiled = with_profiling(request);
    request = &profiled;
    *device = NULL;
    if (request->opened) {
        backend_device_hold(request->opened);
        *device = request->opened;
        return 0;
    }
    bool external = request->external != VMAF_BACKEND_EXTERNAL_NONE;
    if (request->n_handles > VMAF_BACKEND_MAX_HANDLES)
        return backend_availability_set(availability, BACKEND_INIT_FAILED, -EINVAL,
                                        "too many handles");
    if (external) {
        const Plugin *plugin = backend_entry_load(entry, availability);
        if (!plugin)
            return availability->error ? availability->error : -ENODEV;
        return acquire(device, entry, plugin, -1, NULL, request, availability);
    }
    BackendDeviceList found;
    int err = backend_entry_enumerate(entry, &found, availability);
    if (err < 0)
        return err;
    int index = device_choose(entry, request, &found, availability);
    if (index < 0)
        return index;
    const Plugin *plugin = backend_entry_load(entry, availability);
    if (!plugin)
        return availability->error;
    return acquire(device, entry, plugin, index, &found.devices[index], request, availability);
}

void backend_device_hold(BackendDevice *device)
{
    if (backend_entry_is_foreign(device->entry))
        return;
    Registry *registry = device->entry->registry;
    vmaf_mutex_lock(&registry->devices_lock);
    device->holders++;
    vmaf_mutex_unlock(&registry->devices_lock);
}

void backend_device_release(BackendDevice *device)
{
    /* A forked child must not touch the device: its lock may be held by a thread that only
     * exists in the parent. */
    if (!device || backend_entry_is_foreign(device->entry))
        return;
    Registry *registry = device->entry->registry;
    vmaf_mutex_lock(&registry->devices_lock);
    bool last = --device->holders == 0;
    if (last)
        device->phase = DEVICE_CLOSING;
    vmaf_mutex_unlock(&registry->devices_lock);
    if (!last)
        return;

    close_within_limit(device);
    vmaf_mutex_lock(&registry->devices_lock);
    discard_device(registry, device);
    vmaf_mutex_unlock(&registry->devices_lock);
}

const Plugin *backend_device_plugin(const BackendDevice *device)
{
    return device->plugin;
}

VmafBackendDevice *backend_device_handle(const BackendDevice *device)
{
    return device->handle;
}

DeviceTimes *backend_device_times(const BackendDevice *device)
{
    return device->times;
}

int backend_device_index(const BackendDevice *device)
{
    return device->index;
}

const BackendDeviceDescription *backend_device_description(const BackendDevice *device)
{
    return device->description;
}

void backend_device_mark_lost(BackendDevice *device)
{
    if (backend_entry_is_foreign(device->entry))
        return;
    Registry *registry = device->entry->registry;
    vmaf_mutex_lock(&registry->devices_lock);
    device->lost = true;
    vmaf_mutex_unlock(&registry->devices_lock);
}

bool backend_device_is_foreign(const BackendDevice *device)
{
    return backend_entry_is_foreign(device->entry);
}
