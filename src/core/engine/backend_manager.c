/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The backends of a run as such: when they start, what they compute, and how they end. */
#include "engine/backend_manager.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/backend_manager_internal.h"
#include "engine/frame_queue.h"
#include "platform/process.h"
#include "platform/time.h"

/* As libvmaf_ext.h promises. */
enum {
    FRAMES_IN_FLIGHT = 4,
    TIME_LIMIT_MS = 10000,
    OPENING_LIMIT_MS = 60000,
};

/* How long closing waits for a backend that is being brought up. Some drivers crash if the program
 * ends while they start or compile, which takes seconds the first time, so that waiting pays. */
enum { BRING_UP_GRACE_MS = 3000 };

/* A backend is brought up when so much scoring is likely to be left, as libvmaf_ext.h promises. */
enum { WORTH_A_BACKEND_US = 1000 * 1000 };

/* ---- the manager itself ---- */

void manager_set_idle(BackendManager *manager, bool automatic)
{
    manager->status = (VmafBackendStatus){
        .phase =
            automatic && !manager->masked ? VMAF_BACKEND_PHASE_WAITING : VMAF_BACKEND_PHASE_CPU,
        .device_index = -1,
        .name = "cpu",
    };
}

int backend_manager_create(BackendManager **created, const Logger *logger, bool masked,
                           atomic_int *run_error)
{
    BackendManager *manager = calloc(1, sizeof(*manager));
    if (!manager)
        return -ENOMEM;
    atomic_init(&manager->references, 1);
    atomic_init(&manager->engaged_by, 0);
    atomic_init(&manager->scores_invalid, false);
    manager->run_error = run_error;
    vmaf_mutex_init(&manager->lock);
    vmaf_condition_init(&manager->changed);
    manager->logger = *logger;
    manager->masked = masked;
    manager->tuning = (VmafBackendTuning){
        .frames_in_flight = FRAMES_IN_FLIGHT,
        .time_limit = TIME_LIMIT_MS,
    };
    manager->opening_limit = OPENING_LIMIT_MS;
    manager_set_idle(manager, true);
    *created = manager;
    return 0;
}

void backend_manager_unref(BackendManager *manager)
{
    if (atomic_fetch_sub_explicit(&manager->references, 1, memory_order_acq_rel) != 1)
        return;
    while (manager->texts) {
        ManagerText *text = manager->texts;
        manager->texts = text->next;
        free(text);
    }
    workload_unref(manager->workload);
    shared_uploads_unref(manager->uploads);
    while (manager->devices) {
        ManagerDevice *device = manager->devices;
        manager->devices = device->next;
        free(device->coverage);
        free(device);
    }
    free(manager->placements);
    free(manager->hints);
    free(manager->events);
    vmaf_condition_destroy(&manager->changed);
    vmaf_mutex_destroy(&manager->lock);
    free(manager);
}

const char *manager_text(BackendManager *manager, const char *text)
{
    for (ManagerText *known = manager->texts; known; known = known->next) {
        if (!strcmp(known->text, text))
            return known->text;
    }
    size_t size = strlen(text) + 1;
    ManagerText *copy = size > 1 ? malloc(sizeof(*copy) + size) : NULL;
    if (!copy)
        return NULL;
    memcpy(copy->text, text, size);
    copy->next = manager->texts;
    manager->texts = copy;
    return copy->text;
}

bool backend_manager_is_foreign(const BackendManager *manager)
{
    int process = atomic_load(&manager->engaged_by);
    return process && process != vmaf_process_id();
}

void manager_disengage(BackendManager *manager)
{
    bool held = manager->supervised && !manager->finished;
    for (const ManagerDevice *device = manager->devices; device; device = device->next)
        held |= device->device != NULL;
    if (!held)
        atomic_store(&manager->engaged_by, 0);
}

/* ---- tuning ---- */

void backend_manager_share_uploads(BackendManager *manager, SharedUploads *uploads)
{
    manager->uploads = shared_uploads_ref(uploads);
}

void backend_manager_set_in_flight(BackendManager *manager, unsigned frames)
{
    manager->tuning.frames_in_flight = frames < BACKEND_SLOTS_MAX ? frames : BACKEND_SLOTS_MAX;
}

void backend_manager_tune(BackendManager *manager, const VmafBackendTuning *tuning)
{
    const unsigned frames = tuning->frames_in_flight, limit = tuning->time_limit;
    manager->tuning = (VmafBackendTuning){
        .join_after = tuning->join_after,
        .time_limit = limit ? limit : TIME_LIMIT_MS,
        .spot_check = tuning->spot_check,
    };
    backend_manager_set_in_flight(manager, frames ? frames : FRAMES_IN_FLIGHT);
    manager->opening_limit = limit ? limit : OPENING_LIMIT_MS;
}

BackendDevice *backend_manager_device(const BackendManager *manager)
{
    return manager->strict ? manager->devices->device : NULL;
}

void backend_manager_note_reason(BackendManager *manager, const char *why)
{
    vmaf_mutex_lock(&manager->lock);
    if (!manager->status.failed_active && manager->status.phase != VMAF_BACKEND_PHASE_FAILED)
        manager->status.reason = manager_text(manager, why);
    vmaf_mutex_unlock(&manager->lock);
}

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

int manager_open_session(const BackendManager *manager, BackendDevice *device, bool automatic,
                         BackendSession **session, BackendCoverage **coverage,
                         BackendAvailability *availability)
{
    const BackendSessionParams params = {
        .workload = manager->workload,
        .frames_in_flight = manager->tuning.frames_in_flight,
        .exact_only = automatic,
        .pinned_only = manager->masked,
        .time_limit = manager->tuning.time_limit,
        .opening_limit = manager->opening_limit,
    };
    *coverage = calloc(manager->workload->n_requests + 1, sizeof(**coverage));
    if (!*coverage)
        return backend_availability_set(availability, BACKEND_INIT_FAILED, -ENOMEM,
                                        "out of memory");
    const int err = backend_session_open(session, device, &params, *coverage, availability);
    if (err)
        *session = NULL;
    return err;
}

/* True if any device that is or was active computes a request. */
static bool is_computed(const BackendManager *manager, unsigned request)
{
    const RequestMask taken = manager_taken(manager);
    bool computed = mask_has(&taken, request);
    for (const ManagerDevice *device = manager->devices; device; device = device->next)
        computed |= device->computed[request] > 0;
    return computed;
}

void manager_place(BackendManager *manager, const char *backend, const BackendCoverage coverage[])
{
    for (unsigned r = 0; r < manager->workload->n_requests; r++) {
        ManagerPlacement *placed = &manager->placements[r];
        /* What others compute, or have computed, is not forgotten when this one declines it. */
        if (is_computed(manager, r) && coverage[r].placement != VMAF_PLACEMENT_BACKEND)
            continue;
        placed->coverage = coverage[r];
        placed->backend = backend;
    }
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
    return manager->strict ? manager_start_chosen(manager, work, for_cpu) : 0;
}

/* ---- work ---- */

bool backend_manager_has_device(const BackendManager *manager, const void *device)
{
    if (!manager->strict)
        return false;
    for (const ManagerDevice *known = manager->devices; known; known = known->next) {
        if (known->device == device)
            return true;
    }
    return false;
}

RequestMask backend_manager_takes(BackendManager *manager)
{
    vmaf_mutex_lock(&manager->lock);
    const RequestMask taken = manager_taken(manager);
    vmaf_mutex_unlock(&manager->lock);
    return taken;
}

void backend_manager_count_frame(BackendManager *manager, const Frame *frame)
{
    vmaf_mutex_lock(&manager->lock);
    ManagerDevice *device = frame->backend ? manager_find_device(manager, frame->device) : NULL;
    if (device)
        device->frames++;
    else
        manager->frames_by_cpu++;
    for (unsigned r = 0; device && r < manager->workload->n_requests; r++)
        device->computed[r] += mask_has(&frame->by_backend, r);
    vmaf_mutex_unlock(&manager->lock);
}

/* ---- the supervisor ---- */

/* Brings up the devices of "auto". */
static void *supervise(void *argument)
{
    BackendManager *manager = argument;
    TRACE_THREAD(manager->trace, "supervisor of backends");
    {
        TRACE_SCOPE(TRACE_BACKEND, "bring up");
        manager_bring_up(manager);
    }
    vmaf_mutex_lock(&manager->lock);
    manager->finished = true;
    if (manager->status.phase == VMAF_BACKEND_PHASE_STARTING)
        manager->status.phase = VMAF_BACKEND_PHASE_CPU;
    manager_disengage(manager);
    vmaf_condition_broadcast(&manager->changed);
    vmaf_mutex_unlock(&manager->lock);
    backend_manager_unref(manager);
    return NULL;
}

static int start_supervisor(BackendManager *manager)
{
    atomic_fetch_add(&manager->references, 1);
    manager->trace = trace_here();
    VmafThread thread;
    int failed = vmaf_thread_start(&thread, supervise, manager);
    if (failed)
        backend_manager_unref(manager);
    else
        vmaf_thread_detach(thread); /* `finished` shows when it ends */
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
    if (!manager->supervised && manager->workload && !manager->strict &&
        manager->workload->n_requests && (manager->chosen || pays(manager, n_frames)))
        start_bring_up(manager);
}

/* No device joins any more, and the threads of those that have are done. Locked. */
static void stop_devices(BackendManager *manager)
{
    manager->closing = true;
    for (ManagerDevice *device = manager->devices; device; device = device->next) {
        if (device->workers)
            device_workers_interrupt(device->workers);
    }
    while (manager->n_watched)
        vmaf_condition_wait(&manager->changed, &manager->lock);
}

int backend_manager_join(BackendManager *manager, FrameQueue *queue, CpuClient *cpu,
                         unsigned queue_base, unsigned n_threads)
{
    manager->queue = queue;
    manager->cpu = cpu;
    manager->queue_base = queue_base;
    manager->n_threads = n_threads;
    int err = 0;
    vmaf_mutex_lock(&manager->lock);
    for (ManagerDevice *device = manager->devices; device && !err; device = device->next) {
        if (device->session)
            err = manager_activate(device);
    }
    if (err)
        stop_devices(manager);
    vmaf_mutex_unlock(&manager->lock);
    if (err) { /* the work list that it refers to ends now */
        spot_check_destroy(manager->spot_check);
        manager->spot_check = NULL;
    }
    return err;
}

/* ---- the end ---- */

/* Waits for the supervisor, unless it hangs in a driver while it brings a device up: then it goes
 * on alone. Locked. */
static void wait_for_supervisor(BackendManager *manager, VmafDeadline deadline)
{
    bool late = false;
    while (!manager->finished && !late)
        late = vmaf_condition_wait_until(&manager->changed, &manager->lock, deadline) != 0;
}

void backend_manager_close(BackendManager *manager)
{
    const VmafDeadline deadline = vmaf_deadline_after(BRING_UP_GRACE_MS);
    vmaf_mutex_lock(&manager->lock);
    stop_devices(manager);
    if (manager->supervised)
        wait_for_supervisor(manager, deadline);
    vmaf_mutex_unlock(&manager->lock);
    spot_check_destroy(manager->spot_check);
    manager->spot_check = NULL;
    for (ManagerDevice *device = manager->devices; device; device = device->next) {
        if (device->session)
            backend_session_close(device->session);
        backend_device_release(device->device);
        vmaf_mutex_lock(&manager->lock); /* a supervisor that was late looks at them when it ends */
        device->session = NULL;
        device->device = NULL;
        vmaf_mutex_unlock(&manager->lock);
    }
}
