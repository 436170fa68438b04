/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_CUDA_INTERNAL_H
#define VMAF_CUDA_INTERNAL_H

#include "cuda_driver.h"
#include "cuda_layer.h"
#include "platform/thread.h"

/* A kernel, compiled by the driver on first use. */
typedef struct CudaKernel {
    VmafDeviceKernel head;
    CudaModule module;
    CudaFunction function;
} CudaKernel;

typedef struct CudaCommandList CudaCommandList;

typedef struct CudaDevice {
    VmafDevice head;
    VmafDeviceFaults faults;
    bool borrowed; /* the context is the application's */
    CudaDeviceHandle handle;
    CudaContext context;
    CudaStream stream; /* everything runs here, in order */
    uint64_t max_pitch;

    VmafMutex kernel_lock; /* guards kernels; a driver may compile for seconds with it held */
    CudaKernel *kernels;   /* by index in the kernel set */

    VmafMutex submit_lock; /* one submission at a time; a full queue may block with it held */

    VmafMutex lock; /* guards everything below; taken last and never held for long */
    uint64_t submissions, buffers_created;
    uint64_t finished;  /* submissions known to have finished: tickets to this one */
    uint64_t hung_from; /* ticket of the submission that was made to hang; 0: none */
    CudaCommandList *first_running, **last_running; /* oldest first */
    bool lost;
    char error[256];
} CudaDevice;

typedef struct CudaBuffer {
    VmafDeviceBuffer head;
    CudaAddress address; /* for kernels and copies */
    bool registered;     /* the memory is the host's */
} CudaBuffer;

/* cuda_error.c */
int cuda_error_of(CudaResult result); /* as a negative errno */
/* "CUDA_ERROR_NAME (text)", or the number. */
void cuda_describe_result(CudaResult result, char *text, size_t size);
/* Stores what went wrong; returns the error as a negative errno. Both take the lock. */
int cuda_failed(CudaDevice *device, CudaResult result, const char *what);
int cuda_fail(CudaDevice *device, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* -ENODEV if the device is lost. */
int cuda_check(CudaDevice *device);
void cuda_last_error(VmafDevice *device, char *text, size_t size); /* see device.h */

/* Makes the device's context current on this thread, above the caller's, until cuda_leave. */
CudaResult cuda_enter(const CudaDevice *device);
void cuda_leave(void);

/* cuda_physical.c: the devices of the system */
typedef struct CudaCandidate {
    CudaDeviceHandle handle;
    uint64_t max_pitch;
    VmafDeviceInfo info;
} CudaCandidate;

enum { CUDA_CANDIDATES_MAX = 64 };

/* Starts the driver. 0; negative errno with a reason. */
int cuda_start(char *reason, size_t reason_size);
/* The usable devices in the driver's order, discrete ones first. Returns their number; if there are
 * none, `reason` says why. */
int cuda_find_candidates(CudaCandidate candidates[CUDA_CANDIDATES_MAX], char *reason,
                         size_t reason_size);
/* Describes one device. 0; -ENOTSUP with a reason. */
int cuda_describe(CudaDeviceHandle handle, CudaCandidate *candidate, char *reason,
                  size_t reason_size);

/* cuda_buffer.c, cuda_kernel.c, cuda_command_list.c, cuda_submit.c: see device.h */
int cuda_buffer_create(VmafDevice *device, VmafDeviceBuffer **buffer,
                       const VmafDeviceBufferParams *params);
void cuda_buffer_destroy(VmafDevice *device, VmafDeviceBuffer *buffer);

int cuda_kernel_find(VmafDevice *device, const VmafDeviceKernel **kernel, const char *name);
void cuda_kernels_destroy(CudaDevice *device); /* with the context current */

int cuda_command_list_begin(VmafDevice *device, VmafDeviceCommandList **list);
int cuda_cmd_copy(VmafDeviceCommandList *list, const VmafDeviceCopy *copy);
int cuda_cmd_dispatch(VmafDeviceCommandList *list, const VmafDeviceDispatch *dispatch);
int cuda_cmd_barrier(VmafDeviceCommandList *list);
int cuda_cmd_timestamp(VmafDeviceCommandList *list, uint32_t index);
int cuda_command_list_end(VmafDeviceCommandList *list);
void cuda_command_list_destroy(VmafDeviceCommandList *list);
int cuda_timestamps(VmafDeviceCommandList *list, uint64_t *times_ns, uint32_t count);

int cuda_submit(VmafDeviceCommandList *list, VmafDeviceTicket *ticket);
int cuda_wait(VmafDevice *device, VmafDeviceTicket ticket, uint64_t timeout_ns);

/* What cuda_submit.c knows of a command list. */
struct CudaCommandList {
    VmafDeviceCommandList head;
    struct CudaCommand *commands;
    size_t n_commands, capacity;
    CudaEvent times[VMAF_DEVICE_MAX_TIMESTAMPS]; /* made as they are needed */
    CudaEvent done;                              /* recorded after every run */
    /* Guarded by the device's lock. */
    VmafDeviceTicket ticket; /* of its last run */
    CudaCommandList *next_running;
    bool running; /* as far as is known */
};

/* Starts all commands on the stream, with the context current; *what: what failed. */
CudaResult cuda_command_list_replay(const CudaCommandList *list, const char **what);
/* Forgets that it runs. */
void cuda_stop_tracking(CudaDevice *device, CudaCommandList *list);

#endif
