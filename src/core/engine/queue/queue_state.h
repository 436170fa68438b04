/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_QUEUE_STATE_H
#define CORE_ENGINE_QUEUE_STATE_H

/* Inside of the queue, for the files that make it up. */

#include "engine/queue/frame_queue.h"
#include "engine/queue/load_balance.h"
#include "engine/queue/unit_rows.h"
#include "platform/thread.h"

/* Where the records of a frame are, while it is in the queue. */
typedef struct FrameMemory {
    struct FrameMemory *next_free, *next;
    unsigned char *records;
    UnitRows *rows; /* by unit */
    int status[];
} FrameMemory;

struct FrameQueue {
    const WorkList *work;
    FrameRetire retire;
    void *cookie;
    FrameHelp help; /* NULL: there are threads for all work */
    void *help_cookie;
    unsigned n_slots;
    Frame *slots; /* the frame at position p is in slot p % n_slots */

    VmafMutex lock;
    VmafCondition claimable; /* there are new requests to claim, or no more will come */
    VmafCondition moved;     /* for who waits in submit and wait */
    unsigned capacity;       /* frames that there is memory for */
    FrameMemory *memory, *free_memory;
    uint64_t n_submitted, n_retired, n_moves;
    unsigned n_incomplete, limit;
    const Frame *incoming; /* that the caller is submitting, and may have to wait for room with */
    unsigned n_open;       /* divided units of which there are rows to take */
    uint64_t n_bands;
    LoadBalance balance;
    RequestMask refused;
    int refused_status;
    bool retiring, stopped;
};

static inline Frame *queue_slot(const FrameQueue *queue, uint64_t position)
{
    return &queue->slots[position % queue->n_slots];
}

/* Finds something to claim. Locked. */
bool queue_find_claim(FrameQueue *queue, const RequestMask groups[], unsigned n_groups,
                      Frame **frame, RequestMask *claimed);
/* Of who has claimed them. */
void queue_zero_records(const FrameQueue *queue, const Frame *frame, const RequestMask *claimed);
/* Locked; unlocks it meanwhile. */
void queue_complete_locked(FrameQueue *queue, Frame *frame, const RequestMask *requests,
                           int status);

#endif
