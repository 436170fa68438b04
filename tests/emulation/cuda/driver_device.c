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

CudaResult cuInit(unsigned flags)
{
    DRIVER_CALL(DRIVER_NEEDS_NOTHING, initialize(flags));
}

CudaResult cuDriverGetVersion(int *version)
{
    DRIVER_CALL(DRIVER_NEEDS_NOTHING, !version
                                          ? CUDA_ERROR_INVALID_VALUE
                                          : (*version = emulated_machine.driver, CUDA_SUCCESS));
}

Device *driver_device(CudaDeviceHandle handle)
{
    return handle >= 0 && handle < emulated_machine.n_devices ? &driver.devices[handle] : NULL;
}

CudaResult cuDeviceGetCount(int *count)
{
    DRIVER_CALL(DRIVER_NEEDS_INIT, !count ? CUDA_ERROR_INVALID_VALUE
                                          : (*count = emulated_machine.n_devices, CUDA_SUCCESS));
}

CudaResult cuDeviceGet(CudaDeviceHandle *device, int ordinal)
{
    DRIVER_CALL(DRIVER_NEEDS_INIT, !device                   ? CUDA_ERROR_INVALID_VALUE
                                   : !driver_device(ordinal) ? CUDA_ERROR_INVALID_DEVICE
                                                             : (*device = ordinal, CUDA_SUCCESS));
}

/* What the calls of one device begin with. */
static CudaResult check(const void *result, CudaDeviceHandle device)
{
    return !result                  ? CUDA_ERROR_INVALID_VALUE
           : !driver_device(device) ? CUDA_ERROR_INVALID_DEVICE
                                    : CUDA_SUCCESS;
}

static CudaResult get_name(char *name, int size, CudaDeviceHandle device)
{
    const CudaResult result = size <= 0 ? CUDA_ERROR_INVALID_VALUE : check(name, device);
    if (result == CUDA_SUCCESS)
        snprintf(name, (size_t)size, "%s", driver.devices[device].state->machine->name);
    return result;
}

CudaResult cuDeviceGetName(char *name, int size, CudaDeviceHandle device)
{
    DRIVER_CALL(DRIVER_NEEDS_INIT, get_name(name, size, device));
}

static CudaResult get_uuid(CudaUuid *uuid, CudaDeviceHandle device)
{
    const CudaResult result = check(uuid, device);
    if (result == CUDA_SUCCESS)
        memcpy(uuid->bytes, driver.devices[device].state->machine->uuid, sizeof(uuid->bytes));
    return result;
}

CudaResult cuDeviceGetUuid(CudaUuid *uuid, CudaDeviceHandle device)
{
    DRIVER_CALL(DRIVER_NEEDS_INIT, get_uuid(uuid, device));
}

CudaResult cuDeviceGetUuid_v2(CudaUuid *uuid, CudaDeviceHandle device)
{
    DRIVER_CALL(DRIVER_NEEDS_INIT, get_uuid(uuid, device));
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

CudaResult cuDeviceGetPCIBusId(char *id, int size, CudaDeviceHandle device)
{
    DRIVER_CALL(DRIVER_NEEDS_INIT, get_bus_id(id, size, device));
}

static CudaResult get_memory(size_t *bytes, CudaDeviceHandle device)
{
    const CudaResult result = check(bytes, device);
    if (result == CUDA_SUCCESS)
        *bytes = driver.devices[device].state->machine->memory;
    return result;
}

CudaResult cuDeviceTotalMem_v2(size_t *bytes, CudaDeviceHandle device)
{
    DRIVER_CALL(DRIVER_NEEDS_INIT, get_memory(bytes, device));
}

/* -- attributes -- */

/* Those that are the same everywhere. */
static const struct {
    int attribute, value;
} constants[] = {
    {1, 1024},     /* lanes of a group */
    {2, 1024},     /* ... by axis */
    {3, 1024},     /* */
    {4, 64},       /* */
    {5, INT_MAX},  /* groups by axis */
    {6, 65535},    /* */
    {7, 65535},    /* */
    {8, 49152},    /* group memory */
    {9, 65536},    /* constants */
    {10, 32},      /* lanes of a warp */
    {11, INT_MAX}, /* pitch */
    {12, 65536},   /* registers of a group */
    {13, 1500000}, /* kHz */
    {14, 512},     /* alignment of textures */
    {15, 1},       /* copies and kernels at the same time */
    {17, 0},       /* a limit for the time of kernels */
    {19, 1},       /* host memory can be mapped */
    {31, 1},       /* several kernels at the same time */
    {32, 0},       /* ECC */
    {35, 0},       /* TCC */
    {36, 8000000}, /* kHz of memory */
    {37, 256},     /* bits of its bus */
    {38, 4194304}, /* L2 */
    {39, 1536},    /* lanes of a multiprocessor */
    {41, 1},       /* unified addressing */
    {51, 32},      /* alignment of the pitch of textures */
    {78, 1},       /* priorities of streams */
    {79, 1},       /* L1 */
    {80, 1},       /* */
    {81, 102400},  /* group memory of a multiprocessor */
    {82, 65536},   /* registers of a multiprocessor */
    {83, 1},       /* managed memory */
    {84, 0},       /* several devices on a board */
    {86, 0},       /* native atomics on host memory */
    {87, 32},      /* single to double precision */
    {88, 0},       /* pageable memory in kernels */
    {89, 0},       /* managed memory by both at the same time */
    {90, 1},       /* preemption */
    {91, 1},       /* host pointers of registered memory are the device's */
    {92, 0},       /* */
    {95, 0},       /* cooperative launches */
    {97, 101376},  /* group memory on request */
    {99, 1},       /* host memory can be registered */
    {100, 0},      /* pageable memory by the host's page tables */
    {102, 0},      /* virtual memory management */
    {106, 16},     /* groups of a multiprocessor */
    {115, 0},      /* memory pools */
};

static CudaResult get_attribute(int *value, int attribute, CudaDeviceHandle handle)
{
    const CudaResult result = check(value, handle);
    if (result != CUDA_SUCCESS)
        return result;
    const MachineDevice *machine = driver.devices[handle].state->machine;
    const struct {
        int attribute, value;
    } own[] = {{16, machine->multiprocessors},
               {18, machine->is_integrated},
               {20, machine->own[DEVICE_COMPUTE_MODE]},
               {33, (int)machine->pci_bus},
               {34, (int)machine->pci_device},
               {40, machine->copy_engines},
               {50, (int)machine->pci_domain},
               {75, machine->own[DEVICE_CAPABILITY] / 10},
               {76, machine->own[DEVICE_CAPABILITY] % 10}};
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        if (own[i].attribute == attribute) {
            *value = own[i].value;
            return CUDA_SUCCESS;
        }
    }
    for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++) {
        if (constants[i].attribute == attribute) {
            *value = constants[i].value;
            return CUDA_SUCCESS;
        }
    }
    if (attribute < 1 || attribute > 120)
        return CUDA_ERROR_INVALID_VALUE;
    *value = 0; /* sizes of textures, and what came later */
    return CUDA_SUCCESS;
}

CudaResult cuDeviceGetAttribute(int *value, int attribute, CudaDeviceHandle device)
{
    DRIVER_CALL(DRIVER_NEEDS_INIT, get_attribute(value, attribute, device));
}

static CudaResult get_capability(int *major, int *minor, CudaDeviceHandle device)
{
    const CudaResult result = !minor ? CUDA_ERROR_INVALID_VALUE : check(major, device);
    if (result == CUDA_SUCCESS) {
        *major = driver.devices[device].state->machine->own[DEVICE_CAPABILITY] / 10;
        *minor = driver.devices[device].state->machine->own[DEVICE_CAPABILITY] % 10;
    }
    return result;
}

CudaResult cuDeviceComputeCapability(int *major, int *minor, CudaDeviceHandle device)
{
    DRIVER_CALL(DRIVER_NEEDS_INIT, get_capability(major, minor, device));
}

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
