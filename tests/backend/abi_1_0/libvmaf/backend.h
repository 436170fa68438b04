/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* FROZEN: version 1.0, as it was released. Tests build plugins and a host with it, to show that
 * they work with a library of a later minor version. It is never changed. */
#ifndef LIBVMAF_BACKEND_H
#define LIBVMAF_BACKEND_H

/*
 * The backend ABI, version 1.0: the contract between libvmaf (the host) and a plugin that computes
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
 * with VMAF_BACKEND_INVALID, unknown flags in an answer are ignored.
 *
 * Text is UTF-8 without control characters. Arrays of char hold a terminating zero.
 *
 * Threads. vmaf_backend_entry, feature_*, probe, device_*, plan_* and session_open may be called
 * from several threads at once, and so may buffer_* for different buffers; a buffer may be
 * downloaded while a session reads it. For one session, one thread submits while another collects,
 * and any third thread may call cancel; different sessions are independent. Threads that a backend
 * creates block all signals; those that a fault of the thread raises (SIGSEGV, SIGBUS, SIGFPE,
 * SIGILL, SIGTRAP) may stay unblocked. None of its threads and no work on the device outlives the
 * last device_close.
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

/* Same major: compatible. A higher minor only adds members at the end of structures. */
#define VMAF_BACKEND_ABI_MAJOR 1
#define VMAF_BACKEND_ABI_MINOR 0

/* ---- Results of functions: 0 or one of these, int32_t ---- */

#define VMAF_BACKEND_OK            0
#define VMAF_BACKEND_DEVICE_LOST   (-1) /* the device is gone; its sessions are dead */
#define VMAF_BACKEND_OUT_OF_MEMORY (-2) /* of the host or of the device; the session is dead */
#define VMAF_BACKEND_INVALID       (-3) /* an error of the host; nothing has changed */
#define VMAF_BACKEND_NOT_SUPPORTED (-4) /* this device or driver cannot do it */
#define VMAF_BACKEND_FAILED        (-5) /* anything else; a session that returns this is dead */
#define VMAF_BACKEND_TIMED_OUT     (-6) /* the time given to collect has passed */
#define VMAF_BACKEND_CANCELLED     (-7) /* cancel was called; only session_close may follow */
#define VMAF_BACKEND_NOTHING       (-8) /* collect: no frame is outstanding */
#define VMAF_BACKEND_NO_DRIVER     (-9) /* probe, device_open: the vendor's driver is missing */

/* Sizes of text members, the terminating zero included. */
#define VMAF_BACKEND_ID_SIZE   64
#define VMAF_BACKEND_TEXT_SIZE 256

/* Why something failed or was declined, in one line for people. */
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

/* Passed to device_open, valid until device_close. One process may contain two copies of libvmaf,
 * so a backend keeps it in the device and nowhere else. */
typedef struct VmafBackendHost {
    uint32_t struct_size;
    uint32_t abi_major, abi_minor; /* of the host */
    uint32_t reserved;             /* 0 */
    void *cookie;                  /* first argument of the function below */
    /* Logs one line, without a newline. Any thread. */
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

/* Kinds of record. SUMS is a structure of backend_records.h; SCORES is one double per output, in
 * the order of feature_output, finite. */
#define VMAF_BACKEND_RECORD_SUMS   1u
#define VMAF_BACKEND_RECORD_SCORES 2u

/* EXACT: every record equals that of the CPU, bit for bit, for all options, sizes and depths that
 * the feature claims; the host tests this before it uses the feature. BOUNDED: scores differ by no
 * more than `bound`; only used when the backend was asked for by name. */
#define VMAF_BACKEND_EXACT   0u
#define VMAF_BACKEND_BOUNDED 1u

#define VMAF_BACKEND_FEATURE_OWN 1u /* not one of libvmaf's; registered as <backend>_<name> */

/* Entry of the static list of what a backend computes. A plan may narrow it, never widen it. */
typedef struct VmafBackendFeature {
    uint32_t struct_size;
    uint32_t flags;   /* VMAF_BACKEND_FEATURE_* */
    const char *name; /* of libvmaf's extractor ("vif"), or own: [a-z][a-z0-9_]{0,30} */
    const char *help; /* own features: one line; else NULL */
    uint32_t record_kind;
    uint32_t record_version;        /* SUMS: VMAF_RECORD_*_VERSION; else 1 */
    const char *record;             /* SUMS: VMAF_RECORD_*; else NULL */
    uint32_t pixel_formats;         /* set of 1u << VMAF_BACKEND_PIXEL_* */
    uint32_t depth_min, depth_max;  /* bits per sample, 8 to 16 */
    uint32_t width_min, height_min; /* of luma */
    uint32_t width_max, height_max; /* 0: no limit */
    uint32_t planes;                /* set of VMAF_BACKEND_PLANE_* that are read */
    uint32_t ref_before;  /* earlier reference pictures that a record depends on, 0 to 2 */
    uint32_t dist_before; /* the same of distorted pictures */
    uint32_t exactness;
    uint32_t n_options; /* for feature_option */
    uint32_t n_outputs; /* for feature_output; 0 for records of kind SUMS */
    double bound;       /* of BOUNDED: largest absolute difference of a score */
    const char *bound_reason;
} VmafBackendFeature;

/* An option that a feature honours. For libvmaf's features only options that change the record
 * matter; the host applies those that change how it is finished. */
typedef struct VmafBackendOptionSpec {
    uint32_t struct_size;
    uint32_t type;
    const char *name;
    const char *help;               /* own features: one line; else NULL */
    double default_value, min, max; /* own features; numbers and bool */
    const char *default_string;     /* own features */
    /* libvmaf's features: the backend accepts values from min to max of libvmaf's own table unless
     * it states a narrower range here (min < max). */
} VmafBackendOptionSpec;

typedef struct VmafBackendOutput {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    const char *name;  /* key of the score; own features: registered as <backend>_<name> */
} VmafBackendOutput;

/* ---- Devices ---- */

typedef struct VmafBackendProbe {
    uint32_t struct_size;
    uint32_t n_devices;
    char driver[VMAF_BACKEND_ID_SIZE];   /* version of the driver, "" if unknown */
    char runtime[VMAF_BACKEND_ID_SIZE];  /* version of the runtime or API, "" if unknown */
    char reason[VMAF_BACKEND_TEXT_SIZE]; /* why there are no devices, or why probe failed */
} VmafBackendProbe;

#define VMAF_BACKEND_DEVICE_DISCRETE   1u
#define VMAF_BACKEND_DEVICE_INTEGRATED 2u
#define VMAF_BACKEND_DEVICE_VIRTUAL    3u
#define VMAF_BACKEND_DEVICE_SOFTWARE   4u /* never taken unless asked for by name */

#define VMAF_BACKEND_ABILITY_FP64           1u
#define VMAF_BACKEND_ABILITY_INT64          2u
#define VMAF_BACKEND_ABILITY_UNIFIED_MEMORY 4u

/* Ways to hand over a picture that lives elsewhere, also as bits: 1u << kind. VmafBackendImport
 * lists the handles of each kind. */
#define VMAF_BACKEND_IMPORT_CUDA_POINTER  0u
#define VMAF_BACKEND_IMPORT_HIP_POINTER   1u
#define VMAF_BACKEND_IMPORT_USM_POINTER   2u
#define VMAF_BACKEND_IMPORT_DMABUF        3u
#define VMAF_BACKEND_IMPORT_VULKAN_IMAGE  4u
#define VMAF_BACKEND_IMPORT_VA_SURFACE    5u
#define VMAF_BACKEND_IMPORT_METAL_TEXTURE 6u
#define VMAF_BACKEND_IMPORT_IOSURFACE     7u
#define VMAF_BACKEND_IMPORT_D3D11_TEXTURE 8u

typedef struct VmafBackendDeviceInfo {
    uint32_t struct_size;
    uint32_t kind; /* VMAF_BACKEND_DEVICE_* */
    uint64_t memory_bytes;
    uint32_t abilities;            /* set of VMAF_BACKEND_ABILITY_* */
    uint32_t imports;              /* set of 1u << VMAF_BACKEND_IMPORT_* */
    char id[VMAF_BACKEND_ID_SIZE]; /* stable across processes: UUID or PCI address */
    char vendor[VMAF_BACKEND_ID_SIZE];
    char driver[VMAF_BACKEND_ID_SIZE]; /* version */
    char name[VMAF_BACKEND_TEXT_SIZE];
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
    const char *id;              /* of VmafBackendDeviceInfo; NULL with an external device */
    uint32_t external;           /* VMAF_BACKEND_EXTERNAL_* */
    uint32_t n_handles;
    uint64_t handles[VMAF_BACKEND_MAX_HANDLES];
} VmafBackendDeviceParams;

/* If possible, check the use of the vendor's API (VALIDATION) or take timestamps (PROFILING). */
#define VMAF_BACKEND_DEVICE_FLAG_VALIDATION 1u
#define VMAF_BACKEND_DEVICE_FLAG_PROFILING  2u

/* ---- Plans ---- */

/* The value of an option of a request. */
typedef struct VmafBackendOption {
    uint32_t struct_size;
    uint32_t type;
    const char *name;
    uint32_t is_default; /* an unknown option is ignored if it has its default value */
    uint32_t reserved;   /* 0 */
    int64_t integer;     /* bool and int */
    double number;       /* double */
    const char *string;  /* string; may be NULL */
} VmafBackendOption;

typedef struct VmafBackendRequest {
    uint32_t struct_size;
    uint32_t id;         /* place in the list and in masks of requests */
    const char *feature; /* name in the backend's list */
    uint32_t n_options;
    uint32_t reserved; /* 0 */
    /* libvmaf lists all options that change the record (own features: all options), even at their
     * defaults. Options that are not listed have their defaults. */
    const VmafBackendOption *const *options;
} VmafBackendRequest;

typedef struct VmafBackendPlanParams {
    uint32_t struct_size;
    uint32_t flags;         /* 0 */
    uint32_t width, height; /* of luma, in samples; chroma rounds down where it is subsampled */
    uint32_t depth;         /* bits per sample, 8 to 16 */
    uint32_t pixel_format;
    uint32_t frames_in_flight; /* wanted */
    uint32_t n_requests;       /* at most 256 */
    const VmafBackendRequest *const *requests;
} VmafBackendPlanParams;

typedef struct VmafBackendPlanInfo {
    uint32_t struct_size;
    uint32_t planes; /* set of VMAF_BACKEND_PLANE_* that have to be handed over */
    uint32_t slots;  /* frames that a session accepts before one is collected, at least 1 */
    uint32_t reserved;
    uint64_t device_memory; /* bytes that a session will take */
} VmafBackendPlanInfo;

/* The answer to one request. */
typedef struct VmafBackendAnswer {
    uint32_t struct_size;
    uint32_t accepted; /* 0: declined, for the reason below; the host computes it elsewhere */
    uint32_t record_kind, record_version;
    uint64_t record_size; /* bytes */
    uint32_t count;       /* SUMS: 1; SCORES: doubles */
    uint32_t reserved;
    char reason[VMAF_BACKEND_TEXT_SIZE];
} VmafBackendAnswer;

/* ---- Pictures ---- */

/* One picture: planes in host memory, or a buffer of the session's device. Samples of 8 bits are
 * bytes, deeper ones native-endian 16-bit words with the value in the low bits. With any value,
 * also above the nominal depth, a backend stays memory-safe and terminates. */
typedef struct VmafBackendPicture {
    uint32_t struct_size;
    uint32_t reserved;         /* 0 */
    const void *data[3];       /* Y, Cb, Cr; NULL where the plan does not read the plane */
    int64_t stride[3];         /* bytes from row to row; may be negative, need not be aligned */
    VmafBackendBuffer *buffer; /* not NULL: the pixels are there, and data is NULL */
} VmafBackendPicture;

#define VMAF_BACKEND_BUFFER_DEVICE 1u /* memory of the device */
#define VMAF_BACKEND_BUFFER_PINNED 2u /* host memory that the device reads directly */

#define VMAF_BACKEND_BUFFER_PACKED 1u /* flag: rows follow each other without gaps */

typedef struct VmafBackendBufferParams {
    uint32_t struct_size;
    uint32_t kind;
    uint32_t width, height, depth, pixel_format;
    uint32_t planes; /* set of VMAF_BACKEND_PLANE_* that the buffer has to have */
    uint32_t flags;  /* VMAF_BACKEND_BUFFER_PACKED */
} VmafBackendBufferParams;

/* Where the planes of a buffer are: device addresses (DEVICE; only the vendor's own API can use
 * them) or host addresses (PINNED). 0 for absent planes and where the API has no addresses. */
typedef struct VmafBackendBufferInfo {
    uint32_t struct_size;
    uint32_t kind;
    uint64_t address[3];
    int64_t stride[3];
} VmafBackendBufferInfo;

/*
 * A picture that exists on the device, one at a time. handles by kind; each plane of a pointer kind
 * has its own pitch in `stride`:
 *   CUDA_POINTER, HIP_POINTER, USM_POINTER   addresses of Y, Cb, Cr
 *   DMABUF           file descriptor, size in bytes, offset of Y, Cb, Cr
 *   VULKAN_IMAGE     VkImage, VkFormat, VkImageLayout, VkSemaphore (timeline) or 0, value
 *   VA_SURFACE       VADisplay, VASurfaceID
 *   METAL_TEXTURE    MTLTexture of Y, Cb, Cr
 *   IOSURFACE        IOSurfaceRef and plane of it, of Y, of Cb, of Cr
 *   D3D11_TEXTURE    ID3D11Device, ID3D11Texture2D, subresource
 */
typedef struct VmafBackendImport {
    uint32_t struct_size;
    uint32_t kind; /* VMAF_BACKEND_IMPORT_* */
    uint32_t width, height, depth, pixel_format;
    uint32_t planes;
    uint32_t n_handles;
    uint64_t handles[VMAF_BACKEND_MAX_HANDLES];
    int64_t stride[3];
} VmafBackendImport;

/* ---- Frames ---- */

#define VMAF_BACKEND_SUBMIT_CONTEXT 1u /* only remember it as a neighbour of frames to come */

typedef struct VmafBackendFrame {
    uint32_t struct_size;
    uint32_t flags; /* VMAF_BACKEND_SUBMIT_* */
    /*
     * Position of the frame in the stream. Consecutive numbers are neighbours. After a jump,
     * remembered frames are no longer neighbours; the host first sends those that the requests
     * need, marked CONTEXT. Where a neighbour was not sent (start of the stream), the record of a
     * feature that compares frames is zero.
     */
    uint64_t sequence;
    uint64_t wanted[4]; /* mask of requests, bit id % 64 of word id / 64; empty with CONTEXT */
    const VmafBackendPicture *ref;
    const VmafBackendPicture *dist; /* may be NULL with CONTEXT */
} VmafBackendFrame;

/* Filled in by collect. */
typedef struct VmafBackendResult {
    uint32_t struct_size;
    uint32_t n_requests;  /* of the plan */
    uint64_t sequence;    /* out: of the frame that was collected */
    void *const *records; /* by request: where its record goes, 16-byte aligned; NULL where the
                             request is not wanted for the oldest frame */
    int32_t *status;      /* by request; out: VMAF_BACKEND_OK or why there is no record */
} VmafBackendResult;

/* ---- The backend ---- */

#define VMAF_BACKEND_CLASS_NATIVE   1u /* the vendor's own interface */
#define VMAF_BACKEND_CLASS_PORTABLE 2u /* one interface for several vendors */

#define VMAF_BACKEND_OBJECT_DEVICE  1u
#define VMAF_BACKEND_OBJECT_SESSION 2u

/* Static and constant. struct_size and abi_major keep their offsets for ever. */
typedef struct VmafBackend {
    uint32_t struct_size;
    uint32_t abi_major, abi_minor; /* that the backend was built for */
    uint32_t backend_class;        /* VMAF_BACKEND_CLASS_* */
    const char *name;              /* as in the file name */
    const char *version;           /* of the backend, free text */
    const char *description;       /* one line */
    const char *build_id;          /* may be NULL */
    uint32_t n_features;
    uint32_t reserved; /* 0 */

    /* Entries of the static lists. Every index below the count succeeds; above it: INVALID. */
    int32_t (*feature_get)(uint32_t index, VmafBackendFeature *feature);
    int32_t (*feature_option)(uint32_t index, uint32_t option, VmafBackendOptionSpec *spec);
    int32_t (*feature_output)(uint32_t index, uint32_t output, VmafBackendOutput *out);

    /* Enumerates devices and nothing else. OK with no devices, NO_DRIVER, FAILED: with a reason. */
    int32_t (*probe)(VmafBackendProbe *result);
    /* Device `index` of the last probe; most capable first. */
    int32_t (*device_get)(uint32_t index, VmafBackendDeviceInfo *info);

    int32_t (*device_open)(const VmafBackendDeviceParams *params, VmafBackendDevice **device,
                           VmafBackendReason *why);
    void (*device_close)(VmafBackendDevice *device);

    /* Cheap. Declining every request is not an error. */
    int32_t (*plan_create)(VmafBackendDevice *device, const VmafBackendPlanParams *params,
                           VmafBackendPlan **plan, VmafBackendReason *why);
    int32_t (*plan_info)(const VmafBackendPlan *plan, VmafBackendPlanInfo *info);
    int32_t (*plan_answer)(const VmafBackendPlan *plan, uint32_t request,
                           VmafBackendAnswer *answer);
    void (*plan_destroy)(VmafBackendPlan *plan);

    /* Allocates everything: no function below allocates per frame. The plan outlives sessions. */
    int32_t (*session_open)(VmafBackendPlan *plan, VmafBackendSession **session,
                            VmafBackendReason *why);
    /* May be called at any time; outstanding frames are dropped. */
    void (*session_close)(VmafBackendSession *session);
    /* Optional: forget all frames, as if newly opened. Nothing is outstanding. Reserved: this
     * version of the library never calls it, and opens a new session instead. */
    int32_t (*reset)(VmafBackendSession *session);

    /*
     * Hands over a frame. At most `slots` frames without CONTEXT are outstanding. The host keeps
     * the pixels of a frame alive and unchanged until its result is collected; those of a CONTEXT
     * frame until the result of the next frame without that flag is collected. What later frames
     * need must be copied by then.
     */
    int32_t (*submit)(VmafBackendSession *session, const VmafBackendFrame *frame);
    /*
     * Waits at most timeout_ms for the oldest outstanding frame and stores its records: exactly one
     * answer per frame without CONTEXT, in order of submission. NOTHING if none is outstanding.
     */
    int32_t (*collect)(VmafBackendSession *session, uint32_t timeout_ms, VmafBackendResult *result);
    /* Finish what is outstanding without waiting for more frames. Called at the end, and whenever
     * the host has no frame to hand over for a while; frames may follow. */
    int32_t (*flush)(VmafBackendSession *session);
    /* Give up: outstanding and further calls return CANCELLED, then only session_close follows. */
    void (*cancel)(VmafBackendSession *session);

    /* Text on the last error of an object (VMAF_BACKEND_OBJECT_*), cut to `size` bytes, terminated;
     * "" if there was none. */
    void (*last_error)(uint32_t object_kind, const void *object, char *text, uint32_t size);

    /* Optional from here on. */

    /* Makes uploads from this range of host memory direct. */
    int32_t (*memory_register)(VmafBackendDevice *device, void *address, uint64_t size,
                               VmafBackendMemory **memory);
    void (*memory_unregister)(VmafBackendDevice *device, VmafBackendMemory *memory);

    int32_t (*buffer_create)(VmafBackendDevice *device, const VmafBackendBufferParams *params,
                             VmafBackendBuffer **buffer);
    int32_t (*buffer_info)(const VmafBackendBuffer *buffer, VmafBackendBufferInfo *info);
    int32_t (*buffer_import)(VmafBackendDevice *device, const VmafBackendImport *params,
                             VmafBackendBuffer **buffer);
    /* Copies planes (NULL: not wanted) to host memory; waits for the device to finish with it. */
    int32_t (*buffer_download)(VmafBackendBuffer *buffer, void *const data[3],
                               const int64_t stride[3]);
    /* Copies planes from host memory into it. */
    int32_t (*buffer_upload)(VmafBackendBuffer *buffer, const void *const data[3],
                             const int64_t stride[3]);
    void (*buffer_release)(VmafBackendBuffer *buffer);

    /* A vendor's extra table; NULL if there is no such name and version. */
    const void *(*get_extension)(const char *name, uint32_t version);
} VmafBackend;

/*
 * The one exported symbol of a plugin. Idempotent, thread-safe, touches no device, keeps nothing.
 * NULL: the plugin cannot work in this process.
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
