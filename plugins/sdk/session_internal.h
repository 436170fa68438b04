/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_SESSION_INTERNAL_H
#define VMAF_SDK_SESSION_INTERNAL_H

#include "command_lists.h"
#include "copy_pool.h"
#include "frame_source.h"
#include "platform/thread.h"
#include "session.h"

/* Data shared by the parts of a session: its life (session.c), submitting (session_submit.c) and
 * collecting (session_collect.c). */

/* The last submission for a position of the ring. */
typedef struct VmafSubmission {
    bool used; /* there was a submission, with this ticket */
    VmafDeviceTicket ticket;
    uint32_t lane;                        /* stream of the queue */
    bool unpacked;                        /* its command list wrote the pixels */
    struct VmafBackendBuffer *buffers[2]; /* kept since it reads them; guarded by the lock */
} VmafSubmission;

/* A frame whose records have not been collected. */
typedef struct VmafOutstanding {
    uint64_t sequence;
    uint32_t position;
    uint32_t n_earlier; /* number of neighbours that were on the device */
    uint64_t wanted[4]; /* set of requests of the plan */
    bool runs;          /* it was submitted to the device, with this ticket */
    VmafDeviceTicket ticket;
    VmafDeviceCommandList *list; /* NULL: nothing was wanted */
    VmafLaps laps;               /* timestamps of the command list */
    bool copied;                 /* it was submitted with copies */
    bool harvested;              /* the results are in `results`, and the position is free */
    unsigned char *results;
} VmafOutstanding;

struct VmafBackendSession {
    struct VmafBackendPlan *plan;
    VmafDeviceQueue *queue;
    VmafSessionMemory memory;
    VmafCommandLists lists;

    /* Used by the submitting thread. */
    uint64_t n_submissions;
    VmafSubmission *positions;
    bool has_last;
    uint64_t last_sequence;
    uint32_t n_earlier;
    bool pool_was_tried;
    VmafCopyPool *pool; /* NULL: pictures are small, or already where the device reads them */

    VmafMutex lock;
    bool cancelled;
    VmafOutstanding *outstanding; /* a ring of plan->slots */
    uint32_t first, count;
    unsigned char *results; /* results of one frame, for the collecting thread */
    VmafStopwatch stopwatch;
};

static inline size_t vmaf_session_results_size(const struct VmafBackendSession *session)
{
    return (size_t)vmaf_program_results_size(session->plan->program);
}

/* Waits until a submission has finished, the time limit has passed (-ETIMEDOUT), or the session is
 * cancelled (-ECANCELED). Then it releases the buffers that submissions up to this one have read.
 */
int vmaf_session_wait(struct VmafBackendSession *session, VmafDeviceTicket ticket,
                      uint64_t limit_ns);
/* Releases the buffers that submissions up to this one have read. */
void vmaf_session_let_go(struct VmafBackendSession *session, VmafDeviceTicket ticket);
/* Copies the results of a finished frame out of its position. The lock is held. */
void vmaf_session_harvest(struct VmafBackendSession *session, const VmafOutstanding *frame,
                          unsigned char *results);

#endif
