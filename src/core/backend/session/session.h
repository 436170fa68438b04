/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_SESSION_SESSION_H
#define CORE_BACKEND_SESSION_SESSION_H

/*
 * A session of a backend: frames in, records out. Every answer of the plugin is validated here;
 * records from backend_session_collect can be finished safely.
 */

#include "backend/device.h"
#include "metrics/framework/extractor.h"
#include "picture/picture.h"

/*
 * What is to be accumulated for the frames of a stream. It is a copy, because a thread that hangs
 * in a driver keeps its workload after the context is gone.
 */
typedef struct WorkloadRequest {
    const FeatureExtractor *extractor;
    const void *options;
    size_t record_size; /* of the CPU's record, of pictures of the workload's format */
    /* All that it serves have the same options, also those that only change how it is finished. */
    bool uniform;
    bool pinned; /* nothing else may compute it */
} WorkloadRequest;

typedef struct Workload {
    PictureFormat format;
    unsigned cpu_flags;
    unsigned n_requests;
    WorkloadRequest *requests;
} Workload;

/* Copies; one reference. NULL for lack of memory. */
Workload *workload_create(const PictureFormat *format, unsigned cpu_flags,
                          const WorkloadRequest requests[], unsigned n_requests);
Workload *workload_ref(Workload *workload);
void workload_unref(Workload *workload); /* NULL allowed */

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
    PictureAttachment *ref_upload;
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

/*
 * Pictures that several sessions on the same device read are uploaded once: into a buffer of the
 * device that all of them read. Sharing only saves time. Where a backend does not offer such
 * buffers, memory runs out, or an upload fails, each session reads the picture in host memory.
 *
 * Readers are counted by device. Buffers are used again as long as a device has readers, and hold
 * the device open only as long as it has some, or pictures are in use.
 */

/* The buffers, and who reads them. Any thread. */
typedef struct SharedUploads SharedUploads;
/* One reference. 0, -ENOMEM. */
int shared_uploads_create(SharedUploads **uploads);
SharedUploads *shared_uploads_ref(SharedUploads *uploads);
void shared_uploads_unref(SharedUploads *uploads); /* NULL allowed */

/* A reader of these planes begins; it ends with the same arguments, before the device is released.
 * False: it is not counted, and does not end. */
bool shared_uploads_begin_reading(SharedUploads *uploads, BackendDevice *device, unsigned planes);
void shared_uploads_end_reading(SharedUploads *uploads, const BackendDevice *device,
                                unsigned planes);

/*
 * For the next picture, on as many devices as it is read on: one reference. With the last one the
 * buffers may be used for another picture, so a reader holds one until its device has read the
 * picture. NULL: nothing would be shared now, or memory is out.
 */
PictureAttachment *shared_upload_create(SharedUploads *uploads);

/*
 * The buffer with the picture, which is uploaded if that has not been done yet; waits if another
 * thread is at it. `pic` is readable on the host and always the same. Calls the plugin: from inside
 * a call of the session that reads these planes. NULL: it is to be read in host memory.
 */
VmafBackendBuffer *shared_upload_fetch(PictureAttachment *upload, BackendDevice *device,
                                       unsigned planes, const VmafPicture *pic);

#endif
