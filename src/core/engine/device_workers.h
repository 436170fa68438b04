/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_DEVICE_WORKERS_H
#define CORE_ENGINE_DEVICE_WORKERS_H

/*
 * Serves the frame queue with a session of a backend: one thread submits frames, another
 * collects their records, so that several frames are in flight. When a driver hangs, the threads in
 * it are left there; the workers is counted by references, so that it outlives them.
 */

#include "backend/session/session.h"
#include "engine/frame_queue.h"
#include "engine/spot_check.h"

typedef struct DeviceWorkers DeviceWorkers;

typedef struct DeviceWorkersParams {
    BackendSession *session; /* taken over on success */
    BackendDevice *device;
    unsigned number;     /* of the device in the queue */
    const char *backend; /* name; lives as long as the process */
    const WorkList *work;
    FrameQueue *queue;
    const BackendCoverage *coverage; /* by request of the work list; copied */
    unsigned time_limit;             /* ms for the answer to a frame */
    SpotCheck *spot_check;           /* NULL: none; outlives the workers */
    SharedUploads *uploads;          /* of references that others read, too; NULL: none */
} DeviceWorkersParams;

/* Why an workers came to its end. */
typedef struct BackendFailure {
    int error; /* negative errno */
    Reason why;
    bool had_frames;
    unsigned frame;         /* index of the oldest frame that it had */
    unsigned pictures_kept; /* that a plugin which hangs may still read: never released */
} BackendFailure;

/* Begins with whatever the queue offers. 0, -ENOMEM. */
int device_workers_start(DeviceWorkers **workers, const DeviceWorkersParams *params);
/*
 * Waits until the workers has failed or was interrupted: the error, or 0. It notices calls that do
 * not return, so some thread must be here as long as the workers works.
 */
int device_workers_watch(DeviceWorkers *workers);
/* Makes it fail, because its records have turned out to be wrong. Any thread. */
void device_workers_fail(DeviceWorkers *workers, int error, const Reason *why);
/* Ends a watch. Any thread. */
void device_workers_interrupt(DeviceWorkers *workers);
/* Closes the session within the time limit, or abandons it, and waits for the threads. */
void device_workers_end(DeviceWorkers *workers, BackendFailure *failure);
/* After that: gives the frames that it had back to the queue. */
void device_workers_free(DeviceWorkers *workers);

#endif
