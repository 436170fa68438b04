/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Memory of the device, and of the host for copies; where memory is unified, kernels use the
 * latter, too. The host's own memory cannot be wrapped: Level Zero has no way to say so. */
#include "sycl_internal.h"

enum { ALIGNMENT = 256 };

int sycl_memory_create(VmafStreamDevice *base, VmafStreamBuffer *buffer,
                       const VmafDeviceBufferParams *params)
{
    const SyclDevice *device = sycl_device(base);
    const bool on_device = params->memory == VMAF_MEMORY_DEVICE;
    const ze_device_mem_alloc_desc_t device_desc = {.stype =
                                                        ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t host_desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *memory = NULL;
    const ze_result_t result =
        on_device ? zeMemAllocDevice(device->context, &device_desc, params->size, ALIGNMENT,
                                     device->device, &memory)
                  : zeMemAllocHost(device->context, &host_desc, params->size, ALIGNMENT, &memory);
    if (result != ZE_RESULT_SUCCESS)
        return sycl_check(base, result, on_device ? "zeMemAllocDevice" : "zeMemAllocHost");
    buffer->address = (uint64_t)(uintptr_t)memory;
    if (on_device)
        buffer->head.address = buffer->address;
    else
        buffer->head.mapped = memory;
    return 0;
}

void sycl_memory_destroy(VmafStreamDevice *base, VmafStreamBuffer *buffer)
{
    zeMemFree(sycl_device(base)->context, (void *)(uintptr_t)buffer->address);
}
