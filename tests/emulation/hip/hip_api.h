/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_HIP_HIP_API_H
#define TESTS_EMULATION_HIP_HIP_API_H

#include "hip_types.h"

/* Name and parameters of what the library exports. All return a HipResult. */
#define HIP_DEVICE_FUNCTIONS(X)                                                                    \
    X(hipInit, (unsigned flags))                                                                   \
    X(hipDriverGetVersion, (int *version))                                                         \
    X(hipGetLastError, (void))                                                                     \
    X(hipPeekAtLastError, (void))                                                                  \
    X(hipGetDeviceCount, (int *count))                                                             \
    X(hipGetDevice, (int *device))                                                                 \
    X(hipSetDevice, (int device))                                                                  \
    X(hipDeviceGetName, (char *name, int size, CudaDeviceHandle device))                           \
    X(hipDeviceGetPCIBusId, (char *id, int size, int device))                                      \
    X(hipDeviceTotalMem, (size_t * bytes, CudaDeviceHandle device))                                \
    X(hipDeviceGetAttribute, (int *value, int attribute, int device))                              \
    X(hipDeviceSynchronize, (void))

#define HIP_CONTEXT_FUNCTIONS(X)                                                                   \
    X(hipCtxCreate, (CudaContext * context, unsigned flags, CudaDeviceHandle device))              \
    X(hipCtxDestroy, (CudaContext context))                                                        \
    X(hipCtxPushCurrent, (CudaContext context))                                                    \
    X(hipCtxPopCurrent, (CudaContext * context))                                                   \
    X(hipCtxGetDevice, (CudaDeviceHandle * device))

#define HIP_MEMORY_FUNCTIONS(X)                                                                    \
    X(hipMalloc, (void **address, size_t bytes))                                                   \
    X(hipFree, (void *address))                                                                    \
    X(hipHostMalloc, (void **memory, size_t bytes, unsigned flags))                                \
    X(hipHostFree, (void *memory))                                                                 \
    X(hipHostRegister, (void *memory, size_t bytes, unsigned flags))                               \
    X(hipHostUnregister, (void *memory))                                                           \
    X(hipHostGetDevicePointer, (void **address, void *memory, unsigned flags))                     \
    X(hipMemGetAddressRange, (void **base, size_t *size, void *address))

#define HIP_COPY_FUNCTIONS(X)                                                                      \
    X(hipMemcpy, (void *dst, const void *src, size_t bytes, int kind))                             \
    X(hipMemcpyAsync, (void *dst, const void *src, size_t bytes, int kind, CudaStream stream))     \
    X(hipMemcpy2DAsync, (void *dst, size_t dst_pitch, const void *src, size_t src_pitch,           \
                         size_t width, size_t height, int kind, CudaStream stream))                \
    X(hipMemsetAsync, (void *dst, int value, size_t count, CudaStream stream))

#define HIP_STREAM_FUNCTIONS(X)                                                                    \
    X(hipStreamCreate, (CudaStream * stream))                                                      \
    X(hipStreamCreateWithFlags, (CudaStream * stream, unsigned flags))                             \
    X(hipStreamDestroy, (CudaStream stream))                                                       \
    X(hipStreamSynchronize, (CudaStream stream))                                                   \
    X(hipStreamWaitEvent, (CudaStream stream, CudaEvent event, unsigned flags))                    \
    X(hipEventCreateWithFlags, (CudaEvent * event, unsigned flags))                                \
    X(hipEventDestroy, (CudaEvent event))                                                          \
    X(hipEventRecord, (CudaEvent event, CudaStream stream))                                        \
    X(hipEventQuery, (CudaEvent event))                                                            \
    X(hipEventSynchronize, (CudaEvent event))                                                      \
    X(hipEventElapsedTime, (float *milliseconds, CudaEvent begin, CudaEvent end))

#define HIP_MODULE_FUNCTIONS(X)                                                                    \
    X(hipModuleLoadData, (CudaModule * module, const void *image))                                 \
    X(hipModuleUnload, (CudaModule module))                                                        \
    X(hipModuleGetFunction, (CudaFunction * function, CudaModule module, const char *name))        \
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
