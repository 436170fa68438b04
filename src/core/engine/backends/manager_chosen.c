/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How the devices of a backend start that was chosen by name: all of those that take part compute
 * the same features, so that each of them can take over the frames of another. */
#include <errno.h>
#include <stdlib.h>

#include "engine/backends/manager_state.h"

static int pinned_error(const BackendCoverage *coverage)
{
    switch (coverage->placement) {
    case VMAF_PLACEMENT_OPTION:
    case VMAF_PLACEMENT_NOT_COMPUTED:
        return -EINVAL;
    case VMAF_PLACEMENT_SELF_TEST:
        return -EIO;
    default:
        return -ENOTSUP;
    }
}

static int check_pinned(const BackendManager *manager, const BackendCoverage coverage[])
{
    for (unsigned r = 0; r < manager->workload->n_requests; r++) {
        const WorkloadRequest *request = &manager->workload->requests[r];
        if (!request->pinned || coverage[r].placement == VMAF_PLACEMENT_BACKEND)
            continue;
        log_message(&manager->logger, VMAF_LOG_LEVEL_ERROR,
                    "feature \"%s\" is pinned to backend %s, which does not compute it: %s%s",
                    request->extractor->name, manager->chosen,
                    coverage[r].option ? "option " : coverage[r].why.text,
                    coverage[r].option ? coverage[r].option : "");
        return pinned_error(&coverage[r]);
    }
    return 0;
}

static int fail_to_start(BackendManager *manager, int err, const char *why)
{
    vmaf_mutex_lock(&manager->lock);
    manager->status.phase = VMAF_BACKEND_PHASE_FAILED;
    manager->status.availability = VMAF_AVAILABILITY_INIT_FAILED;
    manager->status.error = err;
    manager->status.reason = manager_text(manager, why);
    vmaf_mutex_unlock(&manager->lock);
    log_message(&manager->logger, VMAF_LOG_LEVEL_ERROR, "backend %s: %s", manager->chosen, why);
    return err;
}

/* One of several, whose session is closed if it has one. */
static void leave_out(ManagerDevice *device, int err, const char *why)
{
    BackendManager *manager = device->manager;
    if (device->session)
        backend_session_close(device->session);
    vmaf_mutex_lock(&manager->lock);
    device->session = NULL;
    device->phase = VMAF_BACKEND_PHASE_FAILED;
    device->reason = manager_text(manager, why);
    manager->hangs |= err == -ETIMEDOUT;
    vmaf_mutex_unlock(&manager->lock);
    log_message(&manager->logger, VMAF_LOG_LEVEL_WARNING, "device %d of %s is left out: %s",
                device->index, device->backend, why);
}

/* Opens a session unless there is nothing to do. 0, or why there is none. */
static int open_session(ManagerDevice *device, BackendAvailability *availability)
{
    BackendManager *manager = device->manager;
    const BackendSessionParams params = {
        .workload = manager->workload,
        .frames_in_flight = manager->tuning.frames_in_flight,
        .pinned_only = manager->masked,
        .time_limit = manager->tuning.time_limit,
        .opening_limit = manager->opening_limit,
    };
    device->coverage = calloc(manager->workload->n_requests + 1, sizeof(*device->coverage));
    if (!device->coverage)
        return backend_availability_set(availability, BACKEND_INIT_FAILED, -ENOMEM,
                                        "out of memory");
    const int err = backend_session_open(&device->session, device->device, &params,
                                         device->coverage, availability);
    const bool nothing_to_do = err == -ENOTSUP && availability->state == BACKEND_USABLE;
    if (err)
        device->session = NULL;
    if (!err || nothing_to_do)
        manager_warn_of_self_test(manager, manager->chosen, device->coverage);
    return nothing_to_do ? 0 : err;
}

static unsigned count_computed(const ManagerDevice *device)
{
    unsigned n = 0;
    for (unsigned r = 0; r < device->manager->workload->n_requests; r++)
        n += device->coverage[r].placement == VMAF_PLACEMENT_BACKEND;
    return n;
}

/* The first request that two devices do not compute alike; NULL: there is none. */
static const BackendCoverage *find_difference(const ManagerDevice *device,
                                              const ManagerDevice *other, unsigned *request)
{
    for (unsigned r = 0; r < device->manager->workload->n_requests; r++) {
        const BackendCoverage *a = &device->coverage[r], *b = &other->coverage[r];
        const bool computes = a->placement == VMAF_PLACEMENT_BACKEND;
        *request = r;
        if (computes != (b->placement == VMAF_PLACEMENT_BACKEND) ||
            (computes && a->scores != b->scores))
            return a;
    }
    return NULL;
}

/* Leaves out what does not compute all that the best of them does. */
static void agree(const BackendManager *manager, const ManagerDevice *best)
{
    for (ManagerDevice *device = manager->devices; device; device = device->next) {
        unsigned r;
        const BackendCoverage *coverage =
            device->phase == VMAF_BACKEND_PHASE_FAILED ? NULL : find_difference(device, best, &r);
        if (!coverage)
            continue;
        Reason why;
        refuse(&why, 0, "it does not compute %s as the others do%s%s",
               manager->workload->requests[r].extractor->name, coverage->why.text[0] ? ": " : "",
               coverage->why.text);
        leave_out(device, 0, why.text);
    }
}

/* Receives the device that computes most, the first of several. */
static int open_sessions(BackendManager *manager, const ManagerDevice **best)
{
    BackendAvailability first_failure = {0};
    *best = NULL;
    for (ManagerDevice *device = manager->devices; device; device = device->next) {
        BackendAvailability availability = {0};
        const int err = open_session(device, &availability);
        if (!err) {
            if (!*best || count_computed(device) > count_computed(*best))
                *best = device;
            continue;
        }
        if (!first_failure.error)
            first_failure = availability;
        first_failure.error = first_failure.error ? first_failure.error : err;
        if (manager->n_devices > 1)
            leave_out(device, err, availability.why.text);
    }
    if (!*best)
        return fail_to_start(manager, first_failure.error, first_failure.why.text);
    agree(manager, *best);
    return 0;
}

int manager_start_chosen(BackendManager *manager, WorkList *work, RequestMask *for_cpu)
{
    const ManagerDevice *best;
    int err = open_sessions(manager, &best);
    if (err)
        return err;
    err = check_pinned(manager, best->coverage);
    if (err)
        return fail_to_start(manager, err, "it does not compute a feature that is pinned to it");
    for (unsigned r = 0; r < work->n_requests; r++) {
        if (best->coverage[r].placement != VMAF_PLACEMENT_BACKEND)
            continue;
        RequestMask one = {{0}};
        mask_add(&one, r);
        *for_cpu = mask_without(*for_cpu, &one);
        work->requests[r].scores = best->coverage[r].scores;
    }
    vmaf_mutex_lock(&manager->lock);
    manager_place(manager, manager->chosen, best->coverage);
    vmaf_mutex_unlock(&manager->lock);
    return 0;
}
