/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Submissions and tickets. Each command list has an event, which is recorded after every run; the
 * device keeps the lists that may be running in the order of their tickets. One stream runs them in
 * that order, so an event that has come true vouches for all earlier ones.
 */
#include <errno.h>

#include "cuda_internal.h"
#include "platform/time.h"

/* Between two questions to the driver: an eighth of the time waited so far, within these. */
enum { PAUSE_MIN_NS = 10000, PAUSE_MAX_NS = 1000000 };

/* -- the lists that run; with the lock held -- */

static void track(CudaDevice *device, CudaCommandList *list, VmafDeviceTicket ticket)
{
    list->ticket = ticket;
    list->running = true;
    list->next_running = NULL;
    *device->last_running = list;
    device->last_running = &list->next_running;
}

/* Everything up to `ticket` has finished. */
static void note_finished(CudaDevice *device, VmafDeviceTicket ticket)
{
    if (ticket > device->finished)
        device->finished = ticket;
    while (device->first_running && device->first_running->ticket <= ticket) {
        device->first_running->running = false;
        device->first_running = device->first_running->next_running;
    }
    if (!device->first_running)
        device->last_running = &device->first_running;
}

static CudaCommandList *find_running(const CudaDevice *device, VmafDeviceTicket ticket)
{
    CudaCommandList *list = device->first_running;
    while (list && list->ticket != ticket)
        list = list->next_running;
    return list;
}

static void remove_running(CudaDevice *device, CudaCommandList *list)
{
    CudaCommandList **link = &device->first_running;
    while (*link && *link != list)
        link = &(*link)->next_running;
    if (*link)
        *link = list->next_running;
    if (device->last_running == &list->next_running)
        device->last_running = link;
    list->running = false;
}

void cuda_stop_tracking(CudaDevice *device, CudaCommandList *list)
{
    vmaf_mutex_lock(&device->lock);
    if (list->running)
        remove_running(device, list);
    vmaf_mutex_unlock(&device->lock);
}

/* -- submitting -- */

/* Takes the next ticket; *hangs: the submission is not to end. 0; -ENODEV; -EINVAL. */
static int take_ticket(CudaDevice *device, CudaCommandList *list, VmafDeviceTicket *ticket,
                       bool *hangs)
{
    int err = 0;
    vmaf_mutex_lock(&device->lock);
    if (device->lost) {
        err = -ENODEV;
    } else {
        /* The caller knows that it has finished, maybe from a later ticket. */
        if (list->running)
            remove_running(device, list);
        *ticket = ++device->submissions;
        if (*ticket == device->faults.hang_at_submit)
            device->hung_from = *ticket;
        *hangs = device->hung_from != 0;
    }
    vmaf_mutex_unlock(&device->lock);
    return err;
}

static CudaResult start(CudaDevice *device, const CudaCommandList *list, const char **what)
{
    CudaResult result = cuda_command_list_replay(list, what);
    if (result == CUDA_SUCCESS) {
        *what = "cuEventRecord";
        result = cuEventRecord(list->done, device->stream);
    }
    return result;
}

static int submit_in_order(CudaDevice *device, CudaCommandList *list, VmafDeviceTicket *ticket)
{
    const char *what = "cuCtxPushCurrent";
    bool hangs;
    const int err = take_ticket(device, list, ticket, &hangs);
    if (err || hangs)
        return err;
    CudaResult result = cuda_enter(device);
    if (result != CUDA_SUCCESS)
        return cuda_failed(device, result, what);
    if (*ticket == device->faults.lose_at_submit) {
        what = "a fault for tests";
        cuStreamSynchronize(device->stream); /* nothing runs on a lost device */
        result = CUDA_ERROR_LAUNCH_FAILED;
    } else {
        result = start(device, list, &what);
    }
    cuda_leave();
    if (result != CUDA_SUCCESS)
        return cuda_failed(device, result, what);
    vmaf_mutex_lock(&device->lock);
    track(device, list, *ticket);
    vmaf_mutex_unlock(&device->lock);
    return 0;
}

int cuda_submit(VmafDeviceCommandList *base, VmafDeviceTicket *ticket)
{
    CudaDevice *device = (CudaDevice *)base->device;
    *ticket = 0;
    vmaf_mutex_lock(&device->submit_lock);
    const int err = submit_in_order(device, (CudaCommandList *)base, ticket);
    vmaf_mutex_unlock(&device->submit_lock);
    return err;
}

/* -- waiting -- */

/* With the lock held, so that nobody destroys the event meanwhile. */
static CudaResult ask(CudaDevice *device, VmafDeviceTicket ticket)
{
    if (ticket <= device->finished)
        return CUDA_SUCCESS;
    if (device->hung_from && ticket >= device->hung_from)
        return CUDA_ERROR_NOT_READY;
    const CudaCommandList *list = find_running(device, ticket);
    if (!list)
        return CUDA_ERROR_INVALID_VALUE;
    CudaResult result = cuda_enter(device);
    if (result != CUDA_SUCCESS)
        return result;
    result = cuEventQuery(list->done);
    cuda_leave();
    if (result == CUDA_SUCCESS)
        note_finished(device, ticket);
    return result;
}

/* 0; -ETIMEDOUT: not yet; another error. */
static int poll_once(CudaDevice *device, VmafDeviceTicket ticket)
{
    vmaf_mutex_lock(&device->lock);
    const bool lost = device->lost;
    const CudaResult result = lost ? CUDA_SUCCESS : ask(device, ticket);
    vmaf_mutex_unlock(&device->lock);
    if (lost)
        return -ENODEV;
    if (result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY)
        return cuda_error_of(result);
    return cuda_failed(device, result, "cuEventQuery");
}

/* The driver cannot wait with a limit. */
int cuda_wait(VmafDevice *base, VmafDeviceTicket ticket, uint64_t timeout_ns)
{
    CudaDevice *device = (CudaDevice *)base;
    const int64_t begin = vmaf_steady_ns();
    for (;;) {
        const int err = poll_once(device, ticket);
        const uint64_t waited = (uint64_t)(vmaf_steady_ns() - begin);
        if (err != -ETIMEDOUT || waited >= timeout_ns)
            return err;
        uint64_t pause = waited / 8;
        pause = pause < PAUSE_MIN_NS ? PAUSE_MIN_NS : pause > PAUSE_MAX_NS ? PAUSE_MAX_NS : pause;
        vmaf_sleep_ns(pause < timeout_ns - waited ? pause : timeout_ns - waited);
    }
}
