/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "hip.h"

static HipResult get_version(int *version)
{
    if (!version)
        return hipErrorInvalidValue;
    *version = emulated_machine.driver;
    return hipSuccess;
}

HipResult hipDriverGetVersion(int *version)
{
    HIP_CALL(HIP_NEEDS_NOTHING, get_version(version));
}

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

HipResult hipGetDeviceCount(int *count)
{
    HIP_CALL(HIP_NEEDS_NOTHING, get_count(count));
}

HipResult hipGetDevice(int *device)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuCtxGetDevice(device));
}

HipResult hipSetDevice(int device)
{
    HIP_CALL(HIP_NEEDS_INIT, hip_choose_device(device));
}

HipResult hipDeviceGetName(char *name, int size, CudaDeviceHandle device)
{
    HIP_CALL(HIP_NEEDS_INIT, cuDeviceGetName(name, size, device));
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

HipResult hipDeviceGetPCIBusId(char *id, int size, int device)
{
    HIP_CALL(HIP_NEEDS_INIT, get_bus_id(id, size, device));
}

HipResult hipDeviceTotalMem(size_t *bytes, CudaDeviceHandle device)
{
    HIP_CALL(HIP_NEEDS_INIT, cuDeviceTotalMem_v2(bytes, device));
}

/* -- attributes -- */

/* Those that are the same everywhere. */
static const struct {
    int attribute, value;
} constants[] = {
    {0, 0},                          /* ECC */
    {3, 1},                          /* host memory can be mapped */
    {4, 1},                          /* host pointers of registered memory are the device's */
    {5, 2000000},                    /* kHz */
    {8, 1},                          /* several kernels at the same time */
    {15, 1},                         /* native atomics on host memory */
    {18, 0},                         /* a limit for the time of kernels */
    {19, 4194304},   {24, 1},        /* managed memory */
    {26, 1024},                      /* lanes of a group by axis */
    {27, 1024},                      /* */
    {28, 1024},                      /* */
    {29, INT_MAX},                   /* groups by axis */
    {30, 65536},                     /* */
    {31, 65536},                     /* */
    {56, 1024},                      /* lanes of a group */
    {57, 2048},                      /* lanes of a multiprocessor */
    {58, INT_MAX},                   /* pitch */
    {59, 256},                       /* bits of the memory's bus */
    {60, 1000000},                   /* kHz of memory */
    {65, 0},                         /* pageable memory in kernels */
    {71, 65536},                     /* registers of a group */
    {74, 65536},                     /* group memory */
    {85, 1},                         /* unified addressing */
    {88, 0},                         /* memory pools */
    {10000, 100000}, {10002, 65536}, /* group memory of a multiprocessor */
    {10011, 0},                      /* all memory behind the bus */
    {10014, 1},                      /* images */
};

/* Lanes of a wave: 64 on the chips before gfx10. */
static int wave_lanes(const MachineDevice *machine)
{
    return strncmp(machine->chip, "gfx9", 4) == 0 ? 64 : 32;
}

/* Numbers that newer headers have no names for. */
static bool is_unused(int attribute)
{
    return HIP_MAJOR >= 6 && (attribute == 64 || attribute == 86 || attribute == 10001 ||
                              attribute == 10003 || attribute == 10004);
}

static HipResult get_attribute(int *value, int attribute, int handle)
{
    const Device *device = driver_device(handle);
    if (!value || attribute < 0 || is_unused(attribute))
        return hipErrorInvalidValue;
    if (!device)
        return hipErrorInvalidDevice;
    const MachineDevice *machine = device->state->machine;
    const int capability = machine->own[DEVICE_CAPABILITY];
    const struct {
        int attribute, value;
    } own[] = {{2, machine->copy_engines},
               {6, machine->own[DEVICE_COMPUTE_MODE]},
               {16, machine->is_integrated},
               {23, capability / 10},
               {61, capability % 10},
               {63, machine->multiprocessors},
               {67, (int)machine->pci_bus},
               {68, (int)machine->pci_device},
               {69, (int)machine->pci_domain},
               {87, wave_lanes(machine)},
               {10015, machine->multiprocessors},
               {10016, 1}};
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        if (own[i].attribute == attribute) {
            *value = own[i].value;
            return hipSuccess;
        }
    }
    for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++) {
        if (constants[i].attribute == attribute) {
            *value = constants[i].value;
            return hipSuccess;
        }
    }
    return hipErrorInvalidValue;
}

HipResult hipDeviceGetAttribute(int *value, int attribute, int device)
{
    HIP_CALL(HIP_NEEDS_INIT, get_attribute(value, attribute, device));
}

/* -- all work of a device -- */

HipResult hipDeviceSynchronize(void)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuCtxSynchronize());
}
