/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_DRIVER_API_H
#define TESTS_EMULATION_CUDA_DRIVER_API_H

#include "driver_types.h"

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
