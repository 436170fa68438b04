/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/frame_queue.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "picture/picture.h"
#include "support/memory.h"

struct FrameQueue {
    const WorkPlan *plan;
    FrameRetire retire;
    void *cookie;
    unsigned capacity;
    Frame *slots; /* the frame at position p is in slot p % capacity */
    unsigned char *records;
    int *statuses;

    pthread_mutex_t lock;
    pthread_cond_t claimable; /* there are new requests to claim, or the queue stopped */
    pthread_cond_t retired;   /* a frame was retired */
    uint64_t n_submitted, n_retired;
    bool retiring, stopped;
};

static Frame *slot(const FrameQueue *queue, uint64_t position)
{
    return &queue->slots[position % queue->capacity];
}

int frame_queue_create(FrameQueue **created, const WorkPlan *plan, unsigned capacity,
                       FrameRetire retire, void *cookie)
{
    FrameQueue *queue = calloc(1, sizeof(*queue));
    if (!queue)
        return -ENOMEM;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->claimable, NULL);
    pthread_cond_init(&queue->retired, NULL);
    queue->plan = plan;
    queue->capacity = capacity;
    queue->retire = retire;
    queue->cookie = cookie;
    queue->slots = calloc(capacity, sizeof(*queue->slots));
    queue->records = memory_alloc_zeroed(capacity, plan->records_size + MEMORY_ALIGNMENT);
    queue->statuses = calloc((size_t)capacity * (plan->n_requests + 1), sizeof(int));
    if (!queue->slots || !queue->records || !queue->statuses) {
        frame_queue_destroy(queue);
        return -ENOMEM;
    }
    *created = queue;
    return 0;
}

static void release_pixels(Frame *frame)
{
    picture_unref(&frame->ref);
    picture_unref(&frame->dist);
    for (int i = 0; i < FEATURE_MAX_HISTORY; i++) {
        picture_unref(&frame->earlier_ref[i]);
        picture_unref(&frame->earlier_dist[i]);
    }
}

void frame_queue_destroy(FrameQueue *queue)
{
    if (!queue)
        return;
    for (uint64_t p = queue->n_retired; p < queue->n_submitted; p++)
        release_pixels(slot(queue, p));
    free(queue->slots);
    memory_free(queue->records);
    free(queue->statuses);
    pthread_cond_destroy(&queue->claimable);
    pthread_cond_destroy(&queue->retired);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}

void *frame_record(const FrameQueue *queue, const Frame *frame, unsigned request)
{
    return frame->records + queue->plan->requests[request].record_offset;
}

/* Retires what is complete at the head of the queue, unless another thread is at it. Locked. */
static void retire_complete(FrameQueue *queue)
{
    if (queue->retiring)
        return;
    queue->retiring = true;
    while (queue->n_retired < queue->n_submitted) {
        const Frame *frame = slot(queue, queue->n_retired);
        if (!mask_equal(&frame->done, &frame->wanted))
            break;
        pthread_mutex_unlock(&queue->lock);
        queue->retire(queue->cookie, frame);
        pthread_mutex_lock(&queue->lock);
        queue->n_retired++;
        pthread_cond_broadcast(&queue->retired);
    }
    queue->retiring = false;
}

void frame_queue_submit(FrameQueue *queue, const Frame *frame)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->n_submitted - queue->n_retired == queue->capacity)
        pthread_cond_wait(&queue->retired, &queue->lock);

    uint64_t position = queue->n_submitted;
    size_t number = position % queue->capacity;
    Frame *target = &queue->slots[number];
    *target = *frame;
    target->position = position;
    target->claimed = target->done = (RequestMask){0};
    target->records = queue->records + number * (queue->plan->records_size + MEMORY_ALIGNMENT);
    target->status = queue->statuses + number * (queue->plan->n_requests + 1);
    memset(target->status, 0, (queue->plan->n_requests + 1) * sizeof(int));
    if (mask_empty(&target->wanted))
        release_pixels(target);
    queue->n_submitted++;
    pthread_cond_broadcast(&queue->claimable);
    retire_complete(queue);
    pthread_mutex_unlock(&queue->lock);
}

void frame_queue_wait(FrameQueue *queue, uint64_t position)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->n_retired <= position)
        pthread_cond_wait(&queue->retired, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
}

/* Finds something to claim. Locked. */
static bool find_claim(FrameQueue *queue, const RequestMask groups[], unsigned n_groups,
                       Frame **frame, RequestMask *claimed)
{
    for (uint64_t p = queue->n_retired; p < queue->n_submitted; p++) {
        Frame *candidate = slot(queue, p);
        RequestMask offered = mask_without(candidate->wanted, &candidate->claimed);
        for (unsigned g = 0; g < n_groups; g++) {
            *claimed = mask_and(offered, &groups[g]);
            if (!mask_empty(claimed)) {
                *frame = candidate;
                return true;
            }
        }
    }
    return false;
}

bool frame_queue_claim(FrameQueue *queue, const RequestMask groups[], unsigned n_groups, bool wait,
                       Frame **frame, RequestMask *claimed)
{
    pthread_mutex_lock(&queue->lock);
    bool found = false;
    while (!queue->stopped) {
        found = find_claim(queue, groups, n_groups, frame, claimed);
        if (found || !wait)
            break;
        pthread_cond_wait(&queue->claimable, &queue->lock);
    }
    if (found)
        (*frame)->claimed = mask_or((*frame)->claimed, claimed);
    pthread_mutex_unlock(&queue->lock);

    for (unsigned r = 0; found && r < queue->plan->n_requests; r++) {
        if (mask_has(claimed, r))
            memset(frame_record(queue, *frame, r), 0, queue->plan->requests[r].record_size);
    }
    return found;
}

void frame_queue_complete(FrameQueue *queue, Frame *frame, const RequestMask *requests, int status)
{
    pthread_mutex_lock(&queue->lock);
    for (unsigned r = 0; r < queue->plan->n_requests; r++) {
        if (mask_has(requests, r))
            frame->status[r] = status;
    }
    RequestMask done = mask_or(frame->done, requests);
    if (mask_equal(&done, &frame->wanted)) {
        /* Nobody but this thread has business with the frame until `done` is stored. */
        pthread_mutex_unlock(&queue->lock);
        release_pixels(frame);
        pthread_mutex_lock(&queue->lock);
    }
    frame->done = done;
    retire_complete(queue);
    pthread_mutex_unlock(&queue->lock);
}

void frame_queue_give_back(FrameQueue *queue, Frame *frame, const RequestMask *requests)
{
    pthread_mutex_lock(&queue->lock);
    frame->claimed = mask_without(frame->claimed, requests);
    pthread_cond_broadcast(&queue->claimable);
    pthread_mutex_unlock(&queue->lock);
}

void frame_queue_stop(FrameQueue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->stopped = true;
    pthread_cond_broadcast(&queue->claimable);
    pthread_mutex_unlock(&queue->lock);
}
