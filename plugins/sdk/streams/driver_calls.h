/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_DRIVER_CALLS_H
#define VMAF_SDK_DRIVER_CALLS_H

#include "stream_layer.h"

/*
 * Streams, events, host memory and kernels of drivers with a C interface like CUDA's: functions
 * return a number, 0 on success, and objects are pointers. A layer on such a driver fills in a
 * table of functions, names it in its VmafStreamApi, and uses the functions below in that. Parts
 * that differ in more than names stay in the layer: devices, device memory, copies, errors.
 */
typedef int32_t VmafDriverResult;

struct VmafDriverCalls {
    const char *prefix;         /* prefix of the driver's functions, for messages: "cu" */
    VmafDriverResult not_ready; /* result of event_query before the event has happened */
    uint32_t stream_sync;  /* kind of the application's streams (VMAF_BACKEND_SYNC_*); other kinds
                              are events */
    unsigned stream_flags; /* flags of streams that never wait for the default stream */
    unsigned order_flags;  /* flags of events that take no timestamps; others have 0 */
    unsigned mapped_flags; /* flags of host memory that kernels can read */

    /* Returns 0, or a negative errno for an error, whose text it stores. */
    int (*done)(VmafStreamDevice *device, VmafDriverResult result, const char *what);
    /* Optional: is called with results that are ignored otherwise, and returns them. */
    VmafDriverResult (*note)(VmafDriverResult result);

    VmafDriverResult (*stream_create)(void **stream, unsigned flags);
    VmafDriverResult (*stream_destroy)(void *stream);
    VmafDriverResult (*stream_synchronize)(void *stream);
    VmafDriverResult (*stream_wait_event)(void *stream, void *event, unsigned flags);
    VmafDriverResult (*event_create)(void **event, unsigned flags);
    VmafDriverResult (*event_destroy)(void *event);
    VmafDriverResult (*event_record)(void *event, void *stream);
    VmafDriverResult (*event_query)(void *event);
    VmafDriverResult (*event_elapsed_time)(float *milliseconds, void *begin, void *end);
    VmafDriverResult (*host_alloc)(void **memory, size_t bytes, unsigned flags);
    VmafDriverResult (*host_free)(void *memory);
    VmafDriverResult (*host_register)(void *memory, size_t bytes, unsigned flags);
    VmafDriverResult (*host_unregister)(void *memory);
    VmafDriverResult (*host_get_device_pointer)(uint64_t *address, void *memory, unsigned flags);
    VmafDriverResult (*mem_alloc)(uint64_t *address, size_t bytes);
    VmafDriverResult (*mem_free)(uint64_t address);
    VmafDriverResult (*module_load_data)(void **module, const void *image);
    VmafDriverResult (*module_unload)(void *module);
    VmafDriverResult (*module_get_function)(void **function, void *module, const char *name);
    VmafDriverResult (*launch_kernel)(void *function, unsigned grid_x, unsigned grid_y,
                                      unsigned grid_z, unsigned block_x, unsigned block_y,
                                      unsigned block_z, unsigned shared_bytes, void *stream,
                                      void **parameters, void **extra);
};

/* The kernel struct of such a layer, for kernel_size of VmafStreamApi. */
typedef struct VmafDriverKernel {
    VmafStreamKernel base;
    void *module, *function;
    void *image; /* NULL, or memory that the module may read, freed after it is unloaded */
} VmafDriverKernel;

/* Kernel parameters as these drivers take them: a list of pointers to values, which they copy. */
typedef struct VmafDriverParameters {
    uint64_t addresses[VMAF_KERNEL_MAX_BUFFERS];
    void *list[VMAF_KERNEL_MAX_BUFFERS + 1];
} VmafDriverParameters;

void vmaf_driver_parameters(const VmafStreamDispatch *dispatch, VmafDriverParameters *parameters);
/* Returns the driver's own stream. */
void *vmaf_driver_stream(void *stream);
/* Address of a buffer for copies. For host memory it is the host's address, which differs from the
 * device's on some systems. */
uint64_t vmaf_driver_copy_address(const VmafStreamBuffer *buffer);
/* Loads one code of a kernel. */
VmafDriverResult vmaf_driver_load_code(const VmafDriverCalls *calls, VmafDriverKernel *kernel,
                                       const VmafKernel *source, const VmafKernelCode *code);

/* The functions of VmafStreamApi with the same names. */
int vmaf_driver_memory_create(VmafStreamDevice *device, VmafStreamBuffer *buffer,
                              const VmafDeviceBufferParams *params);
void vmaf_driver_memory_destroy(VmafStreamDevice *device, VmafStreamBuffer *buffer);
void vmaf_driver_kernel_unload(VmafStreamDevice *device, VmafStreamKernel *kernel);
int vmaf_driver_stream_create(VmafStreamDevice *device, void **stream);
void vmaf_driver_stream_destroy(VmafStreamDevice *device, void *stream);
void vmaf_driver_stream_settle(VmafStreamDevice *device, void *stream);
int vmaf_driver_stream_wait(VmafStreamDevice *device, void *stream, void *event);
int vmaf_driver_event_create(VmafStreamDevice *device, enum VmafStreamEventKind kind, void **event);
void vmaf_driver_event_destroy(VmafStreamDevice *device, void *event);
int vmaf_driver_event_record(VmafStreamDevice *device, void *event, void *stream);
int vmaf_driver_event_query(VmafStreamDevice *device, void *event);
int vmaf_driver_event_times(VmafStreamDevice *device, void *const *events, uint64_t *times_ns,
                            uint32_t count);
int vmaf_driver_sync_wait(VmafStreamDevice *device, void *stream, const VmafBackendSync *sync);
int vmaf_driver_sync_signal(VmafStreamDevice *device, void *stream, const VmafBackendSync *sync,
                            void *copied);
int vmaf_driver_dispatch(VmafStreamDevice *device, void *stream,
                         const VmafStreamDispatch *dispatch);

#define VMAF_DRIVER_STREAM_FUNCTIONS                                                               \
    .memory_create = vmaf_driver_memory_create, .memory_destroy = vmaf_driver_memory_destroy,      \
    .kernel_unload = vmaf_driver_kernel_unload, .stream_create = vmaf_driver_stream_create,        \
    .stream_destroy = vmaf_driver_stream_destroy, .stream_settle = vmaf_driver_stream_settle,      \
    .stream_wait = vmaf_driver_stream_wait, .event_create = vmaf_driver_event_create,              \
    .event_destroy = vmaf_driver_event_destroy, .event_record = vmaf_driver_event_record,          \
    .event_query = vmaf_driver_event_query, .event_times = vmaf_driver_event_times,                \
    .sync_wait = vmaf_driver_sync_wait, .sync_signal = vmaf_driver_sync_signal,                    \
    .dispatch = vmaf_driver_dispatch

#endif
