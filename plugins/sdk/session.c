/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "command_lists.h"
#include "driver_guard.h"
#include "platform/thread.h"
#include "status.h"

static const uint64_t SLICE_NS = 20000000; /* between checks whether to give up */

/* A submitted frame pair. */
typedef struct Submission {
    VmafDeviceTicket ticket;
    bool used; /* the position holds a submission */
} Submission;

/* A frame whose records have not been collected. */
typedef struct Outstanding {
    uint64_t sequence;
    uint32_t position;
    uint32_t n_earlier; /* neighbours that were on the device */
    uint64_t wanted[4]; /* by request of the plan */
    bool runs;          /* it is a submission, of this ticket */
    VmafDeviceTicket ticket;
    VmafDeviceCommandList *list; /* NULL: nothing was wanted */
    VmafLaps laps;               /* of the command list */
    bool copied;                 /* it was submitted with copies */
    bool harvested;              /* the results are in `results`, and the position is free */
    uint64_t *results;
} Outstanding;

struct VmafBackendSession {
    struct VmafBackendPlan *plan;
    VmafDeviceQueue *queue;
    VmafSessionMemory memory;
    VmafCommandLists lists;

    /* Used by the submitting thread. */
    uint64_t n_submissions;
    Submission *positions;
    bool has_last;
    uint64_t last_sequence;
    uint32_t n_earlier;

    VmafMutex lock;
    bool cancelled;
    Outstanding *outstanding; /* a ring of plan->slots */
    uint32_t first, count;
    uint64_t *results; /* of one frame, for the collecting thread */
    VmafStopwatch stopwatch;
};

VmafDevice *vmaf_session_device(const struct VmafBackendSession *session)
{
    return session->plan->device;
}

int32_t vmaf_session_profile(const struct VmafBackendSession *session, uint32_t index,
                             VmafSdkProfileEntry *entry)
{
    return vmaf_stopwatch_entry(&session->stopwatch, session->plan, index, entry);
}

/* -- life -- */

static size_t results_size(const struct VmafBackendSession *session)
{
    return session->plan->program->n_sums * sizeof(uint64_t);
}

static int prepare_command_lists(struct VmafBackendSession *session)
{
    VmafRequestSet all = {{0}};
    for (uint32_t r = 0; r < session->plan->program->n_requests; r++)
        vmaf_request_set_add(&all, r);
    int err = 0;
    for (uint32_t p = 0; p < session->memory.n_positions && !err; p++) {
        VmafMadeCommandList made;
        err = vmaf_command_lists_get(&session->lists, p, &all, &made);
    }
    return err;
}

static int allocate(struct VmafBackendSession *session)
{
    const uint32_t slots = session->plan->slots;
    session->positions = calloc(session->memory.n_positions, sizeof(*session->positions));
    session->outstanding = calloc(slots, sizeof(*session->outstanding));
    session->results = malloc(results_size(session) + 1);
    if (!session->positions || !session->outstanding || !session->results)
        return -ENOMEM;
    for (uint32_t i = 0; i < slots; i++) {
        session->outstanding[i].results = malloc(results_size(session) + 1);
        if (!session->outstanding[i].results)
            return -ENOMEM;
    }
    return 0;
}

static void destroy(struct VmafBackendSession *session)
{
    vmaf_command_lists_destroy(&session->lists);
    vmaf_session_memory_destroy(&session->memory);
    vmaf_stopwatch_destroy(&session->stopwatch);
    if (session->queue)
        session->queue->device->layer->queue_destroy(session->queue);
    for (uint32_t i = 0; session->outstanding && i < session->plan->slots; i++)
        free(session->outstanding[i].results);
    free(session->outstanding);
    free(session->positions);
    free(session->results);
    vmaf_mutex_destroy(&session->lock);
    free(session);
}

static int open_session(struct VmafBackendSession *session)
{
    VmafDevice *device = session->plan->device;
    int err = device->layer->queue_create(device, &session->queue);
    if (!err)
        err = vmaf_session_memory_create(&session->memory, session->plan, session->queue);
    if (err == -ETIMEDOUT)
        session->queue = NULL; /* what is stuck is not destroyed */
    if (!err)
        err = vmaf_command_lists_create(&session->lists, session->plan, &session->memory);
    if (!err)
        err = vmaf_stopwatch_create(&session->stopwatch, session->plan);
    if (!err)
        err = allocate(session);
    if (!err)
        err = prepare_command_lists(session);
    return err;
}

static void explain(VmafDevice *device, int err, VmafBackendReason *why)
{
    why->text[0] = '\0';
    if (err != -ETIMEDOUT)
        device->layer->last_error(device, why->text, sizeof(why->text));
    if (!why->text[0])
        snprintf(why->text, sizeof(why->text), "%s",
                 err == -ETIMEDOUT ? "the device does not answer"
                 : err == -ENOMEM  ? "out of memory"
                                   : "the session cannot be prepared");
}

int32_t vmaf_session_open(struct VmafBackendPlan *plan, struct VmafBackendSession **opened,
                          VmafBackendReason *why)
{
    *opened = NULL;
    struct VmafBackendSession *session = calloc(1, sizeof(*session));
    if (!session) {
        snprintf(why->text, sizeof(why->text), "out of memory");
        return VMAF_BACKEND_OUT_OF_MEMORY;
    }
    session->plan = plan;
    vmaf_mutex_init(&session->lock);
    const VmafDriverGuard guard = vmaf_driver_guard_begin();
    const int err = open_session(session);
    if (err) {
        explain(plan->device, err, why);
        destroy(session);
    } else {
        *opened = session;
    }
    vmaf_driver_guard_end(&guard);
    return vmaf_sdk_status(err);
}

/* Waits until all submissions have ended, so that nothing in use is destroyed; false if one is
 * stuck. */
static bool come_to_rest(struct VmafBackendSession *session)
{
    VmafDevice *device = session->plan->device;
    const int64_t limit = vmaf_steady_ns() + (int64_t)VMAF_REST_LIMIT_NS;
    int err = 0;
    for (uint32_t i = 0; i < session->memory.n_positions && err != -ETIMEDOUT; i++) {
        const int64_t left = limit - vmaf_steady_ns();
        if (session->positions[i].used)
            err = device->layer->wait(session->queue, session->positions[i].ticket,
                                      left > 0 ? (uint64_t)left : 0);
    }
    return err != -ETIMEDOUT;
}

void vmaf_session_close(struct VmafBackendSession *session)
{
    if (!session)
        return;
    const VmafDriverGuard guard = vmaf_driver_guard_begin();
    vmaf_session_cancel(session);
    if (come_to_rest(session))
        destroy(session);
    else
        atomic_store(&session->plan->device->stuck, true);
    vmaf_driver_guard_end(&guard);
}

int32_t vmaf_session_reset(struct VmafBackendSession *session)
{
    session->has_last = false;
    session->n_earlier = 0;
    return VMAF_BACKEND_OK;
}

void vmaf_session_cancel(struct VmafBackendSession *session)
{
    vmaf_mutex_lock(&session->lock);
    session->cancelled = true;
    vmaf_mutex_unlock(&session->lock);
}

int32_t vmaf_session_flush(struct VmafBackendSession *session)
{
    (void)session; /* no frame waits for another */
    return VMAF_BACKEND_OK;
}

static bool is_cancelled(struct VmafBackendSession *session)
{
    vmaf_mutex_lock(&session->lock);
    bool cancelled = session->cancelled;
    vmaf_mutex_unlock(&session->lock);
    return cancelled;
}

/* Waits until a submission has ended, the time is up, or the session is cancelled. */
static int wait_for(struct VmafBackendSession *session, VmafDeviceTicket ticket, uint64_t limit_ns)
{
    VmafDevice *device = session->plan->device;
    const uint64_t begin = (uint64_t)vmaf_steady_ns();
    for (;;) {
        const uint64_t passed = (uint64_t)vmaf_steady_ns() - begin;
        const uint64_t left = passed < limit_ns ? limit_ns - passed : 0;
        const int err =
            device->layer->wait(session->queue, ticket, left < SLICE_NS ? left : SLICE_NS);
        if (err != -ETIMEDOUT)
            return err;
        if (is_cancelled(session))
            return -ECANCELED;
        if (!left)
            return -ETIMEDOUT;
    }
}

/* -- submitting -- */

static void copy_picture(const struct VmafBackendSession *session, unsigned char *frame,
                         enum VmafBufferKind side, const VmafBackendPicture *picture)
{
    const struct VmafBackendPlan *plan = session->plan;
    const VmafGeometry *geometry = &plan->geometry;
    for (uint32_t p = 0; p < 3; p++) {
        if (!(plan->program->planes >> p & 1))
            continue;
        unsigned char *to = frame + vmaf_plan_plane_offset(plan, side, p);
        const unsigned char *from = picture->data[p];
        const size_t row = (size_t)geometry->w[p] * geometry->bytes_per_sample;
        for (uint32_t y = 0; y < geometry->h[p]; y++) {
            memcpy(to, from, row);
            to += geometry->stride[p];
            from += picture->stride[p];
        }
    }
}

/* Takes the results of a finished frame out of its position. The lock is held. */
static void harvest(struct VmafBackendSession *session, const Outstanding *frame, uint64_t *results)
{
    memcpy(results, session->memory.download[frame->position]->mapped, results_size(session));
    if (frame->list)
        vmaf_stopwatch_add(&session->stopwatch, frame->list, &frame->laps, frame->copied);
}

/*
 * Frees a position for the next frame pair: waits until nothing running reads or writes it, and
 * takes out results that were not collected.
 */
static int free_position(struct VmafBackendSession *session, uint32_t position)
{
    const uint32_t n = session->memory.n_positions;
    int err = 0;
    /* Frames that look back to this position are up to `earlier` places after it. */
    for (uint32_t k = 0; k <= session->plan->program->earlier && !err; k++) {
        const Submission *user = &session->positions[(position + k) % n];
        if (user->used)
            err = wait_for(session, user->ticket, UINT64_MAX);
    }
    if (err)
        return err;
    vmaf_mutex_lock(&session->lock);
    for (uint32_t i = 0; i < session->count; i++) {
        Outstanding *o = &session->outstanding[(session->first + i) % session->plan->slots];
        if (o->position == position && !o->harvested) {
            harvest(session, o, o->results);
            o->harvested = true;
        }
    }
    vmaf_mutex_unlock(&session->lock);
    return 0;
}

static bool is_usable(const struct VmafBackendSession *session, const VmafBackendPicture *picture)
{
    for (uint32_t p = 0; picture && p < 3; p++) {
        if ((session->plan->program->planes >> p & 1) && session->plan->geometry.h[p] &&
            !picture->data[p])
            return false;
    }
    return picture != NULL;
}

/* The program's requests that a frame wants. */
static VmafRequestSet wanted_set(const struct VmafBackendSession *session,
                                 const VmafBackendFrame *frame)
{
    VmafRequestSet set = {{0}};
    for (uint32_t r = 0; r < session->plan->n_requests; r++) {
        const VmafPlannedRequest *planned = &session->plan->requests[r];
        if (planned->metric && (frame->wanted[r / 64] >> r % 64 & 1))
            vmaf_request_set_add(&set, planned->program_request);
    }
    return set;
}

static void note_neighbours(struct VmafBackendSession *session, uint64_t sequence)
{
    if (session->has_last && sequence == session->last_sequence + 1) {
        if (session->n_earlier < VMAF_PROGRAM_MAX_EARLIER)
            session->n_earlier++;
    } else {
        session->n_earlier = 0;
    }
    session->has_last = true;
    session->last_sequence = sequence;
}

/* Starts a frame: the copy of its pixels to the device, and what it computes. */
static int start_frame(struct VmafBackendSession *session, uint32_t position,
                       VmafDeviceCommandList *list, bool *copied)
{
    const VmafDeviceCopy upload = {
        .dst = session->memory.pixels[position],
        .src = session->memory.upload[position],
        .row_size = vmaf_plan_frame_size(session->plan),
        .rows = 1,
    };
    *copied = upload.dst != upload.src;
    const VmafDeviceSubmit submit = {
        .struct_size = sizeof(submit), .copies = &upload, .n_copies = *copied ? 1 : 0};
    Submission *submission = &session->positions[position];
    submission->used = false;
    if (!list && !*copied)
        return 0;
    const int err = vmaf_device_submit(session->queue, list, &submit, &submission->ticket);
    submission->used = !err;
    return err;
}

static void await_frame(struct VmafBackendSession *session, const VmafBackendFrame *frame,
                        uint32_t position, const VmafMadeCommandList *made, bool copied)
{
    vmaf_mutex_lock(&session->lock);
    Outstanding *o =
        &session->outstanding[(session->first + session->count++) % session->plan->slots];
    o->sequence = frame->sequence;
    o->position = position;
    o->n_earlier = session->n_earlier;
    o->runs = session->positions[position].used;
    o->ticket = session->positions[position].ticket;
    o->list = made->list;
    o->laps = made->laps;
    o->copied = copied;
    o->harvested = false;
    memcpy(o->wanted, frame->wanted, sizeof(o->wanted));
    vmaf_mutex_unlock(&session->lock);
}

static int run_frame(struct VmafBackendSession *session, const VmafBackendFrame *frame,
                     bool context)
{
    const uint32_t position = (uint32_t)(session->n_submissions % session->memory.n_positions);
    const VmafRequestSet wanted = context ? (VmafRequestSet){{0}} : wanted_set(session, frame);
    int err = free_position(session, position);
    if (err)
        return err;
    unsigned char *upload = session->memory.upload[position]->mapped;
    copy_picture(session, upload, VMAF_BUFFER_REF, frame->ref);
    if (frame->dist)
        copy_picture(session, upload, VMAF_BUFFER_DIST, frame->dist);
    note_neighbours(session, frame->sequence);

    VmafMadeCommandList made = {.list = NULL};
    bool copied = false;
    if (!vmaf_request_set_is_empty(&wanted))
        err = vmaf_command_lists_get(&session->lists, position, &wanted, &made);
    if (!err)
        err = start_frame(session, position, made.list, &copied);
    if (err)
        return err;
    session->n_submissions++;
    if (!context)
        await_frame(session, frame, position, &made, copied);
    return 0;
}

/* Describes a picture in a buffer as one in host memory; others are returned unchanged. */
static const VmafBackendPicture *locate(const struct VmafBackendSession *session,
                                        const VmafBackendPicture *picture, VmafBackendPicture *view)
{
    if (!picture || !picture->buffer)
        return picture;
    return vmaf_buffer_view(picture->buffer, session->plan, view) ? view : NULL;
}

int32_t vmaf_session_submit(struct VmafBackendSession *session, const VmafBackendFrame *submitted)
{
    VmafBackendPicture ref, dist;
    VmafBackendFrame located = *submitted;
    const VmafBackendFrame *frame = &located;
    const bool context = submitted->flags & VMAF_BACKEND_SUBMIT_CONTEXT;
    located.ref = locate(session, submitted->ref, &ref);
    located.dist = locate(session, submitted->dist, &dist);
    if ((frame->flags & ~VMAF_BACKEND_SUBMIT_CONTEXT) || !is_usable(session, frame->ref) ||
        ((submitted->dist || !context) && !is_usable(session, frame->dist)))
        return VMAF_BACKEND_INVALID;
    vmaf_mutex_lock(&session->lock);
    const bool cancelled = session->cancelled;
    const bool full = session->count == session->plan->slots;
    vmaf_mutex_unlock(&session->lock);
    if (cancelled)
        return VMAF_BACKEND_CANCELLED;
    if (full && !context)
        return VMAF_BACKEND_INVALID;
    const VmafDriverGuard guard = vmaf_driver_guard_begin();
    const int err = run_frame(session, frame, context);
    vmaf_driver_guard_end(&guard);
    return err == -ECANCELED ? VMAF_BACKEND_CANCELLED : vmaf_sdk_status(err);
}

/* -- collecting -- */

static void decode(const struct VmafBackendPlan *plan, const VmafPlannedRequest *planned,
                   const uint64_t *results, void *record)
{
    const VmafProgramRequest *place = &plan->program->requests[planned->program_request];
    uint64_t own[VMAF_PROGRAM_MAX_RESULTS];
    for (uint32_t i = 0; i < place->n_results; i++)
        own[i] = results[place->results[i]];
    planned->metric->decode(&plan->geometry, planned->options, own, record);
}

static void deliver(const struct VmafBackendSession *session, const Outstanding *frame,
                    const uint64_t *results, VmafBackendResult *result)
{
    const struct VmafBackendPlan *plan = session->plan;
    result->sequence = frame->sequence;
    for (uint32_t r = 0; r < plan->n_requests && r < result->n_requests; r++) {
        const VmafPlannedRequest *planned = &plan->requests[r];
        if (!planned->metric || !(frame->wanted[r / 64] >> r % 64 & 1) || !result->records[r])
            continue;
        const VmafProgramRequest *place = &plan->program->requests[planned->program_request];
        if (frame->n_earlier < place->earlier)
            memset(result->records[r], 0, planned->metric->record_size);
        else
            decode(plan, planned, results, result->records[r]);
        result->status[r] = VMAF_BACKEND_OK;
    }
}

int32_t vmaf_session_collect(struct VmafBackendSession *session, uint32_t timeout_ms,
                             VmafBackendResult *result)
{
    vmaf_mutex_lock(&session->lock);
    const bool cancelled = session->cancelled;
    const bool empty = session->count == 0;
    Outstanding *oldest = &session->outstanding[session->first];
    const VmafDeviceTicket ticket = oldest->ticket;
    const bool ready = oldest->harvested || !oldest->runs;
    vmaf_mutex_unlock(&session->lock);
    if (cancelled)
        return VMAF_BACKEND_CANCELLED;
    if (empty)
        return VMAF_BACKEND_NOTHING;

    const VmafDriverGuard guard = vmaf_driver_guard_begin();
    const int err = ready ? 0 : wait_for(session, ticket, timeout_ms * UINT64_C(1000000));
    vmaf_driver_guard_end(&guard);
    if (err)
        return err == -ECANCELED ? VMAF_BACKEND_CANCELLED : vmaf_sdk_status(err);

    vmaf_mutex_lock(&session->lock);
    const Outstanding frame = *oldest;
    if (frame.harvested)
        memcpy(session->results, frame.results, results_size(session));
    else
        harvest(session, oldest, session->results);
    session->first = (session->first + 1) % session->plan->slots;
    session->count--;
    vmaf_mutex_unlock(&session->lock);
    deliver(session, &frame, session->results, result);
    return VMAF_BACKEND_OK;
}
