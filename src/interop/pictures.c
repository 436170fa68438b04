/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures that an application fills on the device, or that it has there already. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "backend/session/buffers.h"
#include "engine/work_list.h"
#include "interop.h"
#include "platform/machine.h"
#include "support/log.h"
#include "support/memory.h"

/* ---- Pictures that the application fetches ---- */

static unsigned all_planes(const PictureFormat *format)
{
    return picture_format_planes(format->pix_fmt) == 1 ? PLANE_Y : PLANE_Y | PLANE_CHROMA;
}

int picture_supply_set_up(VmafContext *context, const Vendor *vendor,
                          const PictureSupplyParams *params)
{
    InteropState *state = interop_state_of(context, vendor);
    if (!state || params->method >= vendor->n_methods)
        return vendor_rejection(vendor);
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
        return vendor_rejection(vendor);
    const PictureSupply *supply = &state->supply;
    const PictureFormat *format = &supply->format;
    switch (supply->method) {
    case METHOD_DEVICE:
        return fetch_device_picture(context, vendor, state, pic);
    case METHOD_PINNED:
        return vendor_ring_fetch(state, supply->ring, UINT_MAX, pic);
    case METHOD_HOST:
        break;
    case METHOD_NONE:
        if (!vendor->has_stream_picture)
            return -EINVAL;
        if (context->started)
            format = &context->work.format;
        break;
    }
    return picture_alloc(pic, format->pix_fmt, format->bpc, format->w[0], format->h[0]);
}

void picture_supply_clear(InteropState *state)
{
    buffer_ring_close(state->supply.ring);
    state->supply = (PictureSupply){0};
}

/* ---- Pairs of luma that it fills in place ---- */

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
        return vendor_rejection(vendor);
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
        return vendor_rejection(vendor);
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
        return vendor_rejection(vendor);
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
        return vendor_rejection(vendor);
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

/* ---- Pictures that exist on the device ---- */

enum { WAITING_PAIRS_MAX = 8, REF = 0, DIST = 1 };

/* A picture, or the planes of it that were imported so far. */
typedef struct ImportedPicture {
    VmafPicture pic; /* valid once it is complete */
    unsigned planes;
    VmafBackendImport import;
} ImportedPicture;

struct ImportedPair {
    struct ImportedPair *next;
    unsigned index;
    ImportedPicture pictures[2];
};

struct MappedMemory {
    struct MappedMemory *next;
    BackendBuffer *buffer;
    void *address;
};

static struct ImportedPair **find_pair(Imports *imports, unsigned index)
{
    struct ImportedPair **link = &imports->pairs;
    while (*link && (*link)->index != index)
        link = &(*link)->next;
    return link;
}

static void drop_pair(struct ImportedPair **link)
{
    struct ImportedPair *pair = *link;
    *link = pair->next;
    picture_unref(&pair->pictures[REF].pic);
    picture_unref(&pair->pictures[DIST].pic);
    free(pair);
}

static unsigned pairs_limit(const InteropState *state)
{
    return state->frames_in_flight ? state->frames_in_flight : WAITING_PAIRS_MAX;
}

static int add_pair(InteropState *state, unsigned index, struct ImportedPair **added)
{
    unsigned n = 0;
    for (const struct ImportedPair *pair = state->imports.pairs; pair; pair = pair->next)
        n++;
    if (n >= pairs_limit(state))
        return -EINVAL;
    struct ImportedPair *pair = calloc(1, sizeof(*pair));
    if (!pair)
        return -ENOMEM;
    pair->index = index;
    pair->next = state->imports.pairs;
    state->imports.pairs = pair;
    *added = pair;
    return 0;
}

static void forget_unused(Imports *imports)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < imports->n_submitted; i++) {
        if (picture_is_last(&imports->submitted[i]))
            picture_unref(&imports->submitted[i]);
        else
            imports->submitted[kept++] = imports->submitted[i];
    }
    imports->n_submitted = kept;
}

/* Makes room for a pair. */
static int reserve(Imports *imports)
{
    forget_unused(imports);
    VmafPicture *moved = reallocarray(imports->submitted, imports->n_submitted + 2, sizeof(*moved));
    if (moved)
        imports->submitted = moved;
    return moved ? 0 : -ENOMEM;
}

static int check_format(Imports *imports, const ImportedPlanes *planes, PictureFormat *format)
{
    if (!planes->w || !planes->h ||
        picture_format_init(format, VMAF_PIX_FMT_YUV420P, planes->bpc, planes->w, planes->h))
        return -EINVAL;
    bool first = imports->format.bpc == 0;
    return first || picture_format_equal(format, &imports->format) ? 0 : -EINVAL;
}

static int make_picture(InteropState *state, ImportedPicture *picture, const PictureFormat *format)
{
    const PictureImport import = {
        .format = *format, .planes = picture->planes, .source = picture->import};
    Reason why = {{0}};
    int err = picture_import(&picture->pic, state->device, &import, &why);
    if (err)
        log_message(NULL, VMAF_LOG_LEVEL_WARNING, "%s", why.text);
    return err;
}

static int add_planes(InteropState *state, ImportedPicture *picture, const ImportedPlanes *planes,
                      const PictureFormat *format)
{
    if (picture->planes & planes->planes)
        return -EINVAL;
    picture->planes |= planes->planes;
    picture->import.kind = planes->kind;
    memcpy(picture->import.handles + planes->first_handle, planes->handles,
           planes->n_handles * sizeof(planes->handles[0]));
    unsigned end = planes->first_handle + planes->n_handles;
    if (picture->import.n_handles < end)
        picture->import.n_handles = end;
    int err = picture->planes == planes->whole ? make_picture(state, picture, format) : 0;
    if (err)
        picture->planes &= ~planes->planes;
    return err;
}

int imports_add(InteropState *state, const Vendor *vendor, const ImportedPlanes *planes)
{
    PictureFormat format;
    if (!state)
        return vendor_rejection(vendor);
    if (backend_device_is_foreign(state->device))
        return -EIO;
    int err = check_format(&state->imports, planes, &format);
    if (err)
        return err;
    forget_unused(&state->imports);
    struct ImportedPair *pair = *find_pair(&state->imports, planes->index);
    bool is_new = !pair;
    if (is_new)
        err = add_pair(state, planes->index, &pair);
    if (err)
        return err;
    err = add_planes(state, &pair->pictures[planes->is_ref ? REF : DIST], planes, &format);
    if (err && is_new)
        drop_pair(find_pair(&state->imports, planes->index));
    if (!err)
        state->imports.format = format;
    return vendor_error(err);
}

int imports_read(VmafContext *context, const Vendor *vendor, unsigned index)
{
    InteropState *state = interop_state_of(context, vendor);
    if (!state)
        return vendor_rejection(vendor);
    Imports *imports = &state->imports;
    struct ImportedPair **link = find_pair(imports, index);
    struct ImportedPair *pair = *link;
    if (context->flushed || !pair || !pair->pictures[REF].pic.ref || !pair->pictures[DIST].pic.ref)
        return -EINVAL;
    int err = reserve(imports);
    if (err)
        return err;
    for (int i = REF; i <= DIST; i++)
        imports->submitted[imports->n_submitted++] = picture_ref(&pair->pictures[i].pic);
    err = context_read(context, &pair->pictures[REF].pic, &pair->pictures[DIST].pic, index);
    drop_pair(link);
    forget_unused(imports);
    return err;
}

int imports_wait(InteropState *state, const Vendor *vendor)
{
    if (!state)
        return vendor_rejection(vendor);
    if (backend_device_is_foreign(state->device))
        return -EIO;
    Imports *imports = &state->imports;
    if (state->context) /* errors of features do not matter here */
        context_wait(state->context);
    forget_unused(imports);
    int err = 0;
    for (unsigned i = 0; i < imports->n_submitted && !err; i++)
        err = buffer_picture_detach(&imports->submitted[i]);
    for (struct ImportedPair *pair = imports->pairs; pair && !err; pair = pair->next) {
        for (int i = REF; i <= DIST && !err; i++)
            err = buffer_picture_detach(&pair->pictures[i].pic);
    }
    return err ? -EIO : 0;
}

/* ---- Memory that the device maps ---- */

int imports_map(InteropState *state, const Vendor *vendor, const VmafBackendImport *memory,
                size_t size, void **address)
{
    PictureFormat format;
    if (!state)
        return vendor_rejection(vendor);
    /* A picture of one row of bytes: backends know pictures only. */
    if (!size || size > UINT32_MAX ||
        picture_format_init(&format, VMAF_PIX_FMT_YUV400P, 8, (unsigned)size, 1))
        return -EINVAL;
    struct MappedMemory *mapped = calloc(1, sizeof(*mapped));
    if (!mapped)
        return -ENOMEM;
    int err =
        backend_buffer_import(&mapped->buffer, state->device, &format, PLANE_Y, memory, NULL, NULL);
    if (err) {
        free(mapped);
        return vendor_error(err);
    }
    void *data[3];
    ptrdiff_t stride[3];
    backend_buffer_place(mapped->buffer, data, stride);
    if (!data[0]) {
        backend_buffer_release(mapped->buffer);
        free(mapped);
        return -ENOTSUP;
    }
    *address = mapped->address = data[0];
    mapped->next = state->imports.mapped;
    state->imports.mapped = mapped;
    return 0;
}

static void drop_mapped(struct MappedMemory **link)
{
    struct MappedMemory *mapped = *link;
    *link = mapped->next;
    backend_buffer_release(mapped->buffer);
    free(mapped);
}

void imports_unmap(InteropState *state, void *address)
{
    struct MappedMemory **link = &state->imports.mapped;
    while (*link && (*link)->address != address)
        link = &(*link)->next;
    if (*link)
        drop_mapped(link);
}

/* ---- The end ---- */

void imports_leave_context(InteropState *state)
{
    Imports *imports = &state->imports;
    while (imports->pairs)
        drop_pair(&imports->pairs);
    for (unsigned i = 0; i < imports->n_submitted; i++)
        picture_unref(&imports->submitted[i]);
    free(imports->submitted);
    *imports = (Imports){.mapped = imports->mapped};
}

void imports_clear(InteropState *state)
{
    imports_leave_context(state);
    while (state->imports.mapped)
        drop_mapped(&state->imports.mapped);
}
