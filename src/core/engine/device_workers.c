/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/device_workers.h"

#include <errno.h>
#include <stdlib.h>

#include "backend/limited_call.h"
#include "backend/session/buffers.h"
#include "engine/frame_queue.h"
#include "platform/thread.h"
#include "platform/time.h"

/* A backend may wait for more frames before it begins: after so long without one it is flushed. */
enum { IDLE_MS = 5 };
/* Period of the watch, as a part of the time limit, and in milliseconds. */
enum { WATCH_PARTS = 4, WATCH_MS_MIN = 5 };

enum { SUBMITTER, COLLECTOR, N_THREADS };

static const char *const call_names[N_THREADS] = {"submit", "collect"};

/* A frame that the backend is computing. */
typedef struct Flight {
    Frame *frame;
    RequestMask claimed;
    bool with_context; /* its neighbours were submitted with it */
} Flight;

struct DeviceWorkers {
    atomic_uint references; /* of the owner, and of each thread */
    BackendSession *session;
    BackendDevice *device;
    const char *backend;
    unsigned number; /* of the device in the queue */
    int64_t since;   /* when it began */
    TraceContext *trace;
    const WorkList *work;
    FrameQueue *queue;
    RequestMask requests; /* that the backend computes */
    RequestMask exact;    /* of them those whose records are the CPU's */
    SpotCheck *spot_check;
    SharedUploads *uploads; /* that it reads from; NULL: none */
    unsigned planes;        /* that it reads there */
    unsigned char ref_before[REQUESTS_MAX], dist_before[REQUESTS_MAX];
    unsigned slots, time_limit;
    uint64_t known_from, known_to; /* sequences that the backend remembers, known_to excluded */

    VmafMutex lock;
    VmafCondition changed;
    Flight flights[BACKEND_SLOTS_MAX];
    unsigned first, n_flights; /* in the order of submission */
    unsigned n_submitted;      /* all, or all but the newest, which is being submitted */
    CallLimit answer; /* since the last answer; since a frame was submitted, if it is alone */
    bool in_call[N_THREADS];
    CallLimit calls[N_THREADS]; /* with each of them */
    VmafThread submitter;       /* from the first frame that was submitted on */
    atomic_bool leave;          /* no further call, no further claim */
    bool left_behind;           /* threads that return from a call look at nothing else */
    bool interrupted, failed;
    int error;
    Reason why;

    VmafThread threads[N_THREADS];
};

static void executor_unref(DeviceWorkers *executor)
{
    if (atomic_fetch_sub_explicit(&executor->references, 1, memory_order_acq_rel) != 1)
        return;
    vmaf_condition_destroy(&executor->changed);
    vmaf_mutex_destroy(&executor->lock);
    free(executor);
}

/* ---- what both threads do ---- */

static void fail_locked(DeviceWorkers *executor, int error, const Reason *why)
{
    if (!executor->failed && !atomic_load(&executor->leave)) {
        executor->failed = true;
        executor->error = error;
        executor->why = *why;
    }
    vmaf_condition_broadcast(&executor->changed);
}

void device_workers_fail(DeviceWorkers *executor, int error, const Reason *why)
{
    vmaf_mutex_lock(&executor->lock);
    fail_locked(executor, error, why);
    vmaf_mutex_unlock(&executor->lock);
}

static bool goes_on(const DeviceWorkers *executor)
{
    return !executor->failed && !atomic_load(&executor->leave);
}

/* Around each call into the session. The second returns false if the executor was left behind. */
static bool begin_call(DeviceWorkers *executor, int thread)
{
    vmaf_mutex_lock(&executor->lock);
    bool may = goes_on(executor);
    executor->in_call[thread] = may;
    /* collect waits for a part of the limit. */
    const unsigned longer = thread == COLLECTOR ? executor->time_limit / 4 + 1 : 0;
    call_limit_begin(&executor->calls[thread], vmaf_thread_self(), executor->time_limit + longer);
    vmaf_mutex_unlock(&executor->lock);
    return may;
}

static bool end_call(DeviceWorkers *executor, int thread)
{
    vmaf_mutex_lock(&executor->lock);
    executor->in_call[thread] = false;
    bool left_behind = executor->left_behind;
    vmaf_mutex_unlock(&executor->lock);
    return !left_behind;
}

static const char *device_name(const DeviceWorkers *executor)
{
    const BackendDeviceDescription *device = backend_device_description(executor->device);
    return device ? device->name : "a device of the program";
}

/* ---- submitting ---- */

/* A picture that is on the device is submitted there, any other in host memory. */
static int locate(const DeviceWorkers *executor, const VmafPicture *pic, VmafPicture *view,
                  VmafBackendBuffer **buffer)
{
    *buffer = buffer_of_picture(pic, executor->device);
    *view = *pic;
    const int downloaded = *buffer ? 0 : picture_on_host(pic, view);
    if (downloaded > 0)
        frame_queue_note_downloads(executor->queue, 1);
    return downloaded < 0 ? downloaded : 0;
}

static int locate_pictures(const DeviceWorkers *executor, BackendSessionFrame *frame,
                           VmafPicture *ref, VmafPicture *dist)
{
    int err = locate(executor, frame->ref, ref, &frame->ref_buffer);
    frame->ref = ref;
    if (err || !frame->dist)
        return err;
    err = locate(executor, frame->dist, dist, &frame->dist_buffer);
    frame->dist = dist;
    return err;
}

static bool submit(DeviceWorkers *executor, BackendSessionFrame frame)
{
    Reason why;
    VmafPicture ref, dist;
    int err = locate_pictures(executor, &frame, &ref, &dist);
    if (err) {
        refuse(&why, err, "a picture could not be copied from its device");
        device_workers_fail(executor, err, &why);
        return false;
    }
    if (!begin_call(executor, SUBMITTER))
        return false;
    err = backend_session_submit(executor->session, &frame, &why);
    if (!end_call(executor, SUBMITTER))
        return false;
    if (err)
        device_workers_fail(executor, err, &why);
    return !err;
}

/* How many earlier frames the requests of a frame need, as far as the stream has them. */
static unsigned neighbours(const DeviceWorkers *executor, const Flight *flight, bool *dist)
{
    unsigned before = 0, n = 0;
    *dist = false;
    for (unsigned r = 0; r < executor->work->n_requests; r++) {
        if (!mask_has(&flight->claimed, r))
            continue;
        if (executor->ref_before[r] > before)
            before = executor->ref_before[r];
        if (executor->dist_before[r] > before)
            before = executor->dist_before[r];
        *dist |= executor->dist_before[r] > 0;
    }
    while (n < before && n < FEATURE_MAX_HISTORY && flight->frame->earlier_ref[n].ref)
        n++;
    return n;
}

static bool submit_context(DeviceWorkers *executor, const Flight *flight, unsigned distance,
                           bool dist)
{
    const Frame *frame = flight->frame;
    const VmafPicture *earlier_dist = &frame->earlier_dist[distance - 1];
    const BackendSessionFrame context = {
        .sequence = frame_sequence(frame) - distance,
        .context = true,
        .ref = &frame->earlier_ref[distance - 1],
        .dist = dist && earlier_dist->ref ? earlier_dist : NULL,
    };
    return submit(executor, context);
}

static bool submit_frame(DeviceWorkers *executor, Flight *flight)
{
    const Frame *frame = flight->frame;
    TRACE_SCOPE(TRACE_BACKEND, "submit", TRACE_REQUESTS(frame->index, flight->claimed.word));
    bool dist;
    unsigned n = neighbours(executor, flight, &dist);
    const uint64_t sequence = frame_sequence(frame);
    uint64_t first = sequence - n;
    if (sequence != executor->known_to || executor->known_from > first) {
        flight->with_context = n > 0;
        executor->known_from = first;
        for (unsigned distance = n; distance > 0; distance--) {
            if (!submit_context(executor, flight, distance, dist))
                return false;
        }
    }
    executor->known_to = sequence + 1;
    const BackendSessionFrame whole = {
        .sequence = sequence,
        .wanted = flight->claimed.word,
        .ref = &frame->ref,
        .dist = &frame->dist,
        .ref_upload = executor->uploads ? frame->with_ref : NULL,
    };
    return submit(executor, whole);
}

static bool wait_for_slot(DeviceWorkers *executor, bool *idle)
{
    vmaf_mutex_lock(&executor->lock);
    while (goes_on(executor) && executor->n_flights == executor->slots) {
        TRACE_SCOPE(TRACE_WAIT, "wait for the device");
        vmaf_condition_wait(&executor->changed, &executor->lock);
    }
    *idle = executor->n_flights == 0;
    bool may = goes_on(executor);
    vmaf_mutex_unlock(&executor->lock);
    return may;
}

static Flight *push(DeviceWorkers *executor, Frame *frame, const RequestMask *claimed)
{
    vmaf_mutex_lock(&executor->lock);
    Flight *flight =
        &executor->flights[(executor->first + executor->n_flights) % BACKEND_SLOTS_MAX];
    *flight = (Flight){.frame = frame, .claimed = *claimed};
    executor->n_flights++;
    vmaf_mutex_unlock(&executor->lock);
    return flight;
}

/* Submitting may be a part of the plugin's work. Locked. */
static void expect_answer(DeviceWorkers *executor)
{
    call_limit_begin_with(&executor->answer, executor->threads[COLLECTOR], executor->submitter,
                          executor->time_limit);
}

static void note_submitted(DeviceWorkers *executor)
{
    vmaf_mutex_lock(&executor->lock);
    executor->submitter = vmaf_thread_self();
    if (executor->n_submitted++ == 0)
        expect_answer(executor);
    vmaf_condition_broadcast(&executor->changed);
    vmaf_mutex_unlock(&executor->lock);
}

static bool flush(DeviceWorkers *executor)
{
    TRACE_SCOPE(TRACE_BACKEND, "flush");
    Reason why;
    if (!begin_call(executor, SUBMITTER))
        return false;
    int err = backend_session_flush(executor->session, &why);
    if (!end_call(executor, SUBMITTER))
        return false;
    if (err)
        device_workers_fail(executor, err, &why);
    return !err;
}

static void *submit_frames(void *argument)
{
    DeviceWorkers *executor = argument;
    TRACE_THREAD(executor->trace, "submit: %s, %s", executor->backend, device_name(executor));
    processor_time_is_ours();
    bool flushed = true, idle, going = true;
    while (going && wait_for_slot(executor, &idle)) {
        Frame *frame;
        RequestMask claimed;
        int limit = idle || flushed ? -1 : IDLE_MS;
        if (frame_queue_claim_whole(executor->queue, executor->number, &executor->requests,
                                    &executor->leave, limit, &frame, &claimed)) {
            going = submit_frame(executor, push(executor, frame, &claimed));
            if (going)
                note_submitted(executor);
            flushed = false;
        } else if (limit < 0) {
            break; /* the queue has stopped, or the executor has to leave */
        } else {
            going = flush(executor);
            flushed = true;
        }
    }
    executor_unref(executor);
    return NULL;
}

/* ---- collecting ---- */

/* The oldest frame that the backend has, and how long it may still take. */
static bool oldest_flight(DeviceWorkers *executor, Flight *flight, int64_t *remaining)
{
    vmaf_mutex_lock(&executor->lock);
    while (goes_on(executor) && !executor->n_submitted) {
        TRACE_SCOPE(TRACE_WAIT, "wait for a frame");
        vmaf_condition_wait(&executor->changed, &executor->lock);
    }
    bool may = goes_on(executor);
    if (may) {
        *flight = executor->flights[executor->first];
        *remaining = call_limit_left(&executor->answer);
    }
    vmaf_mutex_unlock(&executor->lock);
    return may;
}

static void complete(DeviceWorkers *executor, const Flight *flight)
{
    const RequestMask exact = mask_and(flight->claimed, &executor->exact);
    const SpotSubject subject = {executor->backend, executor->number, executor->since};
    spot_check_offer(executor->spot_check, executor->queue, flight->frame, &exact, &subject);
    vmaf_mutex_lock(&executor->lock);
    executor->first = (executor->first + 1) % BACKEND_SLOTS_MAX;
    executor->n_flights--;
    executor->n_submitted--;
    expect_answer(executor);
    vmaf_condition_broadcast(&executor->changed);
    vmaf_mutex_unlock(&executor->lock);
    frame_queue_complete_whole(executor->queue, flight->frame, &flight->claimed, executor->backend);
}

/* False if the executor was left behind, or has to leave. */
static bool call_collect(DeviceWorkers *executor, const Flight *flight, int64_t remaining, int *err,
                         Reason *why)
{
    TRACE_SCOPE(TRACE_BACKEND, "collect",
                TRACE_REQUESTS(flight->frame->index, flight->claimed.word));
    void *records[REQUESTS_MAX];
    for (unsigned r = 0; r < executor->work->n_requests; r++)
        records[r] =
            mask_has(&flight->claimed, r) ? frame_record(executor->queue, flight->frame, r) : NULL;
    if (!begin_call(executor, COLLECTOR))
        return false;
    /* In parts, since a call that is at work is given more time. */
    const unsigned part = call_limit_pause(&executor->answer);
    *err = backend_session_collect(executor->session, frame_sequence(flight->frame), records,
                                   remaining <= 0     ? 0
                                   : remaining < part ? (unsigned)remaining
                                                      : part,
                                   why);
    return end_call(executor, COLLECTOR);
}

static bool collect(DeviceWorkers *executor, const Flight *flight, int64_t remaining)
{
    Reason why;
    int err;
    if (!call_collect(executor, flight, remaining, &err, &why))
        return false;
    if (err == -ETIMEDOUT) {
        if (remaining > 0)
            return true;
        refuse(&why, 0, "no answer to a frame within %u ms", executor->time_limit);
    }
    if (err)
        device_workers_fail(executor, err, &why);
    else
        complete(executor, flight);
    return !err;
}

static void *collect_records(void *argument)
{
    DeviceWorkers *executor = argument;
    TRACE_THREAD(executor->trace, "collect: %s, %s", executor->backend, device_name(executor));
    processor_time_is_ours();
    Flight flight;
    int64_t remaining;
    while (oldest_flight(executor, &flight, &remaining) && collect(executor, &flight, remaining))
        ;
    executor_unref(executor);
    return NULL;
}

/* ---- beginning and end ---- */

static void leave(DeviceWorkers *executor)
{
    vmaf_mutex_lock(&executor->lock);
    atomic_store(&executor->leave, true);
    vmaf_condition_broadcast(&executor->changed);
    vmaf_mutex_unlock(&executor->lock);
    frame_queue_wake(executor->queue);
}

static int start_threads(DeviceWorkers *executor)
{
    static void *(*const bodies[N_THREADS])(void *) = {submit_frames, collect_records};
    /* The collector first: without the submitter there is nothing for it to do. */
    for (int i = N_THREADS - 1; i >= 0; i--) {
        atomic_fetch_add(&executor->references, 1);
        if (!vmaf_thread_start(&executor->threads[i], bodies[i], executor))
            continue;
        atomic_fetch_sub(&executor->references, 1);
        leave(executor);
        for (int running = N_THREADS - 1; running > i; running--)
            vmaf_thread_join(executor->threads[running]);
        return -ENOMEM;
    }
    return 0;
}

static void begin_reading(DeviceWorkers *executor, SharedUploads *uploads)
{
    executor->planes = backend_session_planes(executor->session);
    if (shared_uploads_begin_reading(uploads, executor->device, executor->planes))
        executor->uploads = shared_uploads_ref(uploads);
}

/* No thread submits frames any more, unless it hangs. */
static void end_reading(DeviceWorkers *executor)
{
    if (!executor->uploads)
        return;
    shared_uploads_end_reading(executor->uploads, executor->device, executor->planes);
    shared_uploads_unref(executor->uploads);
}

int device_workers_start(DeviceWorkers **created, const DeviceWorkersParams *params)
{
    DeviceWorkers *executor = calloc(1, sizeof(*executor));
    if (!executor)
        return -ENOMEM;
    atomic_init(&executor->references, 1);
    atomic_init(&executor->leave, false);
    vmaf_mutex_init(&executor->lock);
    vmaf_condition_init(&executor->changed);
    executor->session = params->session;
    executor->device = params->device;
    executor->backend = params->backend;
    executor->number = params->number;
    executor->since = vmaf_steady_us();
    executor->trace = trace_here();
    executor->work = params->work;
    executor->queue = params->queue;
    executor->slots = backend_session_slots(params->session);
    executor->time_limit = params->time_limit;
    executor->spot_check = params->spot_check;
    for (unsigned r = 0; r < params->work->n_requests; r++) {
        if (params->coverage[r].placement != VMAF_PLACEMENT_BACKEND)
            continue;
        mask_add(&executor->requests, r);
        if (params->coverage[r].exact && !params->coverage[r].scores)
            mask_add(&executor->exact, r);
        executor->ref_before[r] = (unsigned char)params->coverage[r].ref_before;
        executor->dist_before[r] = (unsigned char)params->coverage[r].dist_before;
    }

    begin_reading(executor, params->uploads);
    int err = start_threads(executor);
    if (err) {
        end_reading(executor);
        executor_unref(executor);
    } else {
        *created = executor;
    }
    return err;
}

/* Fails if a call takes longer than it may. Locked. */
static void look_for_hang(DeviceWorkers *executor)
{
    for (int i = 0; i < N_THREADS && goes_on(executor); i++) {
        if (!executor->in_call[i] || call_limit_left(&executor->calls[i]) > 0)
            continue;
        Reason why;
        refuse(&why, 0, "it does not return from %s", call_names[i]);
        fail_locked(executor, -ETIMEDOUT, &why);
    }
}

int device_workers_watch(DeviceWorkers *executor)
{
    unsigned pause = executor->time_limit / WATCH_PARTS;
    if (pause < WATCH_MS_MIN)
        pause = WATCH_MS_MIN;
    vmaf_mutex_lock(&executor->lock);
    while (!executor->interrupted && !executor->failed) {
        const VmafDeadline deadline = vmaf_deadline_after(pause);
        vmaf_condition_wait_until(&executor->changed, &executor->lock, deadline);
        look_for_hang(executor);
    }
    int err = executor->failed ? executor->error : 0;
    vmaf_mutex_unlock(&executor->lock);
    return err;
}

void device_workers_interrupt(DeviceWorkers *executor)
{
    vmaf_mutex_lock(&executor->lock);
    executor->interrupted = true;
    vmaf_condition_broadcast(&executor->changed);
    vmaf_mutex_unlock(&executor->lock);
}

/* Pictures that the plugin has been shown and may still read. */
static unsigned keep_pictures(const Flight *flight)
{
    const Frame *frame = flight->frame;
    unsigned kept = picture_keep(&frame->ref) + picture_keep(&frame->dist);
    for (int i = 0; i < FEATURE_MAX_HISTORY && flight->with_context; i++)
        kept += picture_keep(&frame->earlier_ref[i]) + picture_keep(&frame->earlier_dist[i]);
    return kept;
}

/* Leaves threads that hang in the plugin there; joins the others. */
static void end_threads(DeviceWorkers *executor, bool closed)
{
    bool stuck[N_THREADS];
    vmaf_mutex_lock(&executor->lock);
    executor->left_behind = !closed;
    for (int i = 0; i < N_THREADS; i++)
        stuck[i] = !closed && executor->in_call[i];
    vmaf_mutex_unlock(&executor->lock);
    for (int i = 0; i < N_THREADS; i++) {
        if (stuck[i])
            vmaf_thread_detach(executor->threads[i]);
        else
            vmaf_thread_join(executor->threads[i]);
    }
}

void device_workers_end(DeviceWorkers *executor, BackendFailure *failure)
{
    TRACE_SCOPE(TRACE_BACKEND, "end the session");
    leave(executor);
    bool closed = backend_session_shut(executor->session);
    end_threads(executor, closed);
    end_reading(executor);
    if (closed)
        backend_session_free(executor->session);

    *failure = (BackendFailure){
        .error = executor->error,
        .why = executor->why,
        .had_frames = executor->n_flights > 0,
    };
    if (failure->had_frames)
        failure->frame = executor->flights[executor->first].frame->index;
    for (unsigned i = 0; i < executor->n_flights && !closed; i++)
        failure->pictures_kept +=
            keep_pictures(&executor->flights[(executor->first + i) % BACKEND_SLOTS_MAX]);
}

void device_workers_free(DeviceWorkers *executor)
{
    for (unsigned i = 0; i < executor->n_flights; i++) {
        Flight *flight = &executor->flights[(executor->first + i) % BACKEND_SLOTS_MAX];
        frame_queue_give_back(executor->queue, flight->frame, &flight->claimed);
    }
    executor_unref(executor);
}
