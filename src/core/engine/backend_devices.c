/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The devices of a run: how each of them joins, works, is checked, fails and ends. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/device.h"
#include "backend/limited_call.h"
#include "engine/backend_manager_internal.h"
#include "engine/frame_queue.h"
#include "engine/spot_check.h"
#include "platform/machine.h"
#include "platform/time.h"

/* ---- the list ---- */

ManagerDevice *manager_add_device(BackendManager *manager, BackendDevice *device)
{
    ManagerDevice *added =
        manager->n_devices < BALANCE_DEVICES_MAX ? calloc(1, sizeof(*added)) : NULL;
    if (!added)
        return NULL;
    const BackendDeviceDescription *description = backend_device_description(device);
    *added = (ManagerDevice){
        .manager = manager,
        .number = manager->n_devices++,
        .device = device,
        .backend = backend_device_plugin(device)->name,
        .name = description ? manager_text(manager, description->name) : NULL,
        .index = backend_device_index(device),
        .phase = VMAF_BACKEND_PHASE_STARTING,
        .reads_frame_memory = registered_memory_pays(device),
    };
    ManagerDevice **end = &manager->devices;
    while (*end)
        end = &(*end)->next;
    *end = added;
    return added;
}

ManagerDevice *manager_find_device(const BackendManager *manager, unsigned number)
{
    ManagerDevice *device = manager->devices;
    while (device && device->number != number)
        device = device->next;
    return device;
}

void manager_forget_devices(BackendManager *manager)
{
    while (manager->devices) {
        ManagerDevice *device = manager->devices;
        manager->devices = device->next;
        if (device->session)
            backend_session_close(device->session);
        backend_device_release(device->device);
        free(device->coverage);
        free(device);
    }
    manager->n_devices = 0;
}

RequestMask manager_taken(const BackendManager *manager)
{
    RequestMask taken = {{0}};
    for (const ManagerDevice *device = manager->devices; device; device = device->next) {
        if (device->phase == VMAF_BACKEND_PHASE_ACTIVE)
            taken = mask_or(taken, &device->taken);
    }
    return taken;
}

unsigned manager_count_active(const BackendManager *manager)
{
    unsigned n = 0;
    for (const ManagerDevice *device = manager->devices; device; device = device->next)
        n += device->phase == VMAF_BACKEND_PHASE_ACTIVE;
    return n;
}

static unsigned count_slots(const BackendManager *manager)
{
    unsigned n = 0;
    for (const ManagerDevice *device = manager->devices; device; device = device->next) {
        if (device->phase == VMAF_BACKEND_PHASE_ACTIVE)
            n += device->slots;
    }
    return n;
}

/* The status reports the first that is active. Locked. */
static void describe_active(BackendManager *manager, int error)
{
    const ManagerDevice *device = manager->devices;
    while (device && device->phase != VMAF_BACKEND_PHASE_ACTIVE)
        device = device->next;
    if (!device)
        return;
    manager->status = (VmafBackendStatus){
        .phase = VMAF_BACKEND_PHASE_ACTIVE,
        .error = error,
        .device_index = device->index,
        .name = device->backend,
        .device = device->name,
        .reads_frame_memory = device->reads_frame_memory,
        .frames_in_flight = device->slots,
    };
}

/* Notes the loss of a device for reports. Locked. */
static void record_event(BackendManager *manager, const ManagerDevice *device,
                         const BackendFailure *failure)
{
    ManagerEvent *moved = reallocarray(manager->events, manager->n_events + 1, sizeof(*moved));
    const char *reason = manager_text(manager, failure->why.text);
    if (!moved)
        return;
    manager->events = moved;
    manager->events[manager->n_events++] = (ManagerEvent){
        .event = {device->backend, device->index, failure->frame, reason ? reason : "it failed"},
        .device = device,
        .pictures_kept = failure->pictures_kept,
    };
}

/* ---- spot checks ---- */

static const char variable[] = "VMAF_BACKEND_SPOT_CHECK";

/* What the environment asks for; the default if that is nothing, or not a number. */
static unsigned wanted_by_environment(const BackendManager *manager)
{
    const char *text = secure_getenv(variable);
    if (!text || !*text)
        return SPOT_EVERY_DEFAULT;
    size_t digits = strspn(text, "0123456789");
    if (text[digits] || digits > 9) {
        log_message(&manager->logger, VMAF_LOG_LEVEL_WARNING,
                    "%s is no number of frames: one frame in %d is checked", variable,
                    SPOT_EVERY_DEFAULT);
        return SPOT_EVERY_DEFAULT;
    }
    return (unsigned)strtoul(text, NULL, 10);
}

static unsigned wanted(const BackendManager *manager)
{
    if (manager->tuning.spot_check == VMAF_SPOT_CHECK_OFF)
        return 0;
    return manager->tuning.spot_check ? manager->tuning.spot_check : wanted_by_environment(manager);
}

/* A backend must not know which frames are checked. */
static uint64_t make_seed(void)
{
    uint64_t seed;
    if (!vmaf_random_bytes(&seed, sizeof(seed)))
        seed = (uint64_t)vmaf_steady_us() *
               UINT64_C(0x9e3779b97f4a7c15); /* the system has just started */
    return seed;
}

static void print_frames(const SpotDifference *difference, Reason *why)
{
    char since[64] = "no frame was found right before";
    if (difference->any_good)
        snprintf(since, sizeof(since), "the last frame found right is %u", difference->last_good);
    reason_set(
        why, 0,
        "its record of %s of frame %u is not the CPU's (spot check; %s): it computes wrongly, "
        "and the scores cannot be trusted",
        difference->extractor, difference->frame, since);
}

/* In the status: a device that was active has failed. Locked. */
static void note_in_status(ManagerDevice *device, enum VmafBackendPhase phase,
                           const BackendFailure *failure)
{
    VmafBackendStatus *status = &device->manager->status;
    device->reason = manager_text(device->manager, failure->why.text);
    status->phase = device->manager->strict ? VMAF_BACKEND_PHASE_FAILED : phase;
    status->name = device->backend;
    status->device = device->name;
    status->device_index = device->index;
    status->error = failure->error;
    status->failed_active = 1;
    status->frame = failure->frame;
    status->reason = device->reason;
}

/* The pixels of earlier frames are gone, so that nothing can be computed again: the run ends. The
 * status has the reason before the error is seen. */
static void end_run(void *cookie, const SpotDifference *difference)
{
    BackendManager *manager = cookie;
    BackendFailure failure = {.error = -EIO, .had_frames = true, .frame = difference->frame};
    print_frames(difference, &failure.why);
    vmaf_mutex_lock(&manager->lock);
    ManagerDevice *liar = manager_find_device(manager, difference->device);
    atomic_store(&manager->scores_invalid, true);
    note_in_status(liar, VMAF_BACKEND_PHASE_CPU, &failure);
    manager->status.spot_check_failed = 1;
    record_event(manager, liar, &failure);
    const char *name = liar->name ? liar->name : "unknown device";
    int none = 0;
    atomic_compare_exchange_strong(manager->run_error, &none, failure.error);
    for (ManagerDevice *device = manager->devices; device; device = device->next) {
        if (device->workers)
            device_workers_fail(device->workers, failure.error, &failure.why);
    }
    vmaf_mutex_unlock(&manager->lock);
    log_message(&manager->logger, VMAF_LOG_LEVEL_ERROR, "backend %s (%s): %s", difference->backend,
                name, failure.why.text);
}

/* Lets frames of a backend be checked, if that is wanted. 0, -ENOMEM. Locked. */
static int begin_checks(BackendManager *manager)
{
    if (manager->spot_check)
        return 0;
    manager->spot_every = wanted(manager);
    if (!manager->spot_every) {
        log_message(&manager->logger, VMAF_LOG_LEVEL_INFO,
                    "backends are not checked while they score, as was asked for");
        return 0;
    }
    const SpotCheckParams params = {
        .work = manager->work,
        .every = manager->spot_every,
        .seed = make_seed(),
        .report = end_run,
        .cookie = manager,
    };
    return spot_check_create(&manager->spot_check, &params);
}

void backend_manager_settle(BackendManager *manager)
{
    vmaf_mutex_lock(&manager->lock);
    SpotCheck *check = manager->spot_check; /* which stays until the manager is closed */
    vmaf_mutex_unlock(&manager->lock);
    spot_check_settle(check);
}

bool backend_manager_scores_invalid(const BackendManager *manager)
{
    return atomic_load(&manager->scores_invalid);
}

/* The devices of a run: how each of them joins, works, fails and ends. */

/* ---- the end of a device, and the thread that watches over it ---- */

/* It was the last that was active. Locked. */
static void note_last_failure(ManagerDevice *device, const BackendFailure *failure)
{
    BackendManager *manager = device->manager;
    note_in_status(device, manager->finished ? VMAF_BACKEND_PHASE_CPU : VMAF_BACKEND_PHASE_STARTING,
                   failure);
    manager->status.reads_frame_memory = 0;
    manager->status.frames_in_flight = device->slots;
}

static void print_failure(const BackendManager *manager, const ManagerDevice *device,
                          const BackendFailure *failure, bool ends_run, bool several)
{
    char which[32] = "";
    if (several)
        snprintf(which, sizeof(which), " (device %d)", device->index);
    log_message(&manager->logger, ends_run ? VMAF_LOG_LEVEL_ERROR : VMAF_LOG_LEVEL_WARNING,
                ends_run ? "backend %s failed at frame %u%s: %s"
                         : "backend %s failed at frame %u%s: %s; going on without it, with the "
                           "same scores",
                device->backend, failure->frame, which, failure->why.text);
}

/* Notes a failure, unless wrong records are worse; whether nobody is left who may go on. */
static bool note_failure(ManagerDevice *device, const BackendFailure *failure)
{
    BackendManager *manager = device->manager;
    TRACE_SCOPE(TRACE_BACKEND, "failure", TRACE_INDEX(failure->frame), .detail = failure->why.text);
    vmaf_mutex_lock(&manager->lock);
    const bool invalid = backend_manager_scores_invalid(manager);
    const bool last = !manager_count_active(manager), several = manager->n_devices > 1;
    const bool ends_run = invalid || (last && manager->strict);
    manager->hangs |= failure->error == -ETIMEDOUT;
    if (!invalid) {
        record_event(manager, device, failure);
        device->reason = manager_text(manager, failure->why.text);
        if (last)
            note_last_failure(device, failure);
        else
            describe_active(manager, failure->error);
    }
    vmaf_mutex_unlock(&manager->lock);
    if (!invalid)
        print_failure(manager, device, failure, ends_run, several);
    return ends_run;
}

/* It is counted on no more. */
static void leave(ManagerDevice *device, bool failed)
{
    BackendManager *manager = device->manager;
    const RequestMask none = {{0}};
    vmaf_mutex_lock(&manager->lock);
    device->phase = failed ? VMAF_BACKEND_PHASE_FAILED : VMAF_BACKEND_PHASE_CPU;
    const RequestMask left = manager_taken(manager);
    frame_queue_set_device(manager->queue, device->number, &none);
    frame_queue_balance(manager->queue, manager->strict ? &none : &left);
    vmaf_mutex_unlock(&manager->lock);
}

/* The CPU does what no device is left for: who submits may be waiting for pictures. Not locked. */
static void stand_in(BackendManager *manager)
{
    RequestMask left, now = backend_manager_takes(manager);
    do { /* others may fail meanwhile, whose threads do the same */
        left = now;
        cpu_client_run(manager->cpu, &left);
        now = backend_manager_takes(manager);
    } while (!mask_equal(&left, &now));
}

/* The end of an workers that has failed, or is not needed any more. Not locked. */
static void end_executor(ManagerDevice *device, DeviceWorkers *workers, bool failed)
{
    BackendManager *manager = device->manager;
    TRACE_SCOPE(TRACE_BACKEND, failed ? "failover" : "end of the backend");
    BackendFailure failure;
    leave(device, failed);
    device_workers_end(workers, &failure);
    const bool ends_run = failed && note_failure(device, &failure);
    if (ends_run)
        frame_queue_reject(manager->queue, &device->taken, failure.error);
    device_workers_free(workers);
    if (!failed || ends_run)
        return;
    vmaf_mutex_lock(&manager->lock);
    frame_queue_set_limit(manager->queue, manager->queue_base + count_slots(manager));
    vmaf_mutex_unlock(&manager->lock);
    if (!manager->n_threads && !manager->strict)
        stand_in(manager);
}

/* Body of the thread of a device. */
static void *watch(void *argument)
{
    ManagerDevice *device = argument;
    BackendManager *manager = device->manager;
    TRACE_THREAD(manager->trace, "supervisor of a device: %s", device->backend);
    processor_time_is_ours();
    DeviceWorkers *workers = device->workers;
    const bool failed = device_workers_watch(workers) != 0;
    vmaf_mutex_lock(&manager->lock);
    device->workers = NULL;
    vmaf_mutex_unlock(&manager->lock);
    end_executor(device, workers, failed);
    /* Programs may still ask for pictures on a device that was chosen by name. */
    BackendDevice *released = manager->strict ? NULL : device->device;
    backend_device_release(released);
    vmaf_mutex_lock(&manager->lock);
    if (released)
        device->device = NULL;
    manager->n_watched--;
    manager_disengage(manager);
    vmaf_condition_broadcast(&manager->changed);
    vmaf_mutex_unlock(&manager->lock);
    backend_manager_unref(manager);
    return NULL;
}

/* ---- joining ---- */

/* Memory for records of complete frames that wait for older ones, in bytes. */
enum { WAITING_RECORDS_BYTES = 4 << 20 };

/* For the frames that devices have in flight, and for those that are complete while others are
 * still at an older one. */
static int make_room(BackendManager *manager, unsigned slots)
{
    size_t waiting = WAITING_RECORDS_BYTES / (manager->work->records_size + 1);
    if (waiting > QUEUE_GROWTH)
        waiting = QUEUE_GROWTH;
    int err = frame_queue_grow(manager->queue, manager->queue_base + slots + (unsigned)waiting);
    if (!err)
        frame_queue_set_limit(manager->queue, manager->queue_base + slots);
    return err;
}

static int start_executor(ManagerDevice *device)
{
    const BackendManager *manager = device->manager;
    const DeviceWorkersParams params = {
        .session = device->session,
        .device = device->device,
        .number = device->number,
        .backend = device->backend,
        .work = manager->work,
        .queue = manager->queue,
        .coverage = device->coverage,
        .time_limit = manager->tuning.time_limit,
        .spot_check = manager->spot_check,
        .uploads = manager->uploads,
    };
    const int err = device_workers_start(&device->workers, &params);
    if (err)
        device->workers = NULL;
    else
        device->session = NULL;
    return err;
}

/* The workers works, and is ended again if nobody watches over it. */
static int start_watching(ManagerDevice *device)
{
    BackendManager *manager = device->manager;
    VmafThread thread;
    atomic_fetch_add(&manager->references, 1);
    manager->trace = trace_here();
    if (!vmaf_thread_start(&thread, watch, device)) {
        vmaf_thread_detach(thread); /* `n_watched` shows when it ends */
        manager->n_watched++;
        return 0;
    }
    backend_manager_unref(manager);
    BackendFailure failure;
    device_workers_end(device->workers, &failure);
    device_workers_free(device->workers);
    device->workers = NULL;
    return -ENOMEM;
}

int manager_activate(ManagerDevice *device)
{
    BackendManager *manager = device->manager;
    const RequestMask none = {{0}};
    device->slots = backend_session_slots(device->session);
    int err = make_room(manager, count_slots(manager) + device->slots);
    if (!err)
        err = begin_checks(manager);
    if (err)
        return err;
    for (unsigned r = 0; r < manager->workload->n_requests; r++) {
        if (device->coverage[r].placement == VMAF_PLACEMENT_BACKEND)
            mask_add(&device->taken, r);
    }
    frame_queue_set_device(manager->queue, device->number, &device->taken);
    err = start_executor(device);
    if (!err)
        err = start_watching(device);
    if (err) {
        frame_queue_set_device(manager->queue, device->number, &none);
        return err;
    }
    manager_place(manager, device->backend, device->coverage);
    device->phase = VMAF_BACKEND_PHASE_ACTIVE;
    if (!manager->strict) {
        const RequestMask taken = manager_taken(manager);
        frame_queue_balance(manager->queue, &taken);
    }
    if (manager->status.phase != VMAF_BACKEND_PHASE_ACTIVE)
        describe_active(manager, 0);
    return 0;
}
