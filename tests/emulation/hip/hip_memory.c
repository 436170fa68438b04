/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "driver_memory.h"
#include "hip.h"

/* Of the host's memory: what the driver has, too; there are more, of caches and NUMA nodes. */
enum { HOST_FLAGS = 7 };

static void *pointer_of(CudaAddress address)
{
    return (void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}

static HipResult allocate(void **address, size_t bytes)
{
    CudaAddress allocated = 0;
    if (!address)
        return hipErrorInvalidValue;
    *address = NULL;
    if (bytes == 0) /* which HIP allows */
        return hipSuccess;
    const HipResult result = cuMemAlloc_v2(&allocated, bytes);
    *address = pointer_of(allocated);
    return result;
}

HipResult hipMalloc(void **address, size_t bytes)
{
    HIP_CALL(HIP_NEEDS_DEVICE, allocate(address, bytes));
}

static HipResult allocate_pitch(void **address, size_t *pitch, size_t width, size_t height)
{
    CudaAddress allocated = 0;
    if (!address)
        return hipErrorInvalidValue;
    const HipResult result = cuMemAllocPitch_v2(&allocated, pitch, width, height, 4);
    *address = pointer_of(allocated);
    return result;
}

HipResult hipMallocPitch(void **address, size_t *pitch, size_t width, size_t height)
{
    HIP_CALL(HIP_NEEDS_DEVICE, allocate_pitch(address, pitch, width, height));
}

static HipResult allocate_managed(void **address, size_t bytes, unsigned flags)
{
    CudaAddress allocated = 0;
    if (!address)
        return hipErrorInvalidValue;
    const HipResult result = cuMemAllocManaged(&allocated, bytes, flags);
    *address = pointer_of(allocated);
    return result;
}

HipResult hipMallocManaged(void **address, size_t bytes, unsigned flags)
{
    HIP_CALL(HIP_NEEDS_DEVICE, allocate_managed(address, bytes, flags));
}

HipResult hipFree(void *address)
{
    HIP_CALL(HIP_NEEDS_DEVICE, address ? cuMemFree_v2(hip_address(address)) : hipSuccess);
}

HipResult hipHostMalloc(void **memory, size_t bytes, unsigned flags)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuMemHostAlloc(memory, bytes, flags & HOST_FLAGS));
}

HipResult hipHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuMemHostAlloc(memory, bytes, flags & HOST_FLAGS));
}

HipResult hipHostFree(void *memory)
{
    HIP_CALL(HIP_NEEDS_DEVICE, memory ? cuMemFreeHost(memory) : hipSuccess);
}

HipResult hipFreeHost(void *memory)
{
    HIP_CALL(HIP_NEEDS_DEVICE, memory ? cuMemFreeHost(memory) : hipSuccess);
}

HipResult hipHostRegister(void *memory, size_t bytes, unsigned flags)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuMemHostRegister_v2(memory, bytes, flags));
}

HipResult hipHostUnregister(void *memory)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuMemHostUnregister(memory));
}

static HipResult get_device_pointer(void **address, void *memory, unsigned flags)
{
    CudaAddress found = 0;
    if (!address)
        return hipErrorInvalidValue;
    const HipResult result = cuMemHostGetDevicePointer_v2(&found, memory, flags);
    *address = pointer_of(found);
    return result;
}

HipResult hipHostGetDevicePointer(void **address, void *memory, unsigned flags)
{
    HIP_CALL(HIP_NEEDS_DEVICE, get_device_pointer(address, memory, flags));
}

HipResult hipHostGetFlags(unsigned *flags, void *memory)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuMemHostGetFlags(flags, memory));
}

HipResult hipMemGetInfo(size_t *available, size_t *total)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuMemGetInfo_v2(available, total));
}

static HipResult get_range(void **base, size_t *size, void *address)
{
    const Allocation *found = driver_find_memory(hip_address(address));
    if (!found)
        return hipErrorNotFound;
    if (base)
        *base = pointer_of(found->address);
    if (size)
        *size = found->size;
    return hipSuccess;
}

HipResult hipMemGetAddressRange(void **base, size_t *size, void *address)
{
    HIP_CALL(HIP_NEEDS_DEVICE, get_range(base, size, address));
}

HipResult hipMemPtrGetInfo(void *address, size_t *size)
{
    HIP_CALL(HIP_NEEDS_DEVICE, size ? get_range(NULL, size, address) : hipErrorInvalidValue);
}

/* -- what is known of an address -- */

static int type_of(const Allocation *allocation)
{
    switch (allocation->kind) {
    case ALLOCATION_DEVICE:
        return HIP_MEMORY_DEVICE;
    case ALLOCATION_MANAGED:
        return HIP_MEMORY_MANAGED;
    default:
        return HIP_MEMORY_HOST;
    }
}

static HipResult get_attributes(HipPointerAttributes *attributes, const void *pointer)
{
    const Allocation *found = driver_find_memory(hip_address(pointer));
    if (!attributes)
        return hipErrorInvalidValue;
    *attributes = (HipPointerAttributes){.device = -2};
    if (!found) /* not registered, which is type 0 */
        return HIP_MAJOR >= 7 ? hipSuccess : hipErrorInvalidValue;
    void *itself = pointer_of(hip_address(pointer));
    *attributes = (HipPointerAttributes){
        .type = type_of(found),
        .device = found->context->device->ordinal,
        .device_pointer = itself,
        .host_pointer = found->kind == ALLOCATION_DEVICE ? NULL : itself,
        .is_managed = found->kind == ALLOCATION_MANAGED,
        .flags = found->flags,
    };
    return hipSuccess;
}

HipResult hipPointerGetAttributes(HipPointerAttributes *attributes, const void *address)
{
    HIP_CALL(HIP_NEEDS_DEVICE, get_attributes(attributes, address));
}

/* Their numbers are those of the driver. */
static HipResult get_attribute(void *value, int attribute, void *address)
{
    enum { TYPE = 2 };
    const Allocation *found = driver_find_memory(hip_address(address));
    if (attribute != TYPE)
        return cuPointerGetAttribute(value, attribute, hip_address(address));
    if (!value || !found)
        return hipErrorInvalidValue;
    const int type = type_of(found);
    memcpy(value, &type, sizeof(type));
    return hipSuccess;
}

HipResult hipPointerGetAttribute(void *value, int attribute, void *address)
{
    HIP_CALL(HIP_NEEDS_DEVICE, get_attribute(value, attribute, address));
}
