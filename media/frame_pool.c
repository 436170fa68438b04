/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/frame_pool.h"

#include <errno.h>
#include <stdlib.h>

#include "platform/machine.h"
#include "platform/thread.h"

struct FramePool {
    VmafMutex lock;
    VmafCondition changed;
    size_t buffer_bytes;
    unsigned n_buffers, max_buffers;
    FrameBuffer *free;
    bool stopped;
};

int frame_pool_create(FramePool **pool, size_t buffer_bytes, unsigned max_buffers)
{
    FramePool *created = calloc(1, sizeof(*created));
    if (!created)
        return -ENOMEM;
    /* A frame of which nothing is wanted still needs an address. */
    created->buffer_bytes = buffer_bytes ? buffer_bytes : vmaf_page_size();
    created->max_buffers = max_buffers;
    vmaf_mutex_init(&created->lock);
    vmaf_condition_init(&created->changed);
    *pool = created;
    return 0;
}

void frame_pool_destroy(FramePool *pool)
{
    if (!pool)
        return;
    while (pool->free) {
        FrameBuffer *buffer = pool->free;
        pool->free = buffer->next_free;
        vmaf_frame_memory_free(buffer->frame_memory);
        free(buffer);
    }
    vmaf_condition_destroy(&pool->changed);
    vmaf_mutex_destroy(&pool->lock);
    free(pool);
}

static FrameBuffer *create_buffer(FramePool *pool)
{
    FrameBuffer *buffer = calloc(1, sizeof(*buffer));
    if (buffer)
        buffer->pool = pool;
    return buffer;
}

int frame_pool_take(FramePool *pool, FrameBuffer **buffer)
{
    int err = 0;
    vmaf_mutex_lock(&pool->lock);
    while (!pool->stopped && !pool->free && pool->n_buffers == pool->max_buffers)
        vmaf_condition_wait(&pool->changed, &pool->lock);
    if (pool->stopped) {
        err = -ECANCELED;
    } else if (pool->free) {
        *buffer = pool->free;
        pool->free = pool->free->next_free;
    } else {
        *buffer = create_buffer(pool);
        if (*buffer)
            pool->n_buffers++;
        else
            err = -ENOMEM;
    }
    vmaf_mutex_unlock(&pool->lock);
    return err;
}

void frame_pool_allow_more(FramePool *pool, unsigned buffers)
{
    vmaf_mutex_lock(&pool->lock);
    pool->max_buffers += buffers;
    vmaf_condition_broadcast(&pool->changed);
    vmaf_mutex_unlock(&pool->lock);
}

void frame_pool_stop(FramePool *pool)
{
    vmaf_mutex_lock(&pool->lock);
    pool->stopped = true;
    vmaf_condition_broadcast(&pool->changed);
    vmaf_mutex_unlock(&pool->lock);
}

void *frame_buffer_memory(FrameBuffer *buffer)
{
    if (!buffer->frame_memory &&
        vmaf_frame_memory_alloc(&buffer->frame_memory, buffer->pool->buffer_bytes, &buffer->memory))
        buffer->frame_memory = NULL;
    return buffer->frame_memory ? buffer->memory : NULL;
}

void frame_buffer_release(void *released)
{
    FrameBuffer *buffer = released;
    FramePool *pool = buffer->pool;
    vmaf_file_window_close(&buffer->window);
    if (buffer->held)
        buffer->let_go(buffer->held);
    buffer->held = NULL;
    vmaf_mutex_lock(&pool->lock);
    buffer->next_free = pool->free;
    pool->free = buffer;
    vmaf_condition_signal(&pool->changed);
    vmaf_mutex_unlock(&pool->lock);
}
