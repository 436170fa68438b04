/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_CUDA_INTERNAL_H
#define VMAF_CUDA_INTERNAL_H

/*
 * A device layer on CUDA's driver interface. HIP's runtime is the same under other names, so
 * plugins/hip is made of the same cuda_layer.c and cuda_queue.c, with the names in
 * VMAF_DRIVER_NAMES; it has functions of its own for what the driver_ functions below do.
 */
#ifdef VMAF_DRIVER_NAMES
#include VMAF_DRIVER_NAMES
#else
#include "cuda_api.h"
#include "cuda_layer.h"
#define DRIVER_LAYER       vmaf_cuda_layer
#define DRIVER_NAME        "cuda"
#define DRIVER_PREFIX      "cu" /* of functions, in messages */
#define DRIVER_NO_DEVICE   "there is no NVIDIA GPU"
#define DRIVER_SYNC_STREAM VMAF_BACKEND_SYNC_CUDA_STREAM
#define DRIVER_HAS_GRAPHS  1
#endif
#include "streams/stream_layer.h"

typedef struct CudaDevice {
    VmafStreamDevice base;
    CUdevice handle;
    uint64_t max_pitch; /* largest stride of copies of rows */
    CUcontext context;  /* CUDA */
    int capability;     /* CUDA: compute capability, major * 10 + minor */
    char chip[24];      /* HIP: a name such as "gfx90a" or "gfx9-4-generic" */
} CudaDevice;

typedef struct CudaKernel {
    VmafStreamKernel base;
    CUmodule module;
    CUfunction function;
    void *image; /* NULL, or memory that the module may read, freed after it is unloaded */
} CudaKernel;

typedef struct CudaCommandList {
    VmafStreamCommandList base;
    CUgraphExec graph; /* NULL: commands are put on the stream one by one */
} CudaCommandList;

typedef struct CudaQueue {
    VmafStreamQueue base; /* streams never wait for the default one, on which applications work */
    CUevent arrived;      /* on an application's stream, after all work there at a submission */
} CudaQueue;

/* Kernel parameters as the driver takes them: a list of pointers to values, which it copies. */
typedef struct CudaParameters {
    CUdeviceptr addresses[VMAF_KERNEL_MAX_BUFFERS];
    void *list[VMAF_KERNEL_MAX_BUFFERS + 1];
} CudaParameters;

/* -- cuda_driver.c; plugins/hip/hip_driver.c and hip_devices.c -- */

int driver_error_of(CUresult result); /* as a negative errno */
/* The name of the error and its text, or the number. */
void driver_describe_result(CUresult result, char *text, size_t size);
/* 0, or the error as a negative errno, and stores what went wrong. */
int driver_done(CudaDevice *device, CUresult result, const char *what);
/* For results that do not matter where they come. */
void driver_ignore(CUresult result);

/* Called on a thread before and after it uses the device, whose context is current in between. If
 * context_enter fails, as other functions do, context_leave is not called. */
int context_enter(CudaDevice *device);
void context_leave(CudaDevice *device);

/* Starts the driver. Returns 0; -ENXIO if it works but has no device; another error. `reason` is
 * filled in unless 0 is returned. */
int driver_start(char *reason, size_t reason_size);
uint32_t driver_count(void);
/* Fills in a candidate, which is zero. Returns false if there is nothing to report. */
bool driver_describe(uint32_t index, VmafStreamCandidate *candidate);
/* Opens a device of which head.info is set, or the application's, which it describes. */
int driver_open(CudaDevice *device, const VmafStreamCandidate *candidate);
int driver_borrow(CudaDevice *device, const void *external, VmafStreamCandidate *candidate);
void driver_close(CudaDevice *device);

/* Loads the code of a kernel that suits the device best. Several threads may load kernels. */
int driver_load_kernel(CudaDevice *device, CudaKernel *kernel, const VmafKernel *source);
/* 0 if the driver knows the memory of a plane: copies from others would lose the device. */
int driver_check_plane(CudaDevice *device, const VmafStreamBuffer *plane, uint32_t number);

/* -- cuda_layer.c -- */

/* Loads this code. */
CUresult cuda_load_code(CudaKernel *kernel, const char *name, const void *code);

/* -- cuda_queue.c -- */

/* Address of a place for copies. For host memory it is the host's address, which differs from the
 * device's on some systems. */
CUdeviceptr cuda_copy_address(const VmafDeviceBuffer *buffer, uint64_t offset);
void cuda_parameters(const VmafStreamDispatch *dispatch, CudaParameters *parameters);

int cuda_command_list_begin(VmafDevice *device, VmafDeviceCommandList **list);
int cuda_command_list_end(VmafDeviceCommandList *list);
void cuda_command_list_destroy(VmafDeviceCommandList *list);
int cuda_timestamps(VmafDeviceCommandList *list, uint64_t *times_ns, uint32_t count);
int cuda_copy_times(VmafDeviceCommandList *list, uint64_t times_ns[2]);
int cuda_queue_create(VmafDevice *device, VmafDeviceQueue **queue);
void cuda_queue_destroy(VmafDeviceQueue *queue);
int cuda_submit(VmafDeviceQueue *queue, VmafDeviceCommandList *list, const VmafDeviceSubmit *params,
                VmafDeviceTicket *ticket);
int cuda_wait(VmafDeviceQueue *queue, VmafDeviceTicket ticket, uint64_t timeout_ns);

/* -- cuda_graph.c -- */

#ifdef DRIVER_HAS_GRAPHS
bool cuda_has_graphs(void);
/* Makes a graph of the list, if the driver knows graphs and all that the list holds. */
int cuda_graph_create(CudaDevice *device, CudaCommandList *list);
#endif

#endif
