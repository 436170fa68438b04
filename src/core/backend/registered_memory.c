/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/registered_memory.h"

#include <errno.h>
#include <stdlib.h>

#include "backend/limited_call.h"
#include "backend/registry_entry.h"
#include "platform/process.h"

enum { POLL_MS = 20 };

typedef enum MemoryState {
    MEMORY_PENDING, /* it is being registered */
    MEMORY_KNOWN,
    MEMORY_REFUSED,   /* registering failed: it is not tried again */
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

bool registered_memory_pays(const BackendDevice *device)
{
    const BackendDeviceDescription *description = backend_device_description(device);
    return description && (description->abilities & VMAF_BACKEND_ABILITY_HOST_MEMORY) &&
           backend_device_plugin(device)->api.memory_register;
}

/* ---- the lists ---- */

static void unlink_from_device(RegisteredMemory *memory)
{
    RegisteredMemory **link = backend_device_memory(memory->device);
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

static void discard(Registry *registry, RegisteredMemory *memory)
{
    unlink_from_device(memory);
    unlink_from_block(memory);
    free(memory);
    vmaf_condition_broadcast(&registry->devices_changed);
}

/* ---- the end of a block ---- */

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

/* The owner of a block waits for this, but not for ever. Not locked. */
static void forget_within_limit(const RegisteredMemory *memory)
{
    ForgetCall here = {
        .plugin = backend_device_plugin(memory->device),
        .device = backend_device_handle(memory->device),
        .handle = memory->handle,
    };
    ForgetCall *call = malloc(sizeof(*call));
    int err = -ENOMEM;
    if (call) {
        *call = here;
        err = limited_call(forget_call, call, free, backend_registry_time_limit());
    }
    if (err == -ETIMEDOUT) {
        backend_device_abandon(memory->device);
        return;
    }
    free(call);
    if (err == -ENOMEM)
        forget_call(&here);
}

static bool is_dead(const BackendDevice *device)
{
    return backend_device_is_abandoned(device);
}

/* Another thread is calling the plugin for this block: waits until that has returned, or the plugin
 * is given up. Locked. */
static void wait_for_other(Registry *registry, PictureBlock *block)
{
    RegisteredMemory *memory = block->registered;
    while (block->registered == memory && !is_dead(memory->device))
        vmaf_condition_wait_until(&registry->devices_changed, &registry->devices_lock,
                                  vmaf_deadline_after(POLL_MS));
    if (block->registered == memory) /* the thread that hangs owns the rest */
        unlink_from_block(memory);
}

static void forget(PictureBlock *block)
{
    Registry *registry = block->registry;
    if (registry->pid != vmaf_process_id())
        return; /* a child: its parent's device does not know this copy of the memory */
    vmaf_mutex_lock(&registry->devices_lock);
    while (block->registered) {
        RegisteredMemory *memory = block->registered;
        const bool known = memory->state == MEMORY_KNOWN && !is_dead(memory->device);
        if (memory->state == MEMORY_FORGETTING || memory->state == MEMORY_PENDING) {
            wait_for_other(registry, block);
            continue;
        }
        memory->state = MEMORY_FORGETTING;
        vmaf_mutex_unlock(&registry->devices_lock);
        if (known)
            forget_within_limit(memory);
        vmaf_mutex_lock(&registry->devices_lock);
        discard(registry, memory);
    }
    vmaf_mutex_unlock(&registry->devices_lock);
}

/* ---- the beginning ---- */

static RegisteredMemory *find(const BackendDevice *device, const PictureBlock *block)
{
    RegisteredMemory *memory = block->registered;
    while (memory && memory->device != device)
        memory = memory->next_of_block;
    return memory;
}

/* Notes that the block is being registered with the device. NULL if there is nothing to do. */
static RegisteredMemory *begin(Registry *registry, BackendDevice *device, PictureBlock *block)
{
    vmaf_mutex_lock(&registry->devices_lock);
    if (block->registry && block->registry != registry) { /* what the parent process has noted */
        block->registered = NULL;
        atomic_store(&block->n_devices, 0);
    }
    RegisteredMemory *memory = find(device, block) ? NULL : calloc(1, sizeof(*memory));
    if (memory) {
        *memory = (RegisteredMemory){.device = device, .block = block};
        memory->next_of_block = block->registered;
        block->registered = memory;
        memory->next_of_device = *backend_device_memory(device);
        *backend_device_memory(device) = memory;
        block->forget = forget;
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
    Registry *registry = backend_device_registry(device);
    RegisteredMemory *memory = begin(registry, device, block);
    if (!memory)
        return;
    const VmafBackend *api = &backend_device_plugin(device)->api;
    VmafBackendMemory *handle = NULL;
    PluginGuard guard = plugin_enter();
    const int32_t result =
        api->memory_register(backend_device_handle(device), block->address, block->size, &handle);
    plugin_leave(&guard);
    vmaf_mutex_lock(&registry->devices_lock);
    memory->handle = handle;
    memory->state = result == VMAF_BACKEND_OK && handle ? MEMORY_KNOWN : MEMORY_REFUSED;
    vmaf_condition_broadcast(&registry->devices_changed);
    vmaf_mutex_unlock(&registry->devices_lock);
}

/* ---- the end of a device ---- */

void registered_memory_clear(BackendDevice *device)
{
    Registry *registry = backend_device_registry(device);
    const VmafBackend *api = &backend_device_plugin(device)->api;
    vmaf_mutex_lock(&registry->devices_lock);
    RegisteredMemory *memory;
    while ((memory = *backend_device_memory(device))) {
        if (memory->state == MEMORY_FORGETTING) { /* the owner of its block is at it */
            vmaf_condition_wait(&registry->devices_changed, &registry->devices_lock);
            continue;
        }
        const bool known = memory->state == MEMORY_KNOWN;
        memory->state = MEMORY_FORGETTING;
        vmaf_mutex_unlock(&registry->devices_lock);
        PluginGuard guard = plugin_enter();
        if (known)
            api->memory_unregister(backend_device_handle(device), memory->handle);
        plugin_leave(&guard);
        vmaf_mutex_lock(&registry->devices_lock);
        discard(registry, memory);
    }
    vmaf_mutex_unlock(&registry->devices_lock);
}
