/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_STREAM_LAYER_H
#define VMAF_SDK_STREAM_LAYER_H

#include "device.h"
#include "layer_state.h"
#include "platform/thread.h"

/*
 * The device layer for any API that has streams and events. It holds the parts that such layers
 * have in common: choosing a device, objects and their errors, kernels that are loaded once,
 * command lists, queues, tickets, injected errors. An API provides the functions of VmafStreamApi,
 * and a layer is one line:
 *
 *   VMAF_STREAM_LAYER(vmaf_mine_layer, "mine", &mine_api)
 *
 * A stream is a sequence of work that runs in the order in which it was put there, except where
 * `barrier` allows more. An event marks a place on a stream. A queue consists of VMAF_DEVICE_LANES
 * streams for command lists and one for copies.
 *
 * Functions of the API return 0 or a negative errno value (device.h lists them), and store the text
 * of an error with vmaf_stream_fail before they return it. All functions except start, count,
 * describe, open and borrow are called between `enter` and `leave`, on any thread; a comment says
 * where several threads may call a function at once.
 */

typedef struct VmafStreamApi VmafStreamApi;
typedef struct VmafDriverCalls VmafDriverCalls; /* driver_calls.h */

/* A device that was found. */
typedef struct VmafStreamCandidate {
    VmafDeviceInfo info;
    uint64_t handle; /* the API's own */
} VmafStreamCandidate;

/* The API's own struct of a device begins with this one; the other objects are made likewise. */
typedef struct VmafStreamDevice {
    VmafDevice head;
    const VmafStreamApi *api;
    bool borrowed; /* the handles are the application's */
    bool is_open;  /* `open` or `borrow` has succeeded, so that `close` has to be called */

    VmafMutex kernel_lock; /* never held while a kernel is loaded */
    VmafCondition kernel_loaded;
    unsigned char *kernels; /* by index in the kernel set, kernel_size apart */

    VmafLayerState state;
} VmafStreamDevice;

typedef struct VmafStreamBuffer {
    VmafDeviceBuffer head;
    bool wraps;       /* the memory is the host's */
    uint64_t address; /* address for kernels and copies, in a form of the API's own */
} VmafStreamBuffer;

typedef struct VmafStreamKernel {
    VmafDeviceKernel head;
    int state; /* guarded by the device's kernel_lock */
} VmafStreamKernel;

/* A picture of the application: planes without memory of their own. */
typedef struct VmafStreamImage {
    VmafDeviceImage head;
    VmafStreamBuffer planes[3]; /* head.buffers points at those that exist */
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
    void *prepared; /* set by dispatch_prepare */
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
    bool is_prepared;                        /* set by list_prepare: list_run runs the list */
    void *times[VMAF_DEVICE_MAX_TIMESTAMPS]; /* events, created when they are needed */
    void *copy_times[2]; /* events around the copies of its submission; NULL without profiling */
} VmafStreamCommandList;

enum VmafStreamEventKind {
    VMAF_STREAM_EVENT_ORDER, /* to wait for and to query */
    VMAF_STREAM_EVENT_TIME,  /* to take timestamps */
};

struct VmafStreamApi {
    const VmafDeviceLayer *layer;
    const char *no_device;         /* message if there is no device: "there is no NVIDIA GPU" */
    const VmafDriverCalls *driver; /* optional: for the functions of driver_calls.h */
    /* Sizes of the API's own structs, which begin with those above. */
    size_t device_size, buffer_size, kernel_size, image_size, list_size;

    /* -- devices -- */

    /* Starts the driver. Returns 0; -ENXIO if the driver works but has no device; another error.
     * `reason` is filled in unless 0 is returned. */
    int (*start)(char *reason, size_t reason_size);
    /* Returns the number of devices, at most VMAF_STREAM_MAX_DEVICES. */
    uint32_t (*count)(void);
    /* Fills in a candidate, which is zero; its id only if it has neither a UUID nor a PCI address.
     * `unusable` says why it cannot be opened. Returns false if there is nothing to report. */
    bool (*describe)(uint32_t index, VmafStreamCandidate *candidate);
    /* Opens a device, of which head.info is set. */
    int (*open)(VmafStreamDevice *device, const VmafStreamCandidate *candidate,
                const VmafDeviceOpenParams *params);
    /* Optional: borrows the application's device, and describes it. It is rejected if unusable. */
    int (*borrow)(VmafStreamDevice *device, const void *external, VmafStreamCandidate *candidate,
                  const VmafDeviceOpenParams *params);
    /* Closes a device after `open` or `borrow` has succeeded; everything else was destroyed. */
    void (*close)(VmafStreamDevice *device);
    /* Both optional: called on a thread before and after it uses the API. If `enter` fails, which
     * it does like other functions, `leave` is not called. */
    int (*enter)(VmafStreamDevice *device);
    void (*leave)(VmafStreamDevice *device);

    /* -- memory -- */

    /* Fills in head.mapped, head.address and address of a buffer whose other values are set. */
    int (*memory_create)(VmafStreamDevice *device, VmafStreamBuffer *buffer,
                         const VmafDeviceBufferParams *params);
    void (*memory_destroy)(VmafStreamDevice *device, VmafStreamBuffer *buffer);
    /* Both optional. image_import fills in head and planes of an image, which are zero except
     * head.n_planes; vmaf_image_plane computes what a plane needs. After an error image_release is
     * not called. */
    int (*image_import)(VmafStreamDevice *device, VmafStreamImage *image,
                        const VmafBackendImport *picture);
    void (*image_release)(VmafStreamDevice *device, VmafStreamImage *image);

    /* -- kernels; several threads may call both functions at once, for different kernels -- */

    int (*kernel_load)(VmafStreamDevice *device, VmafStreamKernel *kernel,
                       const VmafKernel *source);
    void (*kernel_unload)(VmafStreamDevice *device, VmafStreamKernel *kernel);

    /* -- streams and events; several threads may call these at once, but one for each stream -- */

    int (*stream_create)(VmafStreamDevice *device, void **stream);
    /* Optional: creates the stream for the copies of a queue, if it is of another kind. It is
     * destroyed by stream_destroy as well. */
    int (*copy_stream_create)(VmafStreamDevice *device, void **stream);
    void (*stream_destroy)(VmafStreamDevice *device, void *stream);
    /* Starts work that was put on the stream. Optional: for APIs that collect work. */
    int (*stream_flush)(VmafStreamDevice *device, void *stream);
    /* Blocks until no work of the stream is running, or it never will. */
    void (*stream_settle)(VmafStreamDevice *device, void *stream);
    /* Makes later work on the stream wait for the last record of the event, and see everything that
     * was written before it. */
    int (*stream_wait)(VmafStreamDevice *device, void *stream, void *event);

    int (*event_create)(VmafStreamDevice *device, enum VmafStreamEventKind kind, void **event);
    void (*event_destroy)(VmafStreamDevice *device, void *event);
    /* Puts the event on the stream, behind all work there, also without a barrier. Its earlier
     * record, and work that waited for that one, have finished. */
    int (*event_record)(VmafStreamDevice *device, void *event, void *stream);
    /* Returns 0 if everything before the last record has finished; -EAGAIN if not; another error.
     * May be called on any thread. */
    int (*event_query)(VmafStreamDevice *device, void *event);
    /* Returns the times of events whose records have finished, in nanoseconds since an arbitrary
     * moment. */
    int (*event_times)(VmafStreamDevice *device, void *const *events, uint64_t *times_ns,
                       uint32_t count);

    /* Both optional, for work of the application of the kinds in caps.syncs. sync_wait makes
     * `stream` wait for it. sync_signal makes it wait for `copied`, the last event that was
     * recorded on `stream`. */
    int (*sync_wait)(VmafStreamDevice *device, void *stream, const VmafBackendSync *sync);
    int (*sync_signal)(VmafStreamDevice *device, void *stream, const VmafBackendSync *sync,
                       void *copied);

    /* -- commands, which are put on a stream -- */

    int (*copy)(VmafStreamDevice *device, void *stream, const VmafStreamRows *rows);
    int (*dispatch)(VmafStreamDevice *device, void *stream, const VmafStreamDispatch *dispatch);
    /* Optional, for APIs whose streams may run several commands at once: later work waits for, and
     * sees, everything that is on the stream. */
    int (*barrier)(VmafStreamDevice *device, void *stream);

    /* -- command lists -- */

    /* Both optional: dispatch_prepare does work that is needed once for all runs of a dispatch. */
    int (*dispatch_prepare)(VmafStreamDevice *device, VmafStreamDispatch *dispatch);
    void (*dispatch_release)(VmafStreamDevice *device, VmafStreamDispatch *dispatch);
    /* All optional: list_prepare makes an object of a whole list that list_run can run, such as a
     * graph, and sets is_prepared if it has. Otherwise the commands are put on the stream one by
     * one. */
    int (*list_prepare)(VmafStreamDevice *device, VmafStreamCommandList *list);
    int (*list_run)(VmafStreamDevice *device, VmafStreamCommandList *list, void *stream);
    void (*list_release)(VmafStreamDevice *device, VmafStreamCommandList *list);
};

enum { VMAF_STREAM_MAX_DEVICES = 64 };

/* Stores the text of a failure and returns `error`. After -ENODEV the device is lost. May be called
 * on any thread. Texts begin like those of other layers: "the device was lost (%s): ", "out of
 * memory (%s)", "%s failed with ". */
int vmaf_stream_fail(VmafStreamDevice *device, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with one of these three texts, chosen by the error, from the operation that failed and
 * the API's text for its error. */
int vmaf_stream_failed(VmafStreamDevice *device, int error, const char *what, const char *words);
/* Returns -ENODEV if the device is lost, else 0. */
int vmaf_stream_check(VmafStreamDevice *device);

/* For image_import of kinds whose handles are addresses of planes: fills in head and the planes
 * that exist. Returns 0 or -EINVAL. */
int vmaf_stream_import_addresses(VmafStreamDevice *device, VmafStreamImage *image,
                                 const VmafBackendImport *picture);

/* Address of the first byte of a binding. */
static inline uint64_t vmaf_stream_address(const VmafStreamBinding *binding)
{
    return binding->buffer->address + binding->offset;
}

/* The functions of VmafDeviceLayer, which VMAF_STREAM_LAYER names. */
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

/* Defines the device layer LAYER on an API. */
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
