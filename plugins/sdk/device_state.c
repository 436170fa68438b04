/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the pipeline knows of a device: whether its driver is bad, host memory that was registered,
 * and a queue for copies outside of sessions. */
#include "device_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi_internal.h"
#include "memory.h"
#include "platform/machine.h"

/* -- drivers that are known to be bad -- */

static bool matches(const char *pattern, const char *name)
{
    for (; *pattern != '*'; pattern++, name++) {
        if (*pattern != *name)
            return false;
        if (!*pattern)
            return true;
    }
    for (;; name++) {
        if (matches(pattern + 1, name))
            return true;
        if (!*name)
            return false;
    }
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Where the version begins in "llvmpipe Mesa 22.3.6 (LLVM 15.0.6)": at the first number with a
 * point after it, or else at the first number. */
static const char *version_in(const char *driver)
{
    const char *first = NULL;
    for (const char *c = driver; *c; c++) {
        if (!is_digit(*c) || (c > driver && is_digit(c[-1])))
            continue;
        if (!first)
            first = c;
        const size_t digits = strspn(c, "0123456789");
        if (c[digits] == '.' && is_digit(c[digits + 1]))
            return c;
    }
    return first ? first : "";
}

/* Below 0, 0 or above 0, number by number; missing ones are 0. */
static int compare_versions(const char *a, const char *b)
{
    for (int i = 0; i < 4; i++) {
        char *end_a = (char *)a, *end_b = (char *)b;
        const unsigned long of_a = is_digit(*a) ? strtoul(a, &end_a, 10) : 0;
        const unsigned long of_b = is_digit(*b) ? strtoul(b, &end_b, 10) : 0;
        if (of_a != of_b)
            return of_a < of_b ? -1 : 1;
        a = *end_a == '.' ? end_a + 1 : "";
        b = *end_b == '.' ? end_b + 1 : "";
    }
    return 0;
}

static bool applies(const VmafKnownBad *entry, const VmafDeviceInfo *device, const char *feature)
{
    const char *version = version_in(device->driver);
    return matches(entry->device, device->name) &&
           (!entry->driver_from || compare_versions(version, entry->driver_from) >= 0) &&
           (!entry->driver_to || compare_versions(version, entry->driver_to) <= 0) &&
           (!entry->feature || (feature && strcmp(entry->feature, feature) == 0));
}

const char *vmaf_known_bad(const VmafKnownBad *table, const VmafDeviceInfo *device,
                           const char *feature)
{
    const char *trust = secure_getenv("VMAF_BACKEND_TRUST_DRIVER");
    if (!table || (trust && strcmp(trust, "1") == 0))
        return NULL;
    for (const VmafKnownBad *entry = table; entry->device; entry++) {
        if (applies(entry, device, feature))
            return entry->reason;
    }
    return NULL;
}

/* -- host memory -- */

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
        const VmafDriverGuard guard = vmaf_driver_enter();
        const int err = device->layer->buffer_create(device, &memory->buffer, &params);
        vmaf_driver_leave(&guard);
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

/* Frees a range that is in no list. */
static void free_range(VmafDevice *device, VmafBackendMemory *memory)
{
    if (!atomic_load(&device->stuck)) {
        const VmafDriverGuard guard = vmaf_driver_enter();
        device->layer->buffer_destroy(device, memory->buffer);
        vmaf_driver_leave(&guard);
    }
    free(memory);
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
    free_range(device, memory);
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

/* -- copies outside of sessions -- */

int vmaf_transfer_begin(VmafDevice *device)
{
    if (!device->state)
        return -ENOTSUP;
    VmafTransfer *transfer = &device->state->transfer;
    vmaf_mutex_lock(&transfer->lock);
    int err = atomic_load(&device->stuck) ? -ENODEV : 0;
    if (!err && !transfer->queue)
        err = device->layer->queue_create(device, &transfer->queue);
    if (err)
        vmaf_mutex_unlock(&transfer->lock);
    return err;
}

void vmaf_transfer_end(VmafDevice *device)
{
    vmaf_mutex_unlock(&device->state->transfer.lock);
}

int vmaf_transfer_staging(VmafDevice *device, enum VmafDeviceMemory memory, uint64_t size,
                          VmafDeviceBuffer **staging)
{
    VmafDeviceBuffer **kept = &device->state->transfer.staging[memory == VMAF_MEMORY_DOWNLOAD];
    int err = 0;
    if (*kept && (*kept)->size < size) {
        device->layer->buffer_destroy(device, *kept);
        *kept = NULL;
    }
    if (!*kept) {
        const VmafDeviceBufferParams params = {.memory = memory, .size = size};
        err = device->layer->buffer_create(device, kept, &params);
        if (err)
            *kept = NULL;
    }
    *staging = *kept;
    return err;
}

int vmaf_transfer_run(VmafDevice *device, const VmafDeviceSubmit *submit)
{
    VmafDeviceQueue *queue = device->state->transfer.queue;
    VmafDeviceTicket ticket;
    int err = vmaf_device_submit(queue, NULL, submit, &ticket);
    if (!err)
        err = device->layer->wait(queue, ticket, VMAF_START_LIMIT_NS);
    if (err == -ETIMEDOUT)
        atomic_store(&device->stuck, true);
    return err;
}

static void vmaf_transfer_close(VmafDeviceState *state)
{
    VmafDevice *device = state->device;
    VmafTransfer *transfer = &state->transfer;
    if (atomic_load(&device->stuck))
        return;
    for (int i = 0; i < 2; i++)
        device->layer->buffer_destroy(device, transfer->staging[i]);
    if (transfer->queue)
        device->layer->queue_destroy(transfer->queue);
}

/* -- the state -- */

static const uint64_t SPLIT_ABOVE = 20000000;

int vmaf_device_state_create(VmafDevice *device, const VmafBackendSync *default_queue,
                             const VmafKnownBad *known_bad)
{
    VmafDeviceState *state = calloc(1, sizeof(*state));
    if (!state)
        return -ENOMEM;
    state->device = device;
    state->known_bad = known_bad;
    state->split_above = device->info.kind == VMAF_DEVICE_INTEGRATED ? SPLIT_ABOVE : 0;
    if (default_queue)
        state->default_queue = *default_queue;
    vmaf_mutex_init(&state->lock);
    vmaf_mutex_init(&state->transfer.lock);
    device->state = state;
    return 0;
}

void vmaf_device_state_destroy(VmafDevice *device)
{
    VmafDeviceState *state = device->state;
    if (!state)
        return;
    for (VmafBackendMemory *range = state->first_range, *next; range; range = next) {
        next = range->next;
        free_range(device, range);
    }
    vmaf_transfer_close(state);
    vmaf_mutex_destroy(&state->transfer.lock);
    vmaf_mutex_destroy(&state->lock);
    free(state);
    device->state = NULL;
}
