/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "example.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * Frames pass through a ring of slots and are counted three times: when they are submitted, when a
 * worker takes them, and when they are collected. Workers finish them in any order; collect waits
 * for the oldest, so that results come in order.
 *
 * The pixels of a frame stay valid until its record is collected, and are read in place. Motion
 * also needs earlier frames, whose luma is copied when they are submitted.
 */

enum { N_THREADS = 4, N_PLANES = 3 };

typedef union Record {
    VmafRecordPsnr psnr;
    VmafRecordMotion motion;
    double score;
} Record;

/* Luma of a reference picture, kept for the frames after it. */
typedef struct LumaCopy {
    uint8_t *pixels;
    unsigned users; /* number of slots that use it, plus the session while it is recent */
} LumaCopy;

typedef struct Slot {
    bool done;
    uint64_t sequence, wanted[4];
    Plane ref[N_PLANES], dist[N_PLANES];
    LumaCopy *earlier[MOTION_MAX_LAG]; /* one and two frames before; NULL: not submitted */
    Record *records;                   /* by request */
} Slot;

typedef struct Worker {
    VmafBackendSession *session;
    pthread_t thread;
    int32_t *row; /* scratch memory of motion_sad */
} Worker;

struct VmafBackendSession {
    const VmafBackendPlan *plan;
    pthread_mutex_t lock;
    pthread_cond_t submission, completion;
    bool cancelled, closing;
    _Atomic(const char *) error; /* last_error may be called from any thread */

    Slot *slots;
    uint64_t submitted, taken,
        collected; /* numbers of frames; frame n is in slot n % plan->slots */

    LumaCopy *copies;
    unsigned n_copies;
    LumaCopy
        *recent[MOTION_MAX_LAG]; /* luma of the last submitted frame, and of the one before it */
    uint64_t next_sequence;      /* the only frame that has them as neighbours */

    unsigned n_workers;
    Worker workers[N_THREADS];
};

/* ---- Waiting with a time limit, on a clock that changes of the time of day do not affect ---- */

enum { NS_PER_S = 1000000000, NS_PER_MS = 1000000 };

static int64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * NS_PER_S + time.tv_nsec;
}

static struct timespec duration(int64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
}

#ifdef __APPLE__ /* its conditions have no clock, but a function for this */

static void timed_condition_init(pthread_cond_t *condition)
{
    pthread_cond_init(condition, NULL);
}

/* Waits until `deadline` of now_ns(). Returns 0 or ETIMEDOUT. */
static int timed_wait(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t deadline)
{
    const int64_t left = deadline - now_ns();
    const struct timespec time = duration(left > 0 ? left : 0);
    return pthread_cond_timedwait_relative_np(condition, lock, &time);
}

#else

static void timed_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

/* Waits until `deadline` of now_ns(). Returns 0 or ETIMEDOUT. */
static int timed_wait(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t deadline)
{
    const struct timespec time = duration(deadline);
    return pthread_cond_timedwait(condition, lock, &time);
}

#endif

/* ---- Threads ---- */

static bool is_wanted(const uint64_t wanted[4], uint32_t request)
{
    return wanted[request / 64] >> request % 64 & 1;
}

static Plane plane_of(const VmafBackendPlan *plan, const LumaCopy *copy)
{
    const bool deep = plan->depth > 8;
    return (Plane){copy->pixels, (int64_t)plan->width << deep, plan->width, plan->height, deep};
}

static double mean_abs_difference(const Plane *ref, const Plane *dist, uint32_t depth)
{
    const double n = (double)ref->w * ref->h;
    if (n == 0) /* chroma of a picture one sample wide; scores have to be finite */
        return 0;
    return (double)sum_of_absolute_differences(ref, dist) / n / (double)(1u << (depth - 8));
}

static void compute(const VmafBackendPlan *plan, Slot *slot, int32_t *row)
{
    for (uint32_t i = 0; i < plan->n_requests; i++) {
        if (!is_wanted(slot->wanted, i))
            continue;
        const Request *request = &plan->requests[i];
        const LumaCopy *earlier = request->lag ? slot->earlier[request->lag - 1] : NULL;
        Record *record = &slot->records[i];
        memset(record, 0, sizeof(*record));
        if (request->metric == METRIC_MOTION && earlier) {
            const Plane plane = plane_of(plan, earlier);
            record->motion.sad = motion_sad(&plane, &slot->ref[0], plan->depth, row);
        }
        for (unsigned p = 0; p < N_PLANES; p++) {
            if (!(request->planes >> p & 1))
                continue;
            const Plane *ref = &slot->ref[p], *dist = &slot->dist[p];
            if (request->metric == METRIC_PSNR)
                record->psnr.sse[p] = sum_of_squared_differences(ref, dist);
            else if (request->metric == METRIC_MEAN_ABS_DIFFERENCE)
                record->score = mean_abs_difference(ref, dist, plan->depth);
        }
    }
}

static void forget(LumaCopy **copy)
{
    if (*copy)
        (*copy)->users--;
    *copy = NULL;
}

static void *work(void *argument)
{
    Worker *worker = argument;
    VmafBackendSession *s = worker->session;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        while ((s->taken == s->submitted || s->cancelled) && !s->closing)
            pthread_cond_wait(&s->submission, &s->lock);
        if (s->closing)
            break;
        Slot *slot = &s->slots[s->taken++ % s->plan->slots];
        pthread_mutex_unlock(&s->lock);
        compute(s->plan, slot, worker->row);
        pthread_mutex_lock(&s->lock);
        for (unsigned i = 0; i < MOTION_MAX_LAG; i++)
            forget(&slot->earlier[i]);
        slot->done = true;
        pthread_cond_broadcast(&s->completion);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* Signals belong to the host: no thread of a backend may receive one. */
static bool start(Worker *worker)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&worker->thread, NULL, work, worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !error;
}

/* ---- Opening and closing ---- */

static bool allocate(VmafBackendSession *s)
{
    const VmafBackendPlan *plan = s->plan;
    const size_t row_size = (size_t)plan->width << (plan->depth > 8);

    s->slots = calloc(plan->slots, sizeof(*s->slots));
    if (!s->slots)
        return false;
    for (uint32_t i = 0; i < plan->slots; i++) {
        s->slots[i].records = calloc(plan->n_requests + 1, sizeof(Record));
        if (!s->slots[i].records)
            return false;
    }
    /* Each slot and the session hold `lag` copies, and one more is being written. */
    s->n_copies = plan->lag ? plan->lag * (plan->slots + 1) + 1 : 0;
    s->copies = calloc(s->n_copies + 1, sizeof(*s->copies));
    if (!s->copies)
        return false;
    for (unsigned i = 0; i < s->n_copies; i++) {
        s->copies[i].pixels = calloc(plan->height, row_size);
        if (!s->copies[i].pixels)
            return false;
    }
    for (unsigned i = 0; i < N_THREADS; i++) {
        s->workers[i].session = s;
        s->workers[i].row = calloc((size_t)plan->width + 2 * MOTION_RADIUS, sizeof(int32_t));
        if (!s->workers[i].row)
            return false;
    }
    return true;
}

int32_t session_open(VmafBackendPlan *plan, VmafBackendSession **session, VmafBackendReason *why)
{
    VmafBackendSession *s = calloc(1, sizeof(*s));
    if (!s) {
        explain(why, "out of memory");
        return VMAF_BACKEND_OUT_OF_MEMORY;
    }
    s->plan = plan;
    atomic_init(&s->error, "");
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->submission, NULL);
    timed_condition_init(&s->completion);

    bool complete = allocate(s);
    while (complete && s->n_workers < N_THREADS) {
        complete = start(&s->workers[s->n_workers]);
        s->n_workers += complete;
    }
    if (!complete) {
        session_close(s);
        explain(why, "out of memory or threads");
        return VMAF_BACKEND_OUT_OF_MEMORY;
    }
    *session = s;
    return VMAF_BACKEND_OK;
}

void session_close(VmafBackendSession *s)
{
    pthread_mutex_lock(&s->lock);
    s->closing = true;
    pthread_cond_broadcast(&s->submission);
    pthread_mutex_unlock(&s->lock);
    for (unsigned i = 0; i < s->n_workers; i++)
        pthread_join(s->workers[i].thread, NULL);

    for (unsigned i = 0; i < N_THREADS; i++)
        free(s->workers[i].row);
    for (uint32_t i = 0; s->slots && i < s->plan->slots; i++)
        free(s->slots[i].records);
    for (unsigned i = 0; s->copies && i < s->n_copies; i++)
        free(s->copies[i].pixels);
    free(s->slots);
    free(s->copies);
    pthread_cond_destroy(&s->completion);
    pthread_cond_destroy(&s->submission);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* ---- Frames ---- */

static bool has_planes(const VmafBackendPicture *picture, uint32_t planes)
{
    if (!picture || picture->buffer) /* buffers do not exist: buffer_create is not offered */
        return false;
    for (unsigned p = 0; p < N_PLANES; p++) {
        if ((planes >> p & 1) && !picture->data[p])
            return false;
    }
    return true;
}

/* Returns what is wrong with a frame, or NULL if it can be accepted. */
static const char *objection(const VmafBackendSession *s, const VmafBackendFrame *frame)
{
    const bool context = frame->flags & VMAF_BACKEND_SUBMIT_CONTEXT;
    if (frame->flags & ~VMAF_BACKEND_SUBMIT_CONTEXT)
        return "unknown flags";
    if (!has_planes(frame->ref, s->plan->planes) ||
        ((frame->dist || !context) && !has_planes(frame->dist, s->plan->planes)))
        return "a picture without pixels";
    for (uint32_t i = 0; i < 256; i++) {
        const bool possible = !context && i < s->plan->n_requests && s->plan->requests[i].accepted;
        if (is_wanted(frame->wanted, i) && !possible)
            return "a request that was not accepted is wanted";
    }
    if (!context && s->submitted - s->collected == s->plan->slots)
        return "all slots are taken";
    return NULL;
}

static void set_planes(const VmafBackendPlan *plan, const VmafBackendPicture *picture,
                       Plane planes[N_PLANES])
{
    for (unsigned p = 0; p < N_PLANES; p++)
        planes[p] = (Plane){picture->data[p], picture->stride[p], plane_width(plan, p),
                            plane_height(plan, p), plan->depth > 8};
}

/* Copies luma, and releases the lock while copying. */
static LumaCopy *copy_luma(VmafBackendSession *s, const VmafBackendPicture *picture)
{
    LumaCopy *copy = s->copies;
    while (copy->users)
        copy++;
    copy->users = 1;
    pthread_mutex_unlock(&s->lock);

    const size_t row_size = (size_t)s->plan->width << (s->plan->depth > 8);
    const uint8_t *luma = picture->data[0];
    for (uint32_t y = 0; y < s->plan->height; y++)
        memcpy(copy->pixels + y * row_size, luma + y * picture->stride[0], row_size);
    pthread_mutex_lock(&s->lock);
    return copy;
}

/* Queues a frame for the workers. From then on it may be collected, even before submit returns, and
 * its pixels may no longer be valid. */
static void enqueue(VmafBackendSession *s, const VmafBackendFrame *frame)
{
    Slot *slot = &s->slots[s->submitted % s->plan->slots];
    slot->done = false;
    slot->sequence = frame->sequence;
    memcpy(slot->wanted, frame->wanted, sizeof(slot->wanted));
    set_planes(s->plan, frame->ref, slot->ref);
    set_planes(s->plan, frame->dist, slot->dist);
    for (unsigned i = 0; i < MOTION_MAX_LAG; i++) {
        slot->earlier[i] = s->recent[i];
        if (s->recent[i])
            s->recent[i]->users++;
    }
    s->submitted++;
    pthread_cond_signal(&s->submission);
}

int32_t session_submit(VmafBackendSession *s, const VmafBackendFrame *frame)
{
    const unsigned lag = s->plan->lag;
    int32_t outcome = VMAF_BACKEND_OK;
    pthread_mutex_lock(&s->lock);
    const char *wrong = objection(s, frame);
    if (s->cancelled || wrong) {
        outcome = s->cancelled ? VMAF_BACKEND_CANCELLED : VMAF_BACKEND_INVALID;
        atomic_store(&s->error, s->cancelled ? "cancelled" : wrong);
        goto out;
    }
    if (frame->sequence != s->next_sequence) { /* a jump: the copies are of other frames */
        for (unsigned i = 0; i < MOTION_MAX_LAG; i++)
            forget(&s->recent[i]);
    }
    s->next_sequence = frame->sequence + 1;

    LumaCopy *copy = lag ? copy_luma(s, frame->ref) : NULL;
    if (!(frame->flags & VMAF_BACKEND_SUBMIT_CONTEXT))
        enqueue(s, frame);
    if (copy) {
        forget(&s->recent[lag - 1]);
        for (unsigned i = lag - 1; i > 0; i--)
            s->recent[i] = s->recent[i - 1];
        s->recent[0] = copy;
    }
out:
    pthread_mutex_unlock(&s->lock);
    return outcome;
}

static void answer(const VmafBackendPlan *plan, const Slot *slot, VmafBackendResult *result)
{
    result->sequence = slot->sequence;
    for (uint32_t i = 0; i < plan->n_requests; i++) {
        if (!is_wanted(slot->wanted, i))
            continue;
        memcpy(result->records[i], &slot->records[i], record_size(plan->requests[i].metric));
        result->status[i] = VMAF_BACKEND_OK;
    }
}

int32_t session_collect(VmafBackendSession *s, uint32_t timeout_ms, VmafBackendResult *result)
{
    const int64_t deadline = now_ns() + (int64_t)timeout_ms * NS_PER_MS;
    int32_t outcome = VMAF_BACKEND_OK;
    pthread_mutex_lock(&s->lock);
    const Slot *slot = &s->slots[s->collected % s->plan->slots];
    if (result->n_requests != s->plan->n_requests)
        outcome = VMAF_BACKEND_INVALID;
    else if (s->submitted == s->collected)
        outcome = VMAF_BACKEND_NOTHING;
    while (!outcome && !slot->done && !s->cancelled) {
        if (timed_wait(&s->completion, &s->lock, deadline) == ETIMEDOUT && !slot->done)
            outcome = VMAF_BACKEND_TIMED_OUT;
    }
    if (s->cancelled)
        outcome = VMAF_BACKEND_CANCELLED;
    if (!outcome) {
        answer(s->plan, slot, result);
        s->collected++;
    }
    pthread_mutex_unlock(&s->lock);
    return outcome;
}

/* Workers take frames at once: there is nothing to flush. */
int32_t session_flush(VmafBackendSession *s)
{
    pthread_mutex_lock(&s->lock);
    const int32_t outcome = s->cancelled ? VMAF_BACKEND_CANCELLED : VMAF_BACKEND_OK;
    pthread_mutex_unlock(&s->lock);
    return outcome;
}

void session_cancel(VmafBackendSession *s)
{
    pthread_mutex_lock(&s->lock);
    s->cancelled = true;
    pthread_cond_broadcast(&s->completion);
    pthread_mutex_unlock(&s->lock);
}

/* Nothing is outstanding, so no slot holds a copy. */
int32_t session_reset(VmafBackendSession *s)
{
    pthread_mutex_lock(&s->lock);
    for (unsigned i = 0; i < MOTION_MAX_LAG; i++)
        forget(&s->recent[i]);
    const int32_t outcome = s->cancelled ? VMAF_BACKEND_CANCELLED : VMAF_BACKEND_OK;
    pthread_mutex_unlock(&s->lock);
    return outcome;
}

const char *session_last_error(const VmafBackendSession *s)
{
    return atomic_load(&s->error);
}
