/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_DRIVER_API_H
#define TESTS_EMULATION_CUDA_DRIVER_API_H

#include "driver_types.h"

/* Name and parameters of what the library exports. All return a CudaResult. */
#define CUDA_DEVICE_FUNCTIONS(X)                                                                   \
    X(cuInit, (unsigned flags))                                                                    \
    X(cuDriverGetVersion, (int *version))                                                          \
    X(cuGetErrorName, (CudaResult result, const char **name))                                      \
    X(cuGetErrorString, (CudaResult result, const char **text))                                    \
    X(cuDeviceGetCount, (int *count))                                                              \
    X(cuDeviceGet, (CudaDeviceHandle * device, int ordinal))                                       \
    X(cuDeviceGetName, (char *name, int size, CudaDeviceHandle device))                            \
    X(cuDeviceGetUuid, (CudaUuid * uuid, CudaDeviceHandle device))                                 \
    X(cuDeviceGetUuid_v2, (CudaUuid * uuid, CudaDeviceHandle device))                              \
    X(cuDeviceGetPCIBusId, (char *id, int size, CudaDeviceHandle device))                          \
    X(cuDeviceTotalMem_v2, (size_t * bytes, CudaDeviceHandle device))                              \
    X(cuDeviceGetAttribute, (int *value, int attribute, CudaDeviceHandle device))                  \
    X(cuDeviceComputeCapability, (int *major, int *minor, CudaDeviceHandle device))                \
    X(cuDevicePrimaryCtxRetain, (CudaContext * context, CudaDeviceHandle device))                  \
    X(cuDevicePrimaryCtxRelease, (CudaDeviceHandle device))                                        \
    X(cuDevicePrimaryCtxSetFlags, (CudaDeviceHandle device, unsigned flags))                       \
    X(cuDevicePrimaryCtxGetState, (CudaDeviceHandle device, unsigned *flags, int *active))         \
    X(cuCtxCreate_v2, (CudaContext * context, unsigned flags, CudaDeviceHandle device))            \
    X(cuCtxDestroy_v2, (CudaContext context))                                                      \
    X(cuCtxGetCurrent, (CudaContext * context))                                                    \
    X(cuCtxSetCurrent, (CudaContext context))                                                      \
    X(cuCtxPushCurrent_v2, (CudaContext context))                                                  \
    X(cuCtxPopCurrent_v2, (CudaContext * context))                                                 \
    X(cuCtxGetDevice, (CudaDeviceHandle * device))                                                 \
    X(cuCtxSynchronize, (void))

#define CUDA_MEMORY_FUNCTIONS(X)                                                                   \
    X(cuMemAlloc_v2, (CudaAddress * address, size_t bytes))                                        \
    X(cuMemAllocPitch_v2,                                                                          \
      (CudaAddress * address, size_t * pitch, size_t width, size_t height, unsigned element_size)) \
    X(cuMemFree_v2, (CudaAddress address))                                                         \
    X(cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags))                               \
    X(cuMemFreeHost, (void *memory))                                                               \
    X(cuMemHostRegister_v2, (void *memory, size_t bytes, unsigned flags))                          \
    X(cuMemHostUnregister, (void *memory))                                                         \
    X(cuMemHostGetDevicePointer_v2, (CudaAddress * address, void *memory, unsigned flags))         \
    X(cuPointerGetAttribute, (void *value, int attribute, CudaAddress address))                    \
    X(cuMemcpy, (CudaAddress dst, CudaAddress src, size_t bytes))                                  \
    X(cuMemcpyAsync, (CudaAddress dst, CudaAddress src, size_t bytes, CudaStream stream))          \
    X(cuMemcpyHtoD_v2, (CudaAddress dst, const void *src, size_t bytes))                           \
    X(cuMemcpyHtoDAsync_v2, (CudaAddress dst, const void *src, size_t bytes, CudaStream stream))   \
    X(cuMemcpyDtoH_v2, (void *dst, CudaAddress src, size_t bytes))                                 \
    X(cuMemcpyDtoHAsync_v2, (void *dst, CudaAddress src, size_t bytes, CudaStream stream))         \
    X(cuMemcpyDtoD_v2, (CudaAddress dst, CudaAddress src, size_t bytes))                           \
    X(cuMemcpyDtoDAsync_v2, (CudaAddress dst, CudaAddress src, size_t bytes, CudaStream stream))   \
    X(cuMemcpy2D_v2, (const CudaCopy2D *copy))                                                     \
    X(cuMemcpy2DAsync_v2, (const CudaCopy2D *copy, CudaStream stream))                             \
    X(cuMemsetD8Async, (CudaAddress dst, unsigned char value, size_t count, CudaStream stream))

#define CUDA_STREAM_FUNCTIONS(X)                                                                   \
    X(cuStreamCreate, (CudaStream * stream, unsigned flags))                                       \
    X(cuStreamDestroy_v2, (CudaStream stream))                                                     \
    X(cuStreamSynchronize, (CudaStream stream))                                                    \
    X(cuStreamQuery, (CudaStream stream))                                                          \
    X(cuStreamWaitEvent, (CudaStream stream, CudaEvent event, unsigned flags))                     \
    X(cuEventCreate, (CudaEvent * event, unsigned flags))                                          \
    X(cuEventDestroy_v2, (CudaEvent event))                                                        \
    X(cuEventRecord, (CudaEvent event, CudaStream stream))                                         \
    X(cuEventQuery, (CudaEvent event))                                                             \
    X(cuEventSynchronize, (CudaEvent event))                                                       \
    X(cuEventElapsedTime, (float *milliseconds, CudaEvent begin, CudaEvent end))

#define CUDA_KERNEL_FUNCTIONS(X)                                                                   \
    X(cuModuleLoadData, (CudaModule * module, const void *image))                                  \
    X(cuModuleUnload, (CudaModule module))                                                         \
    X(cuModuleGetFunction, (CudaFunction * function, CudaModule module, const char *name))         \
    X(cuLaunchKernel, (CudaFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,   \
                       unsigned block_x, unsigned block_y, unsigned block_z,                       \
                       unsigned shared_bytes, CudaStream stream, void **parameters, void **extra))

#define CUDA_GRAPH_FUNCTIONS(X)                                                                    \
    X(cuGraphCreate, (CudaGraph * graph, unsigned flags))                                          \
    X(cuGraphDestroy, (CudaGraph graph))                                                           \
    X(cuGraphAddKernelNode, (CudaGraphNode * node, CudaGraph graph, const CudaGraphNode *before,   \
                             size_t n_before, const CudaKernelNode *parameters))                   \
    X(cuGraphAddMemcpyNode, (CudaGraphNode * node, CudaGraph graph, const CudaGraphNode *before,   \
                             size_t n_before, const CudaCopy3D *copy, CudaContext context))        \
    X(cuGraphAddEmptyNode,                                                                         \
      (CudaGraphNode * node, CudaGraph graph, const CudaGraphNode *before, size_t n_before))       \
    X(cuGraphInstantiateWithFlags,                                                                 \
      (CudaGraphExec * exec, CudaGraph graph, unsigned long long flags))                           \
    X(cuGraphLaunch, (CudaGraphExec exec, CudaStream stream))                                      \
    X(cuGraphExecDestroy, (CudaGraphExec exec))

/* These only say that they are not supported; callers pass what they like. */
#define CUDA_UNSUPPORTED_FUNCTIONS(X)                                                              \
    X(cuArray3DCreate_v2, (void))                                                                  \
    X(cuArrayCreate_v2, (void))                                                                    \
    X(cuArrayDestroy, (void))                                                                      \
    X(cuCtxSetLimit, (void))                                                                       \
    X(cuDevicePrimaryCtxReset, (void))                                                             \
    X(cuGLGetDevices_v2, (void))                                                                   \
    X(cuGraphicsGLRegisterImage, (void))                                                           \
    X(cuGraphicsMapResources, (void))                                                              \
    X(cuGraphicsResourceGetMappedPointer_v2, (void))                                               \
    X(cuGraphicsSubResourceGetMappedArray, (void))                                                 \
    X(cuGraphicsUnmapResources, (void))                                                            \
    X(cuGraphicsUnregisterResource, (void))                                                        \
    X(cuLinkAddData, (void))                                                                       \
    X(cuLinkComplete, (void))                                                                      \
    X(cuLinkCreate, (void))                                                                        \
    X(cuLinkDestroy, (void))                                                                       \
    X(cuMemAllocManaged, (void))                                                                   \
    X(cuModuleGetGlobal, (void))                                                                   \
    X(cuModuleGetGlobal_v2, (void))                                                                \
    X(cuStreamAddCallback, (void))                                                                 \
    X(cuTexObjectCreate, (void))                                                                   \
    X(cuTexObjectDestroy, (void))

#define CUDA_DECLARE(name, parameters)                                                             \
    __attribute__((visibility("default"))) CudaResult name parameters;
CUDA_DEVICE_FUNCTIONS(CUDA_DECLARE)
CUDA_MEMORY_FUNCTIONS(CUDA_DECLARE)
CUDA_STREAM_FUNCTIONS(CUDA_DECLARE)
CUDA_KERNEL_FUNCTIONS(CUDA_DECLARE)
CUDA_GRAPH_FUNCTIONS(CUDA_DECLARE)
CUDA_UNSUPPORTED_FUNCTIONS(CUDA_DECLARE)
#undef CUDA_DECLARE

#endif
