/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_CUDA_INTERNAL_H
#define VMAF_CUDA_INTERNAL_H

#include "cuda_driver.h"
#include "cuda_layer.h"
#include "platform/thread.h"

enum CudaKernelState { KERNEL_UNLOADED, KERNEL_LOADING, KERNEL_LOADED };

/* A kernel, compiled by the driver on first use. */
typedef struct CudaKernel {
    VmafDeviceKernel head;
    enum CudaKernelState state; /* guarded by the device's kernel_lock */
    CudaModule module;
    CudaFunction function;
} CudaKernel;

typedef struct CudaDevice {
    VmafDevice head;
    VmafDeviceFaults faults;
    bool borrowed; /* the context is the application's */
    CudaDeviceHandle handle;
    CudaContext context;
    int capability; /* compute capability, major * 10 + minor */
    uint64_t max_pitch;

    VmafMutex kernel_lock; /* never held while the driver compiles */
    VmafCondition kernel_loaded;
    CudaKernel *kernels; /* by index in the kernel set */

    VmafMutex lock; /* guards everything below; taken last and never held for long */
    uint64_t submissions, buffers_created;
    bool lost;
    char error[256];
} CudaDevice;

typedef struct CudaBuffer {
    VmafDeviceBuffer head;
    CudaAddress address; /* for kernels */
    bool registered;     /* the memory is the host's */
} CudaBuffer;

/* A picture of the application; its planes are buffers without memory of their own. */
typedef struct CudaImage {
    VmafDeviceImage head;
    CudaBuffer planes[3];
} CudaImage;

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
    int capability;
    uint64_t max_pitch;
    VmafDeviceInfo info;
} CudaCandidate;

enum { CUDA_CANDIDATES_MAX = 64 };

/* Starts the driver. 0; negative errno with a reason. */
int cuda_start(char *reason, size_t reason_size);
/* All devices in the driver's order: discrete ones, integrated ones, those that cannot be used.
 * Returns their number; if there are none, `reason` says why. */
int cuda_find_candidates(CudaCandidate candidates[CUDA_CANDIDATES_MAX], char *reason,
                         size_t reason_size);
/* Describes one device, also one that cannot be used. */
void cuda_describe(CudaDeviceHandle handle, CudaCandidate *candidate);

/* cuda_buffer.c, cuda_image.c, cuda_kernel.c, cuda_command_list.c, cuda_queue.c, cuda_submit.c: see
 * device.h */
int cuda_buffer_create(VmafDevice *device, VmafDeviceBuffer **buffer,
                       const VmafDeviceBufferParams *params);
void cuda_buffer_destroy(VmafDevice *device, VmafDeviceBuffer *buffer);

int cuda_image_import(VmafDevice *device, VmafDeviceImage **image,
                      const VmafBackendImport *picture);
void cuda_image_destroy(VmafDevice *device, VmafDeviceImage *image);

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
int cuda_copy_times(VmafDeviceCommandList *list, uint64_t times_ns[2]);

int cuda_queue_create(VmafDevice *device, VmafDeviceQueue **queue);
void cuda_queue_destroy(VmafDeviceQueue *queue);
int cuda_submit(VmafDeviceQueue *queue, VmafDeviceCommandList *list, const VmafDeviceSubmit *params,
                VmafDeviceTicket *ticket);
int cuda_wait(VmafDeviceQueue *queue, VmafDeviceTicket ticket, uint64_t timeout_ns);

/* -- command lists -- */

/* Rows to copy; ranges without gaps are one row. */
typedef struct CudaRows {
    CudaAddress dst, src;
    bool dst_is_host, src_is_host; /* known of our own buffers only */
    uint64_t dst_stride, src_stride, row_size;
    uint32_t rows;
} CudaRows;

typedef struct CudaDispatch {
    const CudaKernel *kernel;
    CudaAddress addresses[VMAF_KERNEL_MAX_BUFFERS];
    uint64_t args[VMAF_KERNEL_MAX_ARGS_SIZE / 8];
    uint32_t groups[3];
} CudaDispatch;

enum CudaCommandKind { COMMAND_COPY, COMMAND_DISPATCH, COMMAND_BARRIER, COMMAND_TIMESTAMP };

typedef struct CudaCommand {
    enum CudaCommandKind kind;
    union {
        CudaRows copy;
        CudaDispatch dispatch;
        CudaEvent time;
    };
} CudaCommand;

typedef struct CudaCommandList {
    VmafDeviceCommandList head;
    CudaCommand *commands;
    size_t n_commands, capacity;
    CudaGraphExec graph; /* NULL: the commands go to the stream one by one */
    CudaEvent times[VMAF_DEVICE_MAX_TIMESTAMPS]; /* made as they are needed */
    CudaEvent copy_times[2]; /* around the copies of its submission; NULL: without profiling */
} CudaCommandList;

/* Kernel parameters as the driver takes them: it copies what they point at. */
typedef struct CudaParameters {
    void *list[VMAF_KERNEL_MAX_BUFFERS + 1];
} CudaParameters;

void cuda_parameters(const CudaDispatch *dispatch, CudaParameters *parameters);
CudaRows cuda_rows_of(const VmafDeviceCopy *copy);
/* The following run with the context current; *what: what failed. */
CudaResult cuda_copy_rows(const CudaDevice *device, const CudaRows *rows, CudaStream stream,
                          const char **what);
CudaResult cuda_command_list_run(const CudaCommandList *list, CudaStream stream, const char **what);

/* cuda_graph.c: makes a graph of the commands, if the driver knows graphs and all that the list
 * holds; else list->graph stays NULL. */
CudaResult cuda_graph_make(CudaCommandList *list, const char **what);
bool cuda_has_graphs(void);

/* -- queues -- */

enum {
    CUDA_TRACK_COPIES = VMAF_DEVICE_LANES, /* after those of the lanes */
    CUDA_TRACKS,
    CUDA_MARKS = 32, /* submissions of a track that are told apart while they run */
};

/* A stream, and the ends of its submissions as events, the oldest first. */
typedef struct CudaTrack {
    CudaStream stream;
    uint64_t copies_seen; /* by submissions so far: the queue's n_copied at that time */
    CudaEvent events[CUDA_MARKS];
    /* Guarded by the queue's lock. */
    VmafDeviceTicket tickets[CUDA_MARKS];
    uint32_t first, count;
    VmafDeviceTicket finished; /* tickets up to this one */
} CudaTrack;

/* A ticket is a serial number times CUDA_TRACKS, plus the number of the track. */
typedef struct CudaQueue {
    VmafDeviceQueue head;
    CudaTrack tracks[CUDA_TRACKS];
    CudaEvent copied;  /* all copies so far */
    CudaEvent arrived; /* what an application's stream held when a submission came */

    VmafMutex submit_lock; /* guards n_copied; a full stream may block with it held */
    uint64_t n_copied;     /* how often `copied` was recorded */

    VmafMutex lock; /* taken before the device's; never held for long */
    uint64_t serial;
    VmafDeviceTicket hung_from; /* of the submission that was made to hang; 0: none */
} CudaQueue;

/* Notes the end of what is on the track's stream now as that of this ticket. With the context
 * current. */
CudaResult cuda_mark(CudaQueue *queue, CudaTrack *track, VmafDeviceTicket ticket);

#endif
