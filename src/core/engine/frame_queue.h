/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_FRAME_QUEUE_H
#define CORE_ENGINE_FRAME_QUEUE_H

/*
 * The bounded queue of frames between the caller and those who score them.
 *
 * The caller submits frames in order. Executors claim requests of a frame (whatever set of them
 * they can compute), fill in records, and complete them; one that cannot go on gives its claims
 * back, and another takes them. They may begin at any frame and stop after any. When all requests
 * of the oldest frame are complete it is retired, in order, one at a time, on the thread that
 * completed it; its pixels are released as soon as its last request is computed, even while older
 * frames are in work. Records of a backend may have to be condensed before their requests are
 * complete, which workers of the CPU do.
 */

#include <stdatomic.h>

#include "engine/work_list.h"
#include "picture/picture.h"
#include "trace/trace.h"

/* ---- frames ---- */

typedef struct FrameQueue FrameQueue;

typedef struct Frame {
    uint64_t position; /* in the order of submission, from 0 */
    unsigned index;    /* number that the caller gave it */
    unsigned lead_in;  /* pairs before the first frame that are only neighbours */
    bool stored;       /* it has come with its records, not with pictures */
    bool has_room; /* frame_queue_wait_for_room was called: even if the limit was lowered since */
    /* References that the frame holds; zeroed when its last request is computed. */
    VmafPicture ref, dist;
    VmafPicture earlier_ref[FEATURE_MAX_HISTORY], earlier_dist[FEATURE_MAX_HISTORY];
    PictureAttachment *with_ref; /* what devices of several frames share of `ref`; may be NULL */
    RequestMask wanted;
    bool repeats; /* its records are those of the frame before */
    /* Backend that has computed a part of it, which part, and number of the device among those
     * of the run. */
    const char *backend;
    unsigned device;
    RequestMask by_backend;
    /* Private to the queue. */
    RequestMask claimed, done;
    RequestMask computed; /* their records are there, condensed or not */
    RequestMask arrived;  /* of them those that nobody has begun to condense */
    int64_t claimed_at;   /* as a whole */
    struct FrameMemory *memory;
    unsigned char *records;
    int *status; /* by request: 0 or the error of its accumulation */
    TraceFrame trace;
} Frame;

/* Its number among all pairs of the stream, so that those before it have numbers too. */
static inline uint64_t frame_sequence(const Frame *frame)
{
    return frame->position + frame->lead_in;
}

/* Pictures were copied from a device for a frame; any thread. */
void frame_queue_note_downloads(FrameQueue *queue, unsigned n);

/* Gives up the references that a frame, or a copy of one, holds. */
void frame_release_pictures(Frame *frame);
/* It is scored, or dropped. */
static inline void frame_trace_end(const Frame *frame, bool dropped)
{
    trace_frame_end(&frame->trace, &(TraceFrameEnd){frame->position, frame->index,
                                                    frame->wanted.word, frame->backend, dropped});
}
/* Record of a request of a frame: writable for who has claimed it, readable when retired. */
void *frame_record(const FrameQueue *queue, const Frame *frame, unsigned request);

/* The pictures of a frame as the host can read them; no references of their own. */
typedef struct FrameViews {
    VmafPicture ref, dist;
    VmafPicture earlier_ref[FEATURE_MAX_HISTORY], earlier_dist[FEATURE_MAX_HISTORY];
} FrameViews;

/* Makes the views that a unit reads, and the input that points to them. Pictures on a device are
 * copied from there: their number, or a negative errno. */
int frame_view(const WorkUnit *unit, const Frame *frame, FrameViews *views, FrameInput *input);

/* ---- for who submits frames ---- */

enum { QUEUE_GROWTH = 128, BALANCE_DEVICES_MAX = 64 };

/* How far a run has come. */
typedef struct RunProgress {
    uint64_t n_submitted, n_retired; /* frames */
    int64_t worked_us;
    uint64_t
        n_by_backend; /* of the retired ones: those of which a backend has computed something */
} RunProgress;

/* Called for each frame in order, never for two at a time, and not with the queue locked. */
typedef void (*FrameRetire)(void *cookie, const Frame *frame);
/* Does a part of the work that is offered; false: there is none. */
typedef bool (*FrameHelp)(void *cookie);
/* Requests have become claimable. Not with the queue locked. */
typedef void (*FrameNotify)(void *cookie);

/* Holds `capacity` frames that are not retired. `work` must outlive the queue. 0, -ENOMEM. */
int frame_queue_create(FrameQueue **queue, const WorkList *work, unsigned capacity,
                       FrameRetire retire, void *cookie);
/* No workers may be using it any more. Frames that are not retired are dropped. NULL allowed. */
void frame_queue_destroy(FrameQueue *queue);

/* Makes room for as many frames, but not for more than QUEUE_GROWTH above the first capacity.
 * 0, -ENOMEM. */
int frame_queue_grow(FrameQueue *queue, unsigned capacity);
/* Limits how many of the frames that are not retired may be incomplete, and so hold pixels. The
 * limit is the capacity at first. */
void frame_queue_set_limit(FrameQueue *queue, unsigned frames);
/* Where the pictures are counted that are copied from a device; before there are devices. */
void frame_queue_count_downloads(FrameQueue *queue, atomic_uint *count);
/* Sets the clock, in microseconds, by which devices are timed; before there are devices. For
 * tests. */
void frame_queue_set_clock(FrameQueue *queue, int64_t (*clock)(void));
/* Threads that wait in submit and wait call `help` meanwhile. */
void frame_queue_set_help(FrameQueue *queue, FrameHelp help, void *cookie);
/* Work is announced by calling `notify`, too, besides waking the queue's own workers. Before the
 * first frame. */
void frame_queue_set_notify(FrameQueue *queue, FrameNotify notify, void *cookie);

/* Threads that wait for room are only woken when there is room for so many frames, or for the
 * limit; 1 at first. Before the first frame. */
void frame_queue_set_together(FrameQueue *queue, unsigned frames);

/* Waits until a frame can be submitted without waiting. By who submits. */
void frame_queue_wait_for_room(FrameQueue *queue, const RequestMask *wanted);
/*
 * Appends a frame, of which index, pictures and `wanted` are set; waits while the queue is full.
 * Takes over the references. One thread at a time.
 */
void frame_queue_submit(FrameQueue *queue, const Frame *frame);
/* The same for a frame without pictures, but with a block of its records, which is copied; waits.
 */
void frame_queue_submit_stored(FrameQueue *queue, const Frame *frame, const void *records);
/* Waits until the frame at `position`, which must have been submitted, is retired. Any thread. */
void frame_queue_wait(FrameQueue *queue, uint64_t position);
/* No more frames will be submitted. */
void frame_queue_end(FrameQueue *queue);

RunProgress frame_queue_progress(FrameQueue *queue);
/* Microseconds of scoring that are likely to be left for so many workers: what waits, at the speed
 * so far; at least as much as was done, since a run that has lasted some time is likely to last as
 * long again. */
int64_t run_left_us(const RunProgress *progress, unsigned n_workers);

/*
 * ---- for workers of the CPU ----
 *
 * Row workers belong to this queue and wait for it. Each takes a unit of the oldest frame that has
 * one to offer. Where no later frame offers the same work the unit is divided into bands of rows,
 * and a worker that finds nothing to claim joins. All other threads, such as those of a group, try
 * to claim whole units, and sleep elsewhere.
 */

/* What a worker has to do: requests of one unit of a frame, in a band of its rows. */
typedef struct WorkItem {
    Frame *frame;
    unsigned unit;
    RequestMask requests;
    RowBand rows;
    bool divided; /* others may be at other rows */
    bool arrived; /* the records are there, and are only to be condensed */
} WorkItem;

typedef struct RowWorkers {
    const RequestMask *groups; /* what is claimed together, of one unit each; outlive the workers */
    unsigned n_groups;
    unsigned n_workers;
    /* Processors for these workers. Units are not divided among more workers than that, and no
     * more are awake at a time, unless some wait for a device. */
    unsigned n_processors;
} RowWorkers;

/* Once, before the first of them takes anything. 0, -ENOMEM. */
int frame_queue_set_row_workers(FrameQueue *queue, const RowWorkers *workers);

/*
 * Waits for something to do for a row worker, whose number is less than n_workers; false: the queue
 * has stopped. What is not divided is accumulated into the records of the frame, which are zeroed,
 * condensed if the unit does that, and completed. Of a divided unit a worker accumulates into
 * records of its own (zeroed by it, laid out as in the frame from the unit's first request on),
 * takes more rows until there are none, and returns its records, which completes the unit if
 * nobody else is at it.
 */
bool frame_queue_wait_for_unit(FrameQueue *queue, unsigned worker, WorkItem *item);
/* With the status of the rows just done. False: no more rows. */
bool frame_queue_take_rows(FrameQueue *queue, int status, WorkItem *item);
void frame_queue_return_rows(FrameQueue *queue, const WorkItem *item, const unsigned char *records,
                             int64_t microseconds);
/* Returns claimed requests as done, with the same status for each. */
void frame_queue_complete(FrameQueue *queue, Frame *frame, const RequestMask *requests, int status);

/*
 * For a thread that is not one of the queue's row workers, since it serves several queues or has
 * other things to do: returns at once. Claims requests of the oldest frame that has some to offer,
 * those of the first of the n groups that are unclaimed, and zeroes their records. False: there is
 * nothing now.
 */
bool frame_queue_try_claim(FrameQueue *queue, const RequestMask groups[], unsigned n_groups,
                           Frame **frame, RequestMask *claimed);

/*
 * For a thread that has claimed requests of a frame of another queue: claims the `wanted` ones,
 * which are all that a frame here offers of the group. It must have the same reference picture, and
 * as many of the same earlier ones; zeroes the records. NULL: there is none.
 */
Frame *frame_queue_try_claim_same(FrameQueue *queue, const RequestMask *group,
                                  const RequestMask *wanted, const Frame *like, unsigned n_earlier);

/* The same for records of one unit that a backend has computed, and that are to be condensed. */
bool frame_queue_try_claim_arrived(FrameQueue *queue, Frame **frame, RequestMask *taken);

/* What a unit took that was not divided, for the balance at the end. */
void frame_queue_note_work(FrameQueue *queue, unsigned unit, int64_t microseconds);
/* Bands that divided units were given out in. */
uint64_t frame_queue_band_count(FrameQueue *queue);
/* All waiting and future takes and claims return false, those of whole frames too. */
void frame_queue_stop(FrameQueue *queue);

/* ---- for devices that take all that they can compute of a frame at once, such as backends ----
 */

/* What a device computes, which has a number from 0 to BALANCE_DEVICES_MAX - 1. Nothing: it is not
 * counted on any more, but may still have frames. */
void frame_queue_set_device(FrameQueue *queue, unsigned device, const RequestMask *requests);

/*
 * Claims the wanted requests of the oldest frame of which nobody has claimed any, and no other
 * device anything, for a device. Waits at most `milliseconds` (negative: no limit), and not after
 * `leave` is true; who sets it calls frame_queue_wake. False: nothing was claimed.
 */
bool frame_queue_claim_whole(FrameQueue *queue, unsigned device, const RequestMask *requests,
                             const atomic_bool *leave, int milliseconds, Frame **frame,
                             RequestMask *claimed);
void frame_queue_wake(FrameQueue *queue);

/* Returns what was claimed: computed by a backend, or undone, for other workers. */
void frame_queue_complete_whole(FrameQueue *queue, Frame *frame, const RequestMask *requests,
                                const char *backend);
void frame_queue_give_back(FrameQueue *queue, Frame *frame, const RequestMask *requests);

/* Requests that a device and the CPU may both compute: at the end of a run they are balanced
 * between them. Empty: there are none, or no more. */
void frame_queue_balance(FrameQueue *queue, const RequestMask *requests);
/* Nobody will do these requests: from now on they are complete with that status, unless claimed. */
void frame_queue_reject(FrameQueue *queue, const RequestMask *requests, int status);

#endif
