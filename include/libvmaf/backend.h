/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef LIBVMAF_BACKEND_H
#define LIBVMAF_BACKEND_H

/*
 * The backend ABI, version 1.2: the contract between libvmaf (the host) and a plugin that computes
 * features on other hardware. This header depends on nothing but the C standard headers; together
 * with backend_records.h it is all that a backend needs. docs/backend-authors.md numbers the rules,
 * says what the host does when one is broken, and walks from nothing to a working backend.
 *
 * A metric is two functions with a record between them (backend_records.h). A backend only
 * accumulates: pixels of a frame in, one record per request out. The host finishes records into
 * scores and combines frames, so that a score does not depend on what accumulated its record.
 *
 * Files and names. A plugin is a shared object libvmaf-backend-<name>.so with one exported symbol,
 * vmaf_backend_entry. <name> matches [a-z][a-z0-9]{1,15} and is not "cpu" or "auto". It stays
 * loaded until the process ends.
 *
 * Objects. host > backend descriptor (static) > device > plan > session; buffers belong to a
 * device. What a function of the backend created, a function of the backend destroys; neither side
 * frees the other's memory. Children are destroyed before their parents.
 *
 * Growth. Every structure begins with struct_size, its size as known to the side that allocates it.
 * A reader uses no member beyond that size; a writer writes no byte beyond it. Function pointers
 * marked "optional" may be NULL; all others are required. Unknown flags in a request are rejected
 * with VMAF_BACKEND_INVALID, unknown flags in an answer are ignored. Members that a later minor
 * version has added stand at the end of their structure, below a line that says so. Both sides work
 * with any other minor version: members that the other side does not know count as 0, and a side
 * that needs one of them declines.
 *
 * Text is UTF-8 without control characters. Arrays of char hold a terminating zero.
 *
 * Threads. vmaf_backend_entry, feature_*, probe, device_*, plan_* and session_open may be called
 * from several threads at once, and so may buffer_* for different buffers and, since 1.1, memory_*
 * for different ranges; a buffer may be downloaded while a session reads it. For one session, one
 * thread submits while another collects, and any third thread may call cancel; different sessions
 * are independent. Threads that a backend creates block all signals, except that those which a
 * fault of the thread raises (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP) may stay unblocked. None of
 * its threads and no work on the device outlives the last device_close.
 *
 * Conduct. A backend leaves the floating-point environment, errno, locale, signal handlers, the
 * current directory and the vendor's current context as it found them. It does not exit, abort,
 * print, or throw or jump across the interface, and has no destructors and no atexit handlers.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Host and plugin are compatible if their major versions are equal. A higher minor version only
 * adds members at the end of structures. */
#define VMAF_BACKEND_ABI_MAJOR 1
#define VMAF_BACKEND_ABI_MINOR 2

/* ---- Results of functions: OK or one of the errors below it, int32_t ---- */

#define VMAF_BACKEND_OK            0
#define VMAF_BACKEND_DEVICE_LOST   (-1) /* the device is gone; its sessions are dead */
#define VMAF_BACKEND_OUT_OF_MEMORY (-2) /* memory of host or device; the session is dead */
#define VMAF_BACKEND_INVALID       (-3) /* an error of the host; nothing has changed */
#define VMAF_BACKEND_NOT_SUPPORTED (-4) /* this device or driver cannot do it */
#define VMAF_BACKEND_FAILED        (-5) /* any other error; a session that returns it is dead */
#define VMAF_BACKEND_TIMED_OUT     (-6) /* the time limit of collect has passed */
#define VMAF_BACKEND_CANCELLED     (-7) /* cancel was called; only session_close may follow */
#define VMAF_BACKEND_NOTHING       (-8) /* collect: no frame is outstanding */
#define VMAF_BACKEND_NO_DRIVER     (-9) /* probe, device_open: the vendor's driver is missing */

/* Sizes of text members in bytes, with the terminating zero. */
#define VMAF_BACKEND_ID_SIZE   64
#define VMAF_BACKEND_TEXT_SIZE 256

/* The reason why something failed or was declined, in one line for people. */
typedef struct VmafBackendReason {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    char text[VMAF_BACKEND_TEXT_SIZE];
} VmafBackendReason;

/* ---- What the host offers ---- */

#define VMAF_BACKEND_LOG_ERROR   1u
#define VMAF_BACKEND_LOG_WARNING 2u
#define VMAF_BACKEND_LOG_INFO    3u
#define VMAF_BACKEND_LOG_DEBUG   4u

/* Functions of the host, passed to device_open and valid until device_close. One process may
 * contain two copies of libvmaf, so a backend keeps this table in the device and nowhere else. */
typedef struct VmafBackendHost {
    uint32_t struct_size;
    uint32_t abi_major, abi_minor; /* version of the host's header */
    uint32_t reserved;             /* 0 */
    void *cookie;                  /* first argument of the function below */
    /* Logs one line, which has no newline. May be called from any thread. */
    void (*log)(void *cookie, uint32_t level, const char *text);
} VmafBackendHost;

/* ---- Features ---- */

/* Pixel formats, also as bits of a set: 1u << format. */
#define VMAF_BACKEND_PIXEL_420 1u
#define VMAF_BACKEND_PIXEL_422 2u
#define VMAF_BACKEND_PIXEL_444 3u
#define VMAF_BACKEND_PIXEL_400 4u /* luma only */

/* Planes, as bits of a set. */
#define VMAF_BACKEND_PLANE_Y  1u
#define VMAF_BACKEND_PLANE_CB 2u
#define VMAF_BACKEND_PLANE_CR 4u

#define VMAF_BACKEND_TYPE_BOOL   0u /* integer 0 or 1 */
#define VMAF_BACKEND_TYPE_INT    1u
#define VMAF_BACKEND_TYPE_DOUBLE 2u
#define VMAF_BACKEND_TYPE_STRING 3u

/* Kinds of record. SUMS: a structure of backend_records.h, which merges by addition. SCORES: one
 * finite double for each output, in the order of feature_output. BYTES, since 1.1: data of a whole
 * frame that the host finishes, such as a reduced picture; its layout has a name and a version like
 * that of SUMS, its size depends on the pictures and the options, and it does not merge. */
#define VMAF_BACKEND_RECORD_SUMS   1u
#define VMAF_BACKEND_RECORD_SCORES 2u
#define VMAF_BACKEND_RECORD_BYTES  3u

/* EXACT: every record equals that of the CPU, bit for bit, for all options, sizes and depths that
 * the feature claims; the host tests this before it uses the feature. BOUNDED: scores differ by no
 * more than `bound`; such a feature is only used when the backend was chosen by name. */
#define VMAF_BACKEND_EXACT   0u
#define VMAF_BACKEND_BOUNDED 1u

#define VMAF_BACKEND_FEATURE_OWN 1u /* not one of libvmaf's; registered as <backend>_<name> */

/* A feature that a backend computes: an entry of its static list. A plan may accept less than the
 * list says, never more. Texts are the backend's, and constant. */
typedef struct VmafBackendFeature {
    uint32_t struct_size;
    uint32_t flags;          /* set of VMAF_BACKEND_FEATURE_* */
    const char *name;        /* name of libvmaf's extractor ("vif"), or own: [a-z][a-z0-9_]{0,30} */
    const char *help;        /* own features: one line; else NULL */
    uint32_t record_kind;    /* VMAF_BACKEND_RECORD_* */
    uint32_t record_version; /* SUMS, BYTES: VMAF_RECORD_*_VERSION; else 1 */
    const char *record;      /* SUMS, BYTES: VMAF_RECORD_*; else NULL */
    uint32_t pixel_formats;  /* set of 1u << VMAF_BACKEND_PIXEL_* */
    uint32_t depth_min, depth_max;  /* bits per sample, 8 to 16 */
    uint32_t width_min, height_min; /* smallest luma size in samples */
    uint32_t width_max, height_max; /* largest luma size in samples; 0: no limit */
    uint32_t planes;                /* set of VMAF_BACKEND_PLANE_* that are read */
    uint32_t ref_before; /* number of earlier reference pictures that a record depends on, 0 to 2 */
    uint32_t dist_before; /* the same for distorted pictures */
    uint32_t exactness;   /* VMAF_BACKEND_EXACT or VMAF_BACKEND_BOUNDED */
    uint32_t n_options;   /* number of options, for feature_option */
    uint32_t n_outputs;   /* number of outputs, for feature_output; 0 for records of kind SUMS */
    double bound;         /* BOUNDED: largest absolute difference of a score from the CPU's */
    const char *bound_reason; /* BOUNDED: why scores differ, for people */
} VmafBackendFeature;

/* An option that a feature honours. For libvmaf's features only options that change the record
 * matter; the host applies those that change how it is finished. */
typedef struct VmafBackendOptionSpec {
    uint32_t struct_size;
    uint32_t type; /* VMAF_BACKEND_TYPE_* */
    const char *name;
    const char *help;               /* own features: one line; else NULL */
    double default_value, min, max; /* own features: for numbers and bool */
    const char *default_string;     /* own features: for strings */
    /* libvmaf's features: the backend accepts values from min to max of libvmaf's own table unless
     * it states a narrower range here (min < max). */
} VmafBackendOptionSpec;

/* A score of a feature. */
typedef struct VmafBackendOutput {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    const char *name;  /* key of the score; own features: the host makes it <backend>_<name> */
} VmafBackendOutput;

/* ---- Devices ---- */

/* The result of probe. */
typedef struct VmafBackendProbe {
    uint32_t struct_size;
    uint32_t n_devices;                  /* number of devices that can be opened */
    char driver[VMAF_BACKEND_ID_SIZE];   /* version of the driver, "" if unknown */
    char runtime[VMAF_BACKEND_ID_SIZE];  /* version of the runtime or API, "" if unknown */
    char reason[VMAF_BACKEND_TEXT_SIZE]; /* why there are no devices, or why probe failed */
    /* Since 1.1. */
    uint32_t n_unusable; /* number of devices that cannot be opened now. device_get describes them
                            from index n_devices on, each with the reason, for people */
    uint32_t reserved;
} VmafBackendProbe;

#define VMAF_BACKEND_DEVICE_DISCRETE   1u
#define VMAF_BACKEND_DEVICE_INTEGRATED 2u
#define VMAF_BACKEND_DEVICE_VIRTUAL    3u
#define VMAF_BACKEND_DEVICE_SOFTWARE   4u /* only the CPU is behind it; used only by name */

/* Abilities of a device, as bits of a set. */
#define VMAF_BACKEND_ABILITY_FP64           1u
#define VMAF_BACKEND_ABILITY_INT64          2u
#define VMAF_BACKEND_ABILITY_UNIFIED_MEMORY 4u
/* Since 1.1. FP32_EXACT: + - * of binary32 are rounded to nearest even, and denormals are kept.
 * FP32_DIVISION: the same for division and square root. ATOMIC32: 32-bit atomics on buffers.
 * GROUP_ATOMIC32: 32-bit atomics on the memory of a work-group. HOST_MEMORY: memory_register makes
 * uploads direct. */
#define VMAF_BACKEND_ABILITY_FP32_EXACT     8u
#define VMAF_BACKEND_ABILITY_FP32_DIVISION  16u
#define VMAF_BACKEND_ABILITY_ATOMIC32       32u
#define VMAF_BACKEND_ABILITY_GROUP_ATOMIC32 64u
#define VMAF_BACKEND_ABILITY_HOST_MEMORY    128u

/* Kinds of pictures that exist elsewhere and can be imported, also as bits: 1u << kind.
 * VmafBackendImport lists the handles of each kind. */
#define VMAF_BACKEND_IMPORT_CUDA_POINTER  0u
#define VMAF_BACKEND_IMPORT_HIP_POINTER   1u
#define VMAF_BACKEND_IMPORT_USM_POINTER   2u
#define VMAF_BACKEND_IMPORT_DMABUF        3u
#define VMAF_BACKEND_IMPORT_VULKAN_IMAGE  4u
#define VMAF_BACKEND_IMPORT_VA_SURFACE    5u
#define VMAF_BACKEND_IMPORT_METAL_TEXTURE 6u
#define VMAF_BACKEND_IMPORT_IOSURFACE     7u
#define VMAF_BACKEND_IMPORT_D3D11_TEXTURE 8u

/*
 * An object to wait for before a picture is read, or to signal once it is no longer read, which
 * happens in buffer_release; since 1.1. The kinds, also as bits (1u << kind), and their handles:
 *   CUDA_STREAM, HIP_STREAM   the stream; 0: the legacy default stream of the device's context; 2,
 *                             the default stream of the calling thread, is rejected.
 *                             Wait: for work that was queued there before submit or
 *                             buffer_download. Signal: work that is queued there later waits
 *   CUDA_EVENT, HIP_EVENT     an event. Wait: it has been recorded. Signal: it is recorded
 *   VULKAN_TIMELINE           VkSemaphore, and the value to reach
 *   SYNC_FILE                 descriptor of a Linux sync file; wait only; the caller keeps it
 *   ZE_EVENT                  ze_event_handle_t of the context; the work that signals it has been
 *                             submitted, and it is not reset before the picture is no longer read
 *   METAL_EVENT               MTLSharedEvent, and the value to reach
 *   D3D11_FENCE               ID3D11Fence, and the value to reach
 */
#define VMAF_BACKEND_SYNC_NONE            0u
#define VMAF_BACKEND_SYNC_CUDA_STREAM     1u
#define VMAF_BACKEND_SYNC_CUDA_EVENT      2u
#define VMAF_BACKEND_SYNC_HIP_STREAM      3u
#define VMAF_BACKEND_SYNC_HIP_EVENT       4u
#define VMAF_BACKEND_SYNC_VULKAN_TIMELINE 5u
#define VMAF_BACKEND_SYNC_SYNC_FILE       6u
#define VMAF_BACKEND_SYNC_ZE_EVENT        7u
#define VMAF_BACKEND_SYNC_METAL_EVENT     8u
#define VMAF_BACKEND_SYNC_D3D11_FENCE     9u
typedef struct VmafBackendSync {
    uint32_t struct_size;
    uint32_t kind; /* VMAF_BACKEND_SYNC_* */
    uint64_t handle;
    uint64_t value; /* for kinds that have one */
} VmafBackendSync;

/* Identities of a device that are known, as bits of a set; since 1.1. */
#define VMAF_BACKEND_IDENTITY_PCI  1u
#define VMAF_BACKEND_IDENTITY_UUID 2u
#define VMAF_BACKEND_IDENTITY_LUID 4u

typedef struct VmafBackendDeviceInfo {
    uint32_t struct_size;
    uint32_t kind; /* VMAF_BACKEND_DEVICE_* */
    uint64_t memory_bytes;
    uint32_t abilities;            /* set of VMAF_BACKEND_ABILITY_* */
    uint32_t imports;              /* set of 1u << VMAF_BACKEND_IMPORT_* */
    char id[VMAF_BACKEND_ID_SIZE]; /* stable across processes: UUID or PCI address */
    char vendor[VMAF_BACKEND_ID_SIZE];
    char driver[VMAF_BACKEND_ID_SIZE]; /* version of the driver */
    char name[VMAF_BACKEND_TEXT_SIZE];
    /* Since 1.1. The identities are the same whichever backend reports the device. */
    uint32_t identities; /* set of VMAF_BACKEND_IDENTITY_* */
    uint32_t buffers;    /* set of 1u << VMAF_BACKEND_BUFFER_* that buffer_create offers */
    uint32_t syncs;      /* set of 1u << VMAF_BACKEND_SYNC_* */
    uint32_t compute_units;
    uint32_t copy_engines; /* number of engines that copy while kernels run */
    uint32_t subgroup_size;
    uint32_t group_memory; /* bytes of memory that a work-group shares */
    uint32_t reserved;
    uint8_t uuid[16];
    uint8_t luid[8];
    char pci[VMAF_BACKEND_ID_SIZE];        /* "0000:01:00.0" */
    char unusable[VMAF_BACKEND_TEXT_SIZE]; /* why it cannot be opened; "" if it can */
} VmafBackendDeviceInfo;

typedef struct VmafBackendDevice VmafBackendDevice;
typedef struct VmafBackendPlan VmafBackendPlan;
typedef struct VmafBackendSession VmafBackendSession;
typedef struct VmafBackendBuffer VmafBackendBuffer;
typedef struct VmafBackendMemory VmafBackendMemory;

/*
 * Handles of the application's own device, which the backend borrows:
 *   CUDA     CUcontext
 *   VULKAN   VkInstance, VkPhysicalDevice, VkDevice, VkQueue, queue family index, API version
 *   ZE       ze_context_handle_t, ze_device_handle_t
 *   HIP      hipCtx_t
 *   METAL    MTLDevice, MTLCommandQueue or 0
 */
#define VMAF_BACKEND_EXTERNAL_NONE   0u
#define VMAF_BACKEND_EXTERNAL_CUDA   1u
#define VMAF_BACKEND_EXTERNAL_VULKAN 2u
#define VMAF_BACKEND_EXTERNAL_ZE     3u
#define VMAF_BACKEND_EXTERNAL_HIP    4u
#define VMAF_BACKEND_EXTERNAL_METAL  5u
#define VMAF_BACKEND_MAX_HANDLES     8

typedef struct VmafBackendDeviceParams {
    uint32_t struct_size;
    uint32_t flags;              /* VMAF_BACKEND_DEVICE_FLAG_* */
    const VmafBackendHost *host; /* valid until device_close */
    const char *id;              /* `id` of VmafBackendDeviceInfo; NULL with an external device */
    uint32_t external;           /* VMAF_BACKEND_EXTERNAL_* */
    uint32_t n_handles;
    uint64_t handles[VMAF_BACKEND_MAX_HANDLES];
    /* Since 1.1. Optional, for the queue of an external device: the backend calls `lock` before it
     * uses the queue and `unlock` after it, on any thread. */
    void (*lock)(void *cookie);
    void (*unlock)(void *cookie);
    void *lock_cookie;
    /* VULKAN: the features and extensions that the application's device was created with: its
     * VkPhysicalDeviceFeatures2 with what is chained to it, or NULL if it is not known. */
    const void *enabled_features;
    const char *const *enabled_extensions;
    uint32_t n_enabled_extensions;
    uint32_t reserved;
} VmafBackendDeviceParams;

/* VALIDATION: check the use of the vendor's API, if possible. PROFILING: take timestamps, if
 * possible; see backend_profile.h. */
#define VMAF_BACKEND_DEVICE_FLAG_VALIDATION 1u
#define VMAF_BACKEND_DEVICE_FLAG_PROFILING  2u

/* ---- Plans ---- */

/* The value of an option of a request. */
typedef struct VmafBackendOption {
    uint32_t struct_size;
    uint32_t type; /* VMAF_BACKEND_TYPE_* */
    const char *name;
    uint32_t is_default; /* 1: it has its default value; then an unknown option is ignored */
    uint32_t reserved;   /* 0 */
    int64_t integer;     /* value of bool and int */
    double number;       /* value of double */
    const char *string;  /* value of string; may be NULL */
} VmafBackendOption;

/* A feature with options, to be computed for frames of a session. */
typedef struct VmafBackendRequest {
    uint32_t struct_size;
    uint32_t id;         /* index in the list and in masks of requests */
    const char *feature; /* name in the backend's list */
    uint32_t n_options;
    uint32_t reserved; /* 0 */
    /* libvmaf lists all options that change the record (own features: all options), even at their
     * defaults. Options that are not listed have their defaults. */
    const VmafBackendOption *const *options;
} VmafBackendRequest;

/* Pictures and requests for plan_create. Valid during the call. */
typedef struct VmafBackendPlanParams {
    uint32_t struct_size;
    uint32_t flags;            /* 0 */
    uint32_t width, height;    /* luma size in samples; chroma rounds down where it is subsampled */
    uint32_t depth;            /* bits per sample, 8 to 16 */
    uint32_t pixel_format;     /* VMAF_BACKEND_PIXEL_* */
    uint32_t frames_in_flight; /* number of frames that the host would like to have outstanding */
    uint32_t n_requests;       /* at most 256 */
    const VmafBackendRequest *const *requests;
} VmafBackendPlanParams;

/* Needs of a session of a plan. */
typedef struct VmafBackendPlanInfo {
    uint32_t struct_size;
    uint32_t planes; /* set of VMAF_BACKEND_PLANE_* that the host has to submit */
    uint32_t slots;  /* frames that a session accepts before one is collected, at least 1 */
    uint32_t reserved;
    uint64_t device_memory; /* bytes that a session will take */
} VmafBackendPlanInfo;

/* The answer to one request. */
typedef struct VmafBackendAnswer {
    uint32_t struct_size;
    uint32_t accepted; /* 1; 0: declined, for the reason below; the host computes it elsewhere */
    uint32_t record_kind, record_version;
    uint64_t record_size; /* bytes */
    uint32_t count;       /* SUMS, BYTES: 1; SCORES: number of doubles */
    uint32_t reserved;
    char reason[VMAF_BACKEND_TEXT_SIZE]; /* why it was declined */
} VmafBackendAnswer;

/* ---- Pictures ---- */

/* One picture: planes in host memory, or a buffer of the session's device. Samples of 8 bits are
 * bytes, deeper ones native-endian 16-bit words with the value in the low bits. A backend stays
 * memory-safe and terminates for any value, also above the nominal depth. */
typedef struct VmafBackendPicture {
    uint32_t struct_size;
    uint32_t reserved;         /* 0 */
    const void *data[3];       /* Y, Cb, Cr; NULL where the plan does not read the plane */
    int64_t stride[3];         /* bytes from row to row; may be negative, need not be aligned */
    VmafBackendBuffer *buffer; /* not NULL: the pixels are there, and data is NULL */
} VmafBackendPicture;

/* A DEVICE buffer is read after the work that the application has queued on the default queue of
 * the device (CUDA and HIP: the legacy stream of the context) before submit or buffer_download. */
#define VMAF_BACKEND_BUFFER_DEVICE 1u /* memory of the device */
#define VMAF_BACKEND_BUFFER_PINNED 2u /* host memory that the device reads directly */
/* Since 1.2: memory of the device that only buffer_upload fills, so that it needs no addresses
 * (buffer_info returns 0) and waits for no work of the application. A device that names it in
 * `buffers` lets several of its sessions read one buffer at the same time, in frames that are
 * submitted after buffer_upload has returned; the host fills it again once their results are
 * collected. So a reference that several sessions compare with is uploaded once. */
#define VMAF_BACKEND_BUFFER_UPLOADED 3u

#define VMAF_BACKEND_MARK_SIZE 32 /* bytes, see buffer_mark */

#define VMAF_BACKEND_BUFFER_PACKED 1u /* flag: rows follow each other without gaps */

typedef struct VmafBackendBufferParams {
    uint32_t struct_size;
    uint32_t kind; /* VMAF_BACKEND_BUFFER_DEVICE, _PINNED or _UPLOADED */
    uint32_t width, height, depth, pixel_format; /* as in VmafBackendPlanParams */
    uint32_t planes; /* set of VMAF_BACKEND_PLANE_* that the buffer has to have */
    uint32_t flags;  /* 0 or VMAF_BACKEND_BUFFER_PACKED */
} VmafBackendBufferParams;

/* Addresses of the planes of a buffer: device addresses (DEVICE; only the vendor's own API can use
 * them) or host addresses (PINNED). 0 for absent planes and where the API has no addresses. */
typedef struct VmafBackendBufferInfo {
    uint32_t struct_size;
    uint32_t kind;
    uint64_t address[3];
    int64_t stride[3]; /* bytes from row to row */
} VmafBackendBufferInfo;

#define VMAF_BACKEND_MAX_OBJECTS 4

/* Layouts of an imported picture; since 1.1. */
#define VMAF_BACKEND_LAYOUT_PLANAR     0u
#define VMAF_BACKEND_LAYOUT_SEMIPLANAR 1u /* plane 1 holds Cb and Cr in turn, plane 2 nothing */

/*
 * A picture that exists on the device, one at a time. Each plane of a pointer kind has its own
 * pitch in `stride`. The handles of each kind: CUDA_POINTER, HIP_POINTER, USM_POINTER   addresses
 * of Y, Cb, Cr DMABUF           file descriptor, size in bytes, offset of Y, Cb, Cr VULKAN_IMAGE
 * VkImage, VkFormat, VkImageLayout, VkSemaphore (timeline) or 0, value VA_SURFACE       VADisplay,
 * VASurfaceID METAL_TEXTURE    MTLTexture of Y, Cb, Cr IOSURFACE        IOSurfaceRef and number of
 * its plane, of Y, of Cb, of Cr D3D11_TEXTURE    ID3D11Device, ID3D11Texture2D, subresource
 */
typedef struct VmafBackendImport {
    uint32_t struct_size;
    uint32_t kind;                               /* VMAF_BACKEND_IMPORT_* */
    uint32_t width, height, depth, pixel_format; /* as in VmafBackendPlanParams */
    uint32_t planes;                             /* set of VMAF_BACKEND_PLANE_* to import */
    uint32_t n_handles;
    uint64_t handles[VMAF_BACKEND_MAX_HANDLES];
    int64_t stride[3]; /* bytes from row to row */
    /* Since 1.1. A backend that does not know or offer one of these returns NOT_SUPPORTED. */
    uint32_t layout; /* VMAF_BACKEND_LAYOUT_* */
    uint32_t shift;  /* number of bits below the value of a sample: 6 for P010 */
    uint64_t size; /* pointer kinds: bytes from each address on; 0: as many as the picture needs */
    /* DMABUF with n_objects > 0, instead of `handles`. The caller keeps the descriptors. */
    uint32_t n_objects;
    uint32_t fourcc;   /* DRM_FORMAT_*; 0: it follows from depth, format and layout */
    uint64_t modifier; /* DRM_FORMAT_MOD_* */
    uint64_t object[VMAF_BACKEND_MAX_OBJECTS];       /* file descriptors */
    uint64_t object_size[VMAF_BACKEND_MAX_OBJECTS];  /* bytes */
    uint32_t plane_object[VMAF_BACKEND_MAX_OBJECTS]; /* index of the object that holds each plane */
    uint64_t plane_offset[VMAF_BACKEND_MAX_OBJECTS]; /* bytes */
    const VmafBackendSync *wait, *signal;            /* NULL: nothing */
} VmafBackendImport;

/* ---- Frames ---- */

#define VMAF_BACKEND_SUBMIT_CONTEXT 1u /* only remember it as a neighbour of frames to come */

/* A frame to submit. */
typedef struct VmafBackendFrame {
    uint32_t struct_size;
    uint32_t flags; /* VMAF_BACKEND_SUBMIT_* */
    /*
     * Position of the frame in the stream. Frames with consecutive numbers are neighbours. After a
     * jump, remembered frames are no longer neighbours; the host first submits those that the
     * requests need, marked CONTEXT. Where a neighbour was not submitted (start of the stream), the
     * record of a feature that compares frames is zero.
     */
    uint64_t sequence;
    uint64_t wanted[4]; /* set of requests: bit id % 64 of word id / 64; empty with CONTEXT */
    const VmafBackendPicture *ref;
    const VmafBackendPicture *dist; /* may be NULL with CONTEXT */
} VmafBackendFrame;

/* The result of a frame, filled in by collect. The host owns all memory. */
typedef struct VmafBackendResult {
    uint32_t struct_size;
    uint32_t n_requests;  /* number of requests of the plan */
    uint64_t sequence;    /* out: that of the frame that was collected */
    void *const *records; /* by request: memory for its record, 16-byte aligned; NULL where the
                             request is not wanted for the oldest frame */
    int32_t *status;      /* by request; out: VMAF_BACKEND_OK, or why there is no record */
} VmafBackendResult;

/* ---- The backend ---- */

#define VMAF_BACKEND_CLASS_NATIVE   1u /* the vendor's own interface */
#define VMAF_BACKEND_CLASS_PORTABLE 2u /* one interface for several vendors */

#define VMAF_BACKEND_OBJECT_DEVICE  1u
#define VMAF_BACKEND_OBJECT_SESSION 2u

/* The descriptor of a backend, static and constant. struct_size and abi_major keep their offsets
 * for ever. */
typedef struct VmafBackend {
    uint32_t struct_size;
    uint32_t abi_major, abi_minor; /* version of the header that the backend was built with */
    uint32_t backend_class;        /* VMAF_BACKEND_CLASS_* */
    const char *name;              /* as in the file name */
    const char *version;           /* version of the backend, free text */
    const char *description;       /* one line */
    const char *build_id;          /* free text; may be NULL */
    uint32_t n_features;
    uint32_t reserved; /* 0 */

    /* Entries of the static lists. Every index below the count succeeds, others are INVALID. */
    int32_t (*feature_get)(uint32_t index, VmafBackendFeature *feature);
    int32_t (*feature_option)(uint32_t index, uint32_t option, VmafBackendOptionSpec *spec);
    int32_t (*feature_output)(uint32_t index, uint32_t output, VmafBackendOutput *out);

    /* Enumerates devices and nothing else. With OK and no devices, NO_DRIVER and FAILED the result
     * has a reason. */
    int32_t (*probe)(VmafBackendProbe *result);
    /* Describes device `index` of the last probe; the most capable device comes first. */
    int32_t (*device_get)(uint32_t index, VmafBackendDeviceInfo *info);

    /* Opens a device, which may be open already; on failure `why` is filled in. */
    int32_t (*device_open)(const VmafBackendDeviceParams *params, VmafBackendDevice **device,
                           VmafBackendReason *why);
    /* Closes a device whose sessions, plans and buffers were destroyed before. */
    void (*device_close)(VmafBackendDevice *device);

    /* Accepts or declines each request, cheaply. Declining every request is not an error. The
     * parameters are valid during the call only. */
    int32_t (*plan_create)(VmafBackendDevice *device, const VmafBackendPlanParams *params,
                           VmafBackendPlan **plan, VmafBackendReason *why);
    int32_t (*plan_info)(const VmafBackendPlan *plan, VmafBackendPlanInfo *info);
    int32_t (*plan_answer)(const VmafBackendPlan *plan, uint32_t request,
                           VmafBackendAnswer *answer);
    void (*plan_destroy)(VmafBackendPlan *plan);

    /* Allocates everything: no function below allocates per frame. The plan outlives sessions. */
    int32_t (*session_open)(VmafBackendPlan *plan, VmafBackendSession **session,
                            VmafBackendReason *why);
    /* Closes a session. May be called at any time; outstanding frames are dropped. */
    void (*session_close)(VmafBackendSession *session);
    /* Optional: forgets all frames, as if the session was newly opened. Nothing is outstanding.
     * Reserved: this version of the library never calls it, and opens a new session instead. */
    int32_t (*reset)(VmafBackendSession *session);

    /*
     * Takes a frame and returns without waiting for its record. At most `slots` frames without
     * CONTEXT are outstanding. The host keeps the pixels of a frame alive and unchanged until its
     * result is collected; those of a CONTEXT frame until the result of the next frame without that
     * flag is collected. By then the backend must have copied what later frames need.
     */
    int32_t (*submit)(VmafBackendSession *session, const VmafBackendFrame *frame);
    /*
     * Waits at most timeout_ms milliseconds for the oldest outstanding frame and stores its
     * records: exactly one result for each frame without CONTEXT, in the order of submission.
     * NOTHING if no frame is outstanding.
     */
    int32_t (*collect)(VmafBackendSession *session, uint32_t timeout_ms, VmafBackendResult *result);
    /* Finishes outstanding frames without waiting for more frames. The host calls it at the end,
     * and whenever it has no frame to submit for a while; frames may follow. */
    int32_t (*flush)(VmafBackendSession *session);
    /* Ends the session's work: outstanding and further calls return CANCELLED, and then only
     * session_close follows. */
    void (*cancel)(VmafBackendSession *session);

    /* Gives the text of the last error of an object (VMAF_BACKEND_OBJECT_*), cut to `size` bytes
     * with the terminating zero; "" if there was none. */
    void (*last_error)(uint32_t object_kind, const void *object, char *text, uint32_t size);

    /* Optional from here on. */

    /* Makes uploads from this range of host memory direct. The range consists of whole pages, which
     * stay until memory_unregister. Since 1.1 called for devices with ABILITY_HOST_MEMORY. */
    int32_t (*memory_register)(VmafBackendDevice *device, void *address, uint64_t size,
                               VmafBackendMemory **memory);
    void (*memory_unregister)(VmafBackendDevice *device, VmafBackendMemory *memory);

    int32_t (*buffer_create)(VmafBackendDevice *device, const VmafBackendBufferParams *params,
                             VmafBackendBuffer **buffer);
    int32_t (*buffer_info)(const VmafBackendBuffer *buffer, VmafBackendBufferInfo *info);
    int32_t (*buffer_import)(VmafBackendDevice *device, const VmafBackendImport *params,
                             VmafBackendBuffer **buffer);
    /* Copies planes (NULL: not wanted) to host memory, and waits until that is done. Strides are in
     * bytes. */
    int32_t (*buffer_download)(VmafBackendBuffer *buffer, void *const data[3],
                               const int64_t stride[3]);
    /* Copies planes from host memory into the buffer. */
    int32_t (*buffer_upload)(VmafBackendBuffer *buffer, const void *const data[3],
                             const int64_t stride[3]);
    void (*buffer_release)(VmafBackendBuffer *buffer);

    /* Returns a vendor's extra table; NULL if there is no such name and version. */
    const void *(*get_extension)(const char *name, uint32_t version);

    /* Since 1.1. Writes the mark over the first bytes of each of these planes of a DEVICE buffer,
     * and has finished when it returns. Planes smaller than the mark are unchanged. */
    int32_t (*buffer_mark)(VmafBackendBuffer *buffer, uint32_t planes,
                           const uint8_t mark[VMAF_BACKEND_MARK_SIZE]);
    /* Removes from *planes the planes that no longer begin with the mark. It waits for the same
     * work as submit of the buffer would. */
    int32_t (*buffer_marked)(VmafBackendBuffer *buffer, uint32_t *planes,
                             const uint8_t mark[VMAF_BACKEND_MARK_SIZE]);
} VmafBackend;

/*
 * The one exported symbol of a plugin. It returns the same descriptor each time, may be called from
 * several threads at once, touches no device and keeps nothing. NULL: the plugin cannot work in
 * this process.
 */
#define VMAF_BACKEND_ENTRY_SYMBOL "vmaf_backend_entry"
typedef const VmafBackend *(*VmafBackendEntry)(void);

/* Put before the definition of vmaf_backend_entry. */
#ifdef _WIN32
#define VMAF_BACKEND_EXPORT __declspec(dllexport)
#else
#define VMAF_BACKEND_EXPORT __attribute__((visibility("default")))
#endif

VMAF_BACKEND_EXPORT const VmafBackend *vmaf_backend_entry(void);

#ifdef __cplusplus
}
#endif

#endif
