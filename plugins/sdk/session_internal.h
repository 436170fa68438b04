/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_SESSION_INTERNAL_H
#define VMAF_SDK_SESSION_INTERNAL_H

/* What a session consists of, for the files that make it up. */

#include "command_lists.h"
#include "platform/thread.h"
#include "row_copy.h"
#include "session.h"

/* The last submission for a position of the ring. */
typedef struct Submission {
    bool used; /* there was a submission, with this ticket */
    VmafDeviceTicket ticket;
    uint32_t stream;                      /* stream of the queue */
    bool unpacked;                        /* its command list wrote the pixels */
    struct VmafBackendBuffer *buffers[2]; /* kept since it reads them; guarded by the lock */
} Submission;

/* A frame whose records have not been collected. */
typedef struct Outstanding {
    uint64_t sequence;
    uint32_t position;
    uint32_t n_earlier; /* number of neighbours that were on the device */
    uint64_t wanted[4]; /* set of requests of the plan */
    bool runs;          /* it was submitted to the device, with this ticket */
    VmafDeviceTicket ticket;
    VmafDeviceCommandList *list; /* NULL: nothing was wanted */
    VmafTimestamps timestamps;   /* timestamps of the command list */
    bool copied;                 /* it was submitted with copies */
    bool taken;                  /* the results are in `results`, and the position is free */
    unsigned char *results;
} Outstanding;

struct VmafBackendSession {
    struct VmafBackendPlan *plan;
    VmafDeviceQueue *queue;
    VmafSessionMemory memory;
    VmafCommandLists lists;

    /* Used by the submitting thread. */
    uint64_t n_submissions;
    Submission *positions;
    bool has_last;
    uint64_t last_sequence;
    uint32_t n_earlier;
    bool pool_was_tried;
    VmafCopyPool *pool; /* NULL: pictures are small, or already where the device reads them */

    VmafMutex lock;
    bool cancelled;
    Outstanding *outstanding; /* a ring of plan->slots */
    uint32_t first, count;
    unsigned char *results; /* results of one frame, for the collecting thread */
    VmafGpuTimer timer;
};

static inline size_t vmaf_session_results_size(const struct VmafBackendSession *session)
{
    return (size_t)vmaf_program_results_size(session->plan->program);
}

/* Releases the buffers that submissions up to this one have read. */
void vmaf_session_let_go(struct VmafBackendSession *session, VmafDeviceTicket ticket);

#endif
