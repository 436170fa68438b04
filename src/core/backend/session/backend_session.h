/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_SESSION_BACKEND_SESSION_H
#define CORE_BACKEND_SESSION_BACKEND_SESSION_H

/*
 * A session of a backend: frames in, records out. Every answer of the plugin is validated here;
 * records from backend_session_collect can be finished safely.
 */

#include "backend/backend_device.h"
#include "backend/session/shared_upload.h"
#include "backend/session/workload.h"

typedef struct BackendSession BackendSession;

enum { BACKEND_SLOTS_MAX = 64 }; /* frames outstanding; a plan that offers more gets no more */

/* The result for a request of the workload. */
typedef struct BackendCoverage {
    enum VmafPlacement placement; /* VMAF_PLACEMENT_BACKEND, or why it is not that */
    const char *option;           /* that the backend cannot honour, or NULL */
    Reason why;
    bool exact; /* records that equal the CPU's are promised */
    /* Instead of the CPU's record it answers with scores: a double for each output of the
     * extractor, not a number where the backend has none. */
    bool scores;
    unsigned ref_before, dist_before; /* neighbours that the backend needs */
} BackendCoverage;

typedef struct BackendSessionParams {
    Workload *workload;
    unsigned frames_in_flight; /* wanted */
    bool exact_only;           /* decline what is merely bounded */
    bool pinned_only;          /* decline what is not pinned */
    unsigned time_limit;       /* ms, for closing; thrice that for an answer in the self-test */
    unsigned opening_limit;    /* ms, for opening in all: kernels may be compiled */
} BackendSessionParams;

/*
 * Negotiates a plan, self-tests each exact request on a small sequence, and opens a session with
 * the requests that were accepted and passed. `coverage` has an entry for each request. 0 if there
 * is at least one; -ENOTSUP if there is none; else an error with an availability. The device must
 * outlive the session.
 */
int backend_session_open(BackendSession **session, BackendDevice *device,
                         const BackendSessionParams *params, BackendCoverage coverage[],
                         BackendAvailability *availability);
/*
 * Cancels outstanding frames, waits for calls of other threads, and closes the session. False if
 * the plugin does not return in time and is abandoned. Then everything that it could still access
 * (the session, and the pixels of outstanding frames) is never freed, and calls that return later
 * return -ECANCELED.
 */
bool backend_session_close(BackendSession *session);
/* The same in two steps, for a session that other threads use. After the first step their calls
 * fail; once it has returned true and the threads have ended, call the second. */
bool backend_session_shut(BackendSession *session);
void backend_session_free(BackendSession *session);

unsigned backend_session_slots(const BackendSession *session);
/* The planes of frames that are submitted, as bits. */
unsigned backend_session_planes(const BackendSession *session);

typedef struct BackendSessionFrame {
    uint64_t sequence;
    bool context;
    const uint64_t *wanted;                      /* mask words by request; NULL with context */
    const VmafPicture *ref, *dist;               /* dist may be NULL with context */
    VmafBackendBuffer *ref_buffer, *dist_buffer; /* pixels on the device, else NULL */
    /* Without ref_buffer: the upload of the reference that others read, too. NULL: nobody does.
     * Somebody else holds a reference until the frame is collected. */
    PictureCompanion *ref_upload;
} BackendSessionFrame;

/* One thread submits, another collects. Negative errno: the session is dead, with a reason. */
int backend_session_submit(BackendSession *session, const BackendSessionFrame *frame, Reason *why);
/*
 * Waits for the oldest frame at most `milliseconds`: -ETIMEDOUT, to be called again. records[i] is
 * where the record of request i of that frame goes, NULL if it was not wanted; nothing is written
 * there unless all records of the frame have passed the checks of sequence number, status, guard
 * bytes and bounds. Any other error: the session is dead, with a reason.
 */
int backend_session_collect(BackendSession *session, uint64_t sequence, void *const records[],
                            unsigned milliseconds, Reason *why);
int backend_session_flush(BackendSession *session, Reason *why);

#endif
