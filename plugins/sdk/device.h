/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_DEVICE_H
#define VMAF_SDK_DEVICE_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libvmaf/backend.h>

#include "kernel_set.h"

/*
 * The device layer, revision 2: what a vendor's API has to provide so that the pipeline can run
 * kernels on it. It is one struct of function pointers for each API, with objects that have a
 * public head, and limits and abilities as data. A layer knows nothing of metrics, frames or
 * policies.
 *
 * Life of a session: enumerate, open, create a queue and buffers, find kernels, make command lists.
 * Then for each frame submit a command list with the copies that bring the frame to the device,
 * wait for its ticket, and read a download buffer. Nothing is allocated between the first
 * submission and the last.
 *
 * Order. Different queues are independent. A queue has VMAF_DEVICE_STREAMS streams ("lanes" in
 * names). The command lists of one stream run in the order of submission, and each sees all that
 * earlier ones of its stream wrote; those of different streams may overlap. The copies of
 * submissions begin in the order of submission over the whole queue, and may run while earlier
 * copies and command lists are still running. A command list sees what the copies of its own and of
 * all earlier submissions of the queue wrote. The caller ensures that no unfinished submission uses
 * memory that a copy overwrites or writes memory that it reads, and that command lists of different
 * streams write nothing that the other one uses. Within a command list, commands between two
 * barriers may run in any order or at once; a command that needs what another one writes, or
 * overwrites what another one reads or writes, has a barrier before it. The copies of a submission
 * write to different places.
 *
 * Memory. A submission sees what the host has written to a mapped upload buffer before `submit`;
 * the host can read what a submission wrote to a mapped buffer after waiting for its ticket.
 * Between the two the host touches neither buffer. Host memory may be wrapped as an upload buffer
 * where host_memory_alignment is set. The content of new buffers is undefined.
 *
 * Threads. Different devices are independent. On one device, `submit`, `wait`, `last_error` and the
 * functions that create, import, find or destroy may be called from several threads at once; a
 * single command list is used by one thread at a time. Compiling a kernel does not block a
 * submission.
 *
 * Errors are negative errno values: -ENODEV the device is lost or gone, -ENOMEM host or device
 * memory is exhausted, -ENOTSUP this layer or device does not offer it, -EINVAL the call is
 * invalid, -ENOENT there is no such kernel, -ETIMEDOUT the time limit has passed, -EIO any other
 * error. Once a call has returned -ENODEV the device is lost: every later call except those that
 * destroy returns -ENODEV at once, and the device can only be closed. `last_error` gives the text.
 */

typedef struct VmafDeviceLayer VmafDeviceLayer;

enum VmafDeviceKind {
    VMAF_DEVICE_DISCRETE,
    VMAF_DEVICE_INTEGRATED,
    VMAF_DEVICE_VIRTUAL,
    VMAF_DEVICE_SOFTWARE,
};

/*
 * Limits and abilities. Every enumerated device has 64-bit integers, 8- and 16-bit storage,
 * work-groups of 256 invocations with 32 KiB of memory, 8 buffers and 128 bytes of arguments for a
 * kernel, and 65535 groups in each direction; devices without them are not usable. Numbers that a
 * layer does not know are 0.
 */
typedef struct VmafDeviceCaps {
    uint64_t memory_size;       /* bytes of the memory that device buffers come from */
    uint64_t max_buffer_size;   /* largest buffer, in bytes */
    uint64_t max_binding_size;  /* largest part of a buffer that a kernel can bind, in bytes */
    uint32_t binding_alignment; /* alignment of the offset of a binding in bytes: a power of two, at
                                   most 256 */
    uint32_t host_memory_alignment; /* alignment of host memory that can be wrapped, in bytes; 0: it
                                       cannot be wrapped */
    uint32_t copy_alignment;        /* all numbers of a copy are multiples of this: 1 or 4 */
    uint32_t imports;               /* set of 1u << VMAF_BACKEND_IMPORT_* */
    uint32_t syncs;                 /* set of 1u << VMAF_BACKEND_SYNC_* */
    uint32_t compute_units;
    uint32_t copy_engines;  /* number of engines that copy while kernels run */
    uint32_t subgroup_size; /* number of invocations that usually run in step */
    uint32_t group_memory;  /* bytes of memory that a work-group shares */
    bool unified_memory;    /* kernels may bind upload buffers without a loss of speed */
    bool addresses;         /* device buffers have addresses that an application can use */
    bool native_int64;      /* 64-bit integers are not emulated with 32-bit ones */
    bool exact_float32; /* IEEE binary32 + - *, round to nearest even, denormals, no contraction */
    bool exact_float32_division; /* the same for division and square root */
    bool exact_float64;          /* IEEE binary64 + - * / and conversions, no contraction */
    bool atomics32;              /* 32-bit atomic add on buffers */
    bool group_atomics32;        /* the same on the memory of a work-group */
    bool timestamps;             /* cmd_timestamp works */
} VmafDeviceCaps;

/* True if a size is within a limit of the capabilities, or the limit is unknown (0). */
static inline bool vmaf_caps_allow(uint64_t limit, uint64_t size)
{
    return !limit || size <= limit;
}

typedef struct VmafDeviceInfo {
    char id[64]; /* UUID or PCI address; the same in every process, printable */
    char name[128];
    char vendor[64];
    char driver[128]; /* version of the driver */
    enum VmafDeviceKind kind;
    uint32_t identities; /* set of VMAF_BACKEND_IDENTITY_*: the next three that are known */
    uint8_t uuid[16];
    uint8_t luid[8];
    char pci[16];       /* "0000:01:00.0" */
    char unusable[256]; /* why it cannot be opened; "" if it can. Usable devices come first */
    VmafDeviceCaps caps;
} VmafDeviceInfo;

/* Errors to inject, for tests. Counts begin at 1; 0: never. A layer honours all of them. */
typedef struct VmafDeviceFaults {
    uint64_t lose_at_submit;        /* this submission and everything after it fails with -ENODEV */
    uint64_t hang_at_submit;        /* this submission never ends */
    uint64_t no_memory_from_buffer; /* creating this buffer and later ones fails with -ENOMEM */
} VmafDeviceFaults;

typedef struct VmafDeviceOpenParams {
    const char *id;               /* id of an enumerated device; NULL: the first, or `external` */
    const void *external;         /* optional: the layer's own struct of handles to borrow */
    const VmafKernelSet *kernels; /* for this layer's target; must outlive the device */
    const char *cache_directory;  /* optional: folder where compiled pipelines may be kept */
    bool debug;                   /* turn on the checks that the API offers */
    /* Optional: receives the messages of these checks, one line at a time, on any thread. */
    void (*log)(void *cookie, const char *text);
    void *cookie;
    const VmafDeviceFaults *faults; /* optional; copied */
} VmafDeviceOpenParams;

/* The heads of a layer's objects, which each layer extends. They are constant once created, except
 * for members that the pipeline sets. */
typedef struct VmafDevice {
    const VmafDeviceLayer *layer;
    VmafDeviceInfo info;
    const VmafKernelSet *kernels;
    /* Set by the pipeline before it creates queues: sessions take timestamps. */
    bool profiling;
    /* Set by the pipeline: a submission does not end. Then this device is never closed, and memory
     * that it may still use is never freed. */
    atomic_bool stuck;
    struct VmafDeviceState *state; /* owned by the pipeline, or NULL */
} VmafDevice;

enum VmafDeviceMemory {
    VMAF_MEMORY_DEVICE,   /* for kernels; not mapped */
    VMAF_MEMORY_UPLOAD,   /* mapped, written by the host; source of copies. Where memory is unified,
                             also for kernels and target of copies */
    VMAF_MEMORY_DOWNLOAD, /* mapped, read by the host; target of copies */
};

typedef struct VmafDeviceBufferParams {
    enum VmafDeviceMemory memory;
    uint64_t size;     /* bytes, at least 1 */
    bool read_by_host; /* upload only: the host also reads it, so that it should be cached */
    void *host_memory; /* optional, upload only: memory of the host to use, page-aligned, not owned;
                          -ENOTSUP unless host_memory_alignment is set and divides it and size */
} VmafDeviceBufferParams;

typedef struct VmafDeviceBuffer {
    enum VmafDeviceMemory memory;
    uint64_t size;    /* bytes */
    void *mapped;     /* address for the host; NULL for device memory */
    uint64_t address; /* for the application's own use of the API; 0: there is none */
} VmafDeviceBuffer;

/*
 * A picture that exists elsewhere, as planes of memory that copies can read: three, or two where
 * chroma is interleaved. Planes of images have no buffer; copies name the image and the plane.
 */
typedef struct VmafDeviceImage {
    uint32_t n_planes;
    VmafDeviceBuffer *buffers[3]; /* NULL: the plane is an image; owned by this object */
    uint64_t offset[3];           /* bytes */
    uint64_t stride[3];           /* bytes from row to row */
} VmafDeviceImage;

/* A queue of submissions, with VMAF_DEVICE_STREAMS streams. */
typedef struct VmafDeviceQueue {
    VmafDevice *device;
} VmafDeviceQueue;

/* A kernel, ready to run on one device; owned by the device. */
typedef struct VmafDeviceKernel {
    const VmafKernel *kernel;
} VmafDeviceKernel;

/* A sequence of commands, made once and submitted any number of times, one at a time. */
typedef struct VmafDeviceCommandList {
    VmafDevice *device;
} VmafDeviceCommandList;

/*
 * A copy of rows, which begin `src_stride` bytes apart in the source and `dst_stride` in the
 * target; a copy of one row copies a plain range. All numbers are multiples of copy_alignment.
 * Source and target do not overlap. The source is a buffer, or in the copies of a submission a
 * plane of an image, from its first row on (src, src_offset and src_stride are unused then).
 */
typedef struct VmafDeviceCopy {
    VmafDeviceBuffer *dst;
    VmafDeviceBuffer *src;
    const VmafDeviceImage *image; /* NULL: the source is `src` */
    uint32_t image_plane;
    uint32_t rows;
    uint64_t dst_offset, dst_stride; /* bytes */
    uint64_t src_offset, src_stride;
    uint64_t row_size;
} VmafDeviceCopy;

/* Part of a buffer, as a kernel sees it in a slot. */
typedef struct VmafDeviceBinding {
    VmafDeviceBuffer *buffer; /* device memory; upload memory too where memory is unified */
    uint64_t offset;          /* bytes, a multiple of binding_alignment */
    uint64_t size;            /* bytes that the kernel may touch; 0: to the end of the buffer */
} VmafDeviceBinding;

/* A run of a kernel over groups[0] x groups[1] x groups[2] work-groups, none of them 0. */
typedef struct VmafDeviceDispatch {
    const VmafDeviceKernel *kernel;
    VmafDeviceBinding bindings[VMAF_KERNEL_MAX_BUFFERS]; /* by slot */
    const void *args;                                    /* copied; the kernel's args_size bytes */
    uint32_t groups[3];
} VmafDeviceDispatch;

/* The number of a submission. Tickets of a queue increase, those of one stream finish in order. A
 * submission has finished when its command list, its copies and those of all earlier submissions
 * have finished. */
typedef uint64_t VmafDeviceTicket;

/* Parameters of one submission that do not belong to its command list. All of them are copied. */
typedef struct VmafDeviceSubmit {
    uint32_t struct_size;
    uint32_t stream; /* stream of the queue, below VMAF_DEVICE_STREAMS */
    uint32_t n_copies, n_waits, n_signals;
    const VmafDeviceCopy *copies;   /* at most VMAF_DEVICE_MAX_COPIES */
    const VmafBackendSync *waits;   /* waited for before the copies; of kinds in `syncs` */
    const VmafBackendSync *signals; /* signalled after the copies: their sources are free again */
} VmafDeviceSubmit;

struct VmafDeviceLayer {
    const char *name; /* "vulkan", "host" ... */

    /*
     * Fills in up to `capacity` devices and sets *count to the number of all devices, which may
     * exceed `capacity` or be 0. On failure (no driver, for instance) `reason` says why. The
     * function creates nothing that outlasts the call.
     */
    int (*enumerate)(VmafDeviceInfo *infos, size_t capacity, size_t *count, char *reason,
                     size_t reason_size);
    int (*open)(VmafDevice **device, const VmafDeviceOpenParams *params, char *reason,
                size_t reason_size);
    /* Closes a device. Everything created on it was destroyed before, and nothing is running. */
    void (*close)(VmafDevice *device);

    int (*buffer_create)(VmafDevice *device, VmafDeviceBuffer **buffer,
                         const VmafDeviceBufferParams *params);
    void (*buffer_destroy)(VmafDevice *device, VmafDeviceBuffer *buffer);
    /* Both optional. image_import makes a picture that exists elsewhere readable, of a kind in
     * `imports`. The caller handles the picture's wait and signal. */
    int (*image_import)(VmafDevice *device, VmafDeviceImage **image,
                        const VmafBackendImport *picture);
    void (*image_destroy)(VmafDevice *device, VmafDeviceImage *image);

    /* Returns the kernel of that name. The first call compiles it, which may take long: callers
     * avoid it while frames are submitted. */
    int (*kernel_find)(VmafDevice *device, const VmafDeviceKernel **kernel, const char *name);

    int (*command_list_begin)(VmafDevice *device, VmafDeviceCommandList **list);
    int (*cmd_copy)(VmafDeviceCommandList *list, const VmafDeviceCopy *copy);
    int (*cmd_dispatch)(VmafDeviceCommandList *list, const VmafDeviceDispatch *dispatch);
    /* Commands after the barrier wait for, and see, everything before it. */
    int (*cmd_barrier)(VmafDeviceCommandList *list);
    /* Optional: records the time at which everything before it has finished, as number `index`,
     * below VMAF_DEVICE_MAX_TIMESTAMPS. */
    int (*cmd_timestamp)(VmafDeviceCommandList *list, uint32_t index);
    int (*command_list_end)(VmafDeviceCommandList *list);
    /* Destroys a list, also one that was not ended; not while it is running, unless the device is
     * lost. */
    void (*command_list_destroy)(VmafDeviceCommandList *list);

    int (*queue_create)(VmafDevice *device, VmafDeviceQueue **queue);
    /* Destroys a queue of which nothing is running, unless the device is lost. */
    void (*queue_destroy)(VmafDeviceQueue *queue);
    /* Starts a command list that is not running, after the copies. `list` NULL: only the copies.
     * The function neither waits nor allocates. */
    int (*submit)(VmafDeviceQueue *queue, VmafDeviceCommandList *list,
                  const VmafDeviceSubmit *params, VmafDeviceTicket *ticket);
    /* Waits at most `timeout_ns` nanoseconds for this submission; 0: does not wait. -ETIMEDOUT: it
     * has not finished. */
    int (*wait)(VmafDeviceQueue *queue, VmafDeviceTicket ticket, uint64_t timeout_ns);
    /* Optional: returns the first `count` timestamps of the last run of a command list, which has
     * finished, in nanoseconds since an arbitrary moment. */
    int (*timestamps)(VmafDeviceCommandList *list, uint64_t *times_ns, uint32_t count);
    /* Optional, on a device with `profiling`: returns when the copies of the last submission of a
     * command list began and ended, in nanoseconds since an arbitrary moment of its own. The
     * submission had copies and has finished. */
    int (*copy_times)(VmafDeviceCommandList *list, uint64_t times_ns[2]);

    /* Gives the text of the device's last failure, "" if there was none; always terminated. */
    void (*last_error)(VmafDevice *device, char *text, size_t size);
};

enum {
    VMAF_DEVICE_STREAMS = 2,          /* streams of a queue */
    VMAF_DEVICE_MAX_COPIES = 16,      /* copies of a submission */
    VMAF_DEVICE_MAX_SYNCS = 4,        /* waits of a submission, and also its signals */
    VMAF_DEVICE_MAX_TIMESTAMPS = 256, /* timestamps of a command list */
    VMAF_DEVICE_MAX_GROUPS = 65535,   /* work-groups of a dispatch in each direction */
};

/* True if a call is within the limits of the device, the sizes of the buffers and the needs of the
 * kernel. */
bool vmaf_device_copy_is_valid(const VmafDeviceCommandList *list, const VmafDeviceCopy *copy);
bool vmaf_device_dispatch_is_valid(const VmafDeviceCommandList *list,
                                   const VmafDeviceDispatch *dispatch);
bool vmaf_device_submit_is_valid(const VmafDeviceQueue *queue, const VmafDeviceCommandList *list,
                                 const VmafDeviceSubmit *params);

/* The layer's functions, or -EINVAL if the call is invalid. The pipeline calls these, so that
 * layers need not check. */
static inline int vmaf_device_cmd_copy(VmafDeviceCommandList *list, const VmafDeviceCopy *copy)
{
    if (!vmaf_device_copy_is_valid(list, copy))
        return -EINVAL;
    return list->device->layer->cmd_copy(list, copy);
}

static inline int vmaf_device_cmd_dispatch(VmafDeviceCommandList *list,
                                           const VmafDeviceDispatch *dispatch)
{
    if (!vmaf_device_dispatch_is_valid(list, dispatch))
        return -EINVAL;
    return list->device->layer->cmd_dispatch(list, dispatch);
}

static inline int vmaf_device_submit(VmafDeviceQueue *queue, VmafDeviceCommandList *list,
                                     const VmafDeviceSubmit *params, VmafDeviceTicket *ticket)
{
    if (!vmaf_device_submit_is_valid(queue, list, params))
        return -EINVAL;
    return queue->device->layer->submit(queue, list, params, ticket);
}

#endif
