/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_CUDA_DRIVER_H
#define VMAF_CUDA_DRIVER_H

/*
 * The part of CUDA's driver interface that the layer calls, in prototypes of our own: no header of
 * NVIDIA's is needed, and none can turn a name into that of a newer version (_v2, _v3) which older
 * drivers lack. The functions of the first list are in all drivers since CUDA 6.5, so that a driver
 * too old for the kernels is refused in words and not by the loader; those of the second one are
 * absent (null) in drivers older than the given version.
 */
#include <stddef.h>
#include <stdint.h>

typedef int32_t CudaResult;
typedef int32_t CudaDeviceHandle;
typedef uint64_t CudaAddress;
typedef struct CUctx_st *CudaContext;
/* As streams/driver_calls.h takes them. */
typedef void *CudaModule, *CudaFunction, *CudaStream, *CudaEvent;
typedef struct CUgraph_st *CudaGraph;
typedef struct CUgraphNode_st *CudaGraphNode;
typedef struct CUgraphExec_st *CudaGraphExec;

typedef struct CudaUuid {
    unsigned char bytes[16];
} CudaUuid;

/* A copy of rows; a CUDA_MEMCPY2D. */
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

/* The same of several slices, as nodes of graphs take it; a CUDA_MEMCPY3D. */
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

/* A CUDA_KERNEL_NODE_PARAMS of the first version. */
typedef struct CudaKernelNode {
    CudaFunction function;
    unsigned grid_x, grid_y, grid_z;
    unsigned block_x, block_y, block_z;
    unsigned shared_bytes;
    void **parameters;
    void **extra;
} CudaKernelNode;

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
    CUDA_MAX_THREADS_PER_BLOCK = 1,
    CUDA_MAX_BLOCK_DIM_X = 2,
    CUDA_MAX_GRID_DIM_X = 5,
    CUDA_MAX_GRID_DIM_Y = 6,
    CUDA_MAX_GRID_DIM_Z = 7,
    CUDA_MAX_SHARED_MEMORY_PER_BLOCK = 8,
    CUDA_WARP_SIZE = 10,
    CUDA_MAX_PITCH = 11,
    CUDA_MULTIPROCESSOR_COUNT = 16,
    CUDA_INTEGRATED = 18,
    CUDA_CAN_MAP_HOST_MEMORY = 19,
    CUDA_COMPUTE_MODE = 20,
    CUDA_ASYNC_ENGINE_COUNT = 40,
    CUDA_UNIFIED_ADDRESSING = 41,
    CUDA_COMPUTE_CAPABILITY_MAJOR = 75,
    CUDA_COMPUTE_CAPABILITY_MINOR = 76,
    CUDA_HOST_REGISTER_SUPPORTED = 99,
};

enum {
    CUDA_COMPUTE_MODE_PROHIBITED = 2,
    CUDA_MEMORY_HOST = 1, /* types of memory in copies */
    CUDA_MEMORY_DEVICE = 2,
    CUDA_MEMORY_UNIFIED = 4, /* told from the address */
    CUDA_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
    CUDA_HOST_MAPPED = 2,         /* of allocations and registrations: kernels can read it */
    CUDA_STREAM_NON_BLOCKING = 1, /* never waits for the legacy stream */
    CUDA_EVENT_DISABLE_TIMING = 2,
};

/* Name and parameters of every function. All return a CudaResult. */
#define CUDA_DRIVER_FUNCTIONS(X)                                                                   \
    X(cuInit, (unsigned flags))                                                                    \
    X(cuDriverGetVersion, (int *version))                                                          \
    X(cuGetErrorName, (CudaResult result, const char **name))                                      \
    X(cuGetErrorString, (CudaResult result, const char **text))                                    \
    X(cuDeviceGetCount, (int *count))                                                              \
    X(cuDeviceGet, (CudaDeviceHandle * device, int ordinal))                                       \
    X(cuDeviceGetName, (char *name, int size, CudaDeviceHandle device))                            \
    X(cuDeviceGetPCIBusId, (char *id, int size, CudaDeviceHandle device))                          \
    X(cuDeviceTotalMem_v2, (size_t * bytes, CudaDeviceHandle device))                              \
    X(cuDeviceGetAttribute, (int *value, int attribute, CudaDeviceHandle device))                  \
    X(cuDevicePrimaryCtxRetain, (CudaContext * context, CudaDeviceHandle device))                  \
    X(cuDevicePrimaryCtxRelease, (CudaDeviceHandle device))                                        \
    X(cuCtxGetDevice, (CudaDeviceHandle * device))                                                 \
    X(cuCtxPushCurrent_v2, (CudaContext context))                                                  \
    X(cuCtxPopCurrent_v2, (CudaContext * context))                                                 \
    X(cuMemAlloc_v2, (CudaAddress * address, size_t bytes))                                        \
    X(cuMemFree_v2, (CudaAddress address))                                                         \
    X(cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags))                               \
    X(cuMemFreeHost, (void *memory))                                                               \
    X(cuMemHostRegister_v2, (void *memory, size_t bytes, unsigned flags))                          \
    X(cuMemHostUnregister, (void *memory))                                                         \
    X(cuMemHostGetDevicePointer_v2, (CudaAddress * address, void *memory, unsigned flags))         \
    X(cuPointerGetAttribute, (void *value, int attribute, CudaAddress address))                    \
    X(cuMemcpyAsync, (CudaAddress dst, CudaAddress src, size_t bytes, CudaStream stream))          \
    X(cuMemcpy2DAsync_v2, (const CudaCopy2D *copy, CudaStream stream))                             \
    X(cuModuleLoadData, (CudaModule * module, const void *image))                                  \
    X(cuModuleUnload, (CudaModule module))                                                         \
    X(cuModuleGetFunction, (CudaFunction * function, CudaModule module, const char *name))         \
    X(cuLaunchKernel, (CudaFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,   \
                       unsigned block_x, unsigned block_y, unsigned block_z,                       \
                       unsigned shared_bytes, CudaStream stream, void **parameters, void **extra)) \
    X(cuStreamCreate, (CudaStream * stream, unsigned flags))                                       \
    X(cuStreamDestroy_v2, (CudaStream stream))                                                     \
    X(cuStreamSynchronize, (CudaStream stream))                                                    \
    X(cuStreamWaitEvent, (CudaStream stream, CudaEvent event, unsigned flags))                     \
    X(cuEventCreate, (CudaEvent * event, unsigned flags))                                          \
    X(cuEventDestroy_v2, (CudaEvent event))                                                        \
    X(cuEventRecord, (CudaEvent event, CudaStream stream))                                         \
    X(cuEventQuery, (CudaEvent event))                                                             \
    X(cuEventElapsedTime, (float *milliseconds, CudaEvent begin, CudaEvent end))

/* CUDA 9.2; 11.4; the rest of graphs 10.0. */
#define CUDA_OPTIONAL_FUNCTIONS(X)                                                                 \
    X(cuDeviceGetUuid, (CudaUuid * uuid, CudaDeviceHandle device))                                 \
    X(cuDeviceGetUuid_v2, (CudaUuid * uuid, CudaDeviceHandle device))                              \
    X(cuGraphInstantiateWithFlags, (CudaGraphExec * exec, CudaGraph graph, uint64_t flags))        \
    X(cuGraphCreate, (CudaGraph * graph, unsigned flags))                                          \
    X(cuGraphAddKernelNode, (CudaGraphNode * node, CudaGraph graph, const CudaGraphNode *before,   \
                             size_t n_before, const CudaKernelNode *kernel))                       \
    X(cuGraphAddMemcpyNode, (CudaGraphNode * node, CudaGraph graph, const CudaGraphNode *before,   \
                             size_t n_before, const CudaCopy3D *copy, CudaContext context))        \
    X(cuGraphAddEmptyNode,                                                                         \
      (CudaGraphNode * node, CudaGraph graph, const CudaGraphNode *before, size_t n_before))       \
    X(cuGraphLaunch, (CudaGraphExec exec, CudaStream stream))                                      \
    X(cuGraphExecDestroy, (CudaGraphExec exec))                                                    \
    X(cuGraphDestroy, (CudaGraph graph))

#define CUDA_DECLARE(name, parameters) CudaResult name parameters;
CUDA_DRIVER_FUNCTIONS(CUDA_DECLARE)
#undef CUDA_DECLARE
#define CUDA_DECLARE(name, parameters) CudaResult name parameters __attribute__((weak));
CUDA_OPTIONAL_FUNCTIONS(CUDA_DECLARE)
#undef CUDA_DECLARE

#endif
