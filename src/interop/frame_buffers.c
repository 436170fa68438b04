/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "frame_buffers.h"

#include <errno.h>

#include "support/memory.h"

enum { PAIRS = 2, PICTURES = 2 * PAIRS };

static int luma_format(PictureFormat *target, LumaFormat format)
{
    if (!format.w || !format.h)
        return -EINVAL;
    return picture_format_init(target, VMAF_PIX_FMT_YUV420P, format.bpc, format.w, format.h);
}

static size_t row_size(const PictureFormat *format)
{
    return (size_t)format->w[0] * (format->bpc > 8 ? 2 : 1);
}

int frame_buffers_set_up(VmafContext *context, const Vendor *vendor, LumaFormat format)
{
    InteropState *state = interop_state_of(context, vendor);
    if (!state)
        return vendor_refusal(vendor);
    if (state->frames.ring)
        return -EBUSY;
    BackendBufferParams buffers = {
        .kind = VMAF_BACKEND_BUFFER_DEVICE,
        .planes = PLANE_Y,
        .packed = true,
    };
    int err = luma_format(&buffers.format, format);
    if (!err)
        err = buffer_ring_create(&state->frames.ring, state->device, &buffers, PICTURES);
    if (!err)
        state->frames.format = buffers.format;
    return vendor_error(err);
}

/* Ensures that there is a pair to fill. */
static int take_pair(InteropState *state)
{
    FrameBuffers *frames = &state->frames;
    if (!frames->ring)
        return -EINVAL;
    int err = 0;
    if (!frames->ref.ref)
        err = vendor_ring_fetch(state, frames->ring, PICTURES, &frames->ref);
    if (!err && !frames->dist.ref)
        err = vendor_ring_fetch(state, frames->ring, PICTURES, &frames->dist);
    return vendor_error(err);
}

int frame_buffers_current(VmafContext *context, const Vendor *vendor, void **ref, void **dist)
{
    InteropState *state = interop_state_of(context, vendor);
    if (!state || !ref || !dist)
        return vendor_refusal(vendor);
    int err = take_pair(state);
    if (err)
        return err;
    *ref = state->frames.ref.data[0];
    *dist = state->frames.dist.data[0];
    return 0;
}

int frame_buffers_read(VmafContext *context, const Vendor *vendor, unsigned index)
{
    InteropState *state = interop_state_of(context, vendor);
    if (!state)
        return vendor_refusal(vendor);
    FrameBuffers *frames = &state->frames;
    if (!frames->ref.ref || !frames->dist.ref) /* no pair was filled */
        return -EINVAL;
    return context_read(context, &frames->ref, &frames->dist, index);
}

/* Finds the picture that luma of this format is copied to. */
static int target(InteropState *state, const Vendor *vendor, bool is_ref, LumaFormat format,
                  const VmafPicture **pic)
{
    PictureFormat expected;
    if (!state)
        return vendor_refusal(vendor);
    if (luma_format(&expected, format) || !picture_format_equal(&expected, &state->frames.format))
        return -EINVAL;
    *pic = is_ref ? &state->frames.ref : &state->frames.dist;
    return take_pair(state);
}

int frame_buffers_upload(InteropState *state, const Vendor *vendor, const void *luma, size_t pitch,
                         bool is_ref, LumaFormat format)
{
    const VmafPicture *pic = NULL;
    int err = target(state, vendor, is_ref, format, &pic);
    if (err)
        return err;
    if (!luma || pitch < row_size(&state->frames.format) || pitch > PTRDIFF_MAX)
        return -EINVAL;
    const void *const data[3] = {luma};
    const ptrdiff_t stride[3] = {(ptrdiff_t)pitch};
    return vendor_error(buffer_picture_upload(pic, data, stride));
}

/* Goes through the host, since backends do not copy from buffer to buffer. */
static int copy_luma(BackendBuffer *from, const VmafPicture *to, const PictureFormat *format)
{
    const size_t row = row_size(format);
    void *luma = memory_alloc(format->h[0], row);
    if (!luma)
        return -ENOMEM;
    void *const data[3] = {luma};
    const ptrdiff_t stride[3] = {(ptrdiff_t)row};
    int err = backend_buffer_download(from, data, stride);
    if (err == -ETIMEDOUT) /* the device may still write to it */
        return err;
    const void *const source[3] = {luma};
    if (!err)
        err = buffer_picture_upload(to, source, stride);
    memory_free(luma);
    return err;
}

int frame_buffers_import(InteropState *state, const Vendor *vendor,
                         const VmafBackendImport *picture, bool is_ref, LumaFormat format)
{
    const VmafPicture *pic = NULL;
    int err = target(state, vendor, is_ref, format, &pic);
    if (err)
        return err;
    BackendBuffer *buffer;
    err = backend_buffer_import(&buffer, state->device, &state->frames.format, PLANE_Y, picture,
                                NULL, NULL);
    if (err)
        return vendor_error(err);
    err = copy_luma(buffer, pic, &state->frames.format);
    backend_buffer_release(buffer);
    return vendor_error(err);
}

void frame_buffers_clear(InteropState *state)
{
    FrameBuffers *frames = &state->frames;
    picture_unref(&frames->ref);
    picture_unref(&frames->dist);
    buffer_ring_close(frames->ring);
    *frames = (FrameBuffers){0};
}
