/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_QUEUE_STATE_H
#define CORE_ENGINE_QUEUE_STATE_H

/* Inside of the queue, for the files that make it up. */

#include "engine/queue/producer.h"
#include "engine/queue/row_worker.h"
#include "engine/queue/unit_rows.h"
#include "platform/thread.h"

/* Where the records of a frame are, while it is in the queue. */
typedef struct FrameMemory {
    struct FrameMemory *next_free, *next;
    unsigned char *records;
    UnitRows *rows; /* by unit */
    int status[];
} FrameMemory;

/* What the next frame may repeat. */
typedef struct RetiredFrame {
    FrameMemory *memory;
    const char *backend;
    unsigned device;
    RequestMask by_backend;
} RetiredFrame;

/* A row worker is asleep; or woken, until it has looked for work; or working, until it comes for
 * more. */
typedef struct Worker {
    VmafCondition condition;
    bool asleep, working;
} Worker;

/* Conditions that are to be broadcast when the queue is unlocked, so that who wakes does not run
 * into the lock. */
enum { CALLS_MAX = 16 };

struct FrameQueue {
    const WorkList *work;
    int64_t (*clock)(void); /* microseconds; tests have one of their own */
    FrameRetire retire;
    void *cookie;
    FrameHelp help; /* NULL: there are threads for all work */
    void *help_cookie;
    FrameNotify notify; /* NULL: only the workers of this queue look for work */
    void *notify_cookie;
    bool has_offers; /* that nobody was notified of */
    unsigned n_slots;
    Frame *slots; /* the frame at position p is in slot p % n_slots */

    VmafMutex lock;
    VmafCondition *calls[CALLS_MAX];
    unsigned n_calls;
    uint64_t n_events; /* upon which who helps looks again */

    unsigned capacity; /* frames that there is memory for */
    FrameMemory *memory, *free_memory;
    RetiredFrame last; /* whose memory is not counted in `capacity` */
    uint64_t n_submitted, n_retired, n_by_backend;
    unsigned n_incomplete, limit;
    unsigned together; /* frames that there must be room for before the producer is woken */
    LoadBalance balance;
    atomic_uint *n_downloads; /* NULL: not counted */
    RequestMask refused;
    int refused_status;
    bool retiring, stopped;

    VmafCondition room;          /* for the producer */
    const RequestMask *incoming; /* of the frame that it is submitting, and may have to wait with */
    VmafCondition retired;
    uint64_t awaited; /* the first position that somebody waits for; UINT64_MAX: nobody does */
    VmafCondition whole;
    unsigned n_whole; /* executors of whole frames that wait */

    RowWorkers row;
    Worker *workers;
    unsigned *asleep; /* numbers of those that are; the last was awake last */
    unsigned n_asleep, n_woken, n_working;
    unsigned most_awake; /* woken and working ones */
    unsigned n_open;     /* divided units of which there are rows to take */
    unsigned n_arrived;  /* frames with records that nobody has begun to condense */
    uint64_t n_bands;
};

static inline Frame *queue_slot(const FrameQueue *queue, uint64_t position)
{
    return &queue->slots[position % queue->n_slots];
}

/* Unlocks, and wakes whom this thread has called. Nobody waits with calls outstanding. */
void queue_unlock(FrameQueue *queue);
/* Wakes who waits on a condition, once the queue is unlocked. Locked, as the rest. */
void queue_call(FrameQueue *queue, VmafCondition *condition);
/* Requests have become claimable. */
void queue_offer(FrameQueue *queue);
/* Frames were completed or retired, or there is more room. */
void queue_note_progress(FrameQueue *queue);
/* Wakes so many row workers, less those that are about to look for work anyway. */
void queue_wake_row_workers(FrameQueue *queue, unsigned n);
/* The executor or the CPU has left a frame to the other, and looks at it again. */
void queue_rebalance(FrameQueue *queue);

/* The executor and the CPU leave frames to each other: at the end of a run; and a caller that has
 * no workers always does, since only that thread brings the next frame. */
static inline bool queue_weighs(const FrameQueue *queue)
{
    return queue->balance.ending || queue->help;
}

static inline bool queue_is_full(const FrameQueue *queue)
{
    return !queue->free_memory || queue->n_incomplete >= queue->limit;
}

/* There is room enough to wake the producer for. */
static inline bool queue_has_room(const FrameQueue *queue)
{
    const uint64_t free_memory = queue->capacity - (queue->n_submitted - queue->n_retired);
    return !queue_is_full(queue) &&
           (!queue->n_incomplete || (queue->n_incomplete + queue->together <= queue->limit &&
                                     free_memory >= queue->together));
}

/* There is a processor for another row worker. */
static inline bool queue_may_wake(const FrameQueue *queue)
{
    return queue->n_woken + queue->n_working < queue->most_awake;
}

/* Finds something to claim. */
bool queue_find_claim(FrameQueue *queue, const RequestMask groups[], unsigned n_groups,
                      Frame **frame, RequestMask *claimed);
/* Finds records of one unit that are to be condensed, and claims them. */
bool queue_take_arrived(FrameQueue *queue, Frame **frame, RequestMask *taken);
/* Row workers that there is something for, but no more than `most` are counted: one for each unit
 * that may be claimed, or for several short ones. */
unsigned queue_count_turns(const FrameQueue *queue, unsigned most);
/* Zeroes claimed records. By the thread that has claimed them; needs no lock. */
void queue_zero_records(const FrameQueue *queue, const Frame *frame, const RequestMask *claimed);
/* Retires what is complete at the head of the queue, unless another thread is at it; completes
 * requests, and then does that. Both unlock the queue meanwhile. */
void queue_retire(FrameQueue *queue);
void queue_complete(FrameQueue *queue, Frame *frame, const RequestMask *requests, int status);
/* Records of the frame are there, so its pictures may not be needed any more: before
 * `queue_complete` or queue_arrive. Unlocks the queue if so. */
void queue_note_computed(FrameQueue *queue, Frame *frame, const RequestMask *requests);
/* Leaves records that a backend has computed to those who condense them. */
void queue_arrive(FrameQueue *queue, Frame *frame, const RequestMask *requests);
/* Completes unclaimed requests of frame_queue_refuse. Not locked. */
void queue_complete_refused(FrameQueue *queue);

#endif
