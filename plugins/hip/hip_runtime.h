/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_HIP_RUNTIME_H
#define VMAF_HIP_RUNTIME_H

/*
 * The part of ROCm's HIP runtime that the layer calls, in prototypes of our own: no header of
 * ROCm's is needed. The library's name changes with each major version of ROCm, so it is found by
 * name when the backend starts, and its functions one by one.
 *
 * All functions and numbers here were read off the headers of ROCm 5.2 and 5.7, where they are
 * equal. That they are the same in ROCm 6 and 7 is known from memory only. What is known to differ
 * is not used: hipDeviceProp_t, hipPointerAttribute_t and the numbers of hipMemoryType changed
 * in 6.
 */
#include <stddef.h>
#include <stdint.h>

typedef int32_t HipResult;
typedef struct ihipCtx_t *HipContext;
/* As streams/driver_calls.h takes them. Addresses of the device are pointers, and of 64 bits. */
typedef void *HipModule, *HipFunction, *HipStream, *HipEvent;
typedef uint64_t HipAddress;

enum {
    HIP_SUCCESS = 0,
    HIP_ERROR_INVALID_VALUE = 1,
    HIP_ERROR_OUT_OF_MEMORY = 2,
    HIP_ERROR_DEINITIALIZED = 4,
    HIP_ERROR_INVALID_DEVICE_POINTER = 17,
    HIP_ERROR_NO_DEVICE = 100,
    HIP_ERROR_INVALID_DEVICE = 101,
    HIP_ERROR_INVALID_IMAGE = 200,
    HIP_ERROR_INVALID_CONTEXT = 201,
    HIP_ERROR_NO_BINARY_FOR_GPU = 209,
    HIP_ERROR_ECC_NOT_CORRECTABLE = 214,
    HIP_ERROR_INVALID_KERNEL_FILE = 218,
    HIP_ERROR_SYMBOL_NOT_FOUND = 302, /* in a shared object, which code is to the loader */
    HIP_ERROR_OBJECT_INIT_FAILED = 303,
    HIP_ERROR_INVALID_HANDLE = 400,
    HIP_ERROR_NOT_FOUND = 500,
    HIP_ERROR_NOT_READY = 600,
    HIP_ERROR_ILLEGAL_ADDRESS = 700,
    HIP_ERROR_LAUNCH_TIMEOUT = 702,
    HIP_ERROR_CONTEXT_IS_DESTROYED = 709,
    HIP_ERROR_ASSERT = 710,
    HIP_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
    HIP_ERROR_LAUNCH_FAILURE = 719,
    HIP_ERROR_NOT_SUPPORTED = 801,
    HIP_ERROR_UNKNOWN = 999,
};

/* Attributes of a device. (Those of ROCm 4 have other numbers.) */
enum {
    HIP_ASYNC_ENGINE_COUNT = 2,
    HIP_INTEGRATED = 16,
    HIP_MAX_BLOCK_DIM_X = 26,
    HIP_MAX_GRID_DIM_X = 29,
    HIP_MAX_GRID_DIM_Y = 30,
    HIP_MAX_GRID_DIM_Z = 31,
    HIP_MAX_THREADS_PER_BLOCK = 56,
    HIP_MULTIPROCESSOR_COUNT = 63,
    HIP_MAX_SHARED_MEMORY_PER_BLOCK = 74,
    HIP_WARP_SIZE = 87,
};

enum {
    HIP_HOST_MAPPED = 2,         /* of allocations and registrations: kernels can read it */
    HIP_COPY_DEFAULT = 4,        /* from where to where is told from the addresses */
    HIP_STREAM_NON_BLOCKING = 1, /* never waits for the legacy stream */
    HIP_EVENT_DISABLE_TIMING = 2,
};

/* Name, without "hip", and parameters of every function. All return a HipResult. */
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
    X(Malloc, (HipAddress * address, size_t bytes))                                                \
    X(Free, (HipAddress address))                                                                  \
    X(HostMalloc, (void **memory, size_t bytes, unsigned flags))                                   \
    X(HostFree, (void *memory))                                                                    \
    X(HostRegister, (void *memory, size_t bytes, unsigned flags))                                  \
    X(HostUnregister, (void *memory))                                                              \
    X(HostGetDevicePointer, (HipAddress * address, void *memory, unsigned flags))                  \
    X(MemGetAddressRange, (HipAddress * begin, size_t * bytes, HipAddress address))                \
    X(MemcpyAsync, (void *dst, const void *src, size_t bytes, int kind, HipStream stream))         \
    X(Memcpy2DAsync, (void *dst, size_t dst_pitch, const void *src, size_t src_pitch,              \
                      size_t width, size_t height, int kind, HipStream stream))                    \
    X(ModuleLoadData, (HipModule * module, const void *image))                                     \
    X(ModuleUnload, (HipModule module))                                                            \
    X(ModuleGetFunction, (HipFunction * function, HipModule module, const char *name))             \
    X(ModuleLaunchKernel,                                                                          \
      (HipFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,  \
       unsigned block_y, unsigned block_z, unsigned shared_bytes, HipStream stream,                \
       void **parameters, void **extra))                                                           \
    X(StreamCreateWithFlags, (HipStream * stream, unsigned flags))                                 \
    X(StreamDestroy, (HipStream stream))                                                           \
    X(StreamSynchronize, (HipStream stream))                                                       \
    X(StreamWaitEvent, (HipStream stream, HipEvent event, unsigned flags))                         \
    X(EventCreateWithFlags, (HipEvent * event, unsigned flags))                                    \
    X(EventDestroy, (HipEvent event))                                                              \
    X(EventRecord, (HipEvent event, HipStream stream))                                             \
    X(EventQuery, (HipEvent event))                                                                \
    X(EventElapsedTime, (float *milliseconds, HipEvent begin, HipEvent end))

/* Null where they are absent. Contexts are deprecated, and only there for applications that use
 * them. */
#define HIP_OPTIONAL_FUNCTIONS(X)                                                                  \
    X(GetLastError, (void))                                                                        \
    X(CtxPushCurrent, (HipContext context))                                                        \
    X(CtxPopCurrent, (HipContext * context))                                                       \
    X(CtxGetDevice, (int *device))

_Static_assert(sizeof(void *) == sizeof(HipAddress), "ROCm is for 64-bit systems");

typedef struct HipRuntime {
#define HIP_DECLARE(name, parameters) HipResult(*name) parameters;
    HIP_FUNCTIONS(HIP_DECLARE)
    HIP_OPTIONAL_FUNCTIONS(HIP_DECLARE)
#undef HIP_DECLARE
    const char *(*GetErrorName)(HipResult result);
    const char *(*GetErrorString)(HipResult result);
} HipRuntime;

/* Valid once hip_load was successful. */
extern HipRuntime hip;

/* Loads the library: the one that the process has already, else the newest. 0; -ENODEV with a
 * reason. Any thread. */
int hip_load(char *reason, size_t reason_size);

#endif
