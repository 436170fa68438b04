/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Two threads for each open session of a device: one submits frames, the other collects records. A
 * third thread of the manager watches over their time limits. */
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

static void executor_unref(DeviceWorkers *workers)
{
    if (atomic_fetch_sub_explicit(&workers->references, 1, memory_order_acq_rel) != 1)
        return;
    vmaf_condition_destroy(&workers->changed);
    vmaf_mutex_destroy(&workers->lock);
    free(workers);
}

/* ---- what both threads do ---- */

static void fail_locked(DeviceWorkers *workers, int error, const Reason *why)
{
    if (!workers->failed && !atomic_load(&workers->leave)) {
        workers->failed = true;
        workers->error = error;
        workers->why = *why;
    }
    vmaf_condition_broadcast(&workers->changed);
}

void device_workers_fail(DeviceWorkers *workers, int error, const Reason *why)
{
    vmaf_mutex_lock(&workers->lock);
    fail_locked(workers, error, why);
    vmaf_mutex_unlock(&workers->lock);
}

static bool goes_on(const DeviceWorkers *workers)
{
    return !workers->failed && !atomic_load(&workers->leave);
}

/* Around each call into the session, for its time limit. The second returns false if the workers
 * were left behind. */
static bool limited_call_enter(DeviceWorkers *workers, int thread)
{
    vmaf_mutex_lock(&workers->lock);
    bool may = goes_on(workers);
    workers->in_call[thread] = may;
    /* collect waits for a part of the limit. */
    const unsigned longer = thread == COLLECTOR ? workers->time_limit / 4 + 1 : 0;
    call_limit_begin(&workers->calls[thread], vmaf_thread_self(), vmaf_thread_self(),
                     workers->time_limit + longer);
    vmaf_mutex_unlock(&workers->lock);
    return may;
}

static bool limited_call_leave(DeviceWorkers *workers, int thread)
{
    vmaf_mutex_lock(&workers->lock);
    workers->in_call[thread] = false;
    bool left_behind = workers->left_behind;
    vmaf_mutex_unlock(&workers->lock);
    return !left_behind;
}

static const char *device_name(const DeviceWorkers *workers)
{
    const BackendDeviceDescription *device = backend_device_description(workers->device);
    return device ? device->name : "a device of the program";
}

/* ---- submitting ---- */

/* A picture that is on the device is submitted there, any other in host memory. */
static int locate(const DeviceWorkers *workers, const VmafPicture *pic, VmafPicture *view,
                  VmafBackendBuffer **buffer)
{
    *buffer = buffer_of_picture(pic, workers->device);
    *view = *pic;
    const int downloaded = *buffer ? 0 : picture_on_host(pic, view);
    if (downloaded > 0)
        frame_queue_note_downloads(workers->queue, 1);
    return downloaded < 0 ? downloaded : 0;
}

static int locate_pictures(const DeviceWorkers *workers, BackendSessionFrame *frame,
                           VmafPicture *ref, VmafPicture *dist)
{
    int err = locate(workers, frame->ref, ref, &frame->ref_buffer);
    frame->ref = ref;
    if (err || !frame->dist)
        return err;
    err = locate(workers, frame->dist, dist, &frame->dist_buffer);
    frame->dist = dist;
    return err;
}

static bool submit_located(DeviceWorkers *workers, BackendSessionFrame frame)
{
    Reason why;
    VmafPicture ref, dist;
    int err = locate_pictures(workers, &frame, &ref, &dist);
    if (err) {
        reason_set(&why, err, "a picture could not be copied from its device");
        device_workers_fail(workers, err, &why);
        return false;
    }
    if (!limited_call_enter(workers, SUBMITTER))
        return false;
    err = backend_session_submit(workers->session, &frame, &why);
    if (!limited_call_leave(workers, SUBMITTER))
        return false;
    if (err)
        device_workers_fail(workers, err, &why);
    return !err;
}

/* How many earlier frames the requests of a frame need, as far as the stream has them. */
static unsigned neighbours(const DeviceWorkers *workers, const Flight *flight, bool *dist)
{
    unsigned before = 0, n = 0;
    *dist = false;
    for (unsigned r = 0; r < workers->work->n_requests; r++) {
        if (!mask_has(&flight->claimed, r))
            continue;
        if (workers->ref_before[r] > before)
            before = workers->ref_before[r];
        if (workers->dist_before[r] > before)
            before = workers->dist_before[r];
        *dist |= workers->dist_before[r] > 0;
    }
    while (n < before && n < FEATURE_MAX_HISTORY && flight->frame->earlier_ref[n].ref)
        n++;
    return n;
}

static bool submit_context(DeviceWorkers *workers, const Flight *flight, unsigned distance,
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
    return submit_located(workers, context);
}

static bool submit_frame(DeviceWorkers *workers, Flight *flight)
{
    const Frame *frame = flight->frame;
    TRACE_SCOPE(TRACE_BACKEND, "submit", TRACE_REQUESTS(frame->index, flight->claimed.word));
    bool dist;
    unsigned n = neighbours(workers, flight, &dist);
    const uint64_t sequence = frame_sequence(frame);
    uint64_t first = sequence - n;
    if (sequence != workers->known_to || workers->known_from > first) {
        flight->with_context = n > 0;
        workers->known_from = first;
        for (unsigned distance = n; distance > 0; distance--) {
            if (!submit_context(workers, flight, distance, dist))
                return false;
        }
    }
    workers->known_to = sequence + 1;
    const BackendSessionFrame whole = {
        .sequence = sequence,
        .wanted = flight->claimed.word,
        .ref = &frame->ref,
        .dist = &frame->dist,
        .ref_upload = workers->uploads ? frame->with_ref : NULL,
    };
    return submit_located(workers, whole);
}

static bool wait_for_slot(DeviceWorkers *workers, bool *idle)
{
    vmaf_mutex_lock(&workers->lock);
    while (goes_on(workers) && workers->n_flights == workers->slots) {
        TRACE_SCOPE(TRACE_WAIT, "wait for the device");
        vmaf_condition_wait(&workers->changed, &workers->lock);
    }
    *idle = workers->n_flights == 0;
    bool may = goes_on(workers);
    vmaf_mutex_unlock(&workers->lock);
    return may;
}

static Flight *push(DeviceWorkers *workers, Frame *frame, const RequestMask *claimed)
{
    vmaf_mutex_lock(&workers->lock);
    Flight *flight = &workers->flights[(workers->first + workers->n_flights) % BACKEND_SLOTS_MAX];
    *flight = (Flight){.frame = frame, .claimed = *claimed};
    workers->n_flights++;
    vmaf_mutex_unlock(&workers->lock);
    return flight;
}

/* Submitting may be a part of the plugin's work. Locked. */
static void expect_answer(DeviceWorkers *workers)
{
    call_limit_begin(&workers->answer, workers->threads[COLLECTOR], workers->submitter,
                     workers->time_limit);
}

static void note_submitted(DeviceWorkers *workers)
{
    vmaf_mutex_lock(&workers->lock);
    workers->submitter = vmaf_thread_self();
    if (workers->n_submitted++ == 0)
        expect_answer(workers);
    vmaf_condition_broadcast(&workers->changed);
    vmaf_mutex_unlock(&workers->lock);
}

static bool flush(DeviceWorkers *workers)
{
    TRACE_SCOPE(TRACE_BACKEND, "flush");
    Reason why;
    if (!limited_call_enter(workers, SUBMITTER))
        return false;
    int err = backend_session_flush(workers->session, &why);
    if (!limited_call_leave(workers, SUBMITTER))
        return false;
    if (err)
        device_workers_fail(workers, err, &why);
    return !err;
}

static void *submit_frames(void *argument)
{
    DeviceWorkers *workers = argument;
    TRACE_THREAD(workers->trace, "submit: %s, %s", workers->backend, device_name(workers));
    processor_time_is_ours();
    bool flushed = true, idle, going = true;
    while (going && wait_for_slot(workers, &idle)) {
        Frame *frame;
        RequestMask claimed;
        int limit = idle || flushed ? -1 : IDLE_MS;
        if (frame_queue_claim_whole(workers->queue, workers->number, &workers->requests,
                                    &workers->leave, limit, &frame, &claimed)) {
            going = submit_frame(workers, push(workers, frame, &claimed));
            if (going)
                note_submitted(workers);
            flushed = false;
        } else if (limit < 0) {
            break; /* the queue has stopped, or the workers has to leave */
        } else {
            going = flush(workers);
            flushed = true;
        }
    }
    executor_unref(workers);
    return NULL;
}

/* ---- collecting ---- */

/* The oldest frame that the backend has, and how long it may still take. */
static bool oldest_flight(DeviceWorkers *workers, Flight *flight, int64_t *remaining)
{
    vmaf_mutex_lock(&workers->lock);
    while (goes_on(workers) && !workers->n_submitted) {
        TRACE_SCOPE(TRACE_WAIT, "wait for a frame");
        vmaf_condition_wait(&workers->changed, &workers->lock);
    }
    bool may = goes_on(workers);
    if (may) {
        *flight = workers->flights[workers->first];
        *remaining = call_limit_left(&workers->answer);
    }
    vmaf_mutex_unlock(&workers->lock);
    return may;
}

static void complete(DeviceWorkers *workers, const Flight *flight)
{
    const RequestMask exact = mask_and(flight->claimed, &workers->exact);
    const SpotSubject subject = {workers->backend, workers->number, workers->since};
    spot_check_offer(workers->spot_check, workers->queue, flight->frame, &exact, &subject);
    vmaf_mutex_lock(&workers->lock);
    workers->first = (workers->first + 1) % BACKEND_SLOTS_MAX;
    workers->n_flights--;
    workers->n_submitted--;
    expect_answer(workers);
    vmaf_condition_broadcast(&workers->changed);
    vmaf_mutex_unlock(&workers->lock);
    frame_queue_complete_whole(workers->queue, flight->frame, &flight->claimed, workers->backend);
}

/* False if the workers was left behind, or has to leave. */
static bool call_collect(DeviceWorkers *workers, const Flight *flight, int64_t remaining, int *err,
                         Reason *why)
{
    TRACE_SCOPE(TRACE_BACKEND, "collect",
                TRACE_REQUESTS(flight->frame->index, flight->claimed.word));
    void *records[REQUESTS_MAX];
    for (unsigned r = 0; r < workers->work->n_requests; r++)
        records[r] =
            mask_has(&flight->claimed, r) ? frame_record(workers->queue, flight->frame, r) : NULL;
    if (!limited_call_enter(workers, COLLECTOR))
        return false;
    /* In parts, since a call that is at work is given more time. */
    const unsigned part = call_limit_pause(&workers->answer);
    *err = backend_session_collect(workers->session, frame_sequence(flight->frame), records,
                                   remaining <= 0     ? 0
                                   : remaining < part ? (unsigned)remaining
                                                      : part,
                                   why);
    return limited_call_leave(workers, COLLECTOR);
}

static bool collect(DeviceWorkers *workers, const Flight *flight, int64_t remaining)
{
    Reason why;
    int err;
    if (!call_collect(workers, flight, remaining, &err, &why))
        return false;
    if (err == -ETIMEDOUT) {
        if (remaining > 0)
            return true;
        reason_set(&why, 0, "no answer to a frame within %u ms", workers->time_limit);
    }
    if (err)
        device_workers_fail(workers, err, &why);
    else
        complete(workers, flight);
    return !err;
}

static void *collect_records(void *argument)
{
    DeviceWorkers *workers = argument;
    TRACE_THREAD(workers->trace, "collect: %s, %s", workers->backend, device_name(workers));
    processor_time_is_ours();
    Flight flight;
    int64_t remaining;
    while (oldest_flight(workers, &flight, &remaining) && collect(workers, &flight, remaining))
        ;
    executor_unref(workers);
    return NULL;
}

/* ---- beginning and end ---- */

static void leave(DeviceWorkers *workers)
{
    vmaf_mutex_lock(&workers->lock);
    atomic_store(&workers->leave, true);
    vmaf_condition_broadcast(&workers->changed);
    vmaf_mutex_unlock(&workers->lock);
    frame_queue_wake(workers->queue);
}

static int start_threads(DeviceWorkers *workers)
{
    static void *(*const bodies[N_THREADS])(void *) = {submit_frames, collect_records};
    /* The collector first: without the submitter there is nothing for it to do. */
    for (int i = N_THREADS - 1; i >= 0; i--) {
        atomic_fetch_add(&workers->references, 1);
        if (!vmaf_thread_start(&workers->threads[i], bodies[i], workers))
            continue;
        atomic_fetch_sub(&workers->references, 1);
        leave(workers);
        for (int running = N_THREADS - 1; running > i; running--)
            vmaf_thread_join(workers->threads[running]);
        return -ENOMEM;
    }
    return 0;
}

static void begin_reading(DeviceWorkers *workers, SharedUploads *uploads)
{
    workers->planes = backend_session_planes(workers->session);
    if (shared_uploads_begin_reading(uploads, workers->device, workers->planes))
        workers->uploads = shared_uploads_ref(uploads);
}

/* No thread submits frames any more, unless it hangs. */
static void end_reading(DeviceWorkers *workers)
{
    if (!workers->uploads)
        return;
    shared_uploads_end_reading(workers->uploads, workers->device, workers->planes);
    shared_uploads_unref(workers->uploads);
}

int device_workers_start(DeviceWorkers **created, const DeviceWorkersParams *params)
{
    DeviceWorkers *workers = calloc(1, sizeof(*workers));
    if (!workers)
        return -ENOMEM;
    atomic_init(&workers->references, 1);
    atomic_init(&workers->leave, false);
    vmaf_mutex_init(&workers->lock);
    vmaf_condition_init(&workers->changed);
    workers->session = params->session;
    workers->device = params->device;
    workers->backend = params->backend;
    workers->number = params->number;
    workers->since = vmaf_steady_us();
    workers->trace = trace_here();
    workers->work = params->work;
    workers->queue = params->queue;
    workers->slots = backend_session_slots(params->session);
    workers->time_limit = params->time_limit;
    workers->spot_check = params->spot_check;
    for (unsigned r = 0; r < params->work->n_requests; r++) {
        if (params->coverage[r].placement != VMAF_PLACEMENT_BACKEND)
            continue;
        mask_add(&workers->requests, r);
        if (params->coverage[r].exact && !params->coverage[r].scores)
            mask_add(&workers->exact, r);
        workers->ref_before[r] = (unsigned char)params->coverage[r].ref_before;
        workers->dist_before[r] = (unsigned char)params->coverage[r].dist_before;
    }

    begin_reading(workers, params->uploads);
    int err = start_threads(workers);
    if (err) {
        end_reading(workers);
        executor_unref(workers);
    } else {
        *created = workers;
    }
    return err;
}

/* Fails if a call takes longer than it may. Locked. */
static void look_for_hang(DeviceWorkers *workers)
{
    for (int i = 0; i < N_THREADS && goes_on(workers); i++) {
        if (!workers->in_call[i] || call_limit_left(&workers->calls[i]) > 0)
            continue;
        Reason why;
        reason_set(&why, 0, "it does not return from %s", call_names[i]);
        fail_locked(workers, -ETIMEDOUT, &why);
    }
}

int device_workers_watch(DeviceWorkers *workers)
{
    unsigned pause = workers->time_limit / WATCH_PARTS;
    if (pause < WATCH_MS_MIN)
        pause = WATCH_MS_MIN;
    vmaf_mutex_lock(&workers->lock);
    while (!workers->interrupted && !workers->failed) {
        const VmafDeadline deadline = vmaf_deadline_after(pause);
        vmaf_condition_wait_until(&workers->changed, &workers->lock, deadline);
        look_for_hang(workers);
    }
    int err = workers->failed ? workers->error : 0;
    vmaf_mutex_unlock(&workers->lock);
    return err;
}

void device_workers_interrupt(DeviceWorkers *workers)
{
    vmaf_mutex_lock(&workers->lock);
    workers->interrupted = true;
    vmaf_condition_broadcast(&workers->changed);
    vmaf_mutex_unlock(&workers->lock);
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
static void end_threads(DeviceWorkers *workers, bool closed)
{
    bool stuck[N_THREADS];
    vmaf_mutex_lock(&workers->lock);
    workers->left_behind = !closed;
    for (int i = 0; i < N_THREADS; i++)
        stuck[i] = !closed && workers->in_call[i];
    vmaf_mutex_unlock(&workers->lock);
    for (int i = 0; i < N_THREADS; i++) {
        if (stuck[i])
            vmaf_thread_detach(workers->threads[i]);
        else
            vmaf_thread_join(workers->threads[i]);
    }
}

void device_workers_end(DeviceWorkers *workers, BackendFailure *failure)
{
    TRACE_SCOPE(TRACE_BACKEND, "end the session");
    leave(workers);
    bool closed = backend_session_shut(workers->session);
    end_threads(workers, closed);
    end_reading(workers);
    if (closed)
        backend_session_free(workers->session);

    *failure = (BackendFailure){
        .error = workers->error,
        .why = workers->why,
        .had_frames = workers->n_flights > 0,
    };
    if (failure->had_frames)
        failure->frame = workers->flights[workers->first].frame->index;
    for (unsigned i = 0; i < workers->n_flights && !closed; i++)
        failure->pictures_kept +=
            keep_pictures(&workers->flights[(workers->first + i) % BACKEND_SLOTS_MAX]);
}

void device_workers_free(DeviceWorkers *workers)
{
    for (unsigned i = 0; i < workers->n_flights; i++) {
        Flight *flight = &workers->flights[(workers->first + i) % BACKEND_SLOTS_MAX];
        frame_queue_give_back(workers->queue, flight->frame, &flight->claimed);
    }
    executor_unref(workers);
}
