/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Contexts, which HIP keeps for programs that come from CUDA. */
#include "hip.h"

HipResult hipDevicePrimaryCtxRetain(CudaContext *context, CudaDeviceHandle device)
{
    HIP_CALL(HIP_NEEDS_INIT, cuDevicePrimaryCtxRetain(context, device));
}

HipResult hipDevicePrimaryCtxRelease(CudaDeviceHandle device)
{
    HIP_CALL(HIP_NEEDS_INIT, cuDevicePrimaryCtxRelease_v2(device));
}

HipResult hipDevicePrimaryCtxReset(CudaDeviceHandle device)
{
    HIP_CALL(HIP_NEEDS_INIT, cuDevicePrimaryCtxReset_v2(device));
}

HipResult hipDevicePrimaryCtxSetFlags(CudaDeviceHandle device, unsigned flags)
{
    HIP_CALL(HIP_NEEDS_INIT, cuDevicePrimaryCtxSetFlags_v2(device, flags));
}

HipResult hipDevicePrimaryCtxGetState(CudaDeviceHandle device, unsigned *flags, int *active)
{
    HIP_CALL(HIP_NEEDS_INIT, cuDevicePrimaryCtxGetState(device, flags, active));
}

HipResult hipCtxCreate(CudaContext *context, unsigned flags, CudaDeviceHandle device)
{
    HIP_CALL(HIP_NEEDS_INIT, cuCtxCreate_v2(context, flags, device));
}

HipResult hipCtxDestroy(CudaContext context)
{
    HIP_CALL(HIP_NEEDS_INIT, cuCtxDestroy_v2(context));
}

HipResult hipCtxPushCurrent(CudaContext context)
{
    HIP_CALL(HIP_NEEDS_INIT, cuCtxPushCurrent_v2(context));
}

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

HipResult hipCtxPopCurrent(CudaContext *context)
{
    HIP_CALL(HIP_NEEDS_INIT, pop(context));
}

HipResult hipCtxSetCurrent(CudaContext context)
{
    HIP_CALL(HIP_NEEDS_INIT, cuCtxSetCurrent(context));
}

HipResult hipCtxGetCurrent(CudaContext *context)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuCtxGetCurrent(context));
}

HipResult hipCtxGetDevice(CudaDeviceHandle *device)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuCtxGetDevice(device));
}

HipResult hipCtxGetFlags(unsigned *flags)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuCtxGetFlags(flags));
}

HipResult hipCtxGetApiVersion(CudaContext context, unsigned *version)
{
    HIP_CALL(HIP_NEEDS_INIT, cuCtxGetApiVersion(context, version));
}

HipResult hipCtxSynchronize(void)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuCtxSynchronize());
}
