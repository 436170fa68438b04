/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_FRAME_QUEUE_INTERNAL_H
#define CORE_ENGINE_FRAME_QUEUE_INTERNAL_H

/* Inside of the queue, for the files that make it up. */

#include "engine/frame_queue.h"
#include "engine/work_list.h"
#include "platform/thread.h"

/* ---- balance ---- */

/*
 * How fast devices and one worker of the CPU score a frame. While frames keep coming, all of them
 * take what they can. Each of the last frames of a run goes to the one that would finish it first,
 * so that the end does not wait for the slower; and the end may come at any time, so that a device
 * which is much slower than another takes fewer frames ahead. Of all that may take a frame at least
 * one never leaves it to the others: they never wait for each other.
 */

/* Frames that others may score while a device scores those that it has. */
enum { FRAMES_AHEAD = 32 };

/* A device that takes whole frames. */
typedef struct DevicePace {
    RequestMask requests; /* that it computes; empty: it does not take part */
    unsigned n_held;      /* frames that it has */
    double us;            /* from one of its answers to the next; 0: it has given none */
    int64_t last_answer;  /* when that was */
} DevicePace;

typedef struct LoadBalance {
    bool ending;        /* no more frames will come */
    RequestMask shared; /* requests that a device and the CPU may take; empty: there are none */
    DevicePace devices[BALANCE_DEVICES_MAX]; /* by number */
    unsigned n_devices;                      /* numbers in use */
    double *unit_us;                         /* of the CPU, by unit */
    int64_t worked_us;                       /* of the CPU in all, added up over its workers */
} LoadBalance;

/* 0, -ENOMEM. */
int load_balance_init(LoadBalance *balance, const WorkList *work);
void load_balance_clear(LoadBalance *balance);

void load_balance_note_work(LoadBalance *balance, unsigned unit, int64_t microseconds);
/* `now` and `claimed_at` are of one clock. */
void load_balance_note_answer(DevicePace *pace, int64_t claimed_at, int64_t now);

/* True if the devices that compute anything of `wanted` would finish the n-th frame (from 1) of
 * those that are not begun sooner than a worker of the CPU that begins with it now. */
bool load_balance_devices_are_sooner(const LoadBalance *balance, const WorkList *work,
                                     const RequestMask *wanted, unsigned n);
/* True if a device that has frames should finish some before it takes another one: else a faster
 * one would be FRAMES_AHEAD frames further by then, or might be, for all that is known. */
bool load_balance_device_has_enough(const LoadBalance *balance, unsigned device);
/* True if other devices that compute at least as much, and `n_workers` workers of the CPU, would
 * finish all `n_left` frames that are not begun before this device finished one of them. */
bool load_balance_device_is_later(const LoadBalance *balance, const WorkList *work, unsigned device,
                                  unsigned n_workers, unsigned n_left);

/* ---- rows of a unit ---- */

/*
 * One unit of one frame, accumulated by several workers.
 *
 * Frames are scored in parallel as long as there are enough of them. When they are scarce (live
 * pictures, short clips, the end of a long one) workers would have nothing to do, so the rows of a
 * frame are divided among those that come for work. Each takes one band after another: a fair part
 * of what is left, so that bands become smaller towards the end, where they decide who waits for
 * whom. It accumulates all of its bands into a record of its own, and merges that into the record
 * of the frame when there are no rows left. Such records merge, so it does not matter which worker
 * takes which rows; the last to merge completes the unit. The lock is only taken to get rows and to
 * merge.
 */

typedef struct UnitRows {
    RequestMask requests;
    unsigned next, end; /* rows that no worker has taken yet */
    unsigned n_workers; /* that have taken rows and not merged; 0: the unit is not divided */
    int status;         /* of the first band that failed, or 0 */
    int64_t us;         /* that all bands took */
} UnitRows;

/* Divides the unit; rows are to be taken at once. */
void unit_rows_begin(UnitRows *rows, const RequestMask *requests, unsigned n_rows);
/* The next band, for one of so many workers; false if there are no rows left. */
bool unit_rows_take(UnitRows *rows, unsigned parts, RowBand *band);
/* A band has failed: no more are taken. */
void unit_rows_fail(UnitRows *rows, int status);
/* A worker that gets no more rows has merged its record. True if it was the last. */
bool unit_rows_leave(UnitRows *rows, int64_t us);

/* ---- state ---- */

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
    RequestMask rejected;
    int rejected_status;
    bool retiring, stopped;

    VmafCondition room;          /* for the producer */
    const RequestMask *incoming; /* of the frame that it is submitting, and may have to wait with */
    VmafCondition retired;
    uint64_t awaited; /* the first position that somebody waits for; UINT64_MAX: nobody does */
    VmafCondition whole;
    unsigned n_whole; /* devices of whole frames that wait */

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
void queue_wake_on_unlock(FrameQueue *queue, VmafCondition *condition);
/* Requests have become claimable. */
void queue_offer(FrameQueue *queue);
/* Wakes so many row workers, less those that are about to look for work anyway. */
void queue_wake_row_workers(FrameQueue *queue, unsigned n);

/* The workers and the CPU leave frames to each other: at the end of a run; and a caller that has
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

/* What the CPU may claim of a frame. Callers ask for frame after frame, the oldest first, and give
 * the same `n_untouched` each time, which counts those of which nothing is claimed yet. */
RequestMask queue_offered(const FrameQueue *queue, const Frame *frame, unsigned *n_untouched);
/* Row workers that there is something for, but no more than `most` are counted: one for each unit
 * that may be claimed, or for several short ones. */
unsigned queue_count_turns(const FrameQueue *queue, unsigned most);
/* Zeroes claimed records. By the thread that has claimed them; needs no lock. */
void queue_zero_records(const FrameQueue *queue, const Frame *frame, const RequestMask *claimed);
/* Completes requests, and retires what is complete at the head of the queue, unless another thread
 * is at it. Unlocks the queue meanwhile. */
void queue_complete(FrameQueue *queue, Frame *frame, const RequestMask *requests, int status);

#endif
