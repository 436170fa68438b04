/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_DRIVER_API_H
#define TESTS_EMULATION_CUDA_DRIVER_API_H

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

/*
 * What the library exports: X(name, what the call needs (enum DriverNeeds), parameters, what it
 * does in that context). All return a CudaResult. The file that has what a table names defines its
 * functions with DRIVER_DEFINE.
 */
#define CUDA_CONTEXT_FUNCTIONS(X)                                                                  \
    X(cuDevicePrimaryCtxRetain, INIT, (CudaContext * retained, CudaDeviceHandle device),           \
      retain(retained, device))                                                                    \
    X(cuDevicePrimaryCtxRelease, INIT, (CudaDeviceHandle device), release(device))                 \
    X(cuDevicePrimaryCtxSetFlags, INIT, (CudaDeviceHandle device, unsigned flags),                 \
      set_flags(device, flags))                                                                    \
    X(cuDevicePrimaryCtxGetState, INIT, (CudaDeviceHandle device, unsigned *flags, int *active),   \
      get_state(device, flags, active))                                                            \
    X(cuCtxCreate_v2, INIT, (CudaContext * created, unsigned flags, CudaDeviceHandle device),      \
      create_current(created, flags, device))                                                      \
    X(cuCtxDestroy_v2, INIT, (CudaContext destroyed), destroy_own(destroyed))                      \
    X(cuCtxGetCurrent, INIT, (CudaContext * current), get_current(current))                        \
    X(cuCtxSetCurrent, INIT, (CudaContext current), set_current(current))                          \
    X(cuCtxPushCurrent_v2, INIT, (CudaContext pushed), push(pushed))                               \
    X(cuCtxPopCurrent_v2, INIT, (CudaContext * popped), pop(popped))                               \
    X(cuCtxGetDevice, CURRENT, (CudaDeviceHandle * device), get_device(context, device))           \
    X(cuCtxSynchronize, CONTEXT, (void), driver_finish_context(context))

#define CUDA_DEVICE_FUNCTIONS(X)                                                                   \
    X(cuInit, NOTHING, (unsigned flags), initialize(flags))                                        \
    X(cuDriverGetVersion, NOTHING, (int *version), get_version(version))                           \
    X(cuDeviceGetCount, INIT, (int *count), get_count(count))                                      \
    X(cuDeviceGet, INIT, (CudaDeviceHandle * device, int ordinal), get(device, ordinal))           \
    X(cuDeviceGetName, INIT, (char *name, int size, CudaDeviceHandle device),                      \
      get_name(name, size, device))                                                                \
    X(cuDeviceGetUuid, INIT, (CudaUuid * uuid, CudaDeviceHandle device), get_uuid(uuid, device))   \
    X(cuDeviceGetUuid_v2, INIT, (CudaUuid * uuid, CudaDeviceHandle device),                        \
      get_uuid(uuid, device))                                                                      \
    X(cuDeviceGetPCIBusId, INIT, (char *id, int size, CudaDeviceHandle device),                    \
      get_bus_id(id, size, device))                                                                \
    X(cuDeviceTotalMem_v2, INIT, (size_t * bytes, CudaDeviceHandle device),                        \
      get_memory(bytes, device))                                                                   \
    X(cuDeviceGetAttribute, INIT, (int *value, int attribute, CudaDeviceHandle device),            \
      get_attribute(value, attribute, device))

#define CUDA_MEMORY_FUNCTIONS(X)                                                                   \
    X(cuMemAlloc_v2, CONTEXT, (CudaAddress * address, size_t bytes),                               \
      allocate(context, address, bytes))                                                           \
    X(cuMemAllocPitch_v2, CONTEXT,                                                                 \
      (CudaAddress * address, size_t * pitch, size_t width, size_t height, unsigned element_size), \
      allocate_pitch(context, address, pitch, width, height, element_size))                        \
    X(cuMemFree_v2, CONTEXT, (CudaAddress address), free_device(address))                          \
    X(cuMemHostAlloc, CONTEXT, (void **memory, size_t bytes, unsigned flags),                      \
      allocate_host(context, memory, bytes, flags))                                                \
    X(cuMemFreeHost, CONTEXT, (void *memory),                                                      \
      free_host(memory, MEMORY_HOST, CUDA_ERROR_INVALID_VALUE))                                    \
    X(cuMemHostRegister_v2, CONTEXT, (void *memory, size_t bytes, unsigned flags),                 \
      register_host(context, memory, bytes, flags))                                                \
    X(cuMemHostUnregister, CONTEXT, (void *memory),                                                \
      free_host(memory, MEMORY_REGISTERED, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED))                 \
    X(cuMemHostGetDevicePointer_v2, CONTEXT,                                                       \
      (CudaAddress * address, void *memory, unsigned flags),                                       \
      get_device_pointer(address, memory, flags))                                                  \
    X(cuPointerGetAttribute, INIT, (void *value, int attribute, CudaAddress address),              \
      get_pointer_attribute(value, attribute, address))

#define CUDA_COPY_FUNCTIONS(X)                                                                     \
    X(cuMemcpyAsync, CONTEXT, (CudaAddress dst, CudaAddress src, size_t bytes, CudaStream stream), \
      copy_any(context, dst, src, bytes, stream, true))                                            \
    X(cuMemcpyDtoH_v2, CONTEXT, (void *dst, CudaAddress src, size_t bytes),                        \
      download(context, dst, src, bytes, NULL, false))                                             \
    X(cuMemcpy2D_v2, CONTEXT, (const CudaCopy2D *copy), copy_rows_2d(context, copy, NULL, false))  \
    X(cuMemcpy2DAsync_v2, CONTEXT, (const CudaCopy2D *copy, CudaStream stream),                    \
      copy_rows_2d(context, copy, stream, true))                                                   \
    X(cuMemsetD8Async, CONTEXT,                                                                    \
      (CudaAddress dst, unsigned char value, size_t count, CudaStream stream),                     \
      put_fill(context, stream, dst, count, value))

#define CUDA_STREAM_FUNCTIONS(X)                                                                   \
    X(cuStreamCreate, CONTEXT, (CudaStream * stream, unsigned flags),                              \
      create_stream(context, stream, flags))                                                       \
    X(cuStreamDestroy_v2, CONTEXT, (CudaStream stream), destroy_stream(context, stream))           \
    X(cuStreamSynchronize, CONTEXT, (CudaStream stream), synchronize_stream(context, stream))      \
    X(cuStreamWaitEvent, CONTEXT, (CudaStream stream, CudaEvent event, unsigned flags),            \
      wait_event(context, stream, event, flags))                                                   \
    X(cuEventCreate, CONTEXT, (CudaEvent * event, unsigned flags),                                 \
      create_event(context, event, flags))                                                         \
    X(cuEventDestroy_v2, CONTEXT, (CudaEvent event), destroy_event(event))                         \
    X(cuEventRecord, CONTEXT, (CudaEvent event, CudaStream stream),                                \
      record(context, event, stream))                                                              \
    X(cuEventQuery, CONTEXT, (CudaEvent event), query_event(event))                                \
    X(cuEventSynchronize, CONTEXT, (CudaEvent event), synchronize_event(event))                    \
    X(cuEventElapsedTime, CONTEXT, (float *milliseconds, CudaEvent begin, CudaEvent end),          \
      elapsed(milliseconds, begin, end))

#define CUDA_MODULE_FUNCTIONS(X)                                                                   \
    X(cuModuleLoadData, CONTEXT, (CudaModule * module, const void *image),                         \
      load(context, module, image))                                                                \
    X(cuModuleUnload, CONTEXT, (CudaModule module), unload_checked(module))                        \
    X(cuModuleGetFunction, CONTEXT,                                                                \
      (CudaFunction * function, CudaModule module, const char *name),                              \
      get_function(function, module, name))                                                        \
    X(cuLaunchKernel, CONTEXT,                                                                     \
      (CudaFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, \
       unsigned block_y, unsigned block_z, unsigned shared_bytes, CudaStream stream,               \
       void **parameters, void **extra),                                                           \
      put_launch(context,                                                                          \
                 &(CudaKernelNode){function, grid_x, grid_y, grid_z, block_x, block_y, block_z,    \
                                   shared_bytes, parameters, extra, NULL, NULL},                   \
                 stream))

#define CUDA_GRAPH_FUNCTIONS(X)                                                                    \
    X(cuGraphCreate, CONTEXT, (CudaGraph * graph, unsigned flags), create_graph(graph, flags))     \
    X(cuGraphDestroy, INIT, (CudaGraph graph), destroy_graph(graph))                               \
    X(cuGraphAddKernelNode, CONTEXT,                                                               \
      (CudaGraphNode * node, CudaGraph graph, const CudaGraphNode *before, size_t n_before,        \
       const CudaKernelNode *parameters),                                                          \
      add_kernel(context, node, graph, before, n_before, parameters))                              \
    X(cuGraphAddMemcpyNode, CONTEXT,                                                               \
      (CudaGraphNode * node, CudaGraph graph, const CudaGraphNode *before, size_t n_before,        \
       const CudaCopy3D *copy, CudaContext named),                                                 \
      add_copy(node, graph, before, n_before, copy, named))                                        \
    X(cuGraphAddEmptyNode, CONTEXT,                                                                \
      (CudaGraphNode * node, CudaGraph graph, const CudaGraphNode *before, size_t n_before),       \
      add_empty(node, graph, before, n_before))                                                    \
    X(cuGraphInstantiateWithFlags, CONTEXT,                                                        \
      (CudaGraphExec * exec, CudaGraph graph, unsigned long long flags),                           \
      instantiate(context, exec, graph, flags))                                                    \
    X(cuGraphLaunch, CONTEXT, (CudaGraphExec exec, CudaStream stream),                             \
      launch(context, exec, stream))                                                               \
    X(cuGraphExecDestroy, INIT, (CudaGraphExec exec), destroy_exec(exec))

/*
 * What programs look up when they load the driver, and the emulator does not do: graphics, arrays,
 * textures, linking, and what others of its functions do. Calls fail, with any arguments.
 */
#define CUDA_UNSUPPORTED_FUNCTIONS(X)                                                              \
    X(cuArray3DCreate_v2)                                                                          \
    X(cuArrayCreate_v2)                                                                            \
    X(cuArrayDestroy)                                                                              \
    X(cuCtxSetLimit)                                                                               \
    X(cuDeviceComputeCapability)                                                                   \
    X(cuDevicePrimaryCtxReset)                                                                     \
    X(cuGLGetDevices_v2)                                                                           \
    X(cuGraphicsGLRegisterImage)                                                                   \
    X(cuGraphicsMapResources)                                                                      \
    X(cuGraphicsResourceGetMappedPointer_v2)                                                       \
    X(cuGraphicsSubResourceGetMappedArray)                                                         \
    X(cuGraphicsUnmapResources)                                                                    \
    X(cuGraphicsUnregisterResource)                                                                \
    X(cuLinkAddData)                                                                               \
    X(cuLinkComplete)                                                                              \
    X(cuLinkCreate)                                                                                \
    X(cuLinkDestroy)                                                                               \
    X(cuMemAllocManaged)                                                                           \
    X(cuMemcpy)                                                                                    \
    X(cuMemcpyDtoDAsync_v2)                                                                        \
    X(cuMemcpyDtoD_v2)                                                                             \
    X(cuMemcpyDtoHAsync_v2)                                                                        \
    X(cuMemcpyHtoDAsync_v2)                                                                        \
    X(cuMemcpyHtoD_v2)                                                                             \
    X(cuModuleGetGlobal)                                                                           \
    X(cuModuleGetGlobal_v2)                                                                        \
    X(cuStreamAddCallback)                                                                         \
    X(cuStreamQuery)                                                                               \
    X(cuTexObjectCreate)                                                                           \
    X(cuTexObjectDestroy)

#pragma GCC visibility push(default)
#define X(name, needs, parameters, call) CudaResult name parameters;
CUDA_CONTEXT_FUNCTIONS(X)
CUDA_DEVICE_FUNCTIONS(X)
CUDA_MEMORY_FUNCTIONS(X)
CUDA_COPY_FUNCTIONS(X)
CUDA_STREAM_FUNCTIONS(X)
CUDA_MODULE_FUNCTIONS(X)
CUDA_GRAPH_FUNCTIONS(X)
#undef X
#define X(name) CudaResult name(void);
CUDA_UNSUPPORTED_FUNCTIONS(X)
#undef X
CudaResult cuGetErrorName(CudaResult result, const char **name);
CudaResult cuGetErrorString(CudaResult result, const char **text);
#pragma GCC visibility pop

#endif
