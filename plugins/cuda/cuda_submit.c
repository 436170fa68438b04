/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Submissions. Copies go to the queue's stream of copies, command lists to that of their lane,
 * which waits for the copies so far.
 */
#include <errno.h>

#include "cuda_internal.h"

/* Work of this submission; *what: what failed. */
typedef struct Submission {
    CudaQueue *queue;
    const CudaCommandList *list;
    const VmafDeviceSubmit *params;
    const char *what;
} Submission;

static CudaDevice *device_of(const CudaQueue *queue)
{
    return (CudaDevice *)queue->head.device;
}

static CudaStream copies_of(const CudaQueue *queue)
{
    return queue->tracks[CUDA_TRACK_COPIES].stream;
}

static CudaStream stream_of(const VmafBackendSync *sync)
{
    return (CudaStream)(uintptr_t)sync->handle;
}

/* -- what comes before and after the copies -- */

static CudaResult await(Submission *submission, const VmafBackendSync *sync)
{
    CudaQueue *queue = submission->queue;
    CudaEvent event = (CudaEvent)(uintptr_t)sync->handle;
    CudaResult result = CUDA_SUCCESS;
    if (sync->kind == VMAF_BACKEND_SYNC_CUDA_STREAM) {
        event = queue->arrived;
        submission->what = "an event on the application's stream";
        result = cuEventRecord(event, stream_of(sync));
    }
    if (result == CUDA_SUCCESS) {
        submission->what = "waiting for the application";
        result = cuStreamWaitEvent(copies_of(queue), event, 0);
    }
    return result;
}

static CudaResult signal(Submission *submission, const VmafBackendSync *sync)
{
    CudaQueue *queue = submission->queue;
    submission->what = "a signal to the application";
    if (sync->kind == VMAF_BACKEND_SYNC_CUDA_STREAM)
        return cuStreamWaitEvent(stream_of(sync), queue->copied, 0);
    return cuEventRecord((CudaEvent)(uintptr_t)sync->handle, copies_of(queue));
}

/* Of the copies, for profiles: 0 their begin, 1 their end. */
static CudaResult note_time(Submission *submission, uint32_t which)
{
    const CudaCommandList *list = submission->list;
    if (!list || !list->copy_times[which])
        return CUDA_SUCCESS;
    submission->what = "cuEventRecord";
    return cuEventRecord(list->copy_times[which], copies_of(submission->queue));
}

static CudaResult copy(Submission *submission)
{
    const VmafDeviceSubmit *params = submission->params;
    CudaQueue *queue = submission->queue;
    CudaResult result = note_time(submission, 0);
    for (uint32_t i = 0; i < params->n_copies && result == CUDA_SUCCESS; i++) {
        const CudaRows rows = cuda_rows_of(&params->copies[i]);
        result = cuda_copy_rows(device_of(queue), &rows, copies_of(queue), &submission->what);
    }
    return result == CUDA_SUCCESS ? note_time(submission, 1) : result;
}

static CudaResult copy_and_join(Submission *submission)
{
    const VmafDeviceSubmit *params = submission->params;
    CudaQueue *queue = submission->queue;
    CudaResult result = CUDA_SUCCESS;
    for (uint32_t i = 0; i < params->n_waits && result == CUDA_SUCCESS; i++)
        result = await(submission, &params->waits[i]);
    if (result == CUDA_SUCCESS)
        result = copy(submission);
    if (result == CUDA_SUCCESS) {
        submission->what = "cuEventRecord";
        result = cuEventRecord(queue->copied, copies_of(queue));
        queue->n_copied++;
    }
    for (uint32_t i = 0; i < params->n_signals && result == CUDA_SUCCESS; i++)
        result = signal(submission, &params->signals[i]);
    return result;
}

/* -- the whole -- */

static CudaResult run_list(Submission *submission, CudaTrack *track)
{
    CudaQueue *queue = submission->queue;
    CudaResult result = CUDA_SUCCESS;
    if (track->copies_seen != queue->n_copied) {
        submission->what = "cuStreamWaitEvent";
        result = cuStreamWaitEvent(track->stream, queue->copied, 0);
        track->copies_seen = queue->n_copied;
    }
    if (result == CUDA_SUCCESS)
        result = cuda_command_list_run(submission->list, track->stream, &submission->what);
    return result;
}

static CudaTrack *track_of(CudaQueue *queue, VmafDeviceTicket ticket)
{
    return &queue->tracks[ticket % CUDA_TRACKS];
}

static CudaResult start(Submission *submission, VmafDeviceTicket ticket)
{
    const VmafDeviceSubmit *params = submission->params;
    CudaQueue *queue = submission->queue;
    CudaTrack *track = track_of(queue, ticket);
    CudaResult result = CUDA_SUCCESS;
    if (params->n_copies || params->n_waits || params->n_signals)
        result = copy_and_join(submission);
    if (result == CUDA_SUCCESS && submission->list)
        result = run_list(submission, track);
    if (result == CUDA_SUCCESS) {
        submission->what = "cuEventRecord";
        result = cuda_mark(queue, track, ticket);
    }
    return result;
}

/* Nothing of the queue runs any more. */
static void settle(CudaQueue *queue)
{
    for (int t = 0; t < CUDA_TRACKS; t++)
        cuStreamSynchronize(queue->tracks[t].stream);
}

static int submit_in_order(Submission *submission, VmafDeviceTicket ticket, bool loses)
{
    CudaDevice *device = device_of(submission->queue);
    CudaResult result = cuda_enter(device);
    if (result != CUDA_SUCCESS)
        return cuda_failed(device, result, "cuCtxPushCurrent");
    if (loses) {
        submission->what = "a fault for tests";
        result = CUDA_ERROR_LAUNCH_FAILED;
    } else {
        result = start(submission, ticket);
    }
    /* No ticket tells when the part that was started ends. */
    if (result != CUDA_SUCCESS)
        settle(submission->queue);
    cuda_leave();
    return result == CUDA_SUCCESS ? 0 : cuda_failed(device, result, submission->what);
}

/* Counts the submission; *loses: it is to fail; *hangs: it is not to end. 0; -ENODEV. */
static int count_submission(CudaDevice *device, bool *loses, bool *hangs)
{
    vmaf_mutex_lock(&device->lock);
    const int err = device->lost ? -ENODEV : 0;
    if (!err)
        device->submissions++;
    *loses = device->submissions == device->faults.lose_at_submit;
    *hangs = device->submissions == device->faults.hang_at_submit;
    vmaf_mutex_unlock(&device->lock);
    return err;
}

static VmafDeviceTicket take_ticket(CudaQueue *queue, uint32_t track, bool *hangs)
{
    vmaf_mutex_lock(&queue->lock);
    const VmafDeviceTicket ticket = ++queue->serial * CUDA_TRACKS + track;
    if (*hangs && !queue->hung_from)
        queue->hung_from = ticket;
    *hangs = queue->hung_from != 0;
    vmaf_mutex_unlock(&queue->lock);
    return ticket;
}

int cuda_submit(VmafDeviceQueue *base, VmafDeviceCommandList *list, const VmafDeviceSubmit *params,
                VmafDeviceTicket *ticket)
{
    CudaQueue *queue = (CudaQueue *)base;
    Submission submission = {queue, (CudaCommandList *)list, params, ""};
    bool loses, hangs;
    *ticket = 0;
    vmaf_mutex_lock(&queue->submit_lock);
    int err = count_submission(device_of(queue), &loses, &hangs);
    if (!err) {
        *ticket = take_ticket(queue, list ? params->lane : (uint32_t)CUDA_TRACK_COPIES, &hangs);
        if (!hangs)
            err = submit_in_order(&submission, *ticket, loses);
    }
    vmaf_mutex_unlock(&queue->submit_lock);
    return err;
}
