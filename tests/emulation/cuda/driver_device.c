/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The driver itself, and what its devices are. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "driver.h"

static CudaResult initialize(unsigned flags)
{
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (machine_why[0])
        return CUDA_ERROR_UNKNOWN;
    if (emulated_machine.own[DRIVER_IS_MISMATCHED])
        return CUDA_ERROR_SYSTEM_DRIVER_MISMATCH;
    if (emulated_machine.has_no_device || emulated_machine.n_devices == 0)
        return CUDA_ERROR_NO_DEVICE;
    driver.is_initialized = true;
    return CUDA_SUCCESS;
}

static CudaResult get_version(int *version)
{
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = emulated_machine.driver;
    return CUDA_SUCCESS;
}

Device *driver_device(CudaDeviceHandle handle)
{
    return handle >= 0 && handle < emulated_machine.n_devices ? &driver.devices[handle] : NULL;
}

static CudaResult get_count(int *count)
{
    if (!count)
        return CUDA_ERROR_INVALID_VALUE;
    *count = emulated_machine.n_devices;
    return CUDA_SUCCESS;
}

/* What the calls of one device begin with. */
static CudaResult check(const void *result, CudaDeviceHandle device)
{
    return !result                  ? CUDA_ERROR_INVALID_VALUE
           : !driver_device(device) ? CUDA_ERROR_INVALID_DEVICE
                                    : CUDA_SUCCESS;
}

static CudaResult get(CudaDeviceHandle *device, int ordinal)
{
    const CudaResult result = check(device, ordinal);
    if (result == CUDA_SUCCESS)
        *device = ordinal;
    return result;
}

static CudaResult get_name(char *name, int size, CudaDeviceHandle device)
{
    const CudaResult result = size <= 0 ? CUDA_ERROR_INVALID_VALUE : check(name, device);
    if (result == CUDA_SUCCESS)
        snprintf(name, (size_t)size, "%s", driver.devices[device].state->machine->name);
    return result;
}

static CudaResult get_uuid(CudaUuid *uuid, CudaDeviceHandle device)
{
    const CudaResult result = check(uuid, device);
    if (result == CUDA_SUCCESS)
        memcpy(uuid->bytes, driver.devices[device].state->machine->uuid, sizeof(uuid->bytes));
    return result;
}

static CudaResult get_bus_id(char *id, int size, CudaDeviceHandle device)
{
    const CudaResult result = size <= 12 ? CUDA_ERROR_INVALID_VALUE : check(id, device);
    if (result == CUDA_SUCCESS) {
        const MachineDevice *machine = driver.devices[device].state->machine;
        snprintf(id, (size_t)size, "%04X:%02X:%02X.0", machine->pci_domain, machine->pci_bus,
                 machine->pci_device);
    }
    return result;
}

static CudaResult get_memory(size_t *bytes, CudaDeviceHandle device)
{
    const CudaResult result = check(bytes, device);
    if (result == CUDA_SUCCESS)
        *bytes = driver.devices[device].state->machine->memory;
    return result;
}

static CudaResult get_attribute(int *value, int attribute, CudaDeviceHandle handle)
{
    const CudaResult result = check(value, handle);
    if (result != CUDA_SUCCESS)
        return result;
    const MachineDevice *machine = driver.devices[handle].state->machine;
    const struct {
        int attribute, value;
    } known[] = {
        {1, 1024},     /* lanes of a group */
        {2, 1024},     /* ... in x */
        {5, INT_MAX},  /* groups by axis */
        {6, 65535},    /* */
        {7, 65535},    /* */
        {8, 49152},    /* group memory */
        {10, 32},      /* lanes of a warp */
        {11, INT_MAX}, /* pitch */
        {14, 512},     /* alignment of textures */
        {16, machine->multiprocessors},
        {18, machine->is_integrated},
        {19, 1}, /* host memory can be mapped */
        {20, machine->own[DEVICE_COMPUTE_MODE]},
        {33, (int)machine->pci_bus},
        {34, (int)machine->pci_device},
        {40, machine->copy_engines},
        {41, 1}, /* unified addressing */
        {50, (int)machine->pci_domain},
        {75, machine->own[DEVICE_CAPABILITY] / 10},
        {76, machine->own[DEVICE_CAPABILITY] % 10},
        {99, 1}, /* host memory can be registered */
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (known[i].attribute == attribute) {
            *value = known[i].value;
            return CUDA_SUCCESS;
        }
    }
    if (attribute < 1 || attribute > 120)
        return CUDA_ERROR_INVALID_VALUE;
    *value = 0; /* nobody asks for it here */
    return CUDA_SUCCESS;
}

CUDA_DEVICE_FUNCTIONS(DRIVER_DEFINE)

/* -- errors -- */

CudaResult cuGetErrorName(CudaResult result, const char **name)
{
    const MachineError *error = machine_error(result);
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    *name = error ? error->name : NULL;
    return error ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CudaResult cuGetErrorString(CudaResult result, const char **text)
{
    const MachineError *error = machine_error(result);
    if (!text)
        return CUDA_ERROR_INVALID_VALUE;
    *text = error ? error->text : NULL;
    return error ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
