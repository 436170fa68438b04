/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Functions of HIP, most of which are fronts of the driver's. */
#include "hip.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "driver_module.h"
#include "guarded_memory.h"
#include "hip_code.h"

/* -- devices -- */

static HipResult get_count(int *count)
{
    if (!count)
        return hipErrorInvalidValue;
    *count = 0;
    const HipResult result = hip_initialize();
    if (result == hipErrorInvalidDevice) /* as ROCm 5 says elsewhere */
        return hipErrorNoDevice;
    return result == hipSuccess ? cuDeviceGetCount(count) : result;
}

static HipResult get_bus_id(char *id, int size, int handle)
{
    const Device *device = driver_device(handle);
    if (!id || size <= 12)
        return hipErrorInvalidValue;
    if (!device)
        return hipErrorInvalidDevice;
    snprintf(id, (size_t)size, "%04x:%02x:%02x.0", device->state->machine->pci_domain,
             device->state->machine->pci_bus, device->state->machine->pci_device);
    return hipSuccess;
}

/* Lanes of a wave: 64 on the chips before gfx10. */
static int wave_lanes(const MachineDevice *machine)
{
    return strncmp(machine->chip, "gfx9", 4) == 0 ? 64 : 32;
}

static HipResult get_attribute(int *value, int attribute, int handle)
{
    const Device *device = driver_device(handle);
    if (!value)
        return hipErrorInvalidValue;
    if (!device)
        return hipErrorInvalidDevice;
    const MachineDevice *machine = device->state->machine;
    const struct {
        int attribute, value;
    } known[] = {
        {2, machine->copy_engines},
        {16, machine->is_integrated},
        {26, 1024},    /* lanes of a group in x */
        {29, INT_MAX}, /* groups by axis */
        {30, 65536},   /* */
        {31, 65536},   /* */
        {56, 1024},    /* lanes of a group */
        {63, machine->multiprocessors},
        {67, (int)machine->pci_bus},
        {68, (int)machine->pci_device},
        {69, (int)machine->pci_domain},
        {74, 65536}, /* group memory */
        {87, wave_lanes(machine)},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (known[i].attribute == attribute) {
            *value = known[i].value;
            return hipSuccess;
        }
    }
    return hipErrorInvalidValue;
}

/* -- contexts -- */

/* The device of the popped context stays current, which surprises programs that come from CUDA. */
static HipResult pop(CudaContext *context)
{
    CudaContext popped = NULL;
    const HipResult result = cuCtxPopCurrent_v2(&popped);
    if (result != hipSuccess)
        return result;
    if (context)
        *context = popped;
    return popped->magic == DRIVER_ALIVE ? cuCtxSetCurrent(popped) : hipSuccess;
}

/* -- memory -- */

/* Of memory of the host, and of events: what the driver has, too; there are more, of caches and
 * NUMA nodes. */
enum { KNOWN_FLAGS = 7 };

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

static HipResult get_device_pointer(void **address, void *memory, unsigned flags)
{
    CudaAddress found = 0;
    if (!address)
        return hipErrorInvalidValue;
    const HipResult result = cuMemHostGetDevicePointer_v2(&found, memory, flags);
    *address = pointer_of(found);
    return result;
}

static HipResult get_range(void **base, size_t *size, void *address)
{
    const Memory *found = guarded_find(hip_address(address));
    if (!found)
        return hipErrorNotFound;
    if (base)
        *base = pointer_of(found->address);
    if (size)
        *size = found->size;
    return hipSuccess;
}

/* -- copies -- */

enum When { NOW, WHEN_IT_IS_ITS_TURN };

/* Where a copy begins or ends, by its kind. */
static uint32_t source_of(int kind)
{
    return kind == HIP_COPY_DEFAULT                                 ? CUDA_MEMORY_UNIFIED
           : kind == HIP_HOST_TO_HOST || kind == HIP_HOST_TO_DEVICE ? CUDA_MEMORY_HOST
                                                                    : CUDA_MEMORY_DEVICE;
}

static uint32_t destination_of(int kind)
{
    return kind == HIP_COPY_DEFAULT                                 ? CUDA_MEMORY_UNIFIED
           : kind == HIP_HOST_TO_HOST || kind == HIP_DEVICE_TO_HOST ? CUDA_MEMORY_HOST
                                                                    : CUDA_MEMORY_DEVICE;
}

static HipResult copy_rows(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                           size_t width, size_t height, int kind, enum When when, CudaStream stream)
{
    const CudaCopy2D copy = {.src_type = source_of(kind),
                             .src_host = src,
                             .src_device = hip_address(src),
                             .src_pitch = src_pitch,
                             .dst_type = destination_of(kind),
                             .dst_host = dst,
                             .dst_device = hip_address(dst),
                             .dst_pitch = dst_pitch,
                             .width = width,
                             .height = height};
    if (kind < HIP_HOST_TO_HOST || kind > HIP_COPY_DEFAULT)
        return hipErrorInvalidMemcpyDirection;
    if (height > 1 && (dst_pitch < width || src_pitch < width))
        return hipErrorInvalidPitchValue;
    return when == NOW ? cuMemcpy2D_v2(&copy) : cuMemcpy2DAsync_v2(&copy, stream);
}

static HipResult copy_bytes(void *dst, const void *src, size_t bytes, int kind, enum When when,
                            CudaStream stream)
{
    if (bytes > 0 && (!dst || !src))
        return hipErrorInvalidValue;
    return copy_rows(dst, bytes, src, bytes, bytes, 1, kind, when, stream);
}

/* -- modules -- */

/* Whether groups are those that the kernel was written for; with others it would go wrong. */
static HipResult check_lanes(const CudaKernelNode *launch)
{
    if (!driver_is_function(launch->function))
        return hipErrorInvalidHandle;
    const VmafKernel *source = ((const HipKernel *)launch->function->kernel.entry)->source;
    if (launch->block_x == source->lanes[0] && launch->block_y == source->lanes[1] &&
        launch->block_z == 1)
        return hipSuccess;
    machine_complain("kernel %s is launched with groups of %ux%ux%u lanes, and has %ux%u",
                     source->name, launch->block_x, launch->block_y, launch->block_z,
                     source->lanes[0], source->lanes[1]);
    return hipErrorInvalidConfiguration;
}

static HipResult launch_kernel(CudaKernelNode launch, CudaStream stream)
{
    const HipResult result = check_lanes(&launch);
    if (result != hipSuccess)
        return result;
    return cuLaunchKernel(launch.function, launch.grid_x, launch.grid_y, launch.grid_z,
                          launch.block_x, launch.block_y, launch.block_z, launch.shared_bytes,
                          stream, launch.parameters, launch.extra);
}

HIP_FUNCTIONS(HIP_DEFINE)
