/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "picture/picture_pool.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "platform/machine.h"
#include "platform/thread.h"
#include "support/memory.h"
#include "trace/trace.h"

PictureBlock *picture_block_create(size_t size)
{
    PictureBlock *block = calloc(1, sizeof(*block));
    if (!block)
        return NULL;
    block->size = size_round_up(size ? size : 1, vmaf_page_size());
    if (block->size && block->size <= PTRDIFF_MAX)
        block->address = vmaf_aligned_alloc(vmaf_page_size(), block->size);
    if (!block->address) {
        free(block);
        return NULL;
    }
    memset(block->address, 0, block->size);
    atomic_init(&block->n_devices, 0);
    return block;
}

void picture_block_destroy(PictureBlock *block)
{
    if (!block)
        return;
    if (atomic_load(&block->n_devices))
        block->forget(block);
    vmaf_aligned_free(block->address);
    free(block);
}

/* One with room for all planes, laid out as picture_alloc does. NULL if memory runs out. */
static PictureBlock *picture_block_for(const PictureFormat *format, void *data[3],
                                       ptrdiff_t stride[3])
{
    size_t offset[3], size;
    if (!picture_planes_layout(format, offset, stride, &size))
        return NULL;
    PictureBlock *block = picture_block_create(size);
    for (unsigned p = 0; p < 3 && block; p++)
        data[p] = p < picture_format_planes(format->pix_fmt)
                      ? (unsigned char *)block->address + offset[p]
                      : NULL;
    return block;
}

static void release_block(void *cookie)
{
    picture_block_destroy(cookie);
}

int picture_alloc_in_block(VmafPicture *pic, const PictureFormat *format)
{
    void *data[3];
    ptrdiff_t stride[3];
    PictureBlock *block = picture_block_for(format, data, stride);
    if (!block)
        return -ENOMEM;
    int err = picture_wrap(pic, format, data, stride, release_block, block);
    if (err)
        picture_block_destroy(block);
    else
        picture_set_block(pic, block);
    return err;
}

/* Memory of one picture of the pool. */
typedef struct PoolEntry {
    PicturePool *pool;
    PictureBlock *block;
    void *data[3];
    ptrdiff_t stride[3];
    struct PoolEntry *next; /* of the pool */
    struct PoolEntry *next_free;
} PoolEntry;

struct PicturePool {
    VmafMutex lock;
    VmafCondition returned;
    PictureFormat format;
    PoolEntry *entries;
    PoolEntry *free_list;
    unsigned in_use;
    bool closed;
};

static void pool_destroy(PicturePool *pool)
{
    while (pool->entries) {
        PoolEntry *entry = pool->entries;
        pool->entries = entry->next;
        picture_block_destroy(entry->block);
        free(entry);
    }
    vmaf_condition_destroy(&pool->returned);
    vmaf_mutex_destroy(&pool->lock);
    free(pool);
}

static PoolEntry *entry_create(PicturePool *pool)
{
    PoolEntry *entry = calloc(1, sizeof(*entry));
    if (!entry)
        return NULL;
    entry->pool = pool;
    entry->block = picture_block_for(&pool->format, entry->data, entry->stride);
    if (!entry->block) {
        free(entry);
        return NULL;
    }
    return entry;
}

static void add_entry(PicturePool *pool, PoolEntry *entry)
{
    entry->next = pool->entries;
    pool->entries = entry;
    entry->next_free = pool->free_list;
    pool->free_list = entry;
}

int picture_pool_create(PicturePool **created, const PictureFormat *format, unsigned count)
{
    PicturePool *pool = calloc(1, sizeof(*pool));
    if (!pool)
        return -ENOMEM;
    vmaf_mutex_init(&pool->lock);
    vmaf_condition_init(&pool->returned);
    pool->format = *format;
    for (unsigned i = 0; i < count; i++) {
        PoolEntry *entry = entry_create(pool);
        if (!entry) {
            pool_destroy(pool);
            return -ENOMEM;
        }
        add_entry(pool, entry);
    }
    *created = pool;
    return 0;
}

/* A picture is not in use any more. Unlocks the pool. */
static void end_use(PicturePool *pool)
{
    const bool last = --pool->in_use == 0 && pool->closed;
    vmaf_condition_signal(&pool->returned);
    vmaf_mutex_unlock(&pool->lock);
    if (last)
        pool_destroy(pool);
}

static void give_back(void *cookie)
{
    PoolEntry *entry = cookie;
    PicturePool *pool = entry->pool;
    vmaf_mutex_lock(&pool->lock);
    entry->next_free = pool->free_list;
    pool->free_list = entry;
    end_use(pool);
}

/* Replaces a picture that will never be returned. */
static void replace(void *cookie)
{
    PoolEntry *lost = cookie;
    PicturePool *pool = lost->pool;
    PoolEntry *other = entry_create(pool);
    vmaf_mutex_lock(&pool->lock);
    PoolEntry **link = &pool->entries;
    while (*link != lost)
        link = &(*link)->next;
    *link = lost->next;
    if (other)
        add_entry(pool, other);
    end_use(pool);
}

/* Locked. */
static void wait_for_return(PicturePool *pool)
{
    TRACE_SCOPE(TRACE_WAIT, "wait for a picture");
    vmaf_condition_wait(&pool->returned, &pool->lock);
}

int picture_pool_fetch(PicturePool *pool, VmafPicture *pic)
{
    vmaf_mutex_lock(&pool->lock);
    while (!pool->free_list)
        wait_for_return(pool);
    PoolEntry *entry = pool->free_list;
    pool->free_list = entry->next_free;
    pool->in_use++;
    vmaf_mutex_unlock(&pool->lock);

    int err = picture_wrap(pic, &pool->format, entry->data, entry->stride, give_back, entry);
    if (err) {
        give_back(entry);
        return err;
    }
    picture_on_keep(pic, replace);
    picture_set_block(pic, entry->block);
    return 0;
}

void picture_pool_close(PicturePool *pool)
{
    if (!pool)
        return;
    vmaf_mutex_lock(&pool->lock);
    pool->closed = true;
    bool last = pool->in_use == 0;
    vmaf_mutex_unlock(&pool->lock);
    if (last)
        pool_destroy(pool);
}
