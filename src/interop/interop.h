/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef INTEROP_INTEROP_H
#define INTEROP_INTEROP_H

/*
 * The implementation of the vendor headers' states (VmafCudaState and so on): an opened device, and
 * what a context and its application exchange through it. Nothing here depends on the vendor.
 *
 * The functions of this layer check the application's arguments: for invalid ones they return
 * vendor_rejection().
 */

#include "backend/session/buffers.h"
#include "engine/context.h"

/* What pictures that the application fetches are made of. */
typedef enum PictureMethod { METHOD_NONE, METHOD_DEVICE, METHOD_HOST, METHOD_PINNED } PictureMethod;

typedef struct Vendor {
    const char *backend;     /* name of the plugin */
    const char *title;       /* in lists of devices that are logged */
    unsigned ring_size;      /* pictures that can be fetched at a time */
    uint32_t ring_memory;    /* VMAF_BACKEND_BUFFER_* of "device" pictures */
    bool has_stream_picture; /* without preallocation, fetched pictures have the stream's format */
    const PictureMethod *methods; /* indexed by the vendor header's number */
    unsigned n_methods;
} Vendor;

typedef struct PictureSupply {
    PictureMethod method; /* NONE: not set up */
    PictureFormat format; /* zero: unknown */
    BufferRing *ring;
    /* The mark of this state: chroma of a picture that still begins with it was never written. */
    uint8_t mark[VMAF_BACKEND_MARK_SIZE];
    bool has_mark;
} PictureSupply;

/* Pairs of luma that the application fills in place. */
typedef struct FrameBuffers {
    PictureFormat format;
    BufferRing *ring;
    VmafPicture ref, dist; /* the pair to fill next; empty: not requested yet */
} FrameBuffers;

/* Pictures that exist on the device. */
typedef struct Imports {
    PictureFormat format; /* of the first one; zero: none so far */
    struct ImportedPair *pairs;
    VmafPicture *submitted; /* a reference to each that may still be in use */
    unsigned n_submitted;
    struct MappedMemory *mapped;
} Imports;

typedef struct InteropState {
    const Vendor *vendor;
    BackendDevice *device;
    unsigned frames_in_flight; /* that its context asks for; 0: the context's choice */
    bool freed;                /* by the application: destroyed with the context */
    VmafContext *context;      /* that imported it, until that is closed */
    PictureSupply supply;
    FrameBuffers frames;
    Imports imports;
} InteropState;

/* ---- The state (interop_state.c) ---- */

/* Why a call with wrong arguments fails: -ENOSYS if there is no plugin, else -EINVAL. */
int vendor_rejection(const Vendor *vendor);
/* 1 if the plugin is installed and sees a device, else 0. */
int vendor_available(const Vendor *vendor);
/* Calls `show` for each device, or logs it if that is NULL; returns their number, -ENOSYS without a
 * plugin, or -EIO. */
int vendor_list(const Vendor *vendor,
                void (*show)(unsigned index, const BackendDeviceDescription *device));

/* 0; -ENOSYS, -ENODEV, -EINVAL for an index out of range or unknown handles, -ENOMEM, -EIO. */
int interop_state_open(InteropState **state, const Vendor *vendor,
                       const BackendDeviceRequest *request);
/* The same with the first device of the best kind that can be opened: discrete, integrated,
 * virtual, unknown, software. */
int interop_state_open_best(InteropState **state, const Vendor *vendor, uint32_t flags);
void interop_state_free(InteropState *state); /* NULL allowed */
/* 0; -EBUSY, -EINVAL, -ENODEV, -ENOSYS. */
int interop_state_import(VmafContext *context, InteropState *state, const Vendor *vendor);
/* The state that a context uses; NULL if it has none of this vendor. */
InteropState *interop_state_of(const VmafContext *context, const Vendor *vendor);

/* Takes a picture from a ring of the state; pictures that the context keeps for features that look
 * back do not count. */
int vendor_ring_fetch(InteropState *state, BufferRing *ring, unsigned limit, VmafPicture *pic);
/* Converts errors of backend_buffer_* to those of the vendor headers. */
int vendor_error(int error);

/* ---- Pictures that the application fetches (pictures.c) ---- */

/* Pictures for the application to fill: on the device, in host memory that the device reads, or in
 * ordinary memory. */

typedef struct PictureSupplyParams {
    unsigned w, h, bpc;
    enum VmafPixelFormat pix_fmt;
    unsigned method; /* number in the vendor's header */
} PictureSupplyParams;

/* 0; -EINVAL, -EBUSY, -ENOTSUP, -ENOMEM, -EIO, -ENOSYS. */
int picture_supply_set_up(VmafContext *context, const Vendor *vendor,
                          const PictureSupplyParams *params);
/* Waits while all pictures of a ring are in use. 0; -EINVAL, -ENOMEM, -ENODEV, -EIO, -ENOSYS. */
int picture_supply_fetch(VmafContext *context, const Vendor *vendor, VmafPicture *pic);
void picture_supply_clear(InteropState *state);

/* ---- Pairs of luma that it fills in place (pictures.c) ---- */

/*
 * Pairs of luma planes on the device that the application fills in place, one after the other: rows
 * are packed, and the pixel format counts as 4:2:0.
 */

/* Size and depth of a plane of the application. */
typedef struct LumaFormat {
    unsigned w, h, bpc;
} LumaFormat;

/* 0; -EINVAL, -EBUSY, -ENOTSUP, -ENOMEM, -EIO, -ENOSYS. */
int frame_buffers_set_up(VmafContext *context, const Vendor *vendor, LumaFormat format);
/* Addresses of the pair to fill; waits until one is free. */
int frame_buffers_current(VmafContext *context, const Vendor *vendor, void **ref, void **dist);
/* See vmaf_read_pictures; after a failure the pair remains the one to fill. */
int frame_buffers_read(VmafContext *context, const Vendor *vendor, unsigned index);
/* Copies luma into the pair to fill: from host memory, `pitch` bytes from row to row, or from a
 * picture on the device. -EINVAL unless the format is that of the pair. */
int frame_buffers_upload(InteropState *state, const Vendor *vendor, const void *luma, size_t pitch,
                         bool is_ref, LumaFormat format);
int frame_buffers_import(InteropState *state, const Vendor *vendor,
                         const VmafBackendImport *picture, bool is_ref, LumaFormat format);
void frame_buffers_clear(InteropState *state);

/* ---- Pictures that exist on the device (pictures.c) ---- */

/*
 * Pictures that exist on the device already, passed by handle: collected in pairs by index,
 * until both pictures of a pair are complete and it is read. The application owns them, and may use
 * them again after imports_wait.
 */

/* Some planes of a picture; several calls for the same index and picture add up. */
typedef struct ImportedPlanes {
    unsigned w, h, bpc; /* of luma; the pixel format counts as 4:2:0 */
    unsigned index;
    bool is_ref;
    unsigned planes; /* of this call */
    unsigned whole;  /* planes of a complete picture */
    uint32_t kind;   /* VMAF_BACKEND_IMPORT_* */
    unsigned first_handle, n_handles;
    uint64_t handles[VMAF_BACKEND_MAX_HANDLES];
} ImportedPlanes;

/* 0; -EINVAL for a format other than the first one's, a plane that was imported before, or more
 * pairs than can wait to be read; -ENOTSUP; -ENOMEM; -EIO; -ENOSYS. */
int imports_add(InteropState *state, const Vendor *vendor, const ImportedPlanes *planes);
/* See vmaf_read_pictures; -EINVAL unless both pictures are complete. Drops the pair. */
int imports_read(VmafContext *context, const Vendor *vendor, unsigned index);
/* Waits until nothing reads what was imported: pictures that are still needed are copied to host
 * memory. 0; -EIO, -ENOSYS, -EINVAL. */
int imports_wait(InteropState *state, const Vendor *vendor);
/* Drops pictures; the second, memory as well. */
void imports_leave_context(InteropState *state);
void imports_clear(InteropState *state);

/* A range of memory that the device maps. 0; -EINVAL, -ENOTSUP, -ENOMEM, -EIO, -ENOSYS. */
int imports_map(InteropState *state, const Vendor *vendor, const VmafBackendImport *memory,
                size_t size, void **address);
void imports_unmap(InteropState *state, void *address);

#endif
