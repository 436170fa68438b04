/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_HIP_HIP_API_H
#define TESTS_EMULATION_HIP_HIP_API_H

#include "hip_types.h"

/* Name and parameters of what the library exports. All return a HipResult. */
#define HIP_DEVICE_FUNCTIONS(X)                                                                    \
    X(hipInit, (unsigned flags))                                                                   \
    X(hipDriverGetVersion, (int *version))                                                         \
    X(hipRuntimeGetVersion, (int *version))                                                        \
    X(hipGetLastError, (void))                                                                     \
    X(hipPeekAtLastError, (void))                                                                  \
    X(hipGetDeviceCount, (int *count))                                                             \
    X(hipGetDevice, (int *device))                                                                 \
    X(hipSetDevice, (int device))                                                                  \
    X(hipDeviceGet, (CudaDeviceHandle * device, int ordinal))                                      \
    X(hipDeviceGetName, (char *name, int size, CudaDeviceHandle device))                           \
    X(hipDeviceGetUuid, (CudaUuid * uuid, CudaDeviceHandle device))                                \
    X(hipDeviceGetPCIBusId, (char *id, int size, int device))                                      \
    X(hipDeviceGetByPCIBusId, (int *device, const char *id))                                       \
    X(hipDeviceTotalMem, (size_t * bytes, CudaDeviceHandle device))                                \
    X(hipDeviceGetAttribute, (int *value, int attribute, int device))                              \
    X(hipDeviceComputeCapability, (int *major, int *minor, CudaDeviceHandle device))               \
    X(hipDeviceSynchronize, (void))                                                                \
    X(hipDeviceReset, (void))

#define HIP_CONTEXT_FUNCTIONS(X)                                                                   \
    X(hipDevicePrimaryCtxRetain, (CudaContext * context, CudaDeviceHandle device))                 \
    X(hipDevicePrimaryCtxRelease, (CudaDeviceHandle device))                                       \
    X(hipDevicePrimaryCtxReset, (CudaDeviceHandle device))                                         \
    X(hipDevicePrimaryCtxSetFlags, (CudaDeviceHandle device, unsigned flags))                      \
    X(hipDevicePrimaryCtxGetState, (CudaDeviceHandle device, unsigned *flags, int *active))        \
    X(hipCtxCreate, (CudaContext * context, unsigned flags, CudaDeviceHandle device))              \
    X(hipCtxDestroy, (CudaContext context))                                                        \
    X(hipCtxPushCurrent, (CudaContext context))                                                    \
    X(hipCtxPopCurrent, (CudaContext * context))                                                   \
    X(hipCtxSetCurrent, (CudaContext context))                                                     \
    X(hipCtxGetCurrent, (CudaContext * context))                                                   \
    X(hipCtxGetDevice, (CudaDeviceHandle * device))                                                \
    X(hipCtxGetFlags, (unsigned *flags))                                                           \
    X(hipCtxGetApiVersion, (CudaContext context, unsigned *version))                               \
    X(hipCtxSynchronize, (void))

#define HIP_MEMORY_FUNCTIONS(X)                                                                    \
    X(hipMalloc, (void **address, size_t bytes))                                                   \
    X(hipMallocPitch, (void **address, size_t *pitch, size_t width, size_t height))                \
    X(hipMallocManaged, (void **address, size_t bytes, unsigned flags))                            \
    X(hipFree, (void *address))                                                                    \
    X(hipHostMalloc, (void **memory, size_t bytes, unsigned flags))                                \
    X(hipHostAlloc, (void **memory, size_t bytes, unsigned flags))                                 \
    X(hipHostFree, (void *memory))                                                                 \
    X(hipFreeHost, (void *memory))                                                                 \
    X(hipHostRegister, (void *memory, size_t bytes, unsigned flags))                               \
    X(hipHostUnregister, (void *memory))                                                           \
    X(hipHostGetDevicePointer, (void **address, void *memory, unsigned flags))                     \
    X(hipHostGetFlags, (unsigned *flags, void *memory))                                            \
    X(hipMemGetInfo, (size_t * available, size_t * total))                                         \
    X(hipMemGetAddressRange, (void **base, size_t *size, void *address))                           \
    X(hipMemPtrGetInfo, (void *address, size_t *size))                                             \
    X(hipPointerGetAttributes, (HipPointerAttributes * attributes, const void *address))           \
    X(hipPointerGetAttribute, (void *value, int attribute, void *address))

#define HIP_COPY_FUNCTIONS(X)                                                                      \
    X(hipMemcpy, (void *dst, const void *src, size_t bytes, int kind))                             \
    X(hipMemcpyAsync, (void *dst, const void *src, size_t bytes, int kind, CudaStream stream))     \
    X(hipMemcpyHtoD, (void *dst, const void *src, size_t bytes))                                   \
    X(hipMemcpyHtoDAsync, (void *dst, const void *src, size_t bytes, CudaStream stream))           \
    X(hipMemcpyDtoH, (void *dst, const void *src, size_t bytes))                                   \
    X(hipMemcpyDtoHAsync, (void *dst, const void *src, size_t bytes, CudaStream stream))           \
    X(hipMemcpyDtoD, (void *dst, const void *src, size_t bytes))                                   \
    X(hipMemcpyDtoDAsync, (void *dst, const void *src, size_t bytes, CudaStream stream))           \
    X(hipMemcpy2D, (void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,  \
                    size_t height, int kind))                                                      \
    X(hipMemcpy2DAsync, (void *dst, size_t dst_pitch, const void *src, size_t src_pitch,           \
                         size_t width, size_t height, int kind, CudaStream stream))                \
    X(hipMemcpyParam2D, (const HipCopy2D *copy))                                                   \
    X(hipMemcpyParam2DAsync, (const HipCopy2D *copy, CudaStream stream))                           \
    X(hipMemset, (void *dst, int value, size_t count))                                             \
    X(hipMemsetAsync, (void *dst, int value, size_t count, CudaStream stream))                     \
    X(hipMemsetD8, (void *dst, unsigned char value, size_t count))                                 \
    X(hipMemsetD8Async, (void *dst, unsigned char value, size_t count, CudaStream stream))         \
    X(hipMemsetD32, (void *dst, int value, size_t count))                                          \
    X(hipMemsetD32Async, (void *dst, int value, size_t count, CudaStream stream))

#define HIP_STREAM_FUNCTIONS(X)                                                                    \
    X(hipStreamCreate, (CudaStream * stream))                                                      \
    X(hipStreamCreateWithFlags, (CudaStream * stream, unsigned flags))                             \
    X(hipStreamCreateWithPriority, (CudaStream * stream, unsigned flags, int priority))            \
    X(hipStreamGetFlags, (CudaStream stream, unsigned *flags))                                     \
    X(hipStreamGetPriority, (CudaStream stream, int *priority))                                    \
    X(hipStreamDestroy, (CudaStream stream))                                                       \
    X(hipStreamSynchronize, (CudaStream stream))                                                   \
    X(hipStreamQuery, (CudaStream stream))                                                         \
    X(hipStreamWaitEvent, (CudaStream stream, CudaEvent event, unsigned flags))                    \
    X(hipStreamAddCallback,                                                                        \
      (CudaStream stream, HipStreamCallback callback, void *data, unsigned flags))                 \
    X(hipEventCreate, (CudaEvent * event))                                                         \
    X(hipEventCreateWithFlags, (CudaEvent * event, unsigned flags))                                \
    X(hipEventDestroy, (CudaEvent event))                                                          \
    X(hipEventRecord, (CudaEvent event, CudaStream stream))                                        \
    X(hipEventQuery, (CudaEvent event))                                                            \
    X(hipEventSynchronize, (CudaEvent event))                                                      \
    X(hipEventElapsedTime, (float *milliseconds, CudaEvent begin, CudaEvent end))

#define HIP_MODULE_FUNCTIONS(X)                                                                    \
    X(hipModuleLoadData, (CudaModule * module, const void *image))                                 \
    X(hipModuleLoadDataEx,                                                                         \
      (CudaModule * module, const void *image, unsigned n_options, void *options, void **values))  \
    X(hipModuleUnload, (CudaModule module))                                                        \
    X(hipModuleGetFunction, (CudaFunction * function, CudaModule module, const char *name))        \
    X(hipFuncGetAttribute, (int *value, int attribute, CudaFunction function))                     \
    X(hipModuleLaunchKernel,                                                                       \
      (CudaFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, \
       unsigned block_y, unsigned block_z, unsigned shared_bytes, CudaStream stream,               \
       void **parameters, void **extra))

#define HIP_FUNCTIONS(X)                                                                           \
    HIP_DEVICE_FUNCTIONS(X)                                                                        \
    HIP_CONTEXT_FUNCTIONS(X)                                                                       \
    HIP_MEMORY_FUNCTIONS(X)                                                                        \
    HIP_COPY_FUNCTIONS(X)                                                                          \
    HIP_STREAM_FUNCTIONS(X)                                                                        \
    HIP_MODULE_FUNCTIONS(X)

#define X(name, parameters) __attribute__((visibility("default"))) HipResult name parameters;
HIP_FUNCTIONS(X)
#undef X

/* NULL is never returned. */
__attribute__((visibility("default"))) const char *hipGetErrorName(HipResult result);
__attribute__((visibility("default"))) const char *hipGetErrorString(HipResult result);

#endif
