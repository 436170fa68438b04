/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * The example with pictures that live on its device: buffers of both kinds, and pictures that the
 * application brings by address. Built under the name of a backend whose interface tests want to
 * drive. See membuf.h.
 */
#include "membuf.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "inner.h"
#include "membuf_memory.h"

#ifndef IMPORT_KIND
#define IMPORT_KIND VMAF_BACKEND_IMPORT_CUDA_POINTER
#endif
/* Handles of a picture for each of its planes, of which the first is the address. */
#define HANDLES_PER_PLANE (IMPORT_KIND == VMAF_BACKEND_IMPORT_IOSURFACE ? 2 : 1)
#ifndef EXTERNAL_KIND
#define EXTERNAL_KIND VMAF_BACKEND_EXTERNAL_CUDA
#endif
#ifndef IMPORTS_DMABUF
#define IMPORTS_DMABUF 0
#endif

enum { N_PLANES = 3, ROW_ALIGNMENT = 64 };

typedef struct Buffer {
    uint32_t kind; /* VMAF_BACKEND_BUFFER_* */
    uint32_t width[N_PLANES], height[N_PLANES], sample_size;
    uint32_t planes;
    int64_t stride[N_PLANES];
    uint64_t address[N_PLANES]; /* of the device, or of the host if pinned */
    uint8_t *content[N_PLANES];
    uint64_t allocation; /* its own device memory; 0 if imported or pinned */
    void *pinned;
    uint64_t mapped; /* bytes of a dma-buf that are mapped */
#if VMAF_BACKEND_ABI_MINOR >= 1
    /* Imported samples that are interleaved or shifted: content is made of them when it is read. */
    bool packed;
    uint32_t shift;
    void *mapping; /* of objects */
    const uint8_t *source[2];
    int64_t source_stride[2];
    VmafBackendSync wait, signal; /* kind 0: nothing */
    pthread_mutex_t lock;
    bool is_prepared;
#endif
} Buffer;

static atomic_uint n_buffers, n_downloads, n_planes_downloaded;
static atomic_ullong lost_at = UINT64_MAX;
static atomic_int hangs, n_hanging;

static const VmafBackend *inner; /* set once, before anything else is called */

/* ---- Host memory that the device knows ---- */

enum { MAX_RANGES = 256 };

static struct {
    VmafBackendDevice *device; /* NULL: unused */
    uintptr_t begin, end;
} ranges[MAX_RANGES];
static pthread_mutex_t ranges_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint n_ranges, n_registrations, n_elsewhere, n_left;
static atomic_int refuses_memory, hangs_in_unregister;

static int32_t memory_register(VmafBackendDevice *device, void *address, uint64_t size,
                               VmafBackendMemory **memory)
{
    if (!address || !size)
        return VMAF_BACKEND_INVALID;
    if (atomic_load(&refuses_memory))
        return VMAF_BACKEND_OUT_OF_MEMORY;
    const uintptr_t begin = (uintptr_t)address, end = begin + size;
    int32_t result = VMAF_BACKEND_OUT_OF_MEMORY;
    pthread_mutex_lock(&ranges_lock);
    for (unsigned i = 0; i < MAX_RANGES; i++) { /* as drivers do: not twice */
        if (ranges[i].device == device && ranges[i].begin < end && begin < ranges[i].end) {
            pthread_mutex_unlock(&ranges_lock);
            fprintf(stderr, "membuf: memory is registered twice\n");
            abort();
        }
    }
    for (unsigned i = 0; i < MAX_RANGES && result; i++) {
        if (ranges[i].device)
            continue;
        ranges[i].device = device;
        ranges[i].begin = begin;
        ranges[i].end = end;
        *memory = (VmafBackendMemory *)&ranges[i];
        result = VMAF_BACKEND_OK;
    }
    pthread_mutex_unlock(&ranges_lock);
    if (!result) {
        atomic_fetch_add(&n_ranges, 1);
        atomic_fetch_add(&n_registrations, 1);
    }
    return result;
}

static void memory_unregister(VmafBackendDevice *device, VmafBackendMemory *memory)
{
    while (atomic_load(&hangs_in_unregister))
        usleep(1000);
    pthread_mutex_lock(&ranges_lock);
    const size_t i = (size_t)((char *)memory - (char *)ranges) / sizeof(ranges[0]);
    if (i >= MAX_RANGES || ranges[i].device != device) {
        fprintf(stderr, "membuf: memory is unregistered that is not registered\n");
        abort();
    }
    /* It must still be there. */
    *(volatile char *)ranges[i].begin = *(volatile char *)ranges[i].begin;
    ranges[i].device = NULL;
    pthread_mutex_unlock(&ranges_lock);
    atomic_fetch_sub(&n_ranges, 1);
}

static bool is_known(uintptr_t begin, uintptr_t end)
{
    bool known = false;
    pthread_mutex_lock(&ranges_lock);
    for (unsigned i = 0; i < MAX_RANGES; i++)
        known |= ranges[i].device && ranges[i].begin <= begin && end <= ranges[i].end;
    pthread_mutex_unlock(&ranges_lock);
    return known;
}

static void count_elsewhere(const VmafBackendPicture *picture)
{
    bool known = true;
    for (unsigned p = 0; p < 3 && !picture->buffer; p++) {
        const uintptr_t begin = (uintptr_t)picture->data[p];
        if (begin) /* its first row */
            known &= is_known(begin, begin + (uintptr_t)picture->stride[p]);
    }
    atomic_fetch_add(&n_elsewhere, !known);
}

/* For programs that cannot ask. */
static void write_counts(void)
{
    const char *path = getenv("VMAF_TEST_MEMBUF_COUNTS");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "registrations %u elsewhere %u left %u\n", atomic_load(&n_registrations),
            atomic_load(&n_elsewhere), atomic_load(&n_left));
    fclose(file);
}

static void device_close(VmafBackendDevice *device)
{
    pthread_mutex_lock(&ranges_lock);
    for (unsigned i = 0; i < MAX_RANGES; i++) {
        if (ranges[i].device != device)
            continue;
        ranges[i].device = NULL;
        atomic_fetch_add(&n_left, 1);
        atomic_fetch_sub(&n_ranges, 1);
    }
    pthread_mutex_unlock(&ranges_lock);
    write_counts();
    inner->device_close(device);
}

/* ---- Buffers ---- */

/* Dimensions from luma's; false for what is no format. */
static bool set_format(Buffer *b, uint32_t width, uint32_t height, uint32_t depth, uint32_t format,
                       uint32_t planes)
{
    if (!width || !height || width > 1u << 16 || height > 1u << 16 || depth < 8 || depth > 16 ||
        format < VMAF_BACKEND_PIXEL_420 || format > VMAF_BACKEND_PIXEL_400 || !planes || planes > 7)
        return false;
    if (format == VMAF_BACKEND_PIXEL_400 && planes != VMAF_BACKEND_PLANE_Y)
        return false;
    b->sample_size = depth > 8 ? 2 : 1;
    b->planes = planes;
#if VMAF_BACKEND_ABI_MINOR >= 1
    pthread_mutex_init(&b->lock, NULL);
#endif
    for (unsigned p = 0; p < N_PLANES; p++) {
        b->width[p] = p && format != VMAF_BACKEND_PIXEL_444 ? width / 2 : width;
        b->height[p] = p && format == VMAF_BACKEND_PIXEL_420 ? height / 2 : height;
    }
    return true;
}

#if VMAF_BACKEND_ABI_MINOR >= 1
/* ---- Pictures in other layouts, and events ---- */

typedef struct Event {
    atomic_int set;
} Event;

static uint64_t event_create(void)
{
    Event *event = calloc(1, sizeof(*event));
    return (uint64_t)(uintptr_t)event;
}

static void event_set(uint64_t event)
{
    atomic_store(&((Event *)(uintptr_t)event)->set, 1);
}

static int32_t event_is_set(uint64_t event)
{
    return atomic_load(&((Event *)(uintptr_t)event)->set);
}

static void event_destroy(uint64_t event)
{
    free((Event *)(uintptr_t)event);
}

static uint16_t source_sample(const Buffer *b, unsigned plane, uint32_t x, uint32_t y)
{
    const uint32_t at = plane ? 2 * x + plane - 1 : x;
    const uint8_t *row = b->source[plane != 0] + y * b->source_stride[plane != 0];
    uint16_t sample = row[at];
    if (b->sample_size == 2)
        memcpy(&sample, row + 2 * (size_t)at, 2);
    return (uint16_t)(sample >> b->shift);
}

static void unpack(const Buffer *b, unsigned plane)
{
    for (uint32_t y = 0; y < b->height[plane]; y++) {
        for (uint32_t x = 0; x < b->width[plane]; x++) {
            const uint16_t sample = source_sample(b, plane, x, y);
            uint8_t *row = b->content[plane] + y * b->stride[plane];
            if (b->sample_size == 2)
                memcpy(row + 2 * (size_t)x, &sample, 2);
            else
                row[x] = (uint8_t)sample;
        }
    }
}

/* What a picture was waiting for has happened, and its planes are as the example wants them. */
static void prepare(Buffer *b)
{
    pthread_mutex_lock(&b->lock);
    while (b->wait.kind && !event_is_set(b->wait.handle))
        usleep(100);
    for (unsigned p = 0; b->packed && !b->is_prepared && p < N_PLANES; p++) {
        if (b->planes >> p & 1)
            unpack(b, p);
    }
    b->is_prepared = true;
    pthread_mutex_unlock(&b->lock);
}

static uint64_t source_size(const Buffer *b, unsigned plane)
{
    const uint64_t w = plane ? 2 * (uint64_t)b->width[1] : b->width[0];
    return (uint64_t)b->source_stride[plane] * (b->height[plane] - 1) + w * b->sample_size;
}

/* Room for the planes of their own, besides those that are imported. */
static bool make_planes(Buffer *b)
{
    uint64_t size = 0;
    for (unsigned p = 0; p < N_PLANES; p++)
        size += (uint64_t)b->width[p] * b->sample_size * b->height[p];
    uint8_t *content = b->pinned = calloc(1, size + 1);
    for (unsigned p = 0; content && p < N_PLANES; p++) {
        b->content[p] = content;
        b->stride[p] = (int64_t)b->width[p] * b->sample_size;
        content += b->stride[p] * b->height[p];
    }
    return content != NULL;
}

/* Planes in one piece of memory that is mapped. */
static bool map_objects(Buffer *b, const VmafBackendImport *params)
{
    enum { NV12 = 0x3231564e };
    if (params->n_objects != 1 || params->modifier || (params->fourcc && params->fourcc != NV12))
        return false;
    void *mapped = mmap(NULL, params->object_size[0], PROT_READ | PROT_WRITE, MAP_SHARED,
                        (int)params->object[0], 0);
    if (mapped == MAP_FAILED)
        return false;
    b->mapped = params->object_size[0];
    b->mapping = mapped;
    for (unsigned p = 0; p < 2; p++) {
        b->source[p] = (uint8_t *)mapped + params->plane_offset[p];
        b->source_stride[p] = params->stride[p];
        if (params->plane_object[p] || params->plane_offset[p] + source_size(b, p) > b->mapped)
            return false;
    }
    return true;
}

static bool find_sources(Buffer *b, const VmafBackendImport *params)
{
    if (params->n_objects)
        return map_objects(b, params);
    /* Surfaces know their rows, which follow each other here. */
    const bool is_surface = params->kind == VMAF_BACKEND_IMPORT_VA_SURFACE;
    for (unsigned p = 0; p < (b->planes == 1 ? 1 : 2); p++) {
        b->source_stride[p] =
            is_surface ? (int64_t)b->width[0] * b->sample_size : params->stride[p];
        if (p >= params->n_handles || b->source_stride[p] <= 0)
            return false;
        const uint64_t size = source_size(b, p);
        if (params->size && size > params->size)
            return false;
        b->source[p] = device_content(params->handles[p], size);
        if (!b->source[p])
            return false;
    }
    return true;
}

/* Whether the import uses what version 1.1 has added; then it is valid or not. */
static bool import_more(Buffer *b, const VmafBackendImport *params, bool *valid)
{
    if (params->struct_size < sizeof(*params))
        return false;
    if (params->wait)
        b->wait = *params->wait;
    if (params->signal)
        b->signal = *params->signal;
    if (!params->layout && !params->shift && !params->n_objects)
        return false;
    b->packed = true;
    b->shift = params->shift;
    *valid = params->layout == VMAF_BACKEND_LAYOUT_SEMIPLANAR && make_planes(b) &&
             find_sources(b, params);
    return true;
}
#endif

static void release(Buffer *b)
{
#if VMAF_BACKEND_ABI_MINOR >= 1
    if (b->mapping)
        munmap(b->mapping, b->mapped);
    if (b->mapping)
        b->mapped = 0;
    if (b->signal.kind)
        event_set(b->signal.handle);
    pthread_mutex_destroy(&b->lock);
#endif
    device_release(b->allocation);
    if (b->mapped)
        munmap(b->content[0], b->mapped);
    free(b->pinned);
    free(b);
}

static int32_t buffer_create(VmafBackendDevice *device, const VmafBackendBufferParams *params,
                             VmafBackendBuffer **buffer)
{
    (void)device;
    Buffer *b = calloc(1, sizeof(*b));
    if (!b)
        return VMAF_BACKEND_OUT_OF_MEMORY;
    b->kind = params->kind;
    const bool packed = params->flags & VMAF_BACKEND_BUFFER_PACKED;
    if ((params->kind != VMAF_BACKEND_BUFFER_DEVICE &&
         params->kind != VMAF_BACKEND_BUFFER_PINNED) ||
        (params->flags & ~VMAF_BACKEND_BUFFER_PACKED) ||
        !set_format(b, params->width, params->height, params->depth, params->pixel_format,
                    params->planes)) {
        free(b);
        return VMAF_BACKEND_INVALID;
    }
    uint64_t offset[N_PLANES], size = 0;
    for (unsigned p = 0; p < N_PLANES; p++) {
        const uint64_t row = (uint64_t)b->width[p] * b->sample_size;
        const uint64_t aligned = (row + ROW_ALIGNMENT) / ROW_ALIGNMENT * ROW_ALIGNMENT;
        b->stride[p] = (int64_t)(packed ? row : aligned);
        offset[p] = size;
        if (b->planes >> p & 1)
            size += (uint64_t)b->stride[p] * (b->height[p] + 1);
    }
    if (b->kind == VMAF_BACKEND_BUFFER_PINNED)
        b->pinned = calloc(1, size);
    else
        b->allocation = device_allocate(size);
    uint8_t *content = b->pinned ? b->pinned : device_content(b->allocation, size);
    if (!content) {
        release(b);
        return VMAF_BACKEND_OUT_OF_MEMORY;
    }
    const uint64_t base = b->pinned ? (uint64_t)(uintptr_t)b->pinned : b->allocation;
    for (unsigned p = 0; p < N_PLANES; p++) {
        if (b->planes >> p & 1) {
            b->content[p] = content + offset[p];
            b->address[p] = base + offset[p];
        }
    }
    atomic_fetch_add(&n_buffers, 1);
    *buffer = (VmafBackendBuffer *)b;
    return VMAF_BACKEND_OK;
}

/* Memory of another driver, luma only. */
static bool map_dmabuf(Buffer *b, const VmafBackendImport *params)
{
    const uint64_t size = (uint64_t)params->stride[0] * b->height[0];
    if (params->n_handles < 3 || b->planes != VMAF_BACKEND_PLANE_Y || params->handles[2] ||
        size > params->handles[1])
        return false;
    void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, (int)params->handles[0], 0);
    if (mapped == MAP_FAILED)
        return false;
    b->mapped = size;
    b->content[0] = mapped;
    b->address[0] = (uint64_t)(uintptr_t)mapped;
    b->stride[0] = params->stride[0];
    return true;
}

/* Addresses of the device; what has no stride is packed. */
static bool find_planes(Buffer *b, const VmafBackendImport *params)
{
    for (unsigned p = 0; p < N_PLANES; p++) {
        if (!(b->planes >> p & 1) || !b->height[p])
            continue;
        const uint32_t handle = p * HANDLES_PER_PLANE;
        const uint64_t row = (uint64_t)b->width[p] * b->sample_size;
        b->stride[p] = params->stride[p] ? params->stride[p] : (int64_t)row;
        if (handle >= params->n_handles || b->stride[p] < (int64_t)row)
            return false;
        const uint64_t size = (uint64_t)b->stride[p] * (b->height[p] - 1) + row;
        b->address[p] = params->handles[handle];
        b->content[p] = device_content(b->address[p], size);
        if (!b->content[p])
            return false;
    }
    return true;
}

static int32_t buffer_import(VmafBackendDevice *device, const VmafBackendImport *params,
                             VmafBackendBuffer **buffer)
{
    (void)device;
    const bool dmabuf = params->kind == VMAF_BACKEND_IMPORT_DMABUF && IMPORTS_DMABUF;
    if (params->kind != IMPORT_KIND && !dmabuf)
        return VMAF_BACKEND_NOT_SUPPORTED;
    Buffer *b = calloc(1, sizeof(*b));
    if (!b)
        return VMAF_BACKEND_OUT_OF_MEMORY;
    b->kind = VMAF_BACKEND_BUFFER_DEVICE;
    bool valid = set_format(b, params->width, params->height, params->depth, params->pixel_format,
                            params->planes);
#if VMAF_BACKEND_ABI_MINOR >= 1
    if (valid && import_more(b, params, &valid)) {
        if (!valid) {
            b->signal.kind = 0;
            release(b);
            return VMAF_BACKEND_INVALID;
        }
        atomic_fetch_add(&n_buffers, 1);
        *buffer = (VmafBackendBuffer *)b;
        return VMAF_BACKEND_OK;
    }
#endif
    valid = valid && (dmabuf ? map_dmabuf(b, params) : find_planes(b, params));
    if (!valid) {
        free(b);
        return VMAF_BACKEND_INVALID;
    }
    atomic_fetch_add(&n_buffers, 1);
    *buffer = (VmafBackendBuffer *)b;
    return VMAF_BACKEND_OK;
}

static int32_t buffer_info(const VmafBackendBuffer *buffer, VmafBackendBufferInfo *info)
{
    const Buffer *b = (const Buffer *)buffer;
    info->kind = b->kind;
    memcpy(info->address, b->address, sizeof(info->address));
    memcpy(info->stride, b->stride, sizeof(info->stride));
    return VMAF_BACKEND_OK;
}

static int32_t buffer_download(VmafBackendBuffer *buffer, void *const data[3],
                               const int64_t stride[3])
{
    Buffer *b = (Buffer *)buffer;
    atomic_fetch_add(&n_downloads, 1);
    atomic_fetch_add(&n_hanging, 1);
    while (atomic_load(&hangs))
        usleep(1000);
    atomic_fetch_sub(&n_hanging, 1);
#if VMAF_BACKEND_ABI_MINOR >= 1
    prepare(b);
#endif
    for (unsigned p = 0; p < N_PLANES; p++) {
        if (data[p] && !(b->planes >> p & 1))
            return VMAF_BACKEND_INVALID;
        atomic_fetch_add(&n_planes_downloaded, data[p] != NULL);
        for (uint32_t y = 0; data[p] && y < b->height[p]; y++)
            memcpy((uint8_t *)data[p] + y * stride[p], b->content[p] + y * b->stride[p],
                   (size_t)b->width[p] * b->sample_size);
    }
    return VMAF_BACKEND_OK;
}

static int32_t buffer_upload(VmafBackendBuffer *buffer, const void *const data[3],
                             const int64_t stride[3])
{
    Buffer *b = (Buffer *)buffer;
    for (unsigned p = 0; p < N_PLANES; p++) {
        if (data[p] && !(b->planes >> p & 1))
            return VMAF_BACKEND_INVALID;
        for (uint32_t y = 0; data[p] && y < b->height[p]; y++)
            memcpy(b->content[p] + y * b->stride[p], (const uint8_t *)data[p] + y * stride[p],
                   (size_t)b->width[p] * b->sample_size);
    }
    return VMAF_BACKEND_OK;
}

static void buffer_release(VmafBackendBuffer *buffer)
{
    release((Buffer *)buffer);
    atomic_fetch_sub(&n_buffers, 1);
}

#if VMAF_BACKEND_ABI_MINOR >= 1
static atomic_uint n_marks;

static uint32_t count_marks(void)
{
    return atomic_load(&n_marks);
}

static bool is_markable(const Buffer *b, unsigned plane)
{
    return (b->planes >> plane & 1) &&
           (uint64_t)b->stride[plane] * b->height[plane] >= VMAF_BACKEND_MARK_SIZE;
}

static int32_t buffer_mark(VmafBackendBuffer *buffer, uint32_t planes,
                           const uint8_t mark[VMAF_BACKEND_MARK_SIZE])
{
    Buffer *b = (Buffer *)buffer;
    atomic_fetch_add(&n_marks, 1);
    for (unsigned p = 0; p < N_PLANES; p++) {
        if ((planes >> p & 1) && is_markable(b, p))
            memcpy(b->content[p], mark, VMAF_BACKEND_MARK_SIZE);
    }
    return VMAF_BACKEND_OK;
}

static int32_t buffer_marked(VmafBackendBuffer *buffer, uint32_t *planes,
                             const uint8_t mark[VMAF_BACKEND_MARK_SIZE])
{
    const Buffer *b = (const Buffer *)buffer;
    for (unsigned p = 0; p < N_PLANES; p++) {
        if (!is_markable(b, p) || memcmp(b->content[p], mark, VMAF_BACKEND_MARK_SIZE) != 0)
            *planes &= ~(1u << p);
    }
    return VMAF_BACKEND_OK;
}
#endif

/* ---- What differs from the example otherwise ---- */

static int32_t device_get(uint32_t index, VmafBackendDeviceInfo *info)
{
    const int32_t result = inner->device_get(index, info);
    info->kind = VMAF_BACKEND_DEVICE_DISCRETE;
    info->abilities &= ~VMAF_BACKEND_ABILITY_UNIFIED_MEMORY;
    info->imports = 1u << IMPORT_KIND | (uint32_t)IMPORTS_DMABUF << VMAF_BACKEND_IMPORT_DMABUF;
#if VMAF_BACKEND_ABI_MINOR >= 1
    if (info->struct_size >= sizeof(*info)) {
        info->buffers = 1u << VMAF_BACKEND_BUFFER_DEVICE | 1u << VMAF_BACKEND_BUFFER_PINNED;
        info->syncs = 1u << VMAF_BACKEND_SYNC_CUDA_EVENT;
    }
    info->abilities |= VMAF_BACKEND_ABILITY_HOST_MEMORY;
#endif
    return result;
}

#if VMAF_BACKEND_ABI_MINOR >= 1
static VmafBackendDeviceParams last_borrowed;

static const VmafBackendDeviceParams *borrowed_device(void)
{
    return &last_borrowed;
}
#endif

/* The application's own device is this one as well. */
static int32_t device_open(const VmafBackendDeviceParams *params, VmafBackendDevice **device,
                           VmafBackendReason *why)
{
    VmafBackendDeviceParams own = {0};
    memcpy(&own, params, params->struct_size < sizeof(own) ? params->struct_size : sizeof(own));
    own.struct_size = sizeof(own);
#if VMAF_BACKEND_ABI_MINOR >= 1
    if (params->external)
        last_borrowed = own;
#endif
    if (params->external == EXTERNAL_KIND && params->n_handles > 0) {
        VmafBackendDeviceInfo info = {.struct_size = sizeof(info)};
        inner->device_get(0, &info);
        own.external = VMAF_BACKEND_EXTERNAL_NONE;
        own.id = info.id;
        return inner->device_open(&own, device, why);
    }
    return inner->device_open(params, device, why);
}

/* The picture as the example sees it. */
static VmafBackendPicture behind(const VmafBackendPicture *picture)
{
    VmafBackendPicture host = *picture;
    Buffer *b = (Buffer *)picture->buffer;
#if VMAF_BACKEND_ABI_MINOR >= 1
    if (b)
        prepare(b);
#endif
    for (unsigned p = 0; b && p < N_PLANES; p++) {
        host.data[p] = b->content[p];
        host.stride[p] = b->stride[p];
    }
    host.buffer = NULL;
    return host;
}

static int32_t submit(VmafBackendSession *session, const VmafBackendFrame *frame)
{
    VmafBackendFrame seen = *frame;
    VmafBackendPicture ref, dist;
    if (frame->sequence >= atomic_load(&lost_at))
        return VMAF_BACKEND_DEVICE_LOST;
    if (frame->ref) {
        count_elsewhere(frame->ref);
        ref = behind(frame->ref);
        seen.ref = &ref;
    }
    if (frame->dist) {
        count_elsewhere(frame->dist);
        dist = behind(frame->dist);
        seen.dist = &dist;
    }
    return inner->submit(session, &seen);
}

/* ---- The extension ---- */

static int32_t memory_write(uint64_t address, const void *data, uint64_t size)
{
    uint8_t *content = device_content(address, size);
    if (!content)
        return VMAF_BACKEND_INVALID;
    memcpy(content, data, size);
    return VMAF_BACKEND_OK;
}

static int32_t memory_read(uint64_t address, void *data, uint64_t size)
{
    const uint8_t *content = device_content(address, size);
    if (!content)
        return VMAF_BACKEND_INVALID;
    memcpy(data, content, size);
    return VMAF_BACKEND_OK;
}

static uint32_t count_buffers(void)
{
    return atomic_load(&n_buffers);
}

static uint32_t count_planes_downloaded(void)
{
    return atomic_load(&n_planes_downloaded);
}

static uint32_t count_downloads(void)
{
    return atomic_load(&n_downloads);
}

static void lose_device_at(uint64_t sequence)
{
    atomic_store(&lost_at, sequence);
}

static void hang_in_download(int32_t hang)
{
    atomic_store(&hangs, hang);
    while (!hang && atomic_load(&n_hanging))
        usleep(1000);
}

static uint32_t count_ranges(void)
{
    return atomic_load(&n_ranges);
}

static uint32_t count_registrations(void)
{
    return atomic_load(&n_registrations);
}

static uint32_t count_pictures_elsewhere(void)
{
    return atomic_load(&n_elsewhere);
}

static uint32_t count_ranges_left(void)
{
    return atomic_load(&n_left);
}

static void refuse_memory(int32_t refuse)
{
    atomic_store(&refuses_memory, refuse);
}

static void hang_in_unregister(int32_t hang)
{
    atomic_store(&hangs_in_unregister, hang);
}

static const void *get_extension(const char *name, uint32_t version)
{
    static const MembufExtension extension = {
        .struct_size = sizeof(extension),
        .allocate = device_allocate,
        .release = device_release,
        .write = memory_write,
        .read = memory_read,
        .n_allocations = device_n_allocations,
        .n_buffers = count_buffers,
        .n_downloads = count_downloads,
        .n_planes_downloaded = count_planes_downloaded,
        .lose_device_at = lose_device_at,
#if VMAF_BACKEND_ABI_MINOR >= 1
        .marks = count_marks,
        .event_create = event_create,
        .event_set = event_set,
        .event_is_set = event_is_set,
        .event_destroy = event_destroy,
        .borrowed = borrowed_device,
#endif
        .hang_in_download = hang_in_download,
        .n_ranges = count_ranges,
        .n_registrations = count_registrations,
        .n_pictures_elsewhere = count_pictures_elsewhere,
        .n_ranges_left = count_ranges_left,
        .refuse_memory = refuse_memory,
        .hang_in_unregister = hang_in_unregister,
    };
    return version == 1 && !strcmp(name, MEMBUF_EXTENSION) ? &extension : NULL;
}

static VmafBackend backend;

static void wrap(void)
{
    inner = inner_backend_entry();
    backend = *inner;
    backend.name = BACKEND_NAME;
    backend.description = "device memory in plain memory, for tests";
    backend.device_get = device_get;
    backend.device_open = device_open;
    backend.device_close = device_close;
    backend.submit = submit;
    backend.memory_register = memory_register;
    backend.memory_unregister = memory_unregister;
    backend.buffer_create = buffer_create;
    backend.buffer_info = buffer_info;
    backend.buffer_import = buffer_import;
    backend.buffer_download = buffer_download;
    backend.buffer_upload = buffer_upload;
    backend.buffer_release = buffer_release;
    backend.get_extension = get_extension;
#if VMAF_BACKEND_ABI_MINOR >= 1
    backend.buffer_mark = buffer_mark;
    backend.buffer_marked = buffer_marked;
#endif
}

VMAF_BACKEND_EXPORT const VmafBackend *vmaf_backend_entry(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, wrap);
    return &backend;
}
