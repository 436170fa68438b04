/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_STREAM_LAYER_H
#define VMAF_SDK_STREAM_LAYER_H

#include "device.h"
#include "layer_state.h"
#include "platform/thread.h"

/*
 * A toolbox for device layers on APIs that have streams and events. It keeps what such layers have
 * to keep: the devices that were found, kernels that are loaded once, command lists, queues with
 * the tickets of their submissions, errors. It knows no API and calls none: the functions of a
 * layer (VmafDeviceLayer in device.h) call the API and this, and some of them are this alone.
 *
 * A stream is a sequence of work that runs in the order in which it was put there, unless the API
 * says otherwise. An event marks a place on a stream. A queue has VMAF_DEVICE_STREAMS streams for
 * command lists and one for copies. Streams and events are the API's own; here they are pointers.
 *
 * The structs of a layer begin with those below.
 */

/* -- devices -- */

enum { VMAF_STREAM_MAX_DEVICES = 64 };

/* A device that was found. */
typedef struct VmafStreamCandidate {
    VmafDeviceInfo info; /* its id only if it has neither a UUID nor a PCI address */
    uint64_t handle;     /* the API's own */
} VmafStreamCandidate;

/* Discrete devices, integrated ones, and those that cannot be used, each in the driver's order. */
typedef struct VmafStreamCandidates {
    size_t n;
    VmafStreamCandidate found[VMAF_STREAM_MAX_DEVICES];
} VmafStreamCandidates;

typedef struct VmafStreamDevice {
    VmafDevice head;
    bool borrowed; /* the handles are the application's */
    bool is_open;  /* the layer has something to close */

    VmafMutex kernel_lock; /* never held while a kernel is loaded */
    VmafCondition kernel_loaded;
    unsigned char *kernels; /* by index in the kernel set, kernel_size apart */
    size_t kernel_size;

    VmafLayerState state;
} VmafStreamDevice;

/* Adds device number `index` of the driver, and gives it an id. There is room for it. */
void vmaf_stream_add_candidate(VmafStreamCandidates *all, VmafStreamCandidate *found,
                               uint32_t index);
/* Sets the id of a device that is not among others. */
void vmaf_stream_identify(VmafDeviceInfo *info, uint32_t index);

/* The end of `enumerate`: reports these devices, which are then freed. NULL: there is no memory.
 * `no_device` is the reason if there are none. */
int vmaf_stream_report(VmafStreamCandidates *all, const char *no_device, VmafDeviceInfo *infos,
                       size_t capacity, size_t *count, char *reason, size_t reason_size);

/* Allocates a device of `size` bytes that is not open yet, and room for its kernels of
 * `kernel_size` bytes each. NULL: there is no memory. */
void *vmaf_stream_device_new(const VmafDeviceLayer *layer, size_t size, size_t kernel_size,
                             const VmafDeviceOpenParams *params);
void vmaf_stream_device_free(VmafStreamDevice *device);
/* The end of `open`: closes the device after an error. `device` NULL: there is no memory. */
int vmaf_stream_opened(VmafStreamDevice *device, int err, VmafDevice **opened, char *reason,
                       size_t reason_size);
/* Chooses the device with that id (NULL: the first) among these, which are then freed, and adopts
 * it. Returns 0 or an error. */
int vmaf_stream_choose(VmafStreamDevice *device, VmafStreamCandidates *all, const char *id,
                       const char *no_device, VmafStreamCandidate *chosen);
/* Takes the candidate's description. Returns 0, or -ENOTSUP if the device cannot be used. */
int vmaf_stream_adopt(VmafStreamDevice *device, const VmafStreamCandidate *candidate);

/* -- errors -- */

/* Stores the text of a failure and returns `error`. After -ENODEV the device is lost. May be called
 * on any thread. Texts begin like those of other layers: "the device was lost (%s): ", "out of
 * memory (%s)", "%s failed with ". */
int vmaf_stream_fail(VmafStreamDevice *device, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void vmaf_stream_last_error(VmafDevice *device, char *text, size_t size); /* see device.h */

/* -- kernels -- */

typedef struct VmafStreamKernel {
    VmafDeviceKernel head;
    int state; /* guarded by the device's kernel_lock */
} VmafStreamKernel;

/* Finds a kernel; waits while another thread loads it. *loads: this thread has to load it now, and
 * calls vmaf_stream_kernel_loaded with the result. Returns 0, -ENODEV or -ENOENT. */
int vmaf_stream_kernel_find(VmafStreamDevice *device, const char *name, VmafStreamKernel **kernel,
                            bool *loads);
void vmaf_stream_kernel_loaded(VmafStreamDevice *device, VmafStreamKernel *kernel, int err);
/* The next loaded kernel from number *index on, which is then that after it; NULL: there is none.
 */
VmafStreamKernel *vmaf_stream_next_loaded(const VmafStreamDevice *device, size_t *index);

/* -- memory -- */

typedef struct VmafStreamBuffer {
    VmafDeviceBuffer head;
    bool wraps;       /* the memory is the host's */
    uint64_t address; /* address for kernels and copies, in a form of the API's own */
} VmafStreamBuffer;

/* A picture of the application: planes without memory of their own. */
typedef struct VmafStreamImage {
    VmafDeviceImage head;
    VmafStreamBuffer planes[3]; /* head.buffers points at those that exist */
} VmafStreamImage;

/* Allocates a buffer without memory. Returns 0, -ENODEV, -ENOMEM or -ENOTSUP. */
int vmaf_stream_buffer_new(VmafStreamDevice *device, const VmafDeviceBufferParams *params,
                           VmafStreamBuffer **buffer);
/* Stores that there is no memory for such a buffer, and returns -ENOMEM. */
int vmaf_stream_no_memory(VmafStreamDevice *device, const VmafDeviceBufferParams *params);
/* Allocates an image of `size` bytes for the picture, without planes. Returns 0 or an error. */
int vmaf_stream_image_new(VmafStreamDevice *device, const VmafBackendImport *picture, size_t size,
                          VmafStreamImage **image);
/* For pictures whose handles are addresses of planes: fills in the planes that exist. Returns 0 or
 * -EINVAL. */
int vmaf_stream_import_addresses(VmafStreamDevice *device, VmafStreamImage *image,
                                 const VmafBackendImport *picture);

/* Address of a place in a buffer. */
static inline uint64_t vmaf_stream_address(const VmafDeviceBuffer *buffer, uint64_t offset)
{
    return ((const VmafStreamBuffer *)buffer)->address + offset;
}

/* -- command lists: arrays of commands, which a layer runs one by one or makes a graph of -- */

typedef struct VmafStreamDispatch {
    const VmafStreamKernel *kernel;
    VmafDeviceBinding bindings[VMAF_KERNEL_MAX_BUFFERS]; /* by slot */
    uint64_t args[VMAF_KERNEL_MAX_ARGS_SIZE / 8];
    uint32_t groups[3];
    void *prepared; /* the layer's */
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
        VmafDeviceCopy copy; /* as vmaf_stream_rows_of returns it */
        VmafStreamDispatch dispatch;
        uint32_t time; /* number of the timestamp */
    };
} VmafStreamCommand;

enum {
    VMAF_STREAM_COPY_TIMES = VMAF_DEVICE_MAX_TIMESTAMPS, /* number of the first of the two */
    VMAF_STREAM_TIMES = VMAF_STREAM_COPY_TIMES + 2,
};

/* A list takes times with events: those of its timestamps, by their numbers, and with profiling one
 * before and one after the copies of its submission. `command_list_end` of a layer creates them. */
typedef struct VmafStreamCommandList {
    VmafDeviceCommandList head;
    VmafStreamCommand *commands;
    size_t n_commands, capacity;
    bool takes[VMAF_STREAM_TIMES];
    void *times[VMAF_STREAM_TIMES];
} VmafStreamCommandList;

/* Allocates an empty list of `size` bytes. Returns 0, -ENODEV or -ENOMEM. */
int vmaf_stream_command_list_new(VmafDevice *device, size_t size, VmafDeviceCommandList **list);
void vmaf_stream_command_list_free(VmafStreamCommandList *list);
/* These append a command, and return 0, -EINVAL, -ENODEV or -ENOMEM. */
int vmaf_stream_cmd_copy(VmafDeviceCommandList *list, const VmafDeviceCopy *copy);
int vmaf_stream_cmd_dispatch(VmafDeviceCommandList *list, const VmafDeviceDispatch *dispatch);
int vmaf_stream_cmd_barrier(VmafDeviceCommandList *list);
int vmaf_stream_cmd_timestamp(VmafDeviceCommandList *list, uint32_t index);
/* Returns 0 if all of these events exist and the device is not lost; -ENODEV; -EINVAL. */
int vmaf_stream_check_times(const VmafStreamCommandList *list, void *const *events, uint32_t count);

/* The copy with ranges without gaps as one row, whose strides are then its size. */
VmafDeviceCopy vmaf_stream_rows_of(const VmafDeviceCopy *copy);

/* -- queues -- */

enum {
    VMAF_STREAM_COPIES = VMAF_DEVICE_STREAMS, /* the stream for copies, after those for lists */
    VMAF_STREAM_COUNT,                        /* streams of the API that a queue has */
    /*
     * VMAF_STREAM_WINDOW is the number of submissions of a queue that may be unfinished,
     * VMAF_STREAM_PLACES the number of places for them. A place is used again VMAF_STREAM_PLACES
     * submissions later. By then its own submission has finished, and so have all that waited for
     * its copies: these came less than VMAF_STREAM_WINDOW after it, or found it finished.
     */
    VMAF_STREAM_WINDOW = 32,
    VMAF_STREAM_PLACES = 2 * VMAF_STREAM_WINDOW,
};

/* A submission that is unfinished, or was when it was last queried. */
typedef struct VmafStreamPlace {
    void *copied;   /* event after its copies */
    void *finished; /* event after everything */
    VmafDeviceTicket ticket;
} VmafStreamPlace;

/* A ticket is a serial number times VMAF_STREAM_COUNT, plus the number of the stream. The layer
 * creates and destroys streams and events. */
typedef struct VmafStreamQueue {
    VmafDeviceQueue head;
    void *streams[VMAF_STREAM_COUNT];
    VmafStreamPlace places[VMAF_STREAM_PLACES]; /* by serial number */

    VmafMutex submit_lock; /* guards the next two; a full stream may block with it held */
    uint64_t copied;       /* serial number of the last submission with copies; 0: none */
    uint64_t seen[VMAF_STREAM_COUNT]; /* the last submission whose copies a stream waited for */

    VmafMutex lock; /* taken before the device's lock; never held for long */
    uint64_t serial;
    VmafDeviceTicket finished[VMAF_STREAM_COUNT]; /* tickets up to this one have finished */
    VmafDeviceTicket hung_from; /* ticket of the submission that a test made hang; 0: none */
} VmafStreamQueue;

/* Allocates a queue of `size` bytes without streams and events. NULL: the device is lost, or there
 * is no memory; *err says which. */
void *vmaf_stream_queue_new(VmafDevice *device, size_t size, int *err);
void vmaf_stream_queue_free(VmafStreamQueue *queue);

/* A submission in the making. */
typedef struct VmafStreamSubmission {
    VmafStreamQueue *queue;
    VmafStreamPlace *place;
    void *copies; /* the stream for copies */
    void *stream; /* the stream for the command list; without one, that for copies */
    VmafDeviceTicket ticket;
    bool loses; /* a test wants the device to be lost instead */
    bool hangs; /* a test wants that nothing is started */
} VmafStreamSubmission;

/*
 * The frame of `submit`. vmaf_stream_submit_begin waits until there is a place, takes a ticket, and
 * returns 0 or an error; the layer then puts the work on the streams, unless it `hangs`; and
 * vmaf_stream_submit_end, which follows in any case, returns the error that it gets. Between the
 * two, no other thread submits to the queue. After an error nothing of the submission is running.
 */
int vmaf_stream_submit_begin(VmafStreamQueue *queue, const VmafDeviceCommandList *list,
                             const VmafDeviceSubmit *params, VmafStreamSubmission *submission);
int vmaf_stream_submit_end(VmafStreamSubmission *submission, int err, VmafDeviceTicket *ticket);

/* True if something goes to the stream for copies. Once it is there, with the event `copied` behind
 * it, vmaf_stream_note_copies is called. */
static inline bool vmaf_stream_has_copies(const VmafDeviceSubmit *params)
{
    return params->n_copies || params->n_waits || params->n_signals;
}
void vmaf_stream_note_copies(const VmafStreamSubmission *submission);
/* The event after the last copies so far, for which the stream of the command list has to wait.
 * NULL: it has seen them. */
void *vmaf_stream_awaited_copies(const VmafStreamSubmission *submission);

/* The function `wait` of a layer, which has to query events: `query` returns 0 if everything before
 * the event has happened; -EAGAIN if not; another error. */
int vmaf_stream_wait(VmafStreamQueue *queue, VmafDeviceTicket ticket, uint64_t timeout_ns,
                     int (*query)(VmafStreamDevice *device, void *event));

#endif
