/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_CUDA_API_H
#define VMAF_CUDA_API_H

/*
 * The part of CUDA's driver interface that the layer calls, in prototypes of our own: no header of
 * NVIDIA's is needed, and none can turn a name into that of a newer version (_v2, _v3) which older
 * drivers lack. Names and numbers are those of cuda.h; all of them were compared with the one of
 * CUDA 13.0. The functions of the first list are in all drivers since CUDA 6.5, so that a driver
 * too old for the kernels is rejected in words and not by the loader; those of the second one are
 * absent (null) in drivers older than the given version.
 */
#include <stddef.h>
#include <stdint.h>

typedef int32_t CUresult; /* an enum there */
typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUarray_st *CUarray;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;

typedef struct CUuuid {
    char bytes[16];
} CUuuid;

/* A copy of rows. */
typedef struct CUDA_MEMCPY2D {
    size_t srcXInBytes, srcY;
    uint32_t srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    size_t srcPitch;
    size_t dstXInBytes, dstY;
    uint32_t dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    size_t dstPitch;
    size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;

/* The same of several slices, as nodes of graphs take it. */
typedef struct CUDA_MEMCPY3D {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    uint32_t srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    void *reserved0;
    size_t srcPitch, srcHeight;
    size_t dstXInBytes, dstY, dstZ, dstLOD;
    uint32_t dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    void *reserved1;
    size_t dstPitch, dstHeight;
    size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

/* Version 1, which cuda.h calls CUDA_KERNEL_NODE_PARAMS_v1. */
typedef struct CUDA_KERNEL_NODE_PARAMS {
    CUfunction func;
    unsigned gridDimX, gridDimY, gridDimZ;
    unsigned blockDimX, blockDimY, blockDimZ;
    unsigned sharedMemBytes;
    void **kernelParams;
    void **extra;
} CUDA_KERNEL_NODE_PARAMS;

enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_DEINITIALIZED = 4,
    CUDA_ERROR_STUB_LIBRARY = 34,
    CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_ECC_UNCORRECTABLE = 214,
    CUDA_ERROR_INVALID_PTX = 218,
    CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
    CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
    CUDA_ERROR_JIT_COMPILATION_DISABLED = 223,
    CUDA_ERROR_CONTAINED = 226,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_LAUNCH_TIMEOUT = 702,
    CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
    CUDA_ERROR_ASSERT = 710,
    CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
    CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
    CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
    CUDA_ERROR_MISALIGNED_ADDRESS = 716,
    CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
    CUDA_ERROR_INVALID_PC = 718,
    CUDA_ERROR_LAUNCH_FAILED = 719,
    CUDA_ERROR_TENSOR_MEMORY_LEAK = 721,
    CUDA_ERROR_NOT_SUPPORTED = 801,
    CUDA_ERROR_SYSTEM_NOT_READY = 802,
    CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
    CUDA_ERROR_MPS_RPC_FAILURE = 806,
    CUDA_ERROR_MPS_CLIENT_TERMINATED = 810,
    CUDA_ERROR_UNKNOWN = 999,
};

/* Attributes of a device. */
enum {
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
    CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
    CU_DEVICE_ATTRIBUTE_MAX_PITCH = 11,
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
    CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY = 19,
    CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
    CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = 40,
    CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED = 99,
};

enum {
    CU_COMPUTEMODE_PROHIBITED = 2,
    CU_MEMORYTYPE_HOST = 1, /* types of memory in copies */
    CU_MEMORYTYPE_DEVICE = 2,
    CU_MEMORYTYPE_UNIFIED = 4, /* told from the address */
    CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
    CU_MEMHOSTALLOC_DEVICEMAP = 2, /* kernels can read it */
    CU_MEMHOSTREGISTER_DEVICEMAP = 2,
    CU_STREAM_NON_BLOCKING = 1, /* never waits for the legacy stream */
    CU_EVENT_DISABLE_TIMING = 2,
};

/* Name and parameters of every function. All return a CUresult. */
#define CUDA_DRIVER_FUNCTIONS(X)                                                                   \
    X(cuInit, (unsigned flags))                                                                    \
    X(cuDriverGetVersion, (int *version))                                                          \
    X(cuGetErrorName, (CUresult result, const char **name))                                        \
    X(cuGetErrorString, (CUresult result, const char **text))                                      \
    X(cuDeviceGetCount, (int *count))                                                              \
    X(cuDeviceGet, (CUdevice * device, int ordinal))                                               \
    X(cuDeviceGetName, (char *name, int size, CUdevice device))                                    \
    X(cuDeviceGetPCIBusId, (char *id, int size, CUdevice device))                                  \
    X(cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device))                                      \
    X(cuDeviceGetAttribute, (int *value, int attribute, CUdevice device))                          \
    X(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                            \
    X(cuDevicePrimaryCtxRelease, (CUdevice device))                                                \
    X(cuCtxGetDevice, (CUdevice * device))                                                         \
    X(cuCtxPushCurrent_v2, (CUcontext context))                                                    \
    X(cuCtxPopCurrent_v2, (CUcontext * context))                                                   \
    X(cuMemAlloc_v2, (CUdeviceptr * address, size_t bytes))                                        \
    X(cuMemFree_v2, (CUdeviceptr address))                                                         \
    X(cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags))                               \
    X(cuMemFreeHost, (void *memory))                                                               \
    X(cuMemHostRegister_v2, (void *memory, size_t bytes, unsigned flags))                          \
    X(cuMemHostUnregister, (void *memory))                                                         \
    X(cuMemHostGetDevicePointer_v2, (CUdeviceptr * address, void *memory, unsigned flags))         \
    X(cuPointerGetAttribute, (void *value, int attribute, CUdeviceptr address))                    \
    X(cuMemcpyAsync, (CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream))            \
    X(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *copy, CUstream stream))                            \
    X(cuModuleLoadData, (CUmodule * module, const void *image))                                    \
    X(cuModuleUnload, (CUmodule module))                                                           \
    X(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name))             \
    X(cuLaunchKernel, (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,     \
                       unsigned block_x, unsigned block_y, unsigned block_z,                       \
                       unsigned shared_bytes, CUstream stream, void **parameters, void **extra))   \
    X(cuStreamCreate, (CUstream * stream, unsigned flags))                                         \
    X(cuStreamDestroy_v2, (CUstream stream))                                                       \
    X(cuStreamSynchronize, (CUstream stream))                                                      \
    X(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags))                         \
    X(cuEventCreate, (CUevent * event, unsigned flags))                                            \
    X(cuEventDestroy_v2, (CUevent event))                                                          \
    X(cuEventRecord, (CUevent event, CUstream stream))                                             \
    X(cuEventQuery, (CUevent event))                                                               \
    X(cuEventElapsedTime, (float *milliseconds, CUevent begin, CUevent end))

/* CUDA 9.2; 11.4; the rest of graphs 10.0. */
#define CUDA_OPTIONAL_FUNCTIONS(X)                                                                 \
    X(cuDeviceGetUuid, (CUuuid * uuid, CUdevice device))                                           \
    X(cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice device))                                        \
    X(cuGraphInstantiateWithFlags, (CUgraphExec * exec, CUgraph graph, uint64_t flags))            \
    X(cuGraphCreate, (CUgraph * graph, unsigned flags))                                            \
    X(cuGraphAddKernelNode, (CUgraphNode * node, CUgraph graph, const CUgraphNode *before,         \
                             size_t n_before, const CUDA_KERNEL_NODE_PARAMS *kernel))              \
    X(cuGraphAddMemcpyNode, (CUgraphNode * node, CUgraph graph, const CUgraphNode *before,         \
                             size_t n_before, const CUDA_MEMCPY3D *copy, CUcontext context))       \
    X(cuGraphAddEmptyNode,                                                                         \
      (CUgraphNode * node, CUgraph graph, const CUgraphNode *before, size_t n_before))             \
    X(cuGraphLaunch, (CUgraphExec exec, CUstream stream))                                          \
    X(cuGraphExecDestroy, (CUgraphExec exec))                                                      \
    X(cuGraphDestroy, (CUgraph graph))

#define CUDA_DECLARE(name, parameters) CUresult name parameters;
CUDA_DRIVER_FUNCTIONS(CUDA_DECLARE)
#undef CUDA_DECLARE
#define CUDA_DECLARE(name, parameters) CUresult name parameters __attribute__((weak));
CUDA_OPTIONAL_FUNCTIONS(CUDA_DECLARE)
#undef CUDA_DECLARE

#endif
