/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_HIP_HIP_API_H
#define TESTS_EMULATION_HIP_HIP_API_H

/*
 * Types and values of HIP's interface, in our own words: nothing here comes with a header of
 * AMD's. Handles are those of the driver below; so are most numbers of errors. What HIP_MAJOR
 * changes is marked in README.md as seen in a header or from memory.
 */

#include "driver_api.h"
#include "machine.h"

#ifndef HIP_MAJOR
#define HIP_MAJOR 6
#endif

typedef CudaResult HipResult;

enum { /* kinds of copies */
       HIP_HOST_TO_HOST,
       HIP_HOST_TO_DEVICE,
       HIP_DEVICE_TO_HOST,
       HIP_DEVICE_TO_DEVICE,
       HIP_COPY_DEFAULT,
};

/* Names, values and words for errors. */
#define HIP_RESULTS(X)                                                                             \
    X(hipSuccess, 0, "no error")                                                                   \
    X(hipErrorInvalidValue, 1, "invalid argument")                                                 \
    X(hipErrorOutOfMemory, 2, "out of memory")                                                     \
    X(hipErrorNotInitialized, 3, "initialization error")                                           \
    X(hipErrorDeinitialized, 4, "driver shutting down")                                            \
    X(hipErrorInvalidConfiguration, 9, "invalid configuration argument")                           \
    X(hipErrorInvalidPitchValue, 12, "invalid pitch argument")                                     \
    X(hipErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                     \
    X(hipErrorInsufficientDriver, 35, "driver version is insufficient for runtime version")        \
    X(hipErrorNoDevice, 100, "no ROCm-capable device is detected")                                 \
    X(hipErrorInvalidDevice, 101, "invalid device ordinal")                                        \
    X(hipErrorInvalidImage, 200, "device kernel image is invalid")                                 \
    X(hipErrorInvalidContext, 201, "invalid device context")                                       \
    X(hipErrorNoBinaryForGpu, 209, "no kernel image is available for execution on the device")     \
    X(hipErrorECCNotCorrectable, 214, "uncorrectable ECC error encountered")                       \
    X(hipErrorOperatingSystem, 304, "OS call failed or operation not supported on this OS")        \
    X(hipErrorInvalidHandle, 400, "invalid resource handle")                                       \
    X(hipErrorNotFound, 500, "named symbol not found")                                             \
    X(hipErrorNotReady, 600, "device not ready")                                                   \
    X(hipErrorIllegalAddress, 700, "an illegal memory access was encountered")                     \
    X(hipErrorLaunchTimeOut, 702, "the launch timed out and was terminated")                       \
    X(hipErrorContextIsDestroyed, 709, "context is destroyed")                                     \
    X(hipErrorHostMemoryAlreadyRegistered, 712,                                                    \
      "part or all of the requested memory range is already mapped")                               \
    X(hipErrorHostMemoryNotRegistered, 713,                                                        \
      "pointer does not correspond to a registered memory region")                                 \
    X(hipErrorLaunchFailure, 719, "unspecified launch failure")                                    \
    X(hipErrorNotSupported, 801, "operation not supported")                                        \
    X(hipErrorUnknown, 999, "unknown error")

enum {
#define X(name, value, text) name = value,
    HIP_RESULTS(X)
#undef X
};

/*
 * What the library exports: X(name, what the call needs (enum HipNeeds), parameters, what it does).
 * All return a HipResult.
 */
#define HIP_DEVICE_FUNCTIONS(X)                                                                    \
    X(hipInit, NOTHING, (unsigned flags), flags ? hipErrorInvalidValue : hip_initialize())         \
    X(hipDriverGetVersion, NOTHING, (int *version), cuDriverGetVersion(version))                   \
    X(hipGetDeviceCount, NOTHING, (int *count), get_count(count))                                  \
    X(hipGetDevice, DEVICE, (int *device), cuCtxGetDevice(device))                                 \
    X(hipSetDevice, INIT, (int device), hip_choose_device(device))                                 \
    X(hipDeviceGetName, INIT, (char *name, int size, CudaDeviceHandle device),                     \
      cuDeviceGetName(name, size, device))                                                         \
    X(hipDeviceGetPCIBusId, INIT, (char *id, int size, int device), get_bus_id(id, size, device))  \
    X(hipDeviceTotalMem, INIT, (size_t * bytes, CudaDeviceHandle device),                          \
      cuDeviceTotalMem_v2(bytes, device))                                                          \
    X(hipDeviceGetAttribute, INIT, (int *value, int attribute, int device),                        \
      get_attribute(value, attribute, device))                                                     \
    X(hipDeviceSynchronize, DEVICE, (void), cuCtxSynchronize())

/* Contexts, which HIP keeps for programs that come from CUDA. */
#define HIP_CONTEXT_FUNCTIONS(X)                                                                   \
    X(hipCtxCreate, INIT, (CudaContext * context, unsigned flags, CudaDeviceHandle device),        \
      cuCtxCreate_v2(context, flags, device))                                                      \
    X(hipCtxDestroy, INIT, (CudaContext context), cuCtxDestroy_v2(context))                        \
    X(hipCtxPushCurrent, INIT, (CudaContext context), cuCtxPushCurrent_v2(context))                \
    X(hipCtxPopCurrent, INIT, (CudaContext * context), pop(context))                               \
    X(hipCtxGetDevice, DEVICE, (CudaDeviceHandle * device), cuCtxGetDevice(device))

#define HIP_MEMORY_FUNCTIONS(X)                                                                    \
    X(hipMalloc, DEVICE, (void **address, size_t bytes), allocate(address, bytes))                 \
    X(hipFree, DEVICE, (void *address), address ? cuMemFree_v2(hip_address(address)) : hipSuccess) \
    X(hipHostMalloc, DEVICE, (void **memory, size_t bytes, unsigned flags),                        \
      cuMemHostAlloc(memory, bytes, flags &KNOWN_FLAGS))                                           \
    X(hipHostFree, DEVICE, (void *memory), memory ? cuMemFreeHost(memory) : hipSuccess)            \
    X(hipHostRegister, DEVICE, (void *memory, size_t bytes, unsigned flags),                       \
      cuMemHostRegister_v2(memory, bytes, flags))                                                  \
    X(hipHostUnregister, DEVICE, (void *memory), cuMemHostUnregister(memory))                      \
    X(hipHostGetDevicePointer, DEVICE, (void **address, void *memory, unsigned flags),             \
      get_device_pointer(address, memory, flags))                                                  \
    X(hipMemGetAddressRange, DEVICE, (void **base, size_t *size, void *address),                   \
      get_range(base, size, address))

#define HIP_COPY_FUNCTIONS(X)                                                                      \
    X(hipMemcpy, DEVICE, (void *dst, const void *src, size_t bytes, int kind),                     \
      copy_bytes(dst, src, bytes, kind, NOW, NULL))                                                \
    X(hipMemcpyAsync, DEVICE,                                                                      \
      (void *dst, const void *src, size_t bytes, int kind, CudaStream stream),                     \
      copy_bytes(dst, src, bytes, kind, WHEN_IT_IS_ITS_TURN, stream))                              \
    X(hipMemcpy2DAsync, DEVICE,                                                                    \
      (void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,               \
       size_t height, int kind, CudaStream stream),                                                \
      copy_rows(dst, dst_pitch, src, src_pitch, width, height, kind, WHEN_IT_IS_ITS_TURN, stream)) \
    X(hipMemsetAsync, DEVICE, (void *dst, int value, size_t count, CudaStream stream),             \
      cuMemsetD8Async(hip_address(dst), (unsigned char)value, count, stream))

#define HIP_STREAM_FUNCTIONS(X)                                                                    \
    X(hipStreamCreate, DEVICE, (CudaStream * stream), cuStreamCreate(stream, 0))                   \
    X(hipStreamCreateWithFlags, DEVICE, (CudaStream * stream, unsigned flags),                     \
      cuStreamCreate(stream, flags))                                                               \
    X(hipStreamDestroy, DEVICE, (CudaStream stream), cuStreamDestroy_v2(stream))                   \
    X(hipStreamSynchronize, DEVICE, (CudaStream stream), cuStreamSynchronize(stream))              \
    X(hipStreamWaitEvent, DEVICE, (CudaStream stream, CudaEvent event, unsigned flags),            \
      cuStreamWaitEvent(stream, event, flags))                                                     \
    X(hipEventCreateWithFlags, DEVICE, (CudaEvent * event, unsigned flags),                        \
      cuEventCreate(event, flags &KNOWN_FLAGS))                                                    \
    X(hipEventDestroy, DEVICE, (CudaEvent event), cuEventDestroy_v2(event))                        \
    X(hipEventRecord, DEVICE, (CudaEvent event, CudaStream stream), cuEventRecord(event, stream))  \
    X(hipEventQuery, DEVICE, (CudaEvent event), cuEventQuery(event))                               \
    X(hipEventSynchronize, DEVICE, (CudaEvent event), cuEventSynchronize(event))                   \
    X(hipEventElapsedTime, DEVICE, (float *milliseconds, CudaEvent begin, CudaEvent end),          \
      cuEventElapsedTime(milliseconds, begin, end))

#define HIP_MODULE_FUNCTIONS(X)                                                                    \
    X(hipModuleLoadData, DEVICE, (CudaModule * module, const void *image),                         \
      cuModuleLoadData(module, image))                                                             \
    X(hipModuleUnload, DEVICE, (CudaModule module), cuModuleUnload(module))                        \
    X(hipModuleGetFunction, DEVICE,                                                                \
      (CudaFunction * function, CudaModule module, const char *name),                              \
      cuModuleGetFunction(function, module, name))                                                 \
    X(hipModuleLaunchKernel, DEVICE,                                                               \
      (CudaFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, \
       unsigned block_y, unsigned block_z, unsigned shared_bytes, CudaStream stream,               \
       void **parameters, void **extra),                                                           \
      launch_kernel((CudaKernelNode){function, grid_x, grid_y, grid_z, block_x, block_y, block_z,  \
                                     shared_bytes, parameters, extra, NULL, NULL},                 \
                    stream))

#define HIP_FUNCTIONS(X)                                                                           \
    HIP_DEVICE_FUNCTIONS(X)                                                                        \
    HIP_CONTEXT_FUNCTIONS(X)                                                                       \
    HIP_MEMORY_FUNCTIONS(X)                                                                        \
    HIP_COPY_FUNCTIONS(X)                                                                          \
    HIP_STREAM_FUNCTIONS(X)                                                                        \
    HIP_MODULE_FUNCTIONS(X)

#pragma GCC visibility push(default)
#define X(name, needs, parameters, call) HipResult name parameters;
HIP_FUNCTIONS(X)
#undef X
HipResult hipGetLastError(void);
HipResult hipPeekAtLastError(void);
/* NULL is never returned. */
const char *hipGetErrorName(HipResult result);
const char *hipGetErrorString(HipResult result);
#pragma GCC visibility pop

MACHINE_CONTROL(hip)

/*
 * Writes what the kernel says about the machine's GPUs in /sys/class/kfd/kfd/topology to a folder
 * that exists: nodes/N/properties, N from 0, which is the processor. 0, or a negative errno value.
 */
__attribute__((visibility("default"))) int emulated_hip_topology(const char *path);

#endif
