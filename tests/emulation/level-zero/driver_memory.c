/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Memory of devices and of the host, and what is asked about it. */
#include "driver.h"

#include <sys/stat.h>
#include <unistd.h>

enum { LEAST_ALIGNMENT = 64 };

/* As Intel's driver does, imports what there is where the program says that there is more. */
static ze_result_t check_descriptor(const ze_external_memory_import_fd_t *import, size_t *size)
{
    struct stat status;
    if (import->flags != ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF)
        return ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
    if (fstat(import->fd, &status) != 0) {
        machine_complain("descriptor %d, which is to be imported, is not open", import->fd);
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    if (status.st_size <= 0)
        return ZE_RESULT_ERROR_INVALID_SIZE;
    if ((uint64_t)status.st_size < *size)
        *size = (size_t)status.st_size;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t allocate(Memory wanted, size_t alignment, const void *next, void **memory)
{
    int descriptor = -1;
    machine_note(" bytes=%zu", wanted.size);
    if (!memory)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (wanted.size == 0)
        return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    if (alignment & (alignment - 1))
        return ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT;
    if (next) {
        const ze_external_memory_import_fd_t *import = next;
        if (import->stype != ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD || import->pNext ||
            wanted.kind != MEMORY_DEVICE)
            return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
        const ze_result_t result = check_descriptor(import, &wanted.size);
        if (result != ZE_RESULT_SUCCESS)
            return result;
        descriptor = import->fd;
    }
    wanted.charge = descriptor < 0 ? wanted.size : 0;
    if (wanted.device && wanted.charge > wanted.device->machine->memory / 2)
        return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    if (!machine_has_memory(wanted.device, wanted.charge))
        return wanted.device ? ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY
                             : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    const Memory *added = guarded_allocate(
        &wanted, alignment < LEAST_ALIGNMENT ? LEAST_ALIGNMENT : alignment, descriptor);
    if (!added)
        return descriptor < 0 ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
                              : ZE_RESULT_ERROR_INVALID_ARGUMENT;
    *memory = (void *)(uintptr_t)added->address;
    return ZE_RESULT_SUCCESS;
}

/* -- calls -- */

static ze_result_t allocate_device(ze_context_handle_t handle, ze_device_handle_t device_handle,
                                   const ze_device_mem_alloc_desc_t *desc, size_t size,
                                   size_t alignment, void **memory)
{
    ze_result_t result;
    Context *context = driver_find(handle, OBJECT_CONTEXT, &result);
    Device *device = context ? driver_find(device_handle, OBJECT_DEVICE, &result) : NULL;
    if (!device)
        return result;
    if (!desc)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (desc->ordinal != 0)
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    return allocate(
        (Memory){.kind = MEMORY_DEVICE, .size = size, .owner = context, .device = device->state},
        alignment, desc->pNext, memory);
}

DRIVER_DEFINE(zeMemAllocDevice,
              (ze_context_handle_t context, const ze_device_mem_alloc_desc_t *desc, size_t size,
               size_t alignment, ze_device_handle_t device, void **memory),
              allocate_device(context, device, desc, size, alignment, memory))

static ze_result_t allocate_host(ze_context_handle_t context, const ze_host_mem_alloc_desc_t *desc,
                                 size_t size, size_t alignment, void **memory)
{
    ze_result_t result;
    Memory wanted = {.kind = MEMORY_HOST, .size = size};
    wanted.owner = driver_find(context, OBJECT_CONTEXT, &result);
    if (!wanted.owner)
        return result;
    if (!desc)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    return allocate(wanted, alignment, desc->pNext, memory);
}

DRIVER_DEFINE(zeMemAllocHost,
              (ze_context_handle_t context, const ze_host_mem_alloc_desc_t *desc, size_t size,
               size_t alignment, void **memory),
              allocate_host(context, desc, size, alignment, memory))

static ze_result_t give_back_memory(ze_context_handle_t handle, void *memory)
{
    ze_result_t result;
    Context *context = driver_find_lost(handle, OBJECT_CONTEXT, &result);
    if (!context)
        return result;
    Memory *found = guarded_find_whole((uintptr_t)memory);
    if (!found || found->owner != context) {
        machine_complain("memory is given back that is none of the context's allocations");
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    if (emulated_machine.free_waits)
        driver_finish_context(context);
    found = guarded_find_whole((uintptr_t)memory);
    if (found)
        guarded_free(found);
    return ZE_RESULT_SUCCESS;
}

DRIVER_DEFINE(zeMemFree, (ze_context_handle_t handle, void *memory),
              give_back_memory(handle, memory))

static ze_result_t get_properties(ze_context_handle_t handle, const void *memory,
                                  ze_memory_allocation_properties_t *properties,
                                  ze_device_handle_t *device)
{
    ze_result_t result;
    const Context *context = driver_find(handle, OBJECT_CONTEXT, &result);
    if (!context)
        return result;
    if (!properties)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const Memory *found = guarded_find((uintptr_t)memory);
    if (found && found->owner != context)
        found = NULL;
    properties->type = !found                         ? ZE_MEMORY_TYPE_UNKNOWN
                       : found->kind == MEMORY_DEVICE ? ZE_MEMORY_TYPE_DEVICE
                                                      : ZE_MEMORY_TYPE_HOST;
    properties->id = found ? found->id : 0;
    properties->pageSize = found ? (uint64_t)sysconf(_SC_PAGESIZE) : 0;
    if (device)
        *device = found && found->device ? (ze_device_handle_t)&driver.devices[found->device->index]
                                         : NULL;
    return ZE_RESULT_SUCCESS;
}

DRIVER_DEFINE(zeMemGetAllocProperties,
              (ze_context_handle_t handle, const void *memory,
               ze_memory_allocation_properties_t *properties, ze_device_handle_t *device),
              get_properties(handle, memory, properties, device))

static ze_result_t get_range(ze_context_handle_t handle, const void *memory, void **base,
                             size_t *size)
{
    ze_result_t result;
    const Context *context = driver_find(handle, OBJECT_CONTEXT, &result);
    if (!context)
        return result;
    const Memory *found = guarded_find((uintptr_t)memory);
    if (!found || found->owner != context)
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (base)
        *base = (void *)(uintptr_t)found->address;
    if (size)
        *size = found->size;
    return ZE_RESULT_SUCCESS;
}

DRIVER_DEFINE(zeMemGetAddressRange,
              (ze_context_handle_t handle, const void *memory, void **base, size_t *size),
              get_range(handle, memory, base, size))
