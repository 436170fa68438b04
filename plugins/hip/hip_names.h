/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_HIP_NAMES_H
#define VMAF_HIP_NAMES_H

/*
 * Names and numbers of CUDA's driver interface as those of HIP's runtime, which plugins/cuda is
 * compiled with for this backend. What differs in more than names is in hip_driver.c.
 */
#include "hip_api.h"
#include "hip_layer.h"

#define DRIVER_LAYER       vmaf_hip_layer
#define DRIVER_NAME        "hip"
#define DRIVER_PREFIX      "hip"
#define DRIVER_NO_DEVICE   "there is no AMD GPU"
#define DRIVER_SYNC_STREAM VMAF_BACKEND_SYNC_HIP_STREAM

#define CUresult    hipError_t
#define CUdevice    hipDevice_t
#define CUdeviceptr hipDeviceptr_t
#define CUcontext   hipCtx_t
#define CUmodule    hipModule_t
#define CUfunction  hipFunction_t
#define CUstream    hipStream_t
#define CUevent     hipEvent_t
#define CUgraphExec hipGraphExec_t

#define CUDA_SUCCESS              hipSuccess
#define CUDA_ERROR_NOT_READY      hipErrorNotReady
#define CUDA_ERROR_NOT_SUPPORTED  hipErrorNotSupported
#define CUDA_ERROR_UNKNOWN        hipErrorUnknown
#define CU_EVENT_DISABLE_TIMING   hipEventDisableTiming
#define CU_MEMHOSTALLOC_DEVICEMAP hipHostMallocMapped
#define CU_STREAM_NON_BLOCKING    hipStreamNonBlocking

#define cuEventCreate                hip.EventCreateWithFlags
#define cuEventDestroy_v2            hip.EventDestroy
#define cuEventElapsedTime           hip.EventElapsedTime
#define cuEventQuery                 hip.EventQuery
#define cuEventRecord                hip.EventRecord
#define cuLaunchKernel               hip.ModuleLaunchKernel
#define cuMemAlloc_v2                hip.Malloc
#define cuMemFreeHost                hip.HostFree
#define cuMemFree_v2                 hip.Free
#define cuMemHostAlloc               hip.HostMalloc
#define cuMemHostGetDevicePointer_v2 hip.HostGetDevicePointer
#define cuMemHostRegister_v2         hip.HostRegister
#define cuMemHostUnregister          hip.HostUnregister
#define cuModuleGetFunction          hip.ModuleGetFunction
#define cuModuleLoadData             hip.ModuleLoadData
#define cuModuleUnload               hip.ModuleUnload
#define cuStreamCreate               hip.StreamCreateWithFlags
#define cuStreamDestroy_v2           hip.StreamDestroy
#define cuStreamSynchronize          hip.StreamSynchronize
#define cuStreamWaitEvent            hip.StreamWaitEvent

/* Copies take their parameters one by one, and find out from the addresses where from and to. */

enum { CU_MEMORYTYPE_UNIFIED };

typedef struct CUDA_MEMCPY2D {
    int srcMemoryType, dstMemoryType;
    hipDeviceptr_t srcDevice, dstDevice;
    size_t srcPitch, dstPitch, WidthInBytes, Height;
} CUDA_MEMCPY2D;

static inline hipError_t cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, hipStream_t stream)
{
    return hip.Memcpy2DAsync((void *)(uintptr_t)copy->dstDevice, copy->dstPitch,
                             (const void *)(uintptr_t)copy->srcDevice, copy->srcPitch,
                             copy->WidthInBytes, copy->Height, hipMemcpyDefault, stream);
}

static inline hipError_t cuMemcpyAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t bytes,
                                       hipStream_t stream)
{
    return hip.MemcpyAsync((void *)(uintptr_t)dst, (const void *)(uintptr_t)src, bytes,
                           hipMemcpyDefault, stream);
}

#endif
