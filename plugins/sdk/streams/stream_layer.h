/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_STREAM_LAYER_H
#define VMAF_SDK_STREAM_LAYER_H

#include "device.h"
#include "layer_state.h"
#include "platform/thread.h"

/*
 * The device layer on any API that has streams and events. What such layers have in common is
 * here: choosing a device, objects and their errors, kernels that are loaded once, lists of
 * commands, queues with lanes, tickets, injected errors. An API provides the functions of
 * VmafStreamApi, and a layer is one line:
 *
 *   VMAF_STREAM_LAYER(vmaf_mine_layer, "mine", &mine_api)
 *
 * A stream is a sequence of work that runs in the order in which it was put there, but for what
 * `barrier` says. An event marks a place on a stream. A queue consists of a stream for each lane
 * and one for copies.
 *
 * Functions of the API return 0 or a negative errno value (device.h says which), and store what
 * went wrong with vmaf_stream_fail before they return one. All but start, count, describe, open and
 * borrow are called between `enter` and `leave`, on any thread; the comment says where several
 * threads may be in one at once.
 */

typedef struct VmafStreamApi VmafStreamApi;
typedef struct VmafDriverCalls VmafDriverCalls; /* driver_calls.h */

/* A device that could be opened. */
typedef struct VmafStreamCandidate {
    VmafDeviceInfo info;
    uint64_t handle; /* the API's own */
} VmafStreamCandidate;

/* The API's own struct of a device begins with this one; so it is with the other objects. */
typedef struct VmafStreamDevice {
    VmafDevice head;
    const VmafStreamApi *api;
    bool borrowed; /* the handles are the application's */
    bool is_open;  /* `open` or `borrow` was successful, so that `close` is due */

    VmafMutex kernel_lock; /* never held while a kernel is loaded */
    VmafCondition kernel_loaded;
    unsigned char *kernels; /* by index in the kernel set, kernel_size apart */

    VmafLayerState state;
} VmafStreamDevice;

typedef struct VmafStreamBuffer {
    VmafDeviceBuffer head;
    bool wraps;       /* the memory is the host's */
    uint64_t address; /* for kernels and copies; what it means is the API's own business */
} VmafStreamBuffer;

typedef struct VmafStreamKernel {
    VmafDeviceKernel head;
    int state; /* guarded by the device's kernel_lock */
} VmafStreamKernel;

/* A picture of the application: planes without memory of their own. */
typedef struct VmafStreamImage {
    VmafDeviceImage head;
    VmafStreamBuffer planes[3]; /* of which head.buffers points at those that are there */
} VmafStreamImage;

/* Rows to copy; ranges without gaps are one row. */
typedef struct VmafStreamRows {
    VmafStreamBuffer *dst;
    VmafStreamBuffer *src; /* NULL: a plane of an image, from its first row on */
    const VmafStreamImage *image;
    uint32_t image_plane;
    uint32_t rows;
    uint64_t dst_offset, dst_stride;
    uint64_t src_offset, src_stride;
    uint64_t row_size;
} VmafStreamRows;

typedef struct VmafStreamBinding {
    const VmafStreamBuffer *buffer;
    uint64_t offset, size; /* bytes; size 0: to the end of the buffer */
} VmafStreamBinding;

typedef struct VmafStreamDispatch {
    const VmafStreamKernel *kernel;
    VmafStreamBinding bindings[VMAF_KERNEL_MAX_BUFFERS]; /* by slot */
    uint64_t args[VMAF_KERNEL_MAX_ARGS_SIZE / 8];
    uint32_t groups[3];
    void *prepared; /* by dispatch_prepare */
} VmafStreamDispatch;

enum VmafStreamCommandKind {
    VMAF_STREAM_COPY,
    VMAF_STREAM_DISPATCH,
    VMAF_STREAM_BARRIER,
    VMAF_STREAM_TIMESTAMP,
};

typedef struct VmafStreamCommand {
    enum VmafStreamCommandKind kind;
    union {
        VmafStreamRows copy;
        VmafStreamDispatch dispatch;
        void *time; /* an event */
    };
} VmafStreamCommand;

typedef struct VmafStreamCommandList {
    VmafDeviceCommandList head;
    VmafStreamCommand *commands;
    size_t n_commands, capacity;
    bool is_prepared;                        /* by list_prepare: list_run runs it */
    void *times[VMAF_DEVICE_MAX_TIMESTAMPS]; /* events, made as they are needed */
    void *copy_times[2]; /* around the copies of its submission; NULL: without profiling */
} VmafStreamCommandList;

enum VmafStreamEventKind {
    VMAF_STREAM_EVENT_ORDER, /* to wait for and to ask about */
    VMAF_STREAM_EVENT_TIME,  /* to take times */
};

struct VmafStreamApi {
    const VmafDeviceLayer *layer;
    const char *no_device;         /* what to say if there is none: "there is no NVIDIA GPU" */
    const VmafDriverCalls *driver; /* optional: for the functions of driver_calls.h */
    /* Of the API's own structs, which begin with those above. */
    size_t device_size, buffer_size, kernel_size, image_size, list_size;

    /* -- devices -- */

    /* Starts the driver. 0; -ENXIO: it is there and well, but has no device; another error. With a
     * reason unless 0. */
    int (*start)(char *reason, size_t reason_size);
    /* Number of devices, at most VMAF_STREAM_MAX_DEVICES. */
    uint32_t (*count)(void);
    /* Fills in a candidate, which is zero; its id only if it has neither a UUID nor a PCI address.
     * `unusable` says why it cannot be opened. False: there is nothing to report. */
    bool (*describe)(uint32_t index, VmafStreamCandidate *candidate);
    /* Opens a device, of which head.info is set. */
    int (*open)(VmafStreamDevice *device, const VmafStreamCandidate *candidate,
                const VmafDeviceOpenParams *params);
    /* Optional: takes the application's device, and describes it. It is refused if unusable. */
    int (*borrow)(VmafStreamDevice *device, const void *external, VmafStreamCandidate *candidate,
                  const VmafDeviceOpenParams *params);
    /* After `open` or `borrow` was successful; everything else was destroyed. */
    void (*close)(VmafStreamDevice *device);
    /* Both optional: what has to be done on a thread before and after it calls the API. `enter`
     * fails as other functions do, and is then not followed by `leave`. */
    int (*enter)(VmafStreamDevice *device);
    void (*leave)(VmafStreamDevice *device);

    /* -- memory -- */

    /* Fills in head.mapped, head.address and address of a buffer whose other values are set. */
    int (*memory_create)(VmafStreamDevice *device, VmafStreamBuffer *buffer,
                         const VmafDeviceBufferParams *params);
    void (*memory_destroy)(VmafStreamDevice *device, VmafStreamBuffer *buffer);
    /* Both optional. Fills in head and planes of an image, which are zero but for head.n_planes;
     * vmaf_image_plane tells what a plane needs. After an error image_release is not called. */
    int (*image_import)(VmafStreamDevice *device, VmafStreamImage *image,
                        const VmafBackendImport *picture);
    void (*image_release)(VmafStreamDevice *device, VmafStreamImage *image);

    /* -- kernels; both on several threads at once, for different kernels -- */

    int (*kernel_load)(VmafStreamDevice *device, VmafStreamKernel *kernel,
                       const VmafKernel *source);
    void (*kernel_unload)(VmafStreamDevice *device, VmafStreamKernel *kernel);

    /* -- streams and events; several threads at once, but one for a stream -- */

    int (*stream_create)(VmafStreamDevice *device, void **stream);
    /* Optional: the stream for the copies of a queue, if it is another kind; destroyed alike. */
    int (*copy_stream_create)(VmafStreamDevice *device, void **stream);
    void (*stream_destroy)(VmafStreamDevice *device, void *stream);
    /* Starts what was put on the stream. Optional: for APIs that collect work. */
    int (*stream_flush)(VmafStreamDevice *device, void *stream);
    /* Blocks until nothing of it runs any more, or never will. */
    void (*stream_settle)(VmafStreamDevice *device, void *stream);
    /* What comes on the stream from here on waits for the last record of the event, and sees what
     * was written before it. */
    int (*stream_wait)(VmafStreamDevice *device, void *stream, void *event);

    int (*event_create)(VmafStreamDevice *device, enum VmafStreamEventKind kind, void **event);
    void (*event_destroy)(VmafStreamDevice *device, void *event);
    /* The event is here on the stream from now on: behind everything that is there, also without a
     * barrier. Its earlier record, and what waited for that one, have finished. */
    int (*event_record)(VmafStreamDevice *device, void *event, void *stream);
    /* 0: everything before the last record has finished; -EAGAIN: not yet; another error. Any
     * thread. */
    int (*event_query)(VmafStreamDevice *device, void *event);
    /* Of events whose records have finished, in nanoseconds since an arbitrary moment. */
    int (*event_times)(VmafStreamDevice *device, void *const *events, uint64_t *times_ns,
                       uint32_t count);

    /* Work of the application, for kinds in caps.syncs; both optional. `stream` waits for it; it
     * waits for `copied`, the last event that was recorded on `stream`. */
    int (*sync_wait)(VmafStreamDevice *device, void *stream, const VmafBackendSync *sync);
    int (*sync_signal)(VmafStreamDevice *device, void *stream, const VmafBackendSync *sync,
                       void *copied);

    /* -- commands, put on a stream -- */

    int (*copy)(VmafStreamDevice *device, void *stream, const VmafStreamRows *rows);
    int (*dispatch)(VmafStreamDevice *device, void *stream, const VmafStreamDispatch *dispatch);
    /* Optional, for APIs whose streams run work at once: what follows waits for, and sees, all that
     * is on the stream. */
    int (*barrier)(VmafStreamDevice *device, void *stream);

    /* -- command lists -- */

    /* Both optional: what can be done once for all runs of a dispatch. */
    int (*dispatch_prepare)(VmafStreamDevice *device, VmafStreamDispatch *dispatch);
    void (*dispatch_release)(VmafStreamDevice *device, VmafStreamDispatch *dispatch);
    /* All optional: makes something of a whole list that can be run at once, and sets is_prepared
     * if it can; else its commands are put on the stream one by one. */
    int (*list_prepare)(VmafStreamDevice *device, VmafStreamCommandList *list);
    int (*list_run)(VmafStreamDevice *device, VmafStreamCommandList *list, void *stream);
    void (*list_release)(VmafStreamDevice *device, VmafStreamCommandList *list);
};

enum { VMAF_STREAM_MAX_DEVICES = 64 };

/* Stores what went wrong and returns `error`; -ENODEV: the device is lost from now on. Any thread.
 * Texts begin as those of other layers: "the device was lost (%s): ", "out of memory (%s)",
 * "%s failed with ". */
int vmaf_stream_fail(VmafStreamDevice *device, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with one of these three texts, chosen by the error: what failed, and the API's words
 * for it. */
int vmaf_stream_failed(VmafStreamDevice *device, int error, const char *what, const char *words);
/* -ENODEV if the device is lost, else 0. */
int vmaf_stream_check(VmafStreamDevice *device);

/* For image_import of kinds whose handles are addresses of planes: fills in planes and head, and
 * leaves out those that are absent. 0; -EINVAL. */
int vmaf_stream_import_addresses(VmafStreamDevice *device, VmafStreamImage *image,
                                 const VmafBackendImport *picture);

/* Address of what a binding names. */
static inline uint64_t vmaf_stream_address(const VmafStreamBinding *binding)
{
    return binding->buffer->address + binding->offset;
}

/* Behind VMAF_STREAM_LAYER. */
int vmaf_stream_enumerate(const VmafStreamApi *api, VmafDeviceInfo *infos, size_t capacity,
                          size_t *count, char *reason, size_t reason_size);
int vmaf_stream_open(const VmafStreamApi *api, VmafDevice **device,
                     const VmafDeviceOpenParams *params, char *reason, size_t reason_size);
void vmaf_stream_close(VmafDevice *device);
int vmaf_stream_buffer_create(VmafDevice *device, VmafDeviceBuffer **buffer,
                              const VmafDeviceBufferParams *params);
void vmaf_stream_buffer_destroy(VmafDevice *device, VmafDeviceBuffer *buffer);
int vmaf_stream_image_import(VmafDevice *device, VmafDeviceImage **image,
                             const VmafBackendImport *picture);
void vmaf_stream_image_destroy(VmafDevice *device, VmafDeviceImage *image);
int vmaf_stream_kernel_find(VmafDevice *device, const VmafDeviceKernel **kernel, const char *name);
int vmaf_stream_command_list_begin(VmafDevice *device, VmafDeviceCommandList **list);
int vmaf_stream_cmd_copy(VmafDeviceCommandList *list, const VmafDeviceCopy *copy);
int vmaf_stream_cmd_dispatch(VmafDeviceCommandList *list, const VmafDeviceDispatch *dispatch);
int vmaf_stream_cmd_barrier(VmafDeviceCommandList *list);
int vmaf_stream_cmd_timestamp(VmafDeviceCommandList *list, uint32_t index);
int vmaf_stream_command_list_end(VmafDeviceCommandList *list);
void vmaf_stream_command_list_destroy(VmafDeviceCommandList *list);
int vmaf_stream_timestamps(VmafDeviceCommandList *list, uint64_t *times_ns, uint32_t count);
int vmaf_stream_copy_times(VmafDeviceCommandList *list, uint64_t times_ns[2]);
int vmaf_stream_queue_create(VmafDevice *device, VmafDeviceQueue **queue);
void vmaf_stream_queue_destroy(VmafDeviceQueue *queue);
int vmaf_stream_submit(VmafDeviceQueue *queue, VmafDeviceCommandList *list,
                       const VmafDeviceSubmit *params, VmafDeviceTicket *ticket);
int vmaf_stream_queue_wait(VmafDeviceQueue *queue, VmafDeviceTicket ticket, uint64_t timeout_ns);
void vmaf_stream_last_error(VmafDevice *device, char *text, size_t size);

#define VMAF_STREAM_LAYER(LAYER, NAME, API)                                                        \
    static int stream_layer_enumerate(VmafDeviceInfo *infos, size_t capacity, size_t *count,       \
                                      char *reason, size_t reason_size)                            \
    {                                                                                              \
        return vmaf_stream_enumerate(API, infos, capacity, count, reason, reason_size);            \
    }                                                                                              \
    static int stream_layer_open(VmafDevice **device, const VmafDeviceOpenParams *params,          \
                                 char *reason, size_t reason_size)                                 \
    {                                                                                              \
        return vmaf_stream_open(API, device, params, reason, reason_size);                         \
    }                                                                                              \
    const VmafDeviceLayer LAYER = {                                                                \
        .name = NAME,                                                                              \
        .enumerate = stream_layer_enumerate,                                                       \
        .open = stream_layer_open,                                                                 \
        .close = vmaf_stream_close,                                                                \
        .buffer_create = vmaf_stream_buffer_create,                                                \
        .buffer_destroy = vmaf_stream_buffer_destroy,                                              \
        .image_import = vmaf_stream_image_import,                                                  \
        .image_destroy = vmaf_stream_image_destroy,                                                \
        .kernel_find = vmaf_stream_kernel_find,                                                    \
        .command_list_begin = vmaf_stream_command_list_begin,                                      \
        .cmd_copy = vmaf_stream_cmd_copy,                                                          \
        .cmd_dispatch = vmaf_stream_cmd_dispatch,                                                  \
        .cmd_barrier = vmaf_stream_cmd_barrier,                                                    \
        .cmd_timestamp = vmaf_stream_cmd_timestamp,                                                \
        .command_list_end = vmaf_stream_command_list_end,                                          \
        .command_list_destroy = vmaf_stream_command_list_destroy,                                  \
        .queue_create = vmaf_stream_queue_create,                                                  \
        .queue_destroy = vmaf_stream_queue_destroy,                                                \
        .submit = vmaf_stream_submit,                                                              \
        .wait = vmaf_stream_queue_wait,                                                            \
        .timestamps = vmaf_stream_timestamps,                                                      \
        .copy_times = vmaf_stream_copy_times,                                                      \
        .last_error = vmaf_stream_last_error,                                                      \
    }

#endif
