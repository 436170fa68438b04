/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "picture_supply.h"

#include <errno.h>
#include <limits.h>

#include "engine/requests/work_list.h"
#include "platform/machine.h"

static unsigned all_planes(const PictureFormat *format)
{
    return picture_format_planes(format->pix_fmt) == 1 ? PLANE_Y : PLANE_Y | PLANE_CHROMA;
}

int picture_supply_set_up(VmafContext *context, const Vendor *vendor,
                          const PictureSupplyParams *params)
{
    InteropState *state = interop_state_of(context, vendor);
    if (!state || params->method >= vendor->n_methods)
        return vendor_refusal(vendor);
    const PictureMethod method = vendor->methods[params->method];
    PictureSupply *supply = &state->supply;
    if (supply->method != METHOD_NONE)
        return -EBUSY;
    PictureFormat format;
    bool invalid = !params->w || !params->h ||
                   picture_format_init(&format, params->pix_fmt, params->bpc, params->w, params->h);
    if (method == METHOD_NONE) {
        if (!invalid)
            supply->format = format;
        return 0;
    }
    if (invalid)
        return -EINVAL;

    bool on_device = method == METHOD_DEVICE;
    if (method != METHOD_HOST) {
        const BackendBufferParams buffers = {
            .kind = on_device ? vendor->ring_memory : VMAF_BACKEND_BUFFER_PINNED,
            .format = format,
            .planes = all_planes(&format),
        };
        int err = buffer_ring_create(&supply->ring, state->device, &buffers,
                                     on_device ? vendor->ring_size : 1);
        if (err)
            return vendor_error(err);
    }
    supply->format = format;
    supply->method = method;
    return 0;
}

static int fetch_host_picture(const PictureFormat *format, VmafPicture *pic)
{
    return picture_alloc(pic, format->pix_fmt, format->bpc, format->w[0], format->h[0]);
}

/*
 * A program may write luma and nothing else into the picture that it fetches, and the chroma of an
 * earlier one would be scored. So chroma that a feature may need carries a mark, which
 * vmaf_read_pictures looks for.
 */
static void mark_chroma(const VmafContext *context, PictureSupply *supply, const VmafPicture *pic)
{
    const unsigned needed = context->started
                                ? feature_set_needs(&context->features, pic->pix_fmt).planes
                                : PLANE_CHROMA;
    if (!(needed & PLANE_CHROMA & all_planes(&supply->format)) ||
        buffer_ring_is_filled(supply->ring))
        return;
    if (!supply->has_mark)
        supply->has_mark = vmaf_random_bytes(supply->mark, sizeof(supply->mark));
    if (supply->has_mark) /* a backend that cannot do this trusts the program */
        (void)buffer_picture_mark(pic, PLANE_CHROMA, supply->mark);
}

static int fetch_device_picture(VmafContext *context, const Vendor *vendor, InteropState *state,
                                VmafPicture *pic)
{
    PictureSupply *supply = &state->supply;
    int err = vendor_ring_fetch(state, supply->ring, vendor->ring_size, pic);
    if (!err && vendor->ring_memory == VMAF_BACKEND_BUFFER_DEVICE)
        mark_chroma(context, supply, pic);
    return err;
}

int picture_supply_fetch(VmafContext *context, const Vendor *vendor, VmafPicture *pic)
{
    InteropState *state = interop_state_of(context, vendor);
    if (!state || !pic)
        return vendor_refusal(vendor);
    const PictureSupply *supply = &state->supply;
    switch (supply->method) {
    case METHOD_DEVICE:
        return fetch_device_picture(context, vendor, state, pic);
    case METHOD_PINNED:
        return vendor_ring_fetch(state, supply->ring, UINT_MAX, pic);
    case METHOD_HOST:
        return fetch_host_picture(&supply->format, pic);
    case METHOD_NONE:
        break;
    }
    if (!vendor->has_stream_picture)
        return -EINVAL;
    return fetch_host_picture(context->started ? &context->work.format : &supply->format, pic);
}

void picture_supply_clear(InteropState *state)
{
    buffer_ring_close(state->supply.ring);
    state->supply = (PictureSupply){0};
}
