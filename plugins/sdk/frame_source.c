/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The copies that bring the pictures of a frame to the device, and the threads that make those of
 * the processor. */
#include "frame_source.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "device_state.h"
#include "platform/thread.h"

/* -- threads that copy -- */

enum { MAX_THREADS = 8, CHUNK_BYTES = 128 * 1024 };

/* What is copied now: chunks of rows, which threads take one after the other. */
typedef struct Work {
    const VmafRowCopy *copies;
    unsigned count;
    unsigned chunk_end[VMAF_COPY_POOL_MAX_COPIES]; /* of each copy, counted over all */
    atomic_uint next;
} Work;

struct VmafCopyPool {
    unsigned n_threads;
    VmafThread threads[MAX_THREADS];
    VmafMutex lock;
    VmafCondition begins, ended;
    bool stops;
    unsigned round; /* grows with each run */
    unsigned busy;  /* threads that have not ended this round */
    Work work;
};

static uint32_t rows_of_chunk(const VmafRowCopy *copy)
{
    return copy->bytes < CHUNK_BYTES ? (uint32_t)(CHUNK_BYTES / (copy->bytes + 1)) + 1 : 1;
}

static void copy_rows(const VmafRowCopy *copy, uint32_t first, uint32_t end)
{
    for (uint32_t y = first; y < end; y++)
        memcpy(copy->to + (int64_t)y * copy->to_stride, copy->from + (int64_t)y * copy->from_stride,
               copy->bytes);
}

static void take_chunks(Work *work)
{
    for (;;) {
        const unsigned chunk = atomic_fetch_add(&work->next, 1);
        unsigned i = 0, first_chunk = 0;
        while (i < work->count && chunk >= work->chunk_end[i])
            first_chunk = work->chunk_end[i++];
        if (i == work->count)
            return;
        const VmafRowCopy *copy = &work->copies[i];
        const uint32_t rows = rows_of_chunk(copy), first = (chunk - first_chunk) * rows;
        copy_rows(copy, first, first + rows < copy->rows ? first + rows : copy->rows);
    }
}

static void *run_thread(void *argument)
{
    VmafCopyPool *pool = argument;
    unsigned round = 0;
    vmaf_thread_set_name("vmaf-copy");
    vmaf_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->stops && pool->round == round)
            vmaf_condition_wait(&pool->begins, &pool->lock);
        if (pool->stops)
            break;
        round = pool->round;
        vmaf_mutex_unlock(&pool->lock);
        take_chunks(&pool->work);
        vmaf_mutex_lock(&pool->lock);
        if (--pool->busy == 0)
            vmaf_condition_signal(&pool->ended);
    }
    vmaf_mutex_unlock(&pool->lock);
    return NULL;
}

VmafCopyPool *vmaf_copy_pool_create(unsigned threads)
{
    VmafCopyPool *pool = calloc(1, sizeof(*pool));
    if (!pool)
        return NULL;
    vmaf_mutex_init(&pool->lock);
    vmaf_condition_init(&pool->begins);
    vmaf_condition_init(&pool->ended);
    while (pool->n_threads < threads && pool->n_threads < MAX_THREADS &&
           !vmaf_thread_start(&pool->threads[pool->n_threads], run_thread, pool))
        pool->n_threads++;
    if (pool->n_threads == 0) {
        vmaf_copy_pool_destroy(pool);
        return NULL;
    }
    return pool;
}

void vmaf_copy_pool_destroy(VmafCopyPool *pool)
{
    if (!pool)
        return;
    vmaf_mutex_lock(&pool->lock);
    pool->stops = true;
    vmaf_condition_broadcast(&pool->begins);
    vmaf_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->n_threads; i++)
        vmaf_thread_join(pool->threads[i]);
    vmaf_condition_destroy(&pool->ended);
    vmaf_condition_destroy(&pool->begins);
    vmaf_mutex_destroy(&pool->lock);
    free(pool);
}

void vmaf_copy_pool_run(VmafCopyPool *pool, const VmafRowCopy *copies, unsigned count)
{
    if (!pool) {
        for (unsigned i = 0; i < count; i++)
            copy_rows(&copies[i], 0, copies[i].rows);
        return;
    }
    Work *work = &pool->work;
    unsigned chunks = 0;
    vmaf_mutex_lock(&pool->lock);
    work->copies = copies;
    work->count = count;
    for (unsigned i = 0; i < count; i++) {
        const uint32_t rows = rows_of_chunk(&copies[i]);
        work->chunk_end[i] = chunks += (copies[i].rows + rows - 1) / rows;
    }
    atomic_store(&work->next, 0);
    pool->busy = pool->n_threads;
    pool->round++;
    vmaf_condition_broadcast(&pool->begins);
    vmaf_mutex_unlock(&pool->lock);
    take_chunks(work);
    vmaf_mutex_lock(&pool->lock);
    while (pool->busy > 0)
        vmaf_condition_wait(&pool->ended, &pool->lock);
    vmaf_mutex_unlock(&pool->lock);
}

/* -- finding the copies -- */

typedef struct Finder {
    VmafFrameSource *source;
    const struct VmafBackendPlan *plan;
    VmafSessionMemory *memory;
    uint32_t position;
} Finder;

static const enum VmafBufferKind kinds[2] = {VMAF_BUFFER_REF, VMAF_BUFFER_DIST};

static bool is_read(const struct VmafBackendPlan *plan, uint32_t plane)
{
    return (plan->program->planes >> plane & 1) && plan->geometry.w[plane] &&
           plan->geometry.h[plane];
}

bool vmaf_picture_is_usable(const struct VmafBackendPlan *plan, const VmafBackendPicture *picture)
{
    if (picture && picture->buffer)
        return vmaf_buffer_fits(picture->buffer, plan);
    for (uint32_t p = 0; picture && p < 3; p++) {
        if (is_read(plan, p) && !picture->data[p])
            return false;
    }
    return picture != NULL;
}

static uint64_t row_size(const struct VmafBackendPlan *plan, uint32_t plane)
{
    return (uint64_t)plan->geometry.w[plane] * plan->geometry.bytes_per_sample;
}

/* The copy that fills a plane of the position; its source is still missing. */
static VmafDeviceCopy copy_to_plane(const Finder *finder, int side, uint32_t plane)
{
    return (VmafDeviceCopy){
        .dst = finder->memory->pixels[finder->position],
        .dst_offset = vmaf_plan_plane_offset(finder->plan, kinds[side], plane),
        .dst_stride = finder->plan->geometry.stride[plane],
        .row_size = row_size(finder->plan, plane),
        .rows = finder->plan->geometry.h[plane],
    };
}

/* -- host memory -- */

static bool copy_from_registered(const Finder *finder, const VmafBackendPicture *picture,
                                 uint32_t plane, VmafDeviceCopy *copy)
{
    VmafDevice *device = finder->plan->device;
    const uint32_t alignment = device->info.caps.copy_alignment;
    const int64_t stride = picture->stride[plane];
    if (stride < (int64_t)copy->row_size)
        return false;
    copy->src_stride = (uint64_t)stride;
    copy->src = vmaf_host_memory_find(device, picture->data[plane],
                                      copy->src_stride * (copy->rows - 1) + copy->row_size,
                                      &copy->src_offset);
    return copy->src && (copy->src_offset | copy->src_stride | copy->row_size) % alignment == 0;
}

/* Copies of the device, if all planes lie in registered memory. */
static bool find_registered(const Finder *finder, int side, const VmafBackendPicture *picture)
{
    VmafDeviceCopy copies[3];
    uint32_t count = 0;
    for (uint32_t p = 0; p < 3; p++) {
        if (!is_read(finder->plan, p))
            continue;
        copies[count] = copy_to_plane(finder, side, p);
        if (!copy_from_registered(finder, picture, p, &copies[count++]))
            return false;
    }
    memcpy(finder->source->copies + finder->source->n_copies, copies, count * sizeof(copies[0]));
    finder->source->n_copies += count;
    return true;
}

/* Copies of the processor. */
static void find_rows(const Finder *finder, int side, const VmafBackendPicture *picture)
{
    VmafFrameSource *source = finder->source;
    unsigned char *upload = finder->memory->upload[finder->position]->mapped;
    for (uint32_t p = 0; p < 3; p++) {
        if (!is_read(finder->plan, p))
            continue;
        VmafRowCopy *rows = &source->rows[source->n_rows++];
        *rows = (VmafRowCopy){
            .to = upload + vmaf_plan_plane_offset(finder->plan, kinds[side], p),
            .from = picture->data[p],
            .to_stride = finder->plan->geometry.stride[p],
            .from_stride = picture->stride[p],
            .bytes = (size_t)row_size(finder->plan, p),
            .rows = finder->plan->geometry.h[p],
        };
        source->n_bytes += rows->bytes * rows->rows;
    }
}

/* The copy from upload memory of what the processor has put there for these sides. */
static void upload_rows(const Finder *finder, bool ref, bool dist)
{
    const uint64_t picture = vmaf_plan_picture_size(finder->plan);
    const VmafDeviceCopy copy = {
        .dst = finder->memory->pixels[finder->position],
        .src = finder->memory->upload[finder->position],
        .dst_offset = ref ? 0 : picture,
        .src_offset = ref ? 0 : picture,
        .row_size = picture * (ref + dist),
        .rows = 1,
    };
    if (copy.row_size && copy.src != copy.dst)
        finder->source->copies[finder->source->n_copies++] = copy;
}

/* -- buffers -- */

static void add_sync(VmafBackendSync *syncs, uint32_t *count, const VmafBackendSync *added)
{
    if (added->kind == VMAF_BACKEND_SYNC_NONE)
        return;
    for (uint32_t i = 0; i < *count; i++) {
        if (syncs[i].kind == added->kind && syncs[i].handle == added->handle &&
            syncs[i].value == added->value)
            return;
    }
    syncs[(*count)++] = *added;
}

static void copy_from_plane(const Finder *finder, const VmafPlaneSource *from, VmafDeviceCopy copy)
{
    /* There is room for that at the end of rows. */
    const uint32_t alignment = finder->plan->device->info.caps.copy_alignment;
    copy.row_size = (copy.row_size + alignment - 1) / alignment * alignment;
    copy.src = from->buffer;
    copy.src_offset = from->offset;
    copy.src_stride = from->stride;
    copy.image = from->image;
    copy.image_plane = from->image_plane;
    finder->source->copies[finder->source->n_copies++] = copy;
}

/* Copies a plane as it lies to raw memory. */
static void copy_raw(const Finder *finder, int side, const struct VmafBackendBuffer *buffer,
                     uint32_t raw_plane)
{
    const VmafRawPlane raw = vmaf_raw_plane(finder->plan, kinds[side], &buffer->packing, raw_plane);
    const VmafDeviceCopy copy = {
        .dst = finder->memory->raw[finder->position],
        .dst_offset = raw.offset,
        .dst_stride = raw.stride,
        .row_size = raw.row_size,
        .rows = raw.rows,
    };
    copy_from_plane(finder, &buffer->sources[raw_plane], copy);
}

static int find_buffer(const Finder *finder, int side, struct VmafBackendBuffer *buffer)
{
    VmafFrameSource *source = finder->source;
    const bool semiplanar = buffer->packing.semiplanar;
    bool chroma = false;
    for (uint32_t p = 0; p < 3; p++) {
        if (!is_read(finder->plan, p))
            continue;
        if (!vmaf_is_packed(&buffer->packing, p)) {
            copy_from_plane(finder, &buffer->sources[p], copy_to_plane(finder, side, p));
            continue;
        }
        const int err = vmaf_session_memory_add_raw(finder->memory, finder->position,
                                                    vmaf_raw_size(finder->plan));
        if (err)
            return err;
        source->packing[side] = buffer->packing;
        if (!(p && semiplanar && chroma))
            copy_raw(finder, side, buffer, p && semiplanar ? 1 : p);
        chroma |= p > 0;
    }
    source->buffers[side] = buffer;
    add_sync(source->waits, &source->n_waits, &buffer->wait);
    add_sync(source->signals, &source->n_signals, &buffer->signal);
    return 0;
}

int vmaf_frame_source_find(VmafFrameSource *source, const struct VmafBackendPlan *plan,
                           VmafSessionMemory *memory, uint32_t position,
                           const VmafBackendPicture *ref, const VmafBackendPicture *dist)
{
    const Finder finder = {source, plan, memory, position};
    const VmafBackendPicture *pictures[2] = {ref, dist};
    bool by_processor[2] = {false, false};
    int err = 0;
    *source = (VmafFrameSource){.n_copies = 0};
    for (int side = 0; side < 2 && !err; side++) {
        const VmafBackendPicture *picture = pictures[side];
        if (!picture)
            continue;
        if (picture->buffer) {
            err = find_buffer(&finder, side, picture->buffer);
        } else if (!find_registered(&finder, side, picture)) {
            find_rows(&finder, side, picture);
            by_processor[side] = true;
        }
    }
    if (!err && (by_processor[0] || by_processor[1]))
        upload_rows(&finder, by_processor[0], by_processor[1]);
    return err;
}
