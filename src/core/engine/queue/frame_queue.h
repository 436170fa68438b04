/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_QUEUE_FRAME_QUEUE_H
#define CORE_ENGINE_QUEUE_FRAME_QUEUE_H

/*
 * The bounded queue of frames between the caller and those who score them.
 *
 * The caller submits frames in order. Executors claim requests of a frame (whatever set of them
 * they can compute), fill in records, and complete them; one that cannot go on gives its claims
 * back, and another takes them. Executors need no registration: they may begin at any frame and
 * stop after any. Threads of the CPU share the rows of a frame when there are not enough frames.
 * When all requests of the oldest frame are complete it is retired, in order, one at a time, on the
 * thread that completed it; its pixels are released as soon as its last request is complete, even
 * while older frames are in work.
 */

#include <stdatomic.h>

#include "engine/queue/load_balance.h"
#include "engine/work/work_list.h"

typedef struct FrameQueue FrameQueue;

enum { QUEUE_GROWTH = 128 };

typedef struct Frame {
    uint64_t position; /* in the order of submission, from 0 */
    unsigned index;    /* number that the caller gave it */
    /* References that the frame holds; zeroed when its last request is complete. */
    VmafPicture ref, dist;
    VmafPicture earlier_ref[FEATURE_MAX_HISTORY], earlier_dist[FEATURE_MAX_HISTORY];
    RequestMask wanted;
    /* Backend that has computed a part of it, and which part. */
    const char *backend;
    RequestMask by_backend;
    /* Private to the queue. */
    RequestMask claimed, done;
    int64_t claimed_at; /* as a whole */
    struct FrameMemory *memory;
    unsigned char *records;
    int *status; /* by request: 0 or the error of its accumulation */
} Frame;

/* What a worker has to do: requests of one unit of a frame, in a band of its rows. */
typedef struct WorkItem {
    Frame *frame;
    unsigned unit;
    RequestMask requests;
    RowBand rows;
    bool divided; /* others may be at other rows */
} WorkItem;

/* Called for each frame in order, never for two at a time, and not with the queue locked. */
typedef void (*FrameRetire)(void *cookie, const Frame *frame);
/* Does a piece of the work that is offered, if there is one and nobody else is bound to do it. */
typedef bool (*FrameHelp)(void *cookie);

/* Holds `capacity` frames that are not retired. `work` must outlive the queue. 0, -ENOMEM. */
int frame_queue_create(FrameQueue **queue, const WorkList *work, unsigned capacity,
                       FrameRetire retire, void *cookie);
/* No executor may be using it any more. Frames that are not retired are dropped. NULL allowed. */
void frame_queue_destroy(FrameQueue *queue);

/* Makes room for as many frames, but not for more than QUEUE_GROWTH above the first capacity.
 * 0, -ENOMEM. */
int frame_queue_grow(FrameQueue *queue, unsigned capacity);
/* Of the frames that are not retired at most `frames` may be incomplete, and so hold pixels. At
 * first that is the capacity. */
void frame_queue_set_limit(FrameQueue *queue, unsigned frames);
/* Threads that wait in submit and wait call `help` meanwhile. */
void frame_queue_set_help(FrameQueue *queue, FrameHelp help, void *cookie);

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
/*
 * The same for one of `parts` workers, where each group belongs to one unit; waits. If no later
 * frame offers the same work, the unit is divided (unit_rows.h), and who finds nothing to claim
 * joins. What is not divided is completed as ever. Of a divided unit a worker accumulates into
 * records of its own (zeroed by it, laid out as in the frame from the unit's first request on),
 * takes more rows until there are none, and hands its records in, which completes the unit if
 * nobody else is at it.
 */
bool frame_queue_take(FrameQueue *queue, const RequestMask groups[], unsigned n_groups,
                      unsigned parts, WorkItem *item);
/* With the status of the rows just done. False: no more rows. */
bool frame_queue_take_more(FrameQueue *queue, unsigned parts, int status, WorkItem *item);
void frame_queue_hand_in(FrameQueue *queue, const WorkItem *item, const unsigned char *records,
                         int64_t microseconds);
/* Bands that divided units were given out in. */
uint64_t frame_queue_band_count(FrameQueue *queue);

/*
 * Claims those of the requests that the oldest frame wants of which nobody has claimed any of them.
 * Waits at most `milliseconds` (negative: no limit), and no longer than `leave` is false, which who
 * sets it makes known with frame_queue_wake.
 */
bool frame_queue_claim_whole(FrameQueue *queue, const RequestMask *requests,
                             const atomic_bool *leave, int milliseconds, Frame **frame,
                             RequestMask *claimed);
void frame_queue_wake(FrameQueue *queue);
/* Requests that executors claim from whole frames while others take them one by one; empty: no
 * longer. And what a unit takes the latter. Both for the balance at the end. */
void frame_queue_share(FrameQueue *queue, const RequestMask *requests);
void frame_queue_note_work(FrameQueue *queue, unsigned unit, int64_t microseconds);
RunProgress frame_queue_progress(FrameQueue *queue);
/* No more frames will be submitted. */
void frame_queue_end(FrameQueue *queue);
/* Hands claimed requests back as done, with the same status for each. */
void frame_queue_complete(FrameQueue *queue, Frame *frame, const RequestMask *requests, int status);
/* The same for what frame_queue_claim_whole has claimed, computed by a backend. */
void frame_queue_complete_whole(FrameQueue *queue, Frame *frame, const RequestMask *requests,
                                const char *backend);
/* Hands claimed requests back undone, for another executor. */
void frame_queue_give_back(FrameQueue *queue, Frame *frame, const RequestMask *requests);
/* Nobody will do these requests: from now on they are complete with that status, unless claimed. */
void frame_queue_refuse(FrameQueue *queue, const RequestMask *requests, int status);
/* Makes all waiting and future claims return false. */
void frame_queue_stop(FrameQueue *queue);

/* Record of a request of a frame: writable for who has claimed it, readable when retired. */
void *frame_record(const FrameQueue *queue, const Frame *frame, unsigned request);

#endif
