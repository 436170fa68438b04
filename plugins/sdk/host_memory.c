/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "host_memory.h"

#include <stdlib.h>

#include "driver_guard.h"
#include "platform/machine.h"
#include "status.h"

/* Whole pages around the range: they exist, since the range reaches into them. */
static bool wrap(const VmafDevice *device, VmafBackendMemory *memory, uint64_t *size)
{
    const uint64_t alignment = device->info.caps.host_memory_alignment;
    const uintptr_t end = (uintptr_t)((memory->end + alignment - 1) / alignment * alignment);
    memory->wrapped = (uintptr_t)(memory->begin / alignment * alignment);
    *size = end - memory->wrapped;
    const bool is_aligned = memory->wrapped == memory->begin && end == memory->end;
    return (is_aligned || alignment <= vmaf_page_size()) && end > memory->wrapped &&
           vmaf_caps_allow(device->info.caps.max_buffer_size, *size);
}

int32_t vmaf_host_memory_register(VmafDevice *device, void *address, uint64_t size,
                                  VmafBackendMemory **registered)
{
    VmafDeviceState *state = device->state;
    const uintptr_t begin = (uintptr_t)address;
    *registered = NULL;
    if (!address || !size || size > UINTPTR_MAX / 2 || begin > UINTPTR_MAX / 2)
        return VMAF_BACKEND_INVALID;
    if (!device->info.caps.host_memory_alignment || !state)
        return VMAF_BACKEND_NOT_SUPPORTED;
    VmafBackendMemory *memory = calloc(1, sizeof(*memory));
    if (!memory)
        return VMAF_BACKEND_OUT_OF_MEMORY;
    memory->begin = begin;
    memory->end = begin + (uintptr_t)size;
    VmafDeviceBufferParams params = {.memory = VMAF_MEMORY_UPLOAD};
    int32_t status = VMAF_BACKEND_NOT_SUPPORTED;
    if (wrap(device, memory, &params.size)) {
        params.host_memory = (unsigned char *)address - (begin - memory->wrapped);
        const VmafDriverGuard guard = vmaf_driver_guard_begin();
        const int err = device->layer->buffer_create(device, &memory->buffer, &params);
        vmaf_driver_guard_end(&guard);
        status = vmaf_sdk_status(err);
    }
    if (status != VMAF_BACKEND_OK) {
        free(memory);
        return status;
    }
    vmaf_mutex_lock(&state->lock);
    memory->next = state->first_range;
    state->first_range = memory;
    vmaf_mutex_unlock(&state->lock);
    *registered = memory;
    return VMAF_BACKEND_OK;
}

void vmaf_host_memory_unregister(VmafDevice *device, VmafBackendMemory *memory)
{
    VmafDeviceState *state = device->state;
    vmaf_mutex_lock(&state->lock);
    VmafBackendMemory **link = &state->first_range;
    while (*link && *link != memory)
        link = &(*link)->next;
    if (*link)
        *link = memory->next;
    vmaf_mutex_unlock(&state->lock);
    if (!atomic_load(&device->stuck)) {
        const VmafDriverGuard guard = vmaf_driver_guard_begin();
        device->layer->buffer_destroy(device, memory->buffer);
        vmaf_driver_guard_end(&guard);
    }
    free(memory);
}

VmafDeviceBuffer *vmaf_host_memory_find(VmafDevice *device, const void *address, uint64_t size,
                                        uint64_t *offset)
{
    VmafDeviceState *state = device->state;
    const uintptr_t begin = (uintptr_t)address;
    VmafDeviceBuffer *found = NULL;
    if (!state)
        return NULL;
    vmaf_mutex_lock(&state->lock);
    for (const VmafBackendMemory *m = state->first_range; m && !found; m = m->next) {
        if (begin >= m->begin && begin <= m->end && size <= m->end - begin) {
            found = m->buffer;
            *offset = begin - m->wrapped;
        }
    }
    vmaf_mutex_unlock(&state->lock);
    return found;
}
