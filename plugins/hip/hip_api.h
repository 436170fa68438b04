/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_HIP_API_H
#define VMAF_HIP_API_H

/*
 * The part of ROCm's HIP runtime that the layer calls, in prototypes of our own: no header of
 * ROCm's is needed. The library's name changes with each major version of ROCm, so it is found by
 * name when the backend starts, and its functions one by one.
 *
 * All functions, names and numbers here are those of hip/hip_runtime_api.h of ROCm 5.2 and 5.7,
 * where they are equal; their being the same in ROCm 6 and 7 is known from memory only. What is
 * known to differ is not used: hipDeviceProp_t, hipPointerAttribute_t and the numbers of
 * hipMemoryType changed in 6.
 */
#include <stddef.h>
#include <stdint.h>

typedef int32_t hipError_t; /* an enum there */
typedef int hipDevice_t;
typedef uint64_t hipDeviceptr_t; /* a pointer there */
typedef struct ihipCtx_t *hipCtx_t;
typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef struct ihipStream_t *hipStream_t;
typedef struct ihipEvent_t *hipEvent_t;
typedef struct hipGraphExec *hipGraphExec_t;

enum {
    hipSuccess = 0,
    hipErrorInvalidValue = 1,
    hipErrorOutOfMemory = 2,
    hipErrorDeinitialized = 4,
    hipErrorInvalidDevicePointer = 17,
    hipErrorNoDevice = 100,
    hipErrorInvalidDevice = 101,
    hipErrorInvalidImage = 200,
    hipErrorInvalidContext = 201,
    hipErrorNoBinaryForGpu = 209,
    hipErrorECCNotCorrectable = 214,
    hipErrorInvalidKernelFile = 218,
    hipErrorSharedObjectSymbolNotFound = 302, /* code is a shared object to the loader */
    hipErrorSharedObjectInitFailed = 303,
    hipErrorInvalidHandle = 400,
    hipErrorNotFound = 500,
    hipErrorNotReady = 600,
    hipErrorIllegalAddress = 700,
    hipErrorLaunchTimeOut = 702,
    hipErrorContextIsDestroyed = 709,
    hipErrorAssert = 710,
    hipErrorHostMemoryAlreadyRegistered = 712,
    hipErrorLaunchFailure = 719,
    hipErrorNotSupported = 801,
    hipErrorUnknown = 999,
};

/* Attributes of a device. (Those of ROCm 4 have other numbers.) */
enum {
    hipDeviceAttributeAsyncEngineCount = 2,
    hipDeviceAttributeIntegrated = 16,
    hipDeviceAttributeMaxBlockDimX = 26,
    hipDeviceAttributeMaxGridDimX = 29,
    hipDeviceAttributeMaxGridDimY = 30,
    hipDeviceAttributeMaxGridDimZ = 31,
    hipDeviceAttributeMaxThreadsPerBlock = 56,
    hipDeviceAttributeMultiprocessorCount = 63,
    hipDeviceAttributeMaxSharedMemoryPerBlock = 74,
    hipDeviceAttributeWarpSize = 87,
};

enum {
    hipHostMallocMapped = 2,  /* of allocations and registrations: kernels can read it */
    hipMemcpyDefault = 4,     /* from where to where is told from the addresses */
    hipStreamNonBlocking = 1, /* never waits for the legacy stream */
    hipEventDisableTiming = 2,
};

/* Name, without "hip", and parameters of every function. All return a hipError_t. */
#define HIP_FUNCTIONS(X)                                                                           \
    X(Init, (unsigned flags))                                                                      \
    X(DriverGetVersion, (int *version))                                                            \
    X(GetDeviceCount, (int *count))                                                                \
    X(GetDevice, (int *device))                                                                    \
    X(SetDevice, (int device))                                                                     \
    X(DeviceGetName, (char *name, int size, int device))                                           \
    X(DeviceGetPCIBusId, (char *id, int size, int device))                                         \
    X(DeviceTotalMem, (size_t * bytes, int device))                                                \
    X(DeviceGetAttribute, (int *value, int attribute, int device))                                 \
    X(Malloc, (hipDeviceptr_t * address, size_t bytes))                                            \
    X(Free, (hipDeviceptr_t address))                                                              \
    X(HostMalloc, (void **memory, size_t bytes, unsigned flags))                                   \
    X(HostFree, (void *memory))                                                                    \
    X(HostRegister, (void *memory, size_t bytes, unsigned flags))                                  \
    X(HostUnregister, (void *memory))                                                              \
    X(HostGetDevicePointer, (hipDeviceptr_t * address, void *memory, unsigned flags))              \
    X(MemGetAddressRange, (hipDeviceptr_t * begin, size_t * bytes, hipDeviceptr_t address))        \
    X(MemcpyAsync, (void *dst, const void *src, size_t bytes, int kind, hipStream_t stream))       \
    X(Memcpy2DAsync, (void *dst, size_t dst_pitch, const void *src, size_t src_pitch,              \
                      size_t width, size_t height, int kind, hipStream_t stream))                  \
    X(ModuleLoadData, (hipModule_t * module, const void *image))                                   \
    X(ModuleUnload, (hipModule_t module))                                                          \
    X(ModuleGetFunction, (hipFunction_t * function, hipModule_t module, const char *name))         \
    X(ModuleLaunchKernel,                                                                          \
      (hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,                  \
       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,                \
       hipStream_t stream, void **parameters, void **extra))                                       \
    X(StreamCreateWithFlags, (hipStream_t * stream, unsigned flags))                               \
    X(StreamDestroy, (hipStream_t stream))                                                         \
    X(StreamSynchronize, (hipStream_t stream))                                                     \
    X(StreamWaitEvent, (hipStream_t stream, hipEvent_t event, unsigned flags))                     \
    X(EventCreateWithFlags, (hipEvent_t * event, unsigned flags))                                  \
    X(EventDestroy, (hipEvent_t event))                                                            \
    X(EventRecord, (hipEvent_t event, hipStream_t stream))                                         \
    X(EventQuery, (hipEvent_t event))                                                              \
    X(EventElapsedTime, (float *milliseconds, hipEvent_t begin, hipEvent_t end))

/* Null where they are absent. Contexts are deprecated, and only there for applications that use
 * them. */
#define HIP_OPTIONAL_FUNCTIONS(X)                                                                  \
    X(GetLastError, (void))                                                                        \
    X(CtxPushCurrent, (hipCtx_t context))                                                          \
    X(CtxPopCurrent, (hipCtx_t * context))                                                         \
    X(CtxGetDevice, (int *device))

_Static_assert(sizeof(void *) == sizeof(hipDeviceptr_t), "ROCm is for 64-bit systems");

typedef struct HipRuntime {
#define HIP_DECLARE(name, parameters) hipError_t(*name) parameters;
    HIP_FUNCTIONS(HIP_DECLARE)
    HIP_OPTIONAL_FUNCTIONS(HIP_DECLARE)
#undef HIP_DECLARE
    const char *(*GetErrorName)(hipError_t result);
    const char *(*GetErrorString)(hipError_t result);
} HipRuntime;

/* Valid once hip_load was successful. */
extern HipRuntime hip;

#endif
