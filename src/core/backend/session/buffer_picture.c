/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Buffers of a device as pictures, rings of them, and pictures that exist on a device. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/session/buffers.h"
#include "platform/thread.h"
#include "support/memory.h"

/* One buffer, and the copy of what is in it. */
typedef struct BufferPicture {
    PictureBacking backing;
    PictureFormat format;
    BackendBuffer *buffer; /* NULL: detached */

    VmafMutex lock;
    void *block; /* of the copy, which is there or not (backing.on_host); kept for the next use */
    void *data[3];
    ptrdiff_t stride[3];
    unsigned copied; /* planes that are in the copy */

    unsigned marked; /* planes with a mark of whoever fetched it, unless the program wrote there */
    uint8_t mark[VMAF_BACKEND_MARK_SIZE];

    PictureRelease release; /* of the memory behind an imported buffer; NULL: not wanted */
    void *cookie;

    /* In a ring. */
    BufferRing *ring;
    struct BufferPicture *next, *next_free;
} BufferPicture;

/* A program that has filled so many pictures fills all of them; looking costs a wait each time. */
enum { ENOUGH_WRITTEN = 16 };

struct BufferRing {
    BackendDevice *device;
    BackendBufferParams params;
    VmafMutex lock;
    VmafCondition returned;
    BufferPicture *pictures, *free_list;
    unsigned in_use;
    atomic_uint n_written; /* pictures whose marks were all overwritten, in a row */
    bool closed;
};

/* ---- one picture ---- */

static int make_block(BufferPicture *picture)
{
    picture->block = picture_planes_alloc(&picture->format, picture->data, picture->stride);
    for (unsigned p = 0; p < 3; p++) {
        if (!(picture->backing.planes >> p & 1))
            picture->data[p] = NULL;
    }
    return picture->block ? 0 : -ENOMEM;
}

/* Planes that somebody reads; all of them until that is known. */
static unsigned wanted_planes(const BufferPicture *picture)
{
    const unsigned wanted = atomic_load(&picture->backing.wanted) & picture->backing.planes;
    return wanted ? wanted : picture->backing.planes;
}

/* Locked. 1 if there was something to copy, 0, or a negative errno. */
static int copy(BufferPicture *picture)
{
    const unsigned missing = wanted_planes(picture) & ~picture->copied;
    int err = !missing || picture->block ? 0 : make_block(picture);
    if (err || !missing)
        return err;
    void *data[3];
    for (unsigned p = 0; p < 3; p++)
        data[p] = missing >> p & 1 ? picture->data[p] : NULL;
    err = backend_buffer_download(picture->buffer, data, picture->stride);
    if (err == -ETIMEDOUT)
        picture->block = NULL; /* somebody may still write there */
    if (err)
        return err;
    picture->copied |= missing;
    atomic_store(&picture->backing.on_host, true);
    return 1;
}

static int to_host(PictureBacking *backing, void *data[3], ptrdiff_t stride[3])
{
    BufferPicture *picture = (BufferPicture *)backing;
    vmaf_mutex_lock(&picture->lock);
    int err = copy(picture);
    for (unsigned p = 0; p < 3; p++)
        data[p] = picture->copied >> p & 1 ? picture->data[p] : NULL;
    memcpy(stride, picture->stride, sizeof(picture->stride));
    vmaf_mutex_unlock(&picture->lock);
    return err;
}

/* Takes over the buffer on success. */
static BufferPicture *picture_create(BackendBuffer *buffer, const PictureFormat *format)
{
    BufferPicture *picture = calloc(1, sizeof(*picture));
    if (!picture)
        return NULL;
    bool pinned = buffer->kind == VMAF_BACKEND_BUFFER_PINNED;
    vmaf_mutex_init(&picture->lock);
    picture->buffer = buffer;
    picture->format = *format;
    picture->backing = (PictureBacking){
        .memory = pinned ? PICTURE_PINNED : PICTURE_DEVICE,
        .backend = backend_device_plugin(buffer->device)->name,
        .device = buffer->device,
        .planes = buffer->planes,
        .to_host = to_host,
    };
    return picture;
}

static void release_buffer(BufferPicture *picture)
{
    const bool released = backend_buffer_release(picture->buffer);
    if (picture->buffer && released && picture->release)
        picture->release(picture->cookie);
    picture->buffer = NULL;
}

static void picture_destroy(BufferPicture *picture)
{
    release_buffer(picture);
    memory_free(picture->block);
    vmaf_mutex_destroy(&picture->lock);
    free(picture);
}

static void release_single(void *cookie)
{
    picture_destroy(cookie);
}

static int wrap(VmafPicture *pic, BufferPicture *picture, PictureRelease release)
{
    void *data[3];
    ptrdiff_t stride[3];
    backend_buffer_place(picture->buffer, data, stride);
    int err = picture_wrap(pic, &picture->format, data, stride, release, picture);
    if (!err)
        picture_set_backing(pic, &picture->backing);
    return err;
}

/*
 * Takes ownership of the buffer, which is released with the last reference; then `release` is
 * called, unless it is NULL or the backend may still use the memory. 0, -ENOMEM.
 */
static int buffer_picture_wrap(VmafPicture *pic, BackendBuffer *buffer, const PictureFormat *format,
                               PictureRelease release, void *cookie)
{
    BufferPicture *picture = picture_create(buffer, format);
    if (!picture)
        return -ENOMEM;
    int err = wrap(pic, picture, release_single);
    if (err) {
        picture->buffer = NULL;
        picture_destroy(picture);
        return err;
    }
    picture->release = release;
    picture->cookie = cookie;
    return 0;
}

static BufferPicture *behind(const VmafPicture *pic)
{
    PictureBacking *backing = picture_backing(pic);
    return backing && backing->to_host == to_host ? (BufferPicture *)backing : NULL;
}

VmafBackendBuffer *buffer_of_picture(const VmafPicture *pic, const BackendDevice *device)
{
    const BufferPicture *picture = behind(pic);
    bool usable = picture && picture->buffer && picture->buffer->device == device;
    return usable ? picture->buffer->handle : NULL;
}

int buffer_picture_upload(const VmafPicture *pic, const void *const data[3],
                          const ptrdiff_t stride[3])
{
    BufferPicture *picture = behind(pic);
    if (!picture || !picture->buffer)
        return -EINVAL;
    return backend_buffer_upload(picture->buffer, data, stride);
}

int buffer_picture_mark(const VmafPicture *pic, unsigned planes,
                        const uint8_t mark[VMAF_BACKEND_MARK_SIZE])
{
    BufferPicture *picture = behind(pic);
    if (!picture || !picture->buffer)
        return -EINVAL;
    planes &= picture->backing.planes;
    int err = planes ? backend_buffer_mark(picture->buffer, planes, mark) : 0;
    picture->marked = err ? 0 : planes;
    memcpy(picture->mark, mark, sizeof(picture->mark));
    return err;
}

int buffer_picture_unwritten(const VmafPicture *pic, unsigned *planes)
{
    BufferPicture *picture = behind(pic);
    *planes &= picture && picture->buffer ? picture->marked : 0;
    if (!*planes)
        return 0;
    int err = backend_buffer_marked(picture->buffer, planes, picture->mark);
    if (!err && picture->ring)
        atomic_store(&picture->ring->n_written,
                     *planes ? 0 : atomic_load(&picture->ring->n_written) + 1);
    return err;
}

bool buffer_ring_is_filled(const BufferRing *ring)
{
    return atomic_load(&ring->n_written) >= ENOUGH_WRITTEN;
}

int buffer_picture_detach(const VmafPicture *pic)
{
    BufferPicture *picture = behind(pic);
    if (!picture || !picture->buffer)
        return 0;
    vmaf_mutex_lock(&picture->lock);
    int err = copy(picture);
    if (err >= 0)
        release_buffer(picture);
    vmaf_mutex_unlock(&picture->lock);
    return err < 0 ? err : 0;
}

/* ---- rings ---- */

static void ring_destroy(BufferRing *ring)
{
    while (ring->pictures) {
        BufferPicture *picture = ring->pictures;
        ring->pictures = picture->next;
        picture_destroy(picture);
    }
    backend_device_release(ring->device);
    vmaf_condition_destroy(&ring->returned);
    vmaf_mutex_destroy(&ring->lock);
    free(ring);
}

static int make_picture(BufferRing *ring, BufferPicture **created)
{
    BackendBuffer *buffer;
    int err = backend_buffer_create(&buffer, ring->device, &ring->params);
    if (err)
        return err;
    *created = picture_create(buffer, &ring->params.format);
    if (!*created) {
        backend_buffer_release(buffer);
        return -ENOMEM;
    }
    (*created)->ring = ring;
    return 0;
}

int buffer_ring_create(BufferRing **created, BackendDevice *device,
                       const BackendBufferParams *params, unsigned count)
{
    BufferRing *ring = calloc(1, sizeof(*ring));
    if (!ring)
        return -ENOMEM;
    vmaf_mutex_init(&ring->lock);
    vmaf_condition_init(&ring->returned);
    backend_device_hold(device);
    ring->device = device;
    ring->params = *params;
    for (unsigned i = 0; i < count; i++) {
        BufferPicture *picture;
        int err = make_picture(ring, &picture);
        if (err) {
            ring_destroy(ring);
            return err;
        }
        picture->next = ring->pictures;
        ring->pictures = picture;
        picture->next_free = ring->free_list;
        ring->free_list = picture;
    }
    *created = ring;
    return 0;
}

/* One picture less is in use. Called with the lock; unlocks, and destroys a ring that is no
 * longer needed. */
static void leave_ring(BufferRing *ring)
{
    bool last = --ring->in_use == 0 && ring->closed;
    vmaf_condition_signal(&ring->returned);
    vmaf_mutex_unlock(&ring->lock);
    if (last)
        ring_destroy(ring);
}

static void give_back(void *cookie)
{
    BufferPicture *picture = cookie;
    BufferRing *ring = picture->ring;
    vmaf_mutex_lock(&ring->lock);
    picture->next_free = ring->free_list;
    ring->free_list = picture;
    leave_ring(ring);
}

/* A picture that a plugin which hangs may still read will never come back. */
static void lose(void *cookie)
{
    BufferPicture *lost = cookie;
    BufferRing *ring = lost->ring;
    vmaf_mutex_lock(&ring->lock);
    BufferPicture **link = &ring->pictures;
    while (*link != lost)
        link = &(*link)->next;
    *link = lost->next;
    leave_ring(ring);
}

/* A picture of its own for the caller, who counts as one in use already. */
static int add_picture(BufferRing *ring, BufferPicture **picture)
{
    int err = make_picture(ring, picture);
    vmaf_mutex_lock(&ring->lock);
    if (err) {
        leave_ring(ring);
        return err;
    }
    (*picture)->next = ring->pictures;
    ring->pictures = *picture;
    vmaf_mutex_unlock(&ring->lock);
    return 0;
}

int buffer_ring_fetch(BufferRing *ring, unsigned limit, VmafPicture *pic)
{
    vmaf_mutex_lock(&ring->lock);
    while (ring->in_use >= limit && !backend_device_is_abandoned(ring->device))
        vmaf_condition_wait(&ring->returned, &ring->lock);
    if (backend_device_is_abandoned(ring->device)) {
        vmaf_mutex_unlock(&ring->lock);
        return -ENODEV;
    }
    BufferPicture *picture = ring->free_list;
    if (picture)
        ring->free_list = picture->next_free;
    ring->in_use++;
    vmaf_mutex_unlock(&ring->lock);

    int err = picture ? 0 : add_picture(ring, &picture);
    if (err)
        return err;
    atomic_store(&picture->backing.on_host, false);
    atomic_store(&picture->backing.wanted, 0);
    picture->copied = 0;
    picture->marked = 0;
    err = wrap(pic, picture, give_back);
    if (err)
        give_back(picture);
    else
        picture_on_keep(pic, lose);
    return err;
}

bool buffer_ring_owns(BufferRing *ring, const VmafPicture *pic)
{
    const BufferPicture *picture = behind(pic);
    return picture && picture->ring == ring;
}

void buffer_ring_close(BufferRing *ring)
{
    if (!ring)
        return;
    vmaf_mutex_lock(&ring->lock);
    ring->closed = true;
    bool last = ring->in_use == 0;
    vmaf_mutex_unlock(&ring->lock);
    if (last)
        ring_destroy(ring);
}

static bool needs_1_1(const PictureImport *import)
{
    const VmafBackendImport *source = &import->source;
    return source->layout || source->shift || source->size || source->n_objects || source->fourcc ||
           source->modifier || import->wait.kind || import->signal.kind;
}

/* What the backend says of its device. Nothing is known of one that the application has opened. */
static int check_offer(const BackendDevice *device, const PictureImport *import, Reason *why)
{
    const Plugin *plugin = backend_device_plugin(device);
    const BackendDeviceDescription *description = backend_device_description(device);
    const uint32_t kind = import->source.kind;
    const uint32_t syncs = 1u << import->wait.kind | 1u << import->signal.kind;
    if (!plugin->api.buffer_import ||
        (description && (kind >= IMPORT_KINDS || !(description->imports >> kind & 1))))
        return reason_set(why, -ENOTSUP, "backend %s does not take %s", plugin->name,
                          backend_import_kind_name(kind));
    if (needs_1_1(import) && plugin->abi_minor < 1)
        return reason_set(
            why, -ENOTSUP,
            "backend %s has interface %u.%u, which knows planar pictures that are ready",
            plugin->name, plugin->abi_major, plugin->abi_minor);
    if (description && (syncs & ~1u & ~description->syncs))
        return reason_set(why, -ENOTSUP, "backend %s cannot wait for or signal such an object",
                          plugin->name);
    return 0;
}

int picture_import(VmafPicture *pic, BackendDevice *device, const PictureImport *import,
                   Reason *why)
{
    int err = check_offer(device, import, why);
    if (err)
        return err;
    BackendBuffer *buffer;
    err = backend_buffer_import(&buffer, device, &import->format, import->planes, &import->source,
                                &import->wait, &import->signal);
    if (err) {
        const char *name = backend_device_plugin(device)->name;
        return err == -ENOMEM
                   ? reason_set(why, err, "out of memory")
                   : reason_set(why, err, "backend %s refuses %s%s", name,
                                backend_import_kind_name(import->source.kind),
                                err == -ENOTSUP ? " of this layout or this kind of synchronisation"
                                                : "");
    }
    err = buffer_picture_wrap(pic, buffer, &import->format, import->release, import->cookie);
    if (err)
        backend_buffer_release(buffer);
    return err ? reason_set(why, err, "out of memory") : 0;
}
