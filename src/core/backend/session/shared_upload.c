/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdlib.h>

#include "backend/session/buffers.h"
#include "backend/session/session.h"
#include "picture/picture_pool.h"
#include "platform/thread.h"
#include "trace/trace.h"

/* Planes of a picture, in bits, make so many sets. */
enum { PLANE_SETS = 8 };
/* Devices, or sets of planes, that one picture is uploaded to. */
enum { COPIES_MAX = 8 };

/* A buffer that no picture is in. */
typedef struct FreeBuffer {
    BackendBuffer *buffer;
    PictureFormat format;
    struct FreeBuffer *next;
} FreeBuffer;

/* A device that has readers. */
typedef struct ReadDevice {
    const BackendDevice *device;
    unsigned n_readers[PLANE_SETS]; /* by the planes that they read */
    bool failed;                    /* no further buffer is asked for */
    FreeBuffer *free_list;
    struct ReadDevice *next;
} ReadDevice;

struct SharedUploads {
    atomic_uint references;
    VmafMutex lock;
    ReadDevice *devices;
};

typedef enum CopyState {
    COPY_IN_WORK,
    COPY_READY,
    COPY_FAILED,
} CopyState;

/* The picture on one device. */
typedef struct Copy {
    const BackendDevice *device;
    unsigned planes;
    CopyState state;
    FreeBuffer *holder; /* of the buffer; NULL: there is none */
} Copy;

typedef struct SharedUpload {
    PictureAttachment attachment;
    SharedUploads *uploads;
    VmafMutex lock;
    VmafCondition changed;
    Copy copies[COPIES_MAX];
    unsigned n_copies;
} SharedUpload;

/* ---- who reads ---- */

int shared_uploads_create(SharedUploads **created)
{
    SharedUploads *uploads = calloc(1, sizeof(*uploads));
    if (!uploads)
        return -ENOMEM;
    atomic_init(&uploads->references, 1);
    vmaf_mutex_init(&uploads->lock);
    *created = uploads;
    return 0;
}

SharedUploads *shared_uploads_ref(SharedUploads *uploads)
{
    if (uploads)
        atomic_fetch_add_explicit(&uploads->references, 1, memory_order_relaxed);
    return uploads;
}

static void release_buffers(FreeBuffer *list)
{
    while (list) {
        FreeBuffer *next = list->next;
        backend_buffer_release(list->buffer);
        free(list);
        list = next;
    }
}

void shared_uploads_unref(SharedUploads *uploads)
{
    if (!uploads || atomic_fetch_sub_explicit(&uploads->references, 1, memory_order_acq_rel) != 1)
        return;
    vmaf_mutex_destroy(&uploads->lock); /* readers hold a reference: there are no devices */
    free(uploads);
}

/* Locked. */
static ReadDevice **find_device(SharedUploads *uploads, const BackendDevice *device)
{
    ReadDevice **at = &uploads->devices;
    while (*at && (*at)->device != device)
        at = &(*at)->next;
    return at;
}

static unsigned count_readers(const ReadDevice *device)
{
    unsigned n = 0;
    for (unsigned planes = 0; planes < PLANE_SETS; planes++)
        n += device->n_readers[planes];
    return n;
}

static unsigned planes_read(const ReadDevice *device)
{
    unsigned all = 0;
    for (unsigned planes = 0; planes < PLANE_SETS; planes++)
        all |= device->n_readers[planes] ? planes : 0;
    return all;
}

static bool offers_uploads(const BackendDevice *device)
{
    const BackendDeviceDescription *description = backend_device_description(device);
    return description && description->buffers >> VMAF_BACKEND_BUFFER_UPLOADED & 1;
}

bool shared_uploads_begin_reading(SharedUploads *uploads, BackendDevice *device, unsigned planes)
{
    if (!uploads || planes >= PLANE_SETS || !offers_uploads(device))
        return false;
    vmaf_mutex_lock(&uploads->lock);
    ReadDevice **at = find_device(uploads, device);
    if (!*at)
        *at = calloc(1, sizeof(**at));
    const bool counted = *at != NULL;
    if (counted) {
        (*at)->device = device;
        (*at)->n_readers[planes]++;
    }
    vmaf_mutex_unlock(&uploads->lock);
    return counted;
}

void shared_uploads_end_reading(SharedUploads *uploads, const BackendDevice *device,
                                unsigned planes)
{
    FreeBuffer *unused = NULL;
    vmaf_mutex_lock(&uploads->lock);
    ReadDevice **at = find_device(uploads, device), *left = *at;
    left->n_readers[planes]--;
    if (!count_readers(left)) {
        unused = left->free_list;
        *at = left->next;
        free(left);
    }
    vmaf_mutex_unlock(&uploads->lock);
    release_buffers(unused);
}

/* ---- buffers ---- */

/* What a picture that several read needs on a device; 0: nothing is to be shared there. */
static unsigned planes_to_share(SharedUploads *uploads, const BackendDevice *device)
{
    vmaf_mutex_lock(&uploads->lock);
    const ReadDevice *found = *find_device(uploads, device);
    const bool shared = found && !found->failed && count_readers(found) > 1;
    const unsigned planes = shared ? planes_read(found) : 0;
    vmaf_mutex_unlock(&uploads->lock);
    return planes;
}

static FreeBuffer *take_free(SharedUploads *uploads, const BackendDevice *device, unsigned planes,
                             const PictureFormat *format)
{
    FreeBuffer *taken = NULL;
    vmaf_mutex_lock(&uploads->lock);
    ReadDevice *found = *find_device(uploads, device);
    FreeBuffer **at = found ? &found->free_list : NULL;
    while (at && *at && !taken) {
        if ((*at)->buffer->planes == planes && picture_format_equal(&(*at)->format, format)) {
            taken = *at;
            *at = taken->next;
        } else {
            at = &(*at)->next;
        }
    }
    vmaf_mutex_unlock(&uploads->lock);
    return taken;
}

static FreeBuffer *make_buffer(BackendDevice *device, unsigned planes, const PictureFormat *format)
{
    const BackendBufferParams params = {
        .kind = VMAF_BACKEND_BUFFER_UPLOADED, .format = *format, .planes = planes};
    FreeBuffer *made = malloc(sizeof(*made));
    if (!made)
        return NULL;
    made->format = *format;
    if (backend_buffer_create(&made->buffer, device, &params)) {
        free(made);
        return NULL;
    }
    return made;
}

static void note_failure(SharedUploads *uploads, const BackendDevice *device)
{
    vmaf_mutex_lock(&uploads->lock);
    ReadDevice *found = *find_device(uploads, device);
    if (found)
        found->failed = true;
    vmaf_mutex_unlock(&uploads->lock);
}

static void give_back(SharedUploads *uploads, const BackendDevice *device, FreeBuffer *buffer)
{
    vmaf_mutex_lock(&uploads->lock);
    ReadDevice *found = *find_device(uploads, device);
    buffer->next = found ? found->free_list : NULL;
    if (found)
        found->free_list = buffer;
    vmaf_mutex_unlock(&uploads->lock);
    if (!found)
        release_buffers(buffer);
}

/* ---- one picture ---- */

static void destroy(PictureAttachment *attachment)
{
    SharedUpload *upload = (SharedUpload *)attachment;
    for (unsigned i = 0; i < upload->n_copies; i++) {
        if (upload->copies[i].holder)
            give_back(upload->uploads, upload->copies[i].device, upload->copies[i].holder);
    }
    shared_uploads_unref(upload->uploads);
    vmaf_condition_destroy(&upload->changed);
    vmaf_mutex_destroy(&upload->lock);
    free(upload);
}

PictureAttachment *shared_upload_create(SharedUploads *uploads)
{
    vmaf_mutex_lock(&uploads->lock);
    bool useful = false;
    for (const ReadDevice *device = uploads->devices; device; device = device->next)
        useful |= !device->failed && count_readers(device) > 1;
    vmaf_mutex_unlock(&uploads->lock);
    SharedUpload *upload = useful ? calloc(1, sizeof(*upload)) : NULL;
    if (!upload)
        return NULL;
    atomic_init(&upload->attachment.references, 1);
    upload->attachment.destroy = destroy;
    upload->uploads = shared_uploads_ref(uploads);
    vmaf_mutex_init(&upload->lock);
    vmaf_condition_init(&upload->changed);
    return &upload->attachment;
}

static FreeBuffer *fill_buffer(SharedUploads *uploads, BackendDevice *device, unsigned planes,
                               const VmafPicture *pic)
{
    TRACE_SCOPE(TRACE_BACKEND, "upload the reference");
    const PictureFormat format = picture_format_of(pic);
    FreeBuffer *buffer = take_free(uploads, device, planes, &format);
    if (!buffer)
        buffer = make_buffer(device, planes, &format);
    if (!buffer) {
        note_failure(uploads, device);
        return NULL;
    }
    const void *data[3];
    for (unsigned p = 0; p < 3; p++)
        data[p] = planes >> p & 1 ? pic->data[p] : NULL;
    registered_memory_add(device, picture_block(pic));
    if (!backend_buffer_upload(buffer->buffer, data, pic->stride))
        return buffer;
    note_failure(uploads, device);
    buffer->next = NULL;
    release_buffers(buffer);
    return NULL;
}

/* Locked. */
static Copy *find_copy(SharedUpload *upload, const BackendDevice *device, unsigned planes)
{
    for (unsigned i = 0; i < upload->n_copies; i++) {
        Copy *copy = &upload->copies[i];
        if (copy->device == device && !(planes & ~copy->planes))
            return copy;
    }
    return NULL;
}

/* Locked, but not while it uploads. NULL: nothing is to be shared. */
static Copy *make_copy(SharedUpload *upload, BackendDevice *device, unsigned planes,
                       const VmafPicture *pic)
{
    const unsigned shared = planes_to_share(upload->uploads, device) &
                            ((1u << picture_format_planes(pic->pix_fmt)) - 1);
    if (!shared || (planes & ~shared) || upload->n_copies == COPIES_MAX)
        return NULL;
    Copy *copy = &upload->copies[upload->n_copies++];
    *copy = (Copy){.device = device, .planes = shared};
    vmaf_mutex_unlock(&upload->lock);
    FreeBuffer *holder = fill_buffer(upload->uploads, device, shared, pic);
    vmaf_mutex_lock(&upload->lock);
    copy->holder = holder;
    copy->state = holder ? COPY_READY : COPY_FAILED;
    vmaf_condition_broadcast(&upload->changed);
    return copy;
}

VmafBackendBuffer *shared_upload_fetch(PictureAttachment *attachment, BackendDevice *device,
                                       unsigned planes, const VmafPicture *pic)
{
    SharedUpload *upload = (SharedUpload *)attachment;
    planes &= (1u << picture_format_planes(pic->pix_fmt)) - 1;
    vmaf_mutex_lock(&upload->lock);
    Copy *copy = find_copy(upload, device, planes);
    if (!copy)
        copy = make_copy(upload, device, planes, pic);
    while (copy && copy->state == COPY_IN_WORK) {
        TRACE_SCOPE(TRACE_WAIT, "wait for the upload of another");
        vmaf_condition_wait(&upload->changed, &upload->lock);
    }
    VmafBackendBuffer *handle = copy && copy->holder ? copy->holder->buffer->handle : NULL;
    vmaf_mutex_unlock(&upload->lock);
    return handle;
}
