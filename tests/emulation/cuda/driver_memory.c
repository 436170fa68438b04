/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What is allocated and registered, and what is asked about it. */
#include "guarded_memory.h"

#include <unistd.h>

#include "driver_stream.h"

enum { DEVICE_UNIT = 512, ALIGNMENT = 256 };

static size_t in_units(size_t bytes)
{
    return (bytes + DEVICE_UNIT - 1) / DEVICE_UNIT * DEVICE_UNIT;
}

static CudaResult allocate(CudaContext context, uint64_t *address, size_t bytes)
{
    const Memory wanted = {.kind = MEMORY_DEVICE,
                           .size = bytes,
                           .owner = context,
                           .device = context->device->state,
                           .charge = bytes <= SIZE_MAX / 2 ? in_units(bytes) : bytes};
    machine_note(" bytes=%zu", bytes);
    if (!address || bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    const Memory *added = machine_has_memory(wanted.device, wanted.charge)
                              ? guarded_allocate(&wanted, ALIGNMENT, -1)
                              : NULL;
    if (!added)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *address = added->address;
    return CUDA_SUCCESS;
}

static CudaResult allocate_host(CudaContext context, void **memory, size_t bytes, unsigned flags)
{
    const Memory wanted = {.kind = MEMORY_HOST, .size = bytes, .owner = context, .flags = flags};
    machine_note(" bytes=%zu", bytes);
    if (!memory || bytes == 0 || flags > 7)
        return CUDA_ERROR_INVALID_VALUE;
    const Memory *added = machine_has_memory(NULL, bytes)
                              ? guarded_allocate(&wanted, (size_t)sysconf(_SC_PAGESIZE), -1)
                              : NULL;
    if (!added)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *memory = added->storage;
    return CUDA_SUCCESS;
}

static CudaResult free_device(uint64_t address)
{
    Memory *found = guarded_find_whole(address);
    if (!found || found->kind != MEMORY_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
    if (emulated_machine.free_waits) {
        const CudaResult result = driver_finish_context(found->owner);
        if (result != CUDA_SUCCESS)
            return result;
        found = guarded_find_whole(address);
    }
    if (found)
        guarded_free(found);
    return CUDA_SUCCESS;
}

static CudaResult free_host(void *memory, enum MemoryKind kind, CudaResult unknown)
{
    Memory *found = guarded_find_whole((uintptr_t)memory);
    if (!found || found->kind != kind)
        return unknown;
    guarded_free(found);
    return CUDA_SUCCESS;
}

static CudaResult allocate_pitch(CudaContext context, CudaAddress *address, size_t *pitch,
                                 size_t width, size_t height, unsigned element_size)
{
    if (!pitch || width == 0 || height == 0 ||
        (element_size != 4 && element_size != 8 && element_size != 16))
        return CUDA_ERROR_INVALID_VALUE;
    *pitch = in_units(width);
    if (height > SIZE_MAX / 2 / *pitch)
        return CUDA_ERROR_OUT_OF_MEMORY;
    return allocate(context, address, *pitch * height);
}

static CudaResult register_host(CudaContext context, void *memory, size_t bytes, unsigned flags)
{
    const Memory wanted = {
        .address = (uintptr_t)memory, .size = bytes, .owner = context, .flags = flags};
    machine_note(" bytes=%zu", bytes);
    if (!memory || bytes == 0 || flags > 15 || wanted.address + bytes < wanted.address ||
        guarded_is_device_range(wanted.address))
        return CUDA_ERROR_INVALID_VALUE;
    if (guarded_is_known(wanted.address, bytes))
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    if (!machine_has_memory(NULL, bytes))
        return CUDA_ERROR_OUT_OF_MEMORY;
    guarded_register(&wanted);
    return CUDA_SUCCESS;
}

static bool is_host(const Memory *memory)
{
    return memory && memory->kind != MEMORY_DEVICE;
}

static CudaResult get_device_pointer(CudaAddress *address, void *memory, unsigned flags)
{
    const Memory *found = guarded_find((uintptr_t)memory);
    if (!address || flags != 0 || !is_host(found))
        return CUDA_ERROR_INVALID_VALUE;
    if (!(found->flags & CUDA_HOST_MAPPED)) {
        machine_complain("memory of the host has an address, but was not mapped for the device");
        return CUDA_ERROR_INVALID_VALUE;
    }
    *address = (uintptr_t)memory;
    return CUDA_SUCCESS;
}

/* Only the type of the memory is asked for. */
static CudaResult get_pointer_attribute(void *value, int attribute, CudaAddress address)
{
    const Memory *found = guarded_find(address);
    if (!value || !found)
        return CUDA_ERROR_INVALID_VALUE;
    if (attribute != 2)
        return CUDA_ERROR_NOT_SUPPORTED;
    *(unsigned *)value = is_host(found) ? CUDA_MEMORY_HOST : CUDA_MEMORY_DEVICE;
    return CUDA_SUCCESS;
}

CUDA_MEMORY_FUNCTIONS(DRIVER_DEFINE)
