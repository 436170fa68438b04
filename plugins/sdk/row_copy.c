/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Rows that the processor copies, and the threads that help it. */
#include "row_copy.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "platform/thread.h"

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

void vmaf_copy_rows(const VmafRowCopy *copy)
{
    for (uint32_t y = 0; y < copy->rows; y++)
        memcpy(copy->to + (int64_t)y * copy->to_stride, copy->from + (int64_t)y * copy->from_stride,
               copy->bytes);
}

static void copy_part(const VmafRowCopy *copy, uint32_t first, uint32_t end)
{
    VmafRowCopy part = *copy;
    part.to += (int64_t)first * copy->to_stride;
    part.from += (int64_t)first * copy->from_stride;
    part.rows = end - first;
    vmaf_copy_rows(&part);
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
        copy_part(copy, first, first + rows < copy->rows ? first + rows : copy->rows);
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
            vmaf_copy_rows(&copies[i]);
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
