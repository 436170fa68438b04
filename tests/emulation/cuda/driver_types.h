/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_DRIVER_TYPES_H
#define TESTS_EMULATION_CUDA_DRIVER_TYPES_H

/*
 * Types and values of CUDA's driver interface, in our own words: nothing here comes with a header
 * of NVIDIA's, so that the emulator is built where there is none.
 */
#include <stddef.h>
#include <stdint.h>

typedef int32_t CudaResult;
typedef int32_t CudaDeviceHandle;
typedef uint64_t CudaAddress;
typedef struct CUctx_st *CudaContext;
typedef struct CUmod_st *CudaModule;
typedef struct CUfunc_st *CudaFunction;
typedef struct CUstream_st *CudaStream;
typedef struct CUevent_st *CudaEvent;
typedef struct CUgraph_st *CudaGraph;
typedef struct CUgraphNode_st *CudaGraphNode;
typedef struct CUgraphExec_st *CudaGraphExec;

typedef struct CudaUuid {
    unsigned char bytes[16];
} CudaUuid;

/* CUDA_MEMCPY2D */
typedef struct CudaCopy2D {
    size_t src_x, src_y;
    uint32_t src_type;
    const void *src_host;
    CudaAddress src_device;
    void *src_array;
    size_t src_pitch;
    size_t dst_x, dst_y;
    uint32_t dst_type;
    void *dst_host;
    CudaAddress dst_device;
    void *dst_array;
    size_t dst_pitch;
    size_t width, height;
} CudaCopy2D;

/* CUDA_MEMCPY3D */
typedef struct CudaCopy3D {
    size_t src_x, src_y, src_z, src_lod;
    uint32_t src_type;
    const void *src_host;
    CudaAddress src_device;
    void *src_array;
    void *reserved0;
    size_t src_pitch, src_height;
    size_t dst_x, dst_y, dst_z, dst_lod;
    uint32_t dst_type;
    void *dst_host;
    CudaAddress dst_device;
    void *dst_array;
    void *reserved1;
    size_t dst_pitch, dst_height;
    size_t width, height, depth;
} CudaCopy3D;

/* CUDA_KERNEL_NODE_PARAMS, whose second version has the last two members. */
typedef struct CudaKernelNode {
    CudaFunction function;
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
    void **parameters, **extra;
    void *kernel;
    CudaContext context;
} CudaKernelNode;

/* Names, values and words for errors. */
#define CUDA_RESULTS(X)                                                                            \
    X(SUCCESS, 0, "no error")                                                                      \
    X(ERROR_INVALID_VALUE, 1, "invalid argument")                                                  \
    X(ERROR_OUT_OF_MEMORY, 2, "out of memory")                                                     \
    X(ERROR_NOT_INITIALIZED, 3, "initialization error")                                            \
    X(ERROR_DEINITIALIZED, 4, "driver shutting down")                                              \
    X(ERROR_STUB_LIBRARY, 34, "CUDA driver is a stub library")                                     \
    X(ERROR_DEVICE_UNAVAILABLE, 46, "CUDA-capable device(s) is/are busy or unavailable")           \
    X(ERROR_NO_DEVICE, 100, "no CUDA-capable device is detected")                                  \
    X(ERROR_INVALID_DEVICE, 101, "invalid device ordinal")                                         \
    X(ERROR_INVALID_IMAGE, 200, "device kernel image is invalid")                                  \
    X(ERROR_INVALID_CONTEXT, 201, "invalid device context")                                        \
    X(ERROR_NO_BINARY_FOR_GPU, 209, "no kernel image is available for execution on the device")    \
    X(ERROR_ECC_UNCORRECTABLE, 214, "uncorrectable ECC error encountered")                         \
    X(ERROR_INVALID_PTX, 218, "a PTX JIT compilation failed")                                      \
    X(ERROR_NVLINK_UNCORRECTABLE, 220, "uncorrectable NVLink error detected")                      \
    X(ERROR_JIT_COMPILER_NOT_FOUND, 221, "PTX JIT compiler library not found")                     \
    X(ERROR_UNSUPPORTED_PTX_VERSION, 222, "the PTX was compiled with an unsupported toolchain")    \
    X(ERROR_INVALID_HANDLE, 400, "invalid resource handle")                                        \
    X(ERROR_NOT_FOUND, 500, "named symbol not found")                                              \
    X(ERROR_NOT_READY, 600, "device not ready")                                                    \
    X(ERROR_ILLEGAL_ADDRESS, 700, "an illegal memory access was encountered")                      \
    X(ERROR_LAUNCH_TIMEOUT, 702, "the launch timed out and was terminated")                        \
    X(ERROR_CONTEXT_IS_DESTROYED, 709, "context is destroyed")                                     \
    X(ERROR_ASSERT, 710, "device-side assert triggered")                                           \
    X(ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712,                                                   \
      "part or all of the requested memory range is already mapped")                               \
    X(ERROR_HOST_MEMORY_NOT_REGISTERED, 713, "pointer does not correspond to a registered region") \
    X(ERROR_HARDWARE_STACK_ERROR, 714, "hardware stack error")                                     \
    X(ERROR_ILLEGAL_INSTRUCTION, 715, "an illegal instruction was encountered")                    \
    X(ERROR_MISALIGNED_ADDRESS, 716, "misaligned address")                                         \
    X(ERROR_INVALID_ADDRESS_SPACE, 717, "operation not supported on this address space")           \
    X(ERROR_INVALID_PC, 718, "invalid program counter")                                            \
    X(ERROR_LAUNCH_FAILED, 719, "unspecified launch failure")                                      \
    X(ERROR_NOT_PERMITTED, 800, "operation not permitted")                                         \
    X(ERROR_NOT_SUPPORTED, 801, "operation not supported")                                         \
    X(ERROR_SYSTEM_DRIVER_MISMATCH, 803,                                                           \
      "system has unsupported display driver / cuda driver combination")                           \
    X(ERROR_UNKNOWN, 999, "unknown error")

enum {
#define X(name, value, text) CUDA_##name = value,
    CUDA_RESULTS(X)
#undef X
};

enum { CUDA_COMPUTE_DEFAULT = 0, CUDA_COMPUTE_PROHIBITED = 2, CUDA_COMPUTE_EXCLUSIVE = 3 };

enum { /* types of memory */
       CUDA_MEMORY_HOST = 1,
       CUDA_MEMORY_DEVICE = 2,
       CUDA_MEMORY_ARRAY = 3,
       CUDA_MEMORY_UNIFIED = 4,
};

enum {
    CUDA_HOST_MAPPED = 2,
    CUDA_STREAM_NON_BLOCKING = 1,
    CUDA_EVENT_BLOCKING_SYNC = 1,
    CUDA_EVENT_DISABLE_TIMING = 2,
    CUDA_EVENT_INTERPROCESS = 4,
};

/* Handles of streams that stand for others. */
#define CUDA_STREAM_LEGACY     ((CudaStream)1)
#define CUDA_STREAM_PER_THREAD ((CudaStream)2)

#endif
