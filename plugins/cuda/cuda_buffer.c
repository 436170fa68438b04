/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdlib.h>

#include "cuda_internal.h"

static bool can_wrap(const VmafDeviceCaps *caps, const VmafDeviceBufferParams *params)
{
    const uint32_t alignment = caps->host_memory_alignment;
    return params->memory == VMAF_MEMORY_UPLOAD && alignment &&
           (uintptr_t)params->host_memory % alignment == 0 && params->size % alignment == 0;
}

/* Memory of the host, which addresses of the device name too. */
static CudaResult map(const CudaDevice *device, CudaBuffer *buffer, void *host_memory)
{
    const bool bound = device->head.info.caps.unified_memory;
    CudaResult result;
    if (host_memory)
        result = cuMemHostRegister_v2(host_memory, buffer->head.size,
                                      bound ? CUDA_HOST_REGISTER_MAPPED : 0);
    else
        result =
            cuMemHostAlloc(&host_memory, buffer->head.size, bound ? CUDA_HOST_ALLOC_MAPPED : 0);
    if (result != CUDA_SUCCESS)
        return result;
    buffer->head.mapped = host_memory;
    return bound ? cuMemHostGetDevicePointer_v2(&buffer->address, host_memory, 0) : CUDA_SUCCESS;
}

static CudaResult allocate(const CudaDevice *device, CudaBuffer *buffer,
                           const VmafDeviceBufferParams *params)
{
    if (params->memory == VMAF_MEMORY_DEVICE) {
        const CudaResult result = cuMemAlloc_v2(&buffer->address, params->size);
        buffer->head.address = buffer->address;
        return result;
    }
    buffer->registered = params->host_memory != NULL;
    return map(device, buffer, params->host_memory);
}

/* With the context current. */
static void release(CudaBuffer *buffer)
{
    if (buffer->head.memory == VMAF_MEMORY_DEVICE) {
        if (buffer->address)
            cuMemFree_v2(buffer->address);
    } else if (buffer->head.mapped) {
        if (buffer->registered)
            cuMemHostUnregister(buffer->head.mapped);
        else
            cuMemFreeHost(buffer->head.mapped);
    }
}

static int no_memory(CudaDevice *device, const VmafDeviceBufferParams *params)
{
    return cuda_fail(device, -ENOMEM, "out of memory: no %llu bytes of %s memory",
                     (unsigned long long)params->size,
                     params->memory == VMAF_MEMORY_DEVICE ? "device" : "pinned host");
}

int cuda_buffer_create(VmafDevice *base, VmafDeviceBuffer **created,
                       const VmafDeviceBufferParams *params)
{
    CudaDevice *device = (CudaDevice *)base;
    *created = NULL;
    vmaf_mutex_lock(&device->lock);
    const bool lost = device->lost;
    const uint64_t limit = device->faults.no_memory_from_buffer;
    const bool fails = ++device->buffers_created >= limit && limit;
    vmaf_mutex_unlock(&device->lock);
    if (lost)
        return -ENODEV;
    if (fails)
        return cuda_failed(device, CUDA_ERROR_OUT_OF_MEMORY, "a fault for tests");
    if (params->host_memory && !can_wrap(&base->info.caps, params))
        return -ENOTSUP;

    CudaBuffer *buffer = calloc(1, sizeof(*buffer));
    if (!buffer)
        return -ENOMEM;
    buffer->head.memory = params->memory;
    buffer->head.size = params->size;
    CudaResult result = cuda_enter(device);
    if (result == CUDA_SUCCESS) {
        result = allocate(device, buffer, params);
        if (result != CUDA_SUCCESS)
            release(buffer);
        cuda_leave();
    }
    if (result != CUDA_SUCCESS) {
        free(buffer);
        return result == CUDA_ERROR_OUT_OF_MEMORY ? no_memory(device, params)
                                                  : cuda_failed(device, result, "a buffer");
    }
    *created = &buffer->head;
    return 0;
}

void cuda_buffer_destroy(VmafDevice *base, VmafDeviceBuffer *destroyed)
{
    CudaBuffer *buffer = (CudaBuffer *)destroyed;
    if (!buffer)
        return;
    if (cuda_enter((CudaDevice *)base) == CUDA_SUCCESS) {
        release(buffer);
        cuda_leave();
    }
    free(buffer);
}
