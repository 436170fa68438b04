/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef INTEROP_INTEROP_STATE_H
#define INTEROP_INTEROP_STATE_H

/*
 * The implementation of the vendor headers' states (VmafCudaState and so on): an opened device, and
 * what a context and its application exchange through it. Nothing here depends on the vendor.
 *
 * The functions of this layer check the application's arguments: for invalid ones they return
 * vendor_refusal().
 */

#include "backend/session/backend_buffer_picture.h"
#include "engine/context.h"

/* Pictures that the application fetches; see picture_supply.h. */
typedef enum PictureMethod { METHOD_NONE, METHOD_DEVICE, METHOD_HOST, METHOD_PINNED } PictureMethod;

typedef struct Vendor {
    const char *backend;     /* name of the plugin */
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

/* Pairs of luma that the application fills in place; see frame_buffers.h. */
typedef struct FrameBuffers {
    PictureFormat format;
    BufferRing *ring;
    VmafPicture ref, dist; /* the pair to fill next; empty: not requested yet */
} FrameBuffers;

/* Pictures that exist on the device; see imports.h. */
typedef struct Imports {
    PictureFormat format; /* of the first one; zero: none so far */
    struct ImportedPair *pairs;
    VmafPicture *handed_over; /* a reference to each that may still be in use */
    unsigned n_handed_over;
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

/* Why a call with wrong arguments fails: -ENOSYS if there is no plugin, else -EINVAL. */
int vendor_refusal(const Vendor *vendor);
/* 1 if the plugin is installed and sees a device, else 0. */
int vendor_available(const Vendor *vendor);
/* Calls `show` for each device; returns their number, -ENOSYS without a plugin, or -EIO. */
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

#endif
