/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The backends of a run: how they start, work, fail and end. */
#include <errno.h>
#include <stdlib.h>

#include "backend/registered_memory.h"
#include "engine/backends/manager_state.h"
#include "engine/queue/producer.h"
#include "engine/queue/whole_frame.h"
#include "platform/process.h"
#include "platform/time.h"

/* How long closing waits for a backend that is being brought up. Some drivers crash if
 * the program ends while they start or compile, which takes seconds the first time; so patience
 * pays. */
enum { BRING_UP_GRACE_MS = 3000 };

/* A backend is brought up when so much scoring is likely to be left, as libvmaf_ext.h promises. */
enum { WORTH_A_BACKEND_US = 1000 * 1000 };

/* Memory for records of complete frames that wait for older ones, in bytes. */
enum { WAITING_RECORDS_BYTES = 4 << 20 };

/* ---- requests ---- */

static Workload *make_workload(const WorkList *work, unsigned cpu_flags)
{
    WorkloadRequest *requests = calloc(work->n_requests + 1, sizeof(*requests));
    if (!requests)
        return NULL;
    for (unsigned r = 0; r < work->n_requests; r++) {
        const WorkRequest *request = &work->requests[r];
        const FeatureExtractor *extractor = work->units[request->unit].extractor;
        requests[r] = (WorkloadRequest){
            .extractor = extractor,
            .options = request->options,
            .record_size = extractor_record_size(extractor, request->options, &work->format),
            .uniform = request->uniform,
            .pinned = request->pinned,
        };
    }
    Workload *workload = workload_create(&work->format, cpu_flags, requests, work->n_requests);
    free(requests);
    return workload;
}

void manager_warn_of_self_test(const BackendManager *manager, const char *backend,
                               const BackendCoverage coverage[])
{
    for (unsigned r = 0; r < manager->workload->n_requests; r++) {
        if (coverage[r].placement != VMAF_PLACEMENT_SELF_TEST)
            continue;
        log_message(&manager->logger, VMAF_LOG_LEVEL_WARNING,
                    "backend %s computes %s wrongly (%s); computing it on the CPU", backend,
                    manager->workload->requests[r].extractor->name, coverage[r].why.text);
    }
}

void manager_place(BackendManager *manager, const char *backend, const BackendCoverage coverage[])
{
    for (unsigned r = 0; r < manager->workload->n_requests; r++) {
        ManagerPlacement *placed = &manager->placements[r];
        /* What an earlier backend has computed is not forgotten when a later one declines it. */
        if (placed->computed && coverage[r].placement != VMAF_PLACEMENT_BACKEND)
            continue;
        placed->coverage = coverage[r];
        placed->backend = backend;
    }
}

/* ---- a backend that was chosen by name ---- */

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

static int open_chosen(BackendManager *manager, BackendCoverage coverage[])
{
    const BackendSessionParams params = {
        .workload = manager->workload,
        .frames_in_flight = manager->tuning.frames_in_flight,
        .pinned_only = manager->masked,
        .time_limit = manager->tuning.time_limit,
        .opening_limit = manager->opening_limit,
    };
    BackendAvailability availability = {0};
    int err =
        backend_session_open(&manager->session, manager->device, &params, coverage, &availability);
    bool nothing_to_do = err == -ENOTSUP && availability.state == BACKEND_USABLE;
    if (err && !nothing_to_do)
        return fail_to_start(manager, err, availability.why.text);
    manager_warn_of_self_test(manager, manager->chosen, coverage);
    err = check_pinned(manager, coverage);
    return err ? fail_to_start(manager, err, "it does not compute a feature that is pinned to it")
               : 0;
}

static int start_chosen(BackendManager *manager, WorkList *work, RequestMask *for_cpu)
{
    BackendCoverage *coverage = calloc(work->n_requests + 1, sizeof(*coverage));
    if (!coverage)
        return -ENOMEM;
    int err = open_chosen(manager, coverage);
    for (unsigned r = 0; r < work->n_requests && !err; r++) {
        if (coverage[r].placement != VMAF_PLACEMENT_BACKEND)
            continue;
        RequestMask one = {{0}};
        mask_add(&one, r);
        *for_cpu = mask_without(*for_cpu, &one);
        work->requests[r].scores = coverage[r].scores;
    }
    vmaf_mutex_lock(&manager->lock);
    if (!err)
        manager_place(manager, manager->chosen, coverage);
    vmaf_mutex_unlock(&manager->lock);
    free(coverage);
    return err;
}

int backend_manager_start(BackendManager *manager, WorkList *work, unsigned cpu_flags,
                          RequestMask *for_cpu)
{
    *for_cpu = mask_or(work->every_frame, &work->sampled);
    vmaf_mutex_lock(&manager->lock);
    int err = manager_choose_by_environment(manager);
    vmaf_mutex_unlock(&manager->lock);
    if (!err && manager->choice_failed)
        err = -ENODEV;
    if (err || manager->status.phase == VMAF_BACKEND_PHASE_CPU)
        return err;

    manager->work = work;
    manager->workload = make_workload(work, cpu_flags);
    ManagerPlacement *placements = calloc(work->n_requests + 1, sizeof(*placements));
    if (!manager->workload || !placements) {
        free(placements);
        return -ENOMEM;
    }
    vmaf_mutex_lock(&manager->lock);
    manager->placements = placements;
    vmaf_mutex_unlock(&manager->lock);
    return manager_is_strict(manager) ? start_chosen(manager, work, for_cpu) : 0;
}

/* ---- work ---- */

/* For the frames that a backend has in flight, and for those that are complete while the CPU is
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

static int add_tally(BackendManager *manager, const char *backend)
{
    BackendTally *moved = reallocarray(manager->tallies, manager->n_tallies + 1, sizeof(*moved));
    if (!moved)
        return -ENOMEM;
    manager->tallies = moved;
    manager->tallies[manager->n_tallies++] = (BackendTally){.backend = backend};
    return 0;
}

/* Starts an executor, which takes the session over on success. Locked. */
static int activate(BackendManager *manager, BackendSession *session, BackendDevice *device,
                    const BackendCoverage coverage[])
{
    const char *name = backend_device_plugin(device)->name;
    const BackendDeviceDescription *description = backend_device_description(device);
    int err = add_tally(manager, name);
    if (!err)
        err = make_room(manager, backend_session_slots(session));
    if (!err)
        err = manager_begin_checks(manager);
    if (err)
        return err;
    const BackendExecutorParams params = {
        .session = session,
        .device = device,
        .backend = name,
        .work = manager->work,
        .queue = manager->queue,
        .coverage = coverage,
        .time_limit = manager->tuning.time_limit,
        .spot_check = manager->spot_check,
        .uploads = manager->uploads,
    };
    manager->taken = (RequestMask){{0}};
    for (unsigned r = 0; r < manager->workload->n_requests; r++) {
        if (coverage[r].placement == VMAF_PLACEMENT_BACKEND)
            mask_add(&manager->taken, r);
    }
    err = backend_executor_start(&manager->executor, &params);
    if (err) {
        manager->executor = NULL;
        manager->taken = (RequestMask){{0}};
        return err;
    }
    if (!manager_is_strict(manager))
        frame_queue_balance(manager->queue, &manager->taken);
    manager->attached = true;
    manager->status = (VmafBackendStatus){
        .phase = VMAF_BACKEND_PHASE_ACTIVE,
        .device_index = backend_device_index(device),
        .name = name,
        .device = description ? manager_text(manager, description->name) : NULL,
        .reads_frame_memory = registered_memory_pays(device),
        .frames_in_flight = backend_session_slots(session),
    };
    return 0;
}

bool backend_manager_has_device(const BackendManager *manager, const void *device)
{
    return manager->device == device;
}

RequestMask backend_manager_takes(BackendManager *manager)
{
    vmaf_mutex_lock(&manager->lock);
    RequestMask taken = manager->taken;
    vmaf_mutex_unlock(&manager->lock);
    return taken;
}

void backend_manager_count_frame(BackendManager *manager, const Frame *frame)
{
    vmaf_mutex_lock(&manager->lock);
    if (!frame->backend)
        manager->frames_by_cpu++;
    for (unsigned i = 0; i < manager->n_tallies && frame->backend; i++)
        manager->tallies[i].frames += manager->tallies[i].backend == frame->backend;
    for (unsigned r = 0; manager->placements && r < manager->workload->n_requests; r++) {
        if (mask_has(&frame->by_backend, r))
            manager->placements[r].computed = frame->backend;
    }
    vmaf_mutex_unlock(&manager->lock);
}

/* ---- the supervisor ---- */

static int start_supervisor(BackendManager *manager)
{
    atomic_fetch_add(&manager->references, 1);
    manager->trace = trace_here();
    VmafThread thread;
    int failed = vmaf_thread_start(&thread, manager_supervise, manager);
    if (failed)
        manager_unref(manager);
    else
        vmaf_thread_detach(thread); /* `finished` tells when it ends */
    manager->supervised = !failed;
    return failed ? -ENOMEM : 0;
}

static void start_bring_up(BackendManager *manager)
{
    vmaf_mutex_lock(&manager->lock);
    if (manager->status.phase == VMAF_BACKEND_PHASE_WAITING && !manager->supervised) {
        atomic_store(&manager->engaged_by, vmaf_process_id());
        manager->status.phase = VMAF_BACKEND_PHASE_STARTING;
        if (start_supervisor(manager)) {
            manager->status.phase = VMAF_BACKEND_PHASE_CPU;
            manager_disengage(manager);
        }
    }
    vmaf_mutex_unlock(&manager->lock);
}

/* If "auto" was not asked for, the run must be long enough for the time that drivers take to start.
 */
static bool pays(const BackendManager *manager, uint64_t n_frames)
{
    if (manager->tuning.join_after)
        return n_frames >= manager->tuning.join_after;
    const RunProgress progress = frame_queue_progress(manager->queue);
    return run_left_us(&progress, manager->n_threads) >= WORTH_A_BACKEND_US;
}

void backend_manager_frame_submitted(BackendManager *manager, uint64_t n_frames)
{
    if (!manager->supervised && manager->workload && !manager_is_strict(manager) &&
        manager->workload->n_requests && (manager->chosen || pays(manager, n_frames)))
        start_bring_up(manager);
}

int backend_manager_join(BackendManager *manager, FrameQueue *queue, CpuExecutor *cpu,
                         unsigned queue_base, unsigned n_threads)
{
    manager->queue = queue;
    manager->cpu = cpu;
    manager->queue_base = queue_base;
    manager->n_threads = n_threads;
    if (!manager->session)
        return 0;
    BackendCoverage *coverage = calloc(manager->workload->n_requests + 1, sizeof(*coverage));
    if (!coverage)
        return -ENOMEM;
    for (unsigned r = 0; r < manager->workload->n_requests; r++)
        coverage[r] = manager->placements[r].coverage;
    vmaf_mutex_lock(&manager->lock);
    int err = activate(manager, manager->session, manager->device, coverage);
    if (!err)
        manager->session = NULL;
    if (!err)
        err = start_supervisor(manager);
    vmaf_mutex_unlock(&manager->lock);
    free(coverage);
    if (err && manager->executor) {
        BackendFailure failure;
        backend_executor_end(manager->executor, &failure);
        backend_executor_free(manager->executor);
        manager->executor = NULL;
    }
    if (err) { /* the work list that it refers to ends now */
        spot_check_destroy(manager->spot_check);
        manager->spot_check = NULL;
    }
    return err;
}

void manager_record_event(BackendManager *manager, const char *backend,
                          const BackendFailure *failure)
{
    ManagerEvent *moved = reallocarray(manager->events, manager->n_events + 1, sizeof(*moved));
    const char *reason = manager_text(manager, failure->why.text);
    if (!moved)
        return;
    manager->events = moved;
    manager->events[manager->n_events++] = (ManagerEvent){
        .event = {backend, failure->frame, reason ? reason : "it failed"},
        .pictures_kept = failure->pictures_kept,
    };
}

static void note_failure(BackendManager *manager, const char *backend,
                         const BackendFailure *failure)
{
    bool strict = manager_is_strict(manager);
    TRACE_SCOPE(TRACE_BACKEND, "failure", TRACE_INDEX(failure->frame), .detail = failure->why.text);
    vmaf_mutex_lock(&manager->lock);
    if (backend_manager_scores_invalid(manager)) { /* noted when it was found, and worse */
        vmaf_mutex_unlock(&manager->lock);
        return;
    }
    manager_record_event(manager, backend, failure);
    manager->status.phase = strict ? VMAF_BACKEND_PHASE_FAILED : VMAF_BACKEND_PHASE_STARTING;
    manager->status.error = failure->error;
    manager->status.failed_active = 1;
    manager->status.reads_frame_memory = 0;
    manager->status.frame = failure->frame;
    manager->status.reason = manager_text(manager, failure->why.text);
    if (!strict) {
        SelectionHint *hint = manager_hint(manager, backend);
        if (hint)
            hint->excluded = true;
        manager->taken = (RequestMask){{0}};
    }
    vmaf_mutex_unlock(&manager->lock);
    log_message(&manager->logger, strict ? VMAF_LOG_LEVEL_ERROR : VMAF_LOG_LEVEL_WARNING,
                strict ? "backend %s failed at frame %u: %s"
                       : "backend %s failed at frame %u: %s; going on without it, with the same "
                         "scores",
                backend, failure->frame, failure->why.text);
}

/* The end of an executor that has failed, or is not needed any more. Not locked. */
static void end_executor(BackendManager *manager, BackendExecutor *executor, bool failed)
{
    const RequestMask none = {{0}};
    TRACE_SCOPE(TRACE_BACKEND, failed ? "failover" : "end of the backend");
    BackendFailure failure;
    vmaf_mutex_lock(&manager->lock); /* a spot check may write the status as well */
    const char *backend = manager->status.name;
    const RequestMask taken = manager->taken;
    vmaf_mutex_unlock(&manager->lock);
    frame_queue_balance(manager->queue, &none);
    backend_executor_end(executor, &failure);
    if (failed)
        note_failure(manager, backend, &failure);
    const bool ends_run = manager_is_strict(manager) || backend_manager_scores_invalid(manager);
    const int status = failed && ends_run ? failure.error : 0;
    if (status)
        frame_queue_refuse(manager->queue, &taken, status);
    backend_executor_free(executor);
    if (!failed || status)
        return;
    frame_queue_set_limit(manager->queue, manager->queue_base);
    if (!manager->n_threads) /* the thread that submits may be waiting for pictures */
        cpu_executor_run(manager->cpu, &none);
}

/* Locked. */
static bool bring_another_up(BackendManager *manager)
{
    BroughtUp found;
    TRACE_SCOPE(TRACE_BACKEND, "bring up");
    manager->attached = false;
    vmaf_condition_broadcast(&manager->changed);
    vmaf_mutex_unlock(&manager->lock);
    bool works = manager_bring_up(manager, &found);
    vmaf_mutex_lock(&manager->lock);
    bool active = works && !manager->closing && !backend_manager_scores_invalid(manager) &&
                  !activate(manager, found.session, found.device, found.coverage);
    if (active) {
        manager_place(manager, manager->status.name, found.coverage);
        manager->active_device = found.device;
        free(found.coverage);
        return true;
    }
    manager->status.phase = VMAF_BACKEND_PHASE_CPU;
    if (works) {
        vmaf_mutex_unlock(&manager->lock);
        brought_up_discard(&found);
        vmaf_mutex_lock(&manager->lock);
    }
    return false;
}

void *manager_supervise(void *argument)
{
    BackendManager *manager = argument;
    TRACE_THREAD(manager->trace, "supervisor of backends");
    vmaf_mutex_lock(&manager->lock);
    bool active = manager->executor || bring_another_up(manager);
    while (active) {
        BackendExecutor *executor = manager->executor;
        vmaf_mutex_unlock(&manager->lock);
        bool failed = backend_executor_watch(executor) != 0;
        vmaf_mutex_lock(&manager->lock);
        manager->executor = NULL;
        vmaf_mutex_unlock(&manager->lock);
        end_executor(manager, executor, failed);
        if (failed)
            manager_avoid_device(manager, manager->active_device);
        backend_device_release(manager->active_device);
        vmaf_mutex_lock(&manager->lock);
        manager->active_device = NULL;
        active = failed && !manager->closing && !manager_is_strict(manager) &&
                 !backend_manager_scores_invalid(manager) && bring_another_up(manager);
    }
    manager->finished = true;
    manager_disengage(manager);
    vmaf_condition_broadcast(&manager->changed);
    vmaf_mutex_unlock(&manager->lock);
    manager_unref(manager);
    return NULL;
}

/* ---- the end ---- */

/* Waits for the supervisor, unless it hangs in a driver while it brings a backend up: then it goes
 * on alone. Locked. */
static void wait_for_supervisor(BackendManager *manager)
{
    const VmafDeadline deadline = vmaf_deadline_after(BRING_UP_GRACE_MS);
    bool late = false;
    while (!manager->finished && (manager->attached || !late)) {
        if (manager->attached)
            vmaf_condition_wait(&manager->changed, &manager->lock);
        else
            late = vmaf_condition_wait_until(&manager->changed, &manager->lock, deadline) != 0;
    }
}

void backend_manager_close(BackendManager *manager)
{
    vmaf_mutex_lock(&manager->lock);
    manager->closing = true;
    if (manager->executor)
        backend_executor_interrupt(manager->executor);
    if (manager->supervised)
        wait_for_supervisor(manager);
    vmaf_mutex_unlock(&manager->lock);
    spot_check_destroy(manager->spot_check);
    manager->spot_check = NULL;
    if (manager->session)
        backend_session_close(manager->session);
    backend_device_release(manager->device);
}
