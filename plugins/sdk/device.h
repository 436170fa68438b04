/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_DEVICE_H
#define VMAF_SDK_DEVICE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libvmaf/backend.h>

#include "kernel_set.h"

/*
 * The device layer, revision 2: what a vendor's API has to provide so that the pipeline can run
 * kernels on it. One struct of function pointers for each API, objects with a public head, limits
 * and abilities as data. A layer knows nothing of metrics, frames or policies.
 *
 * Life of a session: enumerate, open, create a queue and buffers, find kernels, make command lists.
 * Then for each frame submit a command list with the copies that bring the frame to the device,
 * wait for its ticket, read a download buffer. Nothing is allocated between the first submission
 * and the last.
 *
 * Order. Different queues are independent. A queue has VMAF_DEVICE_LANES lanes. The command lists
 * of one lane run in the order of submission, and each sees all that earlier ones of its lane
 * wrote; those of different lanes may overlap. The copies of submissions begin in the order of
 * submission over the whole queue, and may run while earlier copies and command lists still do.
 * A command list sees what the copies of its own and of all earlier submissions of the queue wrote.
 * The caller ensures that no unfinished submission uses what a copy overwrites or writes what it
 * reads, and that command lists of different lanes write nothing that the other one uses. Within a
 * command list, commands between two barriers may run in any order or at once; a command that needs
 * what another one writes, or overwrites what another one reads or writes, has a barrier before it.
 * The copies of a submission write to different places.
 *
 * Memory. What the host writes to a mapped upload buffer before `submit` is seen by the submission;
 * what a submission wrote to a mapped buffer can be read after waiting for its ticket. Between
 * the two the host touches neither buffer. Host memory may be wrapped as an upload buffer, where
 * host_memory_alignment is set. The content of new buffers is undefined.
 *
 * Threads. Different devices are independent. On one device, `submit`, `wait`, `last_error` and the
 * functions that create, import, find or destroy may be called from several threads at once; a
 * single command list is used by one thread at a time. Compiling a kernel holds up no submission.
 *
 * Errors are negative errno values: -ENODEV device lost or gone, -ENOMEM host or device memory is
 * exhausted, -ENOTSUP not offered by this layer or device, -EINVAL invalid call, -ENOENT no such
 * kernel, -ETIMEDOUT time is up, -EIO anything else. Once a call has returned -ENODEV the device is
 * lost: every later call but those that destroy returns -ENODEV at once, and the device can only be
 * closed. `last_error` gives the text.
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
 * work-groups of 256 lanes with 32 KiB of memory, 8 buffers and 128 bytes of arguments for a
 * kernel, and 65535 groups in each direction; devices without them are not usable. What a layer
 * does not know is 0.
 */
typedef struct VmafDeviceCaps {
    uint64_t memory_size;       /* bytes, of the memory that device buffers come from */
    uint64_t max_buffer_size;   /* bytes, of a buffer */
    uint64_t max_binding_size;  /* bytes, of what a kernel sees of a buffer in a slot */
    uint32_t binding_alignment; /* of the offset of a binding, in bytes; a power of two to 256 */
    uint32_t host_memory_alignment; /* of host memory that can be wrapped; 0: it cannot be */
    uint32_t copy_alignment;        /* of all numbers of a copy: 1, or 4 */
    uint32_t imports;               /* set of 1u << VMAF_BACKEND_IMPORT_* */
    uint32_t syncs;                 /* set of 1u << VMAF_BACKEND_SYNC_* */
    uint32_t compute_units;
    uint32_t copy_engines;  /* that work while kernels run */
    uint32_t subgroup_size; /* lanes that run in step, usually */
    uint32_t group_memory;  /* bytes, of a work-group */
    bool unified_memory;    /* kernels may bind upload buffers without a loss of speed */
    bool addresses;         /* device buffers have addresses that an application can use */
    bool native_int64;      /* 64-bit integers are not made of 32-bit ones */
    bool exact_float32; /* IEEE binary32 + - *, round to nearest even, denormals, no contraction */
    bool exact_float32_division; /* the same of division and square root */
    bool exact_float64;          /* IEEE binary64 + - * / and conversions, no contraction */
    bool atomics32;              /* 32-bit atomic add on buffers */
    bool group_atomics32;        /* the same on the memory of a work-group */
    bool timestamps;
} VmafDeviceCaps;

/* Whether a size is within a limit of the capabilities. */
static inline bool vmaf_caps_allow(uint64_t limit, uint64_t size)
{
    return !limit || size <= limit;
}

typedef struct VmafDeviceInfo {
    char id[64]; /* stable: a UUID or PCI address, printable */
    char name[128];
    char vendor[64];
    char driver[128];
    enum VmafDeviceKind kind;
    uint32_t identities; /* set of VMAF_BACKEND_IDENTITY_*: which of these are known */
    uint8_t uuid[16];
    uint8_t luid[8];
    char pci[16];       /* "0000:01:00.0" */
    char unusable[256]; /* why it cannot be opened; "" if it can. Usable devices come first */
    VmafDeviceCaps caps;
} VmafDeviceInfo;

/* Errors to inject, for tests; counts from 1, 0 is never. A layer honours all of them. */
typedef struct VmafDeviceFaults {
    uint64_t lose_at_submit;        /* this submission and everything after it: -ENODEV */
    uint64_t hang_at_submit;        /* this submission never ends */
    uint64_t no_memory_from_buffer; /* the creation of this buffer and of all later ones: -ENOMEM */
} VmafDeviceFaults;

typedef struct VmafDeviceOpenParams {
    const char *id;               /* of a device as enumerated; NULL: the first, or see external */
    const void *external;         /* optional: the layer's own struct of handles to borrow */
    const VmafKernelSet *kernels; /* for this layer's target; has to outlive the device */
    const char *cache_directory;  /* optional: where compiled pipelines may be kept */
    bool debug;                   /* turn on the checks that the API offers */
    /* Optional: receives what these checks find, as one line, on any thread. */
    void (*log)(void *cookie, const char *text);
    void *cookie;
    const VmafDeviceFaults *faults; /* optional; copied */
} VmafDeviceOpenParams;

/* The heads of a layer's objects, which each layer extends. Constant once created. */
typedef struct VmafDevice {
    const VmafDeviceLayer *layer;
    VmafDeviceInfo info;
    const VmafKernelSet *kernels;
    /* Set by the pipeline before it creates queues: sessions take timestamps. */
    bool profiling;
    /* Set by the pipeline: a submission does not end, so that this device is never closed, and what
     * it may still use is never freed. */
    atomic_bool stuck;
    struct VmafDeviceState *state; /* the pipeline's own, or NULL */
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
    bool read_by_host; /* upload only: the host reads it, too, so that it should be cached */
    void *host_memory; /* optional, upload only: the host's memory to use, page-aligned, not owned;
                          -ENOTSUP unless host_memory_alignment is set and divides it and size */
} VmafDeviceBufferParams;

typedef struct VmafDeviceBuffer {
    enum VmafDeviceMemory memory;
    uint64_t size;
    void *mapped;     /* NULL for device memory */
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

/* A queue of submissions, with lanes. */
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
 * Copies rows, which begin `src_stride` bytes apart in the source and `dst_stride` in the target; a
 * copy of one row copies a plain range. All numbers are multiples of copy_alignment. Source and
 * target do not overlap. The source is a buffer, or in the copies of a submission a plane of an
 * image, from its first row on (src, src_offset and src_stride are unused then).
 */
typedef struct VmafDeviceCopy {
    VmafDeviceBuffer *dst;
    VmafDeviceBuffer *src;
    const VmafDeviceImage *image; /* NULL: the source is `src` */
    uint32_t image_plane;
    uint32_t rows;
    uint64_t dst_offset, dst_stride;
    uint64_t src_offset, src_stride;
    uint64_t row_size;
} VmafDeviceCopy;

typedef struct VmafDeviceBinding {
    VmafDeviceBuffer *buffer; /* device memory; upload memory too where memory is unified */
    uint64_t offset;          /* multiple of binding_alignment */
    uint64_t size;            /* bytes that the kernel may touch; 0: to the end of the buffer */
} VmafDeviceBinding;

/* Runs a kernel over groups[0] x groups[1] x groups[2] work-groups, none of them 0. */
typedef struct VmafDeviceDispatch {
    const VmafDeviceKernel *kernel;
    VmafDeviceBinding bindings[VMAF_KERNEL_MAX_BUFFERS]; /* by slot */
    const void *args;                                    /* copied; the kernel's args_size bytes */
    uint32_t groups[3];
} VmafDeviceDispatch;

/* Names a submission. Tickets of a queue increase, those of one lane finish in order. A submission
 * has finished when its command list, its copies and those of all earlier submissions have. */
typedef uint64_t VmafDeviceTicket;

/* What belongs to one submission and not to its command list. All is copied. */
typedef struct VmafDeviceSubmit {
    uint32_t struct_size;
    uint32_t lane; /* below VMAF_DEVICE_LANES */
    uint32_t n_copies, n_waits, n_signals;
    const VmafDeviceCopy *copies;   /* at most VMAF_DEVICE_MAX_COPIES */
    const VmafBackendSync *waits;   /* before the copies; of kinds in `syncs` */
    const VmafBackendSync *signals; /* after the copies: their sources are no longer used */
} VmafDeviceSubmit;

struct VmafDeviceLayer {
    const char *name; /* "vulkan", "host" ... */

    /*
     * Fills in up to `capacity` devices and sets *count to the number of all devices, which may
     * exceed `capacity` or be 0. On failure (no driver, for instance) `reason` says why. Creates
     * nothing that lasts.
     */
    int (*enumerate)(VmafDeviceInfo *infos, size_t capacity, size_t *count, char *reason,
                     size_t reason_size);
    int (*open)(VmafDevice **device, const VmafDeviceOpenParams *params, char *reason,
                size_t reason_size);
    /* Everything created on the device was destroyed before, and nothing is running. */
    void (*close)(VmafDevice *device);

    int (*buffer_create)(VmafDevice *device, VmafDeviceBuffer **buffer,
                         const VmafDeviceBufferParams *params);
    void (*buffer_destroy)(VmafDevice *device, VmafDeviceBuffer *buffer);
    /* Both optional. Makes a picture that exists elsewhere readable, of a kind in `imports`; its
     * wait and signal are the caller's business. */
    int (*image_import)(VmafDevice *device, VmafDeviceImage **image,
                        const VmafBackendImport *picture);
    void (*image_destroy)(VmafDevice *device, VmafDeviceImage *image);

    /* The first call compiles the kernel: may take long, so not while frames flow. */
    int (*kernel_find)(VmafDevice *device, const VmafDeviceKernel **kernel, const char *name);

    int (*command_list_begin)(VmafDevice *device, VmafDeviceCommandList **list);
    int (*cmd_copy)(VmafDeviceCommandList *list, const VmafDeviceCopy *copy);
    int (*cmd_dispatch)(VmafDeviceCommandList *list, const VmafDeviceDispatch *dispatch);
    /* Commands after it wait for, and see, everything before it. */
    int (*cmd_barrier)(VmafDeviceCommandList *list);
    /* Optional: records the time at which everything before it has finished, as number `index`,
     * below VMAF_DEVICE_MAX_TIMESTAMPS. */
    int (*cmd_timestamp)(VmafDeviceCommandList *list, uint32_t index);
    int (*command_list_end)(VmafDeviceCommandList *list);
    /* Also for a list that was not ended. Not while it is running, unless the device is lost. */
    void (*command_list_destroy)(VmafDeviceCommandList *list);

    int (*queue_create)(VmafDevice *device, VmafDeviceQueue **queue);
    /* Nothing of it is running, or the device is lost. */
    void (*queue_destroy)(VmafDeviceQueue *queue);
    /* Starts a command list that is not running, after the copies. `list` NULL: only the copies.
     * Does not wait, and allocates nothing. */
    int (*submit)(VmafDeviceQueue *queue, VmafDeviceCommandList *list,
                  const VmafDeviceSubmit *params, VmafDeviceTicket *ticket);
    /* Waits at most `timeout_ns` for this submission; 0 only asks. -ETIMEDOUT: not finished. */
    int (*wait)(VmafDeviceQueue *queue, VmafDeviceTicket ticket, uint64_t timeout_ns);
    /* Optional: the first `count` times of the last run of a command list, which has finished, in
     * nanoseconds since an arbitrary moment. */
    int (*timestamps)(VmafDeviceCommandList *list, uint64_t *times_ns, uint32_t count);
    /* Optional, on a device with `profiling`: when the copies of the last submission of a command
     * list, which had some and has finished, began and ended, in nanoseconds since an arbitrary
     * moment of its own. */
    int (*copy_times)(VmafDeviceCommandList *list, uint64_t times_ns[2]);

    /* The text of the device's last failure, "" if there was none; always terminated. */
    void (*last_error)(VmafDevice *device, char *text, size_t size);
};

enum {
    VMAF_DEVICE_LANES = 2,       /* of a queue */
    VMAF_DEVICE_MAX_COPIES = 16, /* of a submission */
    VMAF_DEVICE_MAX_SYNCS = 4,   /* of a submission, each way */
    VMAF_DEVICE_MAX_TIMESTAMPS = 256,
    VMAF_DEVICE_MAX_GROUPS = 65535, /* in each direction */
};

/*
 * The layer's functions after a check against the limits of the device, the sizes of the buffers
 * and the needs of the kernel: -EINVAL if the call is invalid. The pipeline calls these, so that
 * layers need not check.
 */
int vmaf_device_cmd_copy(VmafDeviceCommandList *list, const VmafDeviceCopy *copy);
int vmaf_device_cmd_dispatch(VmafDeviceCommandList *list, const VmafDeviceDispatch *dispatch);
int vmaf_device_submit(VmafDeviceQueue *queue, VmafDeviceCommandList *list,
                       const VmafDeviceSubmit *params, VmafDeviceTicket *ticket);

#endif
