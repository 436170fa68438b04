/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_FRAME_QUEUE_H
#define CORE_ENGINE_FRAME_QUEUE_H

/*
 * The bounded queue of frames between the caller and those who score them.
 *
 * The caller submits frames in order. Executors claim requests of a frame (whatever set of them
 * they can compute), fill in records, and complete them; one that cannot go on gives its claims
 * back, and another takes them. Executors need no registration: they may begin at any frame and
 * stop after any. When all requests of the oldest frame are complete it is retired, in order, one
 * at a time, on the thread that completed it; its pixels are released as soon as its last request
 * is complete, even while older frames are in work.
 */

#include "engine/work_plan.h"

typedef struct FrameQueue FrameQueue;

typedef struct Frame {
    uint64_t position; /* in the order of submission, from 0 */
    unsigned index;    /* number that the caller gave it */
    /* References that the frame holds; zeroed when its last request is complete. */
    VmafPicture ref, dist;
    VmafPicture earlier_ref[FEATURE_MAX_HISTORY], earlier_dist[FEATURE_MAX_HISTORY];
    RequestMask wanted;
    /* Private to the queue. */
    RequestMask claimed, done;
    unsigned char *records;
    int *status; /* by request: 0 or the error of its accumulation */
} Frame;

/* Called for each frame in order, never for two at a time, and not with the queue locked. */
typedef void (*FrameRetire)(void *cookie, const Frame *frame);

/* `plan` must outlive the queue. 0, -ENOMEM. */
int frame_queue_create(FrameQueue **queue, const WorkPlan *plan, unsigned capacity,
                       FrameRetire retire, void *cookie);
/* No executor may be using it any more. Frames that are not retired are dropped. NULL allowed. */
void frame_queue_destroy(FrameQueue *queue);

/*
 * Appends a frame, of which index, pictures and `wanted` are set; waits while the queue is full.
 * Takes over the references.
 */
void frame_queue_submit(FrameQueue *queue, const Frame *frame);
/* Waits until the frame at `position`, which must have been submitted, is retired. */
void frame_queue_wait(FrameQueue *queue, uint64_t position);

/*
 * Claims requests of the oldest frame that has some to offer: those of the first of the n groups
 * that are unclaimed. Their records are zeroed. With `wait` blocks until there is something or the
 * queue stops. Returns false if nothing was claimed.
 */
bool frame_queue_claim(FrameQueue *queue, const RequestMask groups[], unsigned n_groups, bool wait,
                       Frame **frame, RequestMask *claimed);
/* Hands claimed requests back as done, with the same status for each. */
void frame_queue_complete(FrameQueue *queue, Frame *frame, const RequestMask *requests, int status);
/* Hands claimed requests back undone, for another executor. */
void frame_queue_give_back(FrameQueue *queue, Frame *frame, const RequestMask *requests);
/* Makes all waiting and future claims return false. */
void frame_queue_stop(FrameQueue *queue);

/* Record of a request of a frame: writable for who has claimed it, readable when retired. */
void *frame_record(const FrameQueue *queue, const Frame *frame, unsigned request);

#endif
