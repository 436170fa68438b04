/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What surrounds every call: the runtime starts, and a device is current. */
#include "hip.h"

static _Thread_local HipResult last_error;

HipResult hip_initialize(void)
{
    if (driver.is_initialized)
        return hipSuccess;
    if (machine_why[0])
        return hipErrorUnknown;
    if (emulated_machine.own[DRIVER_IS_MISMATCHED])
        return hipErrorInsufficientDriver;
    if (emulated_machine.has_no_device || emulated_machine.n_devices == 0)
        return HIP_MAJOR == 5 ? hipErrorInvalidDevice : hipErrorNoDevice;
    driver.is_initialized = true;
    return hipSuccess;
}

HipResult hip_choose_device(int ordinal)
{
    Device *device = driver_device(ordinal);
    CudaContext context = device ? device->primary : NULL;
    if (!device)
        return hipErrorInvalidDevice;
    const CudaResult result = context ? CUDA_SUCCESS : cuDevicePrimaryCtxRetain(&context, ordinal);
    return result == CUDA_SUCCESS ? cuCtxSetCurrent(context) : result;
}

/* A thread that has no device yet gets the first; one whose device was reset keeps it. */
static HipResult need_device(void)
{
    CudaContext context = driver_current();
    if (context && context->magic == DRIVER_ALIVE)
        return hipSuccess;
    return hip_choose_device(context ? context->device->ordinal : 0);
}

HipResult hip_begin(const char *function, enum HipNeeds needs)
{
    HipResult result = machine_begin(function);
    if (result == hipSuccess && needs >= HIP_NEEDS_INIT)
        result = hip_initialize();
    if (result == hipSuccess && needs >= HIP_NEEDS_DEVICE)
        result = need_device();
    return result;
}

/* Errors of the driver that HIP does not have. */
static HipResult translate(CudaResult result)
{
    switch (result) {
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
        return hipErrorOutOfMemory;
    case CUDA_ERROR_MISALIGNED_ADDRESS:
        return hipErrorIllegalAddress;
    default:
        return result;
    }
}

HipResult hip_end(const char *function, HipResult result)
{
    const HipResult translated = translate(result);
    if (translated != hipSuccess || HIP_MAJOR < 7) /* before, it is what the last call returned */
        last_error = translated;
    return machine_end(function, translated);
}

/* -- errors -- */

HipResult hipPeekAtLastError(void)
{
    return last_error;
}

HipResult hipGetLastError(void)
{
    const HipResult error = last_error;
    last_error = hipSuccess;
    return error;
}

const char *hipGetErrorName(HipResult result)
{
    const MachineError *error = machine_error(result);
    return error ? error->name : "hipErrorUnknown";
}

const char *hipGetErrorString(HipResult result)
{
    const MachineError *error = machine_error(result);
    if (HIP_MAJOR == 5) /* seen in ROCm 5.2 */
        return hipGetErrorName(result);
    return error ? error->text : "unknown error";
}
