/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_SESSION_INTERNAL_H
#define VMAF_SDK_SESSION_INTERNAL_H

#include "command_lists.h"
#include "copy_pool.h"
#include "frame_source.h"
#include "platform/thread.h"
#include "session.h"

/* What the parts of a session share: its life (session.c), submitting (session_submit.c) and
 * collecting (session_collect.c). */

/* The last submission for a position of the ring. */
typedef struct VmafSubmission {
    bool used; /* there was one, of this ticket */
    VmafDeviceTicket ticket;
    uint32_t lane;
    bool unpacked;                        /* its command list wrote the pixels */
    struct VmafBackendBuffer *buffers[2]; /* kept since it reads them; the lock guards these */
} VmafSubmission;

/* A frame whose records have not been collected. */
typedef struct VmafOutstanding {
    uint64_t sequence;
    uint32_t position;
    uint32_t n_earlier; /* neighbours that were on the device */
    uint64_t wanted[4]; /* by request of the plan */
    bool runs;          /* it is a submission, of this ticket */
    VmafDeviceTicket ticket;
    VmafDeviceCommandList *list; /* NULL: nothing was wanted */
    VmafLaps laps;               /* of the command list */
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
    unsigned char *results; /* of one frame, for the collecting thread */
    VmafStopwatch stopwatch;
};

static inline size_t vmaf_session_results_size(const struct VmafBackendSession *session)
{
    return (size_t)vmaf_program_results_size(session->plan->program);
}

/* Waits until a submission has ended, the time is up (-ETIMEDOUT), or the session is cancelled
 * (-ECANCELED). Then buffers that submissions up to it have read are no longer kept. */
int vmaf_session_wait(struct VmafBackendSession *session, VmafDeviceTicket ticket,
                      uint64_t limit_ns);
/* Lets go of the buffers that submissions up to this one have read. */
void vmaf_session_let_go(struct VmafBackendSession *session, VmafDeviceTicket ticket);
/* Takes the results of a finished frame out of its position. The lock is held. */
void vmaf_session_harvest(struct VmafBackendSession *session, const VmafOutstanding *frame,
                          unsigned char *results);

#endif
