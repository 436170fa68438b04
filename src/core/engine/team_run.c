/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The backends of a context while it scores: beginning, taking part, failing, ending. */
#include <errno.h>
#include <stdlib.h>

#include "engine/team_state.h"
#include "platform/process.h"
#include "platform/time.h"

/* How long closing a context waits for a backend that is being brought up. Some drivers crash if
 * the program ends while they start or compile, which takes seconds the first time; so patience
 * pays. */
enum { BRING_UP_GRACE_MS = 3000 };

/* As libvmaf_ext.h promises: a backend is brought up when so much scoring is likely to be left. */
enum { WORTH_A_BACKEND_US = 1000 * 1000 };

/* Records of frames that are complete wait for those of older frames: as many bytes of them. */
enum { WAITING_RECORDS_BYTES = 4 << 20 };

/* ---- what requests there are ---- */

static Workload *make_workload(const WorkPlan *plan, unsigned cpu_flags)
{
    WorkloadRequest *requests = calloc(plan->n_requests + 1, sizeof(*requests));
    if (!requests)
        return NULL;
    for (unsigned r = 0; r < plan->n_requests; r++) {
        const WorkRequest *request = &plan->requests[r];
        const FeatureExtractor *extractor = plan->units[request->unit].extractor;
        requests[r] = (WorkloadRequest){
            .extractor = extractor,
            .options = request->options,
            .record_size = extractor_record_size(extractor, request->options, &plan->format),
            .uniform = request->uniform,
            .pinned = request->pinned,
        };
    }
    Workload *workload = workload_create(&plan->format, cpu_flags, requests, plan->n_requests);
    free(requests);
    return workload;
}

void team_warn_of_self_test(const BackendTeam *team, const char *backend,
                            const BackendCoverage coverage[])
{
    for (unsigned r = 0; r < team->workload->n_requests; r++) {
        if (coverage[r].placement != VMAF_PLACEMENT_SELF_TEST)
            continue;
        log_message(&team->logger, VMAF_LOG_LEVEL_WARNING,
                    "backend %s computes %s wrongly (%s); computing it on the CPU", backend,
                    team->workload->requests[r].extractor->name, coverage[r].why.text);
    }
}

void team_place(BackendTeam *team, const char *backend, const BackendCoverage coverage[])
{
    for (unsigned r = 0; r < team->workload->n_requests; r++) {
        TeamPlacement *placed = &team->placements[r];
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

static int check_pinned(const BackendTeam *team, const BackendCoverage coverage[])
{
    for (unsigned r = 0; r < team->workload->n_requests; r++) {
        const WorkloadRequest *request = &team->workload->requests[r];
        if (!request->pinned || coverage[r].placement == VMAF_PLACEMENT_BACKEND)
            continue;
        log_message(&team->logger, VMAF_LOG_LEVEL_ERROR,
                    "feature \"%s\" is pinned to backend %s, which does not compute it: %s%s",
                    request->extractor->name, team->chosen,
                    coverage[r].option ? "option " : coverage[r].why.text,
                    coverage[r].option ? coverage[r].option : "");
        return pinned_error(&coverage[r]);
    }
    return 0;
}

static int fail_to_start(BackendTeam *team, int err, const char *why)
{
    vmaf_mutex_lock(&team->lock);
    team->status.phase = VMAF_BACKEND_PHASE_FAILED;
    team->status.availability = VMAF_AVAILABILITY_INIT_FAILED;
    team->status.error = err;
    team->status.reason = team_text(team, why);
    vmaf_mutex_unlock(&team->lock);
    log_message(&team->logger, VMAF_LOG_LEVEL_ERROR, "backend %s: %s", team->chosen, why);
    return err;
}

static int open_chosen(BackendTeam *team, BackendCoverage coverage[])
{
    const BackendSessionParams params = {
        .workload = team->workload,
        .frames_in_flight = team->tuning.frames_in_flight,
        .pinned_only = team->masked,
        .time_limit = team->tuning.time_limit,
        .opening_limit = team->opening_limit,
    };
    BackendAvailability availability = {0};
    int err = backend_session_open(&team->session, team->device, &params, coverage, &availability);
    bool nothing_to_do = err == -ENOTSUP && availability.state == BACKEND_USABLE;
    if (err && !nothing_to_do)
        return fail_to_start(team, err, availability.why.text);
    team_warn_of_self_test(team, team->chosen, coverage);
    err = check_pinned(team, coverage);
    return err ? fail_to_start(team, err, "it does not compute a feature that is pinned to it") : 0;
}

static int start_chosen(BackendTeam *team, WorkPlan *plan, RequestMask *for_cpu)
{
    BackendCoverage *coverage = calloc(plan->n_requests + 1, sizeof(*coverage));
    if (!coverage)
        return -ENOMEM;
    int err = open_chosen(team, coverage);
    for (unsigned r = 0; r < plan->n_requests && !err; r++) {
        if (coverage[r].placement != VMAF_PLACEMENT_BACKEND)
            continue;
        RequestMask one = {{0}};
        mask_add(&one, r);
        *for_cpu = mask_without(*for_cpu, &one);
        plan->requests[r].scores = coverage[r].scores;
    }
    vmaf_mutex_lock(&team->lock);
    if (!err)
        team_place(team, team->chosen, coverage);
    vmaf_mutex_unlock(&team->lock);
    free(coverage);
    return err;
}

int team_start(BackendTeam *team, WorkPlan *plan, unsigned cpu_flags, RequestMask *for_cpu)
{
    *for_cpu = mask_or(plan->every_frame, &plan->sampled);
    vmaf_mutex_lock(&team->lock);
    int err = team_choose_by_environment(team);
    vmaf_mutex_unlock(&team->lock);
    if (!err && team->choice_failed)
        err = -ENODEV;
    if (err || team->status.phase == VMAF_BACKEND_PHASE_CPU)
        return err;

    team->plan = plan;
    team->workload = make_workload(plan, cpu_flags);
    TeamPlacement *placements = calloc(plan->n_requests + 1, sizeof(*placements));
    if (!team->workload || !placements) {
        free(placements);
        return -ENOMEM;
    }
    vmaf_mutex_lock(&team->lock);
    team->placements = placements;
    vmaf_mutex_unlock(&team->lock);
    return team_is_strict(team) ? start_chosen(team, plan, for_cpu) : 0;
}

/* ---- taking part ---- */

/* Room for the frames that a backend has in flight, and for those that it answers while the CPU is
 * still at an older one. */
static int make_room(BackendTeam *team, unsigned slots)
{
    size_t waiting = WAITING_RECORDS_BYTES / (team->plan->records_size + 1);
    if (waiting > QUEUE_GROWTH)
        waiting = QUEUE_GROWTH;
    int err = frame_queue_grow(team->queue, team->queue_base + slots + (unsigned)waiting);
    if (!err)
        frame_queue_set_limit(team->queue, team->queue_base + slots);
    return err;
}

static int add_tally(BackendTeam *team, const char *backend)
{
    TeamTally *moved = reallocarray(team->tallies, team->n_tallies + 1, sizeof(*moved));
    if (!moved)
        return -ENOMEM;
    team->tallies = moved;
    team->tallies[team->n_tallies++] = (TeamTally){.backend = backend};
    return 0;
}

/* Lets a session work for the context; its executor takes it over on success. Locked. */
static int activate(BackendTeam *team, BackendSession *session, BackendDevice *device,
                    const BackendCoverage coverage[])
{
    const char *name = backend_device_plugin(device)->name;
    const BackendDeviceDescription *description = backend_device_description(device);
    int err = add_tally(team, name);
    if (!err)
        err = make_room(team, backend_session_slots(session));
    if (!err)
        err = team_begin_checks(team);
    if (err)
        return err;
    const BackendExecutorParams params = {
        .session = session,
        .device = device,
        .backend = name,
        .plan = team->plan,
        .queue = team->queue,
        .coverage = coverage,
        .time_limit = team->tuning.time_limit,
        .spot_check = team->spot_check,
    };
    team->taken = (RequestMask){{0}};
    for (unsigned r = 0; r < team->workload->n_requests; r++) {
        if (coverage[r].placement == VMAF_PLACEMENT_BACKEND)
            mask_add(&team->taken, r);
    }
    err = backend_executor_start(&team->executor, &params);
    if (err) {
        team->executor = NULL;
        team->taken = (RequestMask){{0}};
        return err;
    }
    if (!team_is_strict(team))
        frame_queue_share(team->queue, &team->taken);
    team->lending = true;
    team->status = (VmafBackendStatus){
        .phase = VMAF_BACKEND_PHASE_ACTIVE,
        .device_index = backend_device_index(device),
        .name = name,
        .device = description ? team_text(team, description->name) : NULL,
    };
    return 0;
}

bool team_has_device(const BackendTeam *team, const void *device)
{
    return team->device == device;
}

RequestMask team_takes(BackendTeam *team)
{
    vmaf_mutex_lock(&team->lock);
    RequestMask taken = team->taken;
    vmaf_mutex_unlock(&team->lock);
    return taken;
}

void team_count_frame(BackendTeam *team, const Frame *frame)
{
    vmaf_mutex_lock(&team->lock);
    if (!frame->backend)
        team->frames_by_cpu++;
    for (unsigned i = 0; i < team->n_tallies && frame->backend; i++)
        team->tallies[i].frames += team->tallies[i].backend == frame->backend;
    for (unsigned r = 0; team->placements && r < team->workload->n_requests; r++) {
        if (mask_has(&frame->by_backend, r))
            team->placements[r].computed = frame->backend;
    }
    vmaf_mutex_unlock(&team->lock);
}

/* ---- the supervisor ---- */

static int start_supervisor(BackendTeam *team)
{
    atomic_fetch_add(&team->references, 1);
    VmafThread thread;
    int failed = vmaf_thread_start(&thread, team_supervise, team);
    if (failed)
        team_unref(team);
    else
        vmaf_thread_detach(thread); /* it says itself when it is finished */
    team->supervised = !failed;
    return failed ? -ENOMEM : 0;
}

static void start_bring_up(BackendTeam *team)
{
    vmaf_mutex_lock(&team->lock);
    if (team->status.phase == VMAF_BACKEND_PHASE_WAITING && !team->supervised) {
        atomic_store(&team->engaged_by, vmaf_process_id());
        team->status.phase = VMAF_BACKEND_PHASE_STARTING;
        if (start_supervisor(team)) {
            team->status.phase = VMAF_BACKEND_PHASE_CPU;
            team_disengage(team);
        }
    }
    vmaf_mutex_unlock(&team->lock);
}

/* Under "auto", if it was not asked for: a driver takes time to start, which must pay. */
static bool pays(const BackendTeam *team, uint64_t n_frames)
{
    if (team->tuning.join_after)
        return n_frames >= team->tuning.join_after;
    const PaceProgress progress = frame_queue_progress(team->queue);
    return pace_left_us(&progress, team->n_threads) >= WORTH_A_BACKEND_US;
}

void team_frame_submitted(BackendTeam *team, uint64_t n_frames)
{
    if (!team->supervised && team->workload && !team_is_strict(team) &&
        team->workload->n_requests && (team->chosen || pays(team, n_frames)))
        start_bring_up(team);
}

int team_join(BackendTeam *team, FrameQueue *queue, CpuExecutor *cpu, unsigned queue_base,
              unsigned n_threads)
{
    team->queue = queue;
    team->cpu = cpu;
    team->queue_base = queue_base;
    team->n_threads = n_threads;
    if (!team->session)
        return 0;
    BackendCoverage *coverage = calloc(team->workload->n_requests + 1, sizeof(*coverage));
    if (!coverage)
        return -ENOMEM;
    for (unsigned r = 0; r < team->workload->n_requests; r++)
        coverage[r] = team->placements[r].coverage;
    vmaf_mutex_lock(&team->lock);
    int err = activate(team, team->session, team->device, coverage);
    if (!err)
        team->session = NULL;
    if (!err)
        err = start_supervisor(team);
    vmaf_mutex_unlock(&team->lock);
    free(coverage);
    if (err && team->executor) {
        BackendFailure failure;
        backend_executor_end(team->executor, &failure);
        backend_executor_free(team->executor, err);
        team->executor = NULL;
    }
    if (err) { /* what it refers to ends now */
        spot_check_destroy(team->spot_check);
        team->spot_check = NULL;
    }
    return err;
}

void team_record_event(BackendTeam *team, const char *backend, const BackendFailure *failure)
{
    TeamEvent *moved = reallocarray(team->events, team->n_events + 1, sizeof(*moved));
    const char *reason = team_text(team, failure->why.text);
    if (!moved)
        return;
    team->events = moved;
    team->events[team->n_events++] = (TeamEvent){
        .event = {backend, failure->frame, reason ? reason : "it failed"},
        .pictures_kept = failure->pictures_kept,
    };
}

static void note_failure(BackendTeam *team, const char *backend, const BackendFailure *failure)
{
    bool strict = team_is_strict(team);
    vmaf_mutex_lock(&team->lock);
    if (team_is_distrusted(team)) { /* which is worse, and was noted when it was found */
        vmaf_mutex_unlock(&team->lock);
        return;
    }
    team_record_event(team, backend, failure);
    team->status.phase = strict ? VMAF_BACKEND_PHASE_FAILED : VMAF_BACKEND_PHASE_STARTING;
    team->status.error = failure->error;
    team->status.failed_active = 1;
    team->status.frame = failure->frame;
    team->status.reason = team_text(team, failure->why.text);
    if (!strict) {
        SelectionHint *hint = team_hint(team, backend);
        if (hint)
            hint->excluded = true;
        team->taken = (RequestMask){{0}};
    }
    vmaf_mutex_unlock(&team->lock);
    log_message(&team->logger, strict ? VMAF_LOG_LEVEL_ERROR : VMAF_LOG_LEVEL_WARNING,
                strict ? "backend %s failed at frame %u: %s"
                       : "backend %s failed at frame %u: %s; going on without it, with the same "
                         "scores",
                backend, failure->frame, failure->why.text);
}

/* The end of an executor that has failed, or is not needed any more. Not locked. */
static void end_executor(BackendTeam *team, BackendExecutor *executor, bool failed)
{
    const RequestMask none = {{0}};
    BackendFailure failure;
    vmaf_mutex_lock(&team->lock); /* a spot check may have something to say as well */
    const char *backend = team->status.name;
    const RequestMask taken = team->taken;
    vmaf_mutex_unlock(&team->lock);
    frame_queue_share(team->queue, &none);
    backend_executor_end(executor, &failure);
    if (failed)
        note_failure(team, backend, &failure);
    const bool ends_run = team_is_strict(team) || team_is_distrusted(team);
    const int status = failed && ends_run ? failure.error : 0;
    backend_executor_free(executor, status);
    if (status)
        frame_queue_refuse(team->queue, &taken, status);
    if (!failed || status)
        return;
    frame_queue_set_limit(team->queue, team->queue_base);
    if (!team->n_threads) /* who submits may wait for pictures, and cannot do it */
        cpu_executor_run(team->cpu, &none);
}

/* Locked. */
static bool bring_another_up(BackendTeam *team)
{
    BroughtUp found;
    team->lending = false;
    vmaf_condition_broadcast(&team->changed);
    vmaf_mutex_unlock(&team->lock);
    bool works = team_bring_up(team, &found);
    vmaf_mutex_lock(&team->lock);
    bool active = works && !team->closing && !team_is_distrusted(team) &&
                  !activate(team, found.session, found.device, found.coverage);
    if (active) {
        team_place(team, team->status.name, found.coverage);
        team->active_device = found.device;
        free(found.coverage);
        return true;
    }
    team->status.phase = VMAF_BACKEND_PHASE_CPU;
    if (works) {
        vmaf_mutex_unlock(&team->lock);
        brought_up_discard(&found);
        vmaf_mutex_lock(&team->lock);
    }
    return false;
}

void *team_supervise(void *argument)
{
    BackendTeam *team = argument;
    vmaf_mutex_lock(&team->lock);
    bool active = team->executor || bring_another_up(team);
    while (active) {
        BackendExecutor *executor = team->executor;
        vmaf_mutex_unlock(&team->lock);
        bool failed = backend_executor_watch(executor) != 0;
        vmaf_mutex_lock(&team->lock);
        team->executor = NULL;
        vmaf_mutex_unlock(&team->lock);
        end_executor(team, executor, failed);
        backend_device_release(team->active_device);
        vmaf_mutex_lock(&team->lock);
        team->active_device = NULL;
        active = failed && !team->closing && !team_is_strict(team) && !team_is_distrusted(team) &&
                 bring_another_up(team);
    }
    team->finished = true;
    team_disengage(team);
    vmaf_condition_broadcast(&team->changed);
    vmaf_mutex_unlock(&team->lock);
    team_unref(team);
    return NULL;
}

/* ---- the end ---- */

/* Waits for the supervisor, unless it hangs in a driver while it brings a backend up: then it goes
 * on alone. Locked. */
static void wait_for_supervisor(BackendTeam *team)
{
    const VmafDeadline deadline = vmaf_deadline_after(BRING_UP_GRACE_MS);
    bool late = false;
    while (!team->finished && (team->lending || !late)) {
        if (team->lending)
            vmaf_condition_wait(&team->changed, &team->lock);
        else
            late = vmaf_condition_wait_until(&team->changed, &team->lock, deadline) != 0;
    }
}

void team_close(BackendTeam *team)
{
    vmaf_mutex_lock(&team->lock);
    team->closing = true;
    if (team->executor)
        backend_executor_interrupt(team->executor);
    if (team->supervised)
        wait_for_supervisor(team);
    vmaf_mutex_unlock(&team->lock);
    spot_check_destroy(team->spot_check);
    team->spot_check = NULL;
    if (team->session)
        backend_session_close(team->session);
    backend_device_release(team->device);
}
