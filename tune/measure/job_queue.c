/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/job_queue.h"

#include "platform/thread.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct Item {
    void *job;
    struct Item *next;
} Item;

/* First in, first out. */
typedef struct Line {
    Item *first, **end;
} Line;

struct JobQueue {
    void (*work)(void *cookie, void *job);
    void *cookie;
    VmafThread *threads;
    int n_threads;
    size_t pending;
    VmafMutex lock;
    VmafCondition submitted, finished;
    Line to_do, done;
    bool ends;
};

static void append(Line *line, Item *item)
{
    item->next = NULL;
    *line->end = item;
    line->end = &item->next;
}

static Item *take_first(Line *line)
{
    Item *item = line->first;
    if (item) {
        line->first = item->next;
        if (!line->first)
            line->end = &line->first;
    }
    return item;
}

/* NULL: the queue ends. */
static Item *wait_for_work(JobQueue *queue)
{
    vmaf_mutex_lock(&queue->lock);
    while (!queue->to_do.first && !queue->ends)
        vmaf_condition_wait(&queue->submitted, &queue->lock);
    Item *item = take_first(&queue->to_do);
    vmaf_mutex_unlock(&queue->lock);
    return item;
}

static void *run(void *argument)
{
    JobQueue *queue = argument;
    vmaf_thread_set_name("tune-job");
    for (Item *item; (item = wait_for_work(queue));) {
        queue->work(queue->cookie, item->job);
        vmaf_mutex_lock(&queue->lock);
        append(&queue->done, item);
        vmaf_mutex_unlock(&queue->lock);
        vmaf_condition_signal(&queue->finished);
    }
    return NULL;
}

int job_queue_create(JobQueue **created, int n_threads, void (*work)(void *cookie, void *job),
                     void *cookie)
{
    JobQueue *queue = calloc(1, sizeof(*queue));
    *created = NULL;
    if (!queue)
        return -ENOMEM;
    queue->threads = calloc((size_t)n_threads, sizeof(*queue->threads));
    queue->work = work;
    queue->cookie = cookie;
    queue->to_do.end = &queue->to_do.first;
    queue->done.end = &queue->done.first;
    vmaf_mutex_init(&queue->lock);
    vmaf_condition_init(&queue->submitted);
    vmaf_condition_init(&queue->finished);
    int err = queue->threads ? 0 : -ENOMEM;
    for (int i = 0; i < n_threads && !err; i++) {
        err = vmaf_thread_start(&queue->threads[i], run, queue);
        queue->n_threads += !err;
    }
    if (err && !queue->n_threads) { /* fewer threads are as good */
        job_queue_destroy(queue);
        return err;
    }
    *created = queue;
    return 0;
}

static void drop(Line *line)
{
    for (Item *item; (item = take_first(line));)
        free(item);
}

void job_queue_destroy(JobQueue *queue)
{
    if (!queue)
        return;
    vmaf_mutex_lock(&queue->lock);
    queue->ends = true;
    vmaf_mutex_unlock(&queue->lock);
    vmaf_condition_broadcast(&queue->submitted);
    for (int i = 0; i < queue->n_threads; i++)
        vmaf_thread_join(queue->threads[i]);
    drop(&queue->to_do);
    drop(&queue->done);
    vmaf_condition_destroy(&queue->finished);
    vmaf_condition_destroy(&queue->submitted);
    vmaf_mutex_destroy(&queue->lock);
    free(queue->threads);
    free(queue);
}

int job_queue_submit(JobQueue *queue, void *job)
{
    Item *item = malloc(sizeof(*item));
    if (!item)
        return -ENOMEM;
    item->job = job;
    queue->pending++;
    vmaf_mutex_lock(&queue->lock);
    append(&queue->to_do, item);
    vmaf_mutex_unlock(&queue->lock);
    vmaf_condition_signal(&queue->submitted);
    return 0;
}

void *job_queue_wait(JobQueue *queue, unsigned limit_ms)
{
    const VmafDeadline deadline = vmaf_deadline_after(limit_ms);
    int err = 0;
    if (!queue->pending)
        return NULL;
    vmaf_mutex_lock(&queue->lock);
    while (!queue->done.first && !err)
        err = vmaf_condition_wait_until(&queue->finished, &queue->lock, deadline);
    Item *item = take_first(&queue->done);
    vmaf_mutex_unlock(&queue->lock);
    if (!item)
        return NULL;
    void *job = item->job;
    queue->pending--;
    free(item);
    return job;
}

size_t job_queue_pending(const JobQueue *queue)
{
    return queue->pending;
}
