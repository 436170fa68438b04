/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A session: its life, submitting frames and collecting their records, each on a thread. */
#include "session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi_internal.h"
#include "command_lists.h"
#include "frame_source.h"
#include "platform/machine.h"
#include "platform/thread.h"

static const uint64_t SLICE_NS = 20000000; /* between checks whether to give up */

/* The last submission for a position of the ring. */
typedef struct Submission {
    bool used; /* there was a submission, with this ticket */
    VmafDeviceTicket ticket;
    uint32_t stream;                      /* stream of the queue */
    bool unpacked;                        /* its command list wrote the pixels */
    struct VmafBackendBuffer *buffers[2]; /* kept since it reads them; guarded by the lock */
} Submission;

/* A frame whose records have not been collected. */
typedef struct Outstanding {
    uint64_t sequence;
    uint32_t position;
    uint32_t n_earlier; /* number of neighbours that were on the device */
    uint64_t wanted[4]; /* set of requests of the plan */
    bool runs;          /* it was submitted to the device, with this ticket */
    VmafDeviceTicket ticket;
    VmafDeviceCommandList *list; /* NULL: nothing was wanted */
    VmafTimestamps timestamps;   /* timestamps of the command list */
    bool copied;                 /* it was submitted with copies */
    bool taken;                  /* the results are in `results`, and the position is free */
    unsigned char *results;
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
    bool pool_was_tried;
    VmafCopyPool *pool; /* NULL: pictures are small, or already where the device reads them */

    VmafMutex lock;
    bool cancelled;
    Outstanding *outstanding; /* a ring of plan->slots */
    uint32_t first, count;
    unsigned char *results; /* results of one frame, for the collecting thread */
    VmafGpuTimer timer;
};

static size_t results_size(const struct VmafBackendSession *session)
{
    return (size_t)vmaf_program_results_size(session->plan->program);
}

/* -- waiting -- */

/* Releases the buffers that submissions up to this one have read. */
static void let_go(struct VmafBackendSession *session, VmafDeviceTicket ticket)
{
    for (uint32_t i = 0; i < session->memory.n_positions; i++) {
        Submission *submission = &session->positions[i];
        struct VmafBackendBuffer *buffers[2] = {NULL, NULL};
        vmaf_mutex_lock(&session->lock);
        for (int side = 0; side < 2 && submission->ticket <= ticket; side++) {
            buffers[side] = submission->buffers[side];
            submission->buffers[side] = NULL;
        }
        vmaf_mutex_unlock(&session->lock);
        for (int side = 0; side < 2; side++) {
            if (buffers[side])
                vmaf_buffer_release(buffers[side]);
        }
    }
}

static bool is_cancelled(struct VmafBackendSession *session)
{
    vmaf_mutex_lock(&session->lock);
    bool cancelled = session->cancelled;
    vmaf_mutex_unlock(&session->lock);
    return cancelled;
}

/* Waits until a submission has finished, the time limit has passed (-ETIMEDOUT), or the session is
 * cancelled (-ECANCELED). Then it releases the buffers that submissions up to this one have read.
 */
static int wait_for(struct VmafBackendSession *session, VmafDeviceTicket ticket, uint64_t limit_ns)
{
    const VmafDeviceLayer *layer = session->plan->device->layer;
    const uint64_t begin = (uint64_t)vmaf_steady_ns();
    for (;;) {
        const uint64_t passed = (uint64_t)vmaf_steady_ns() - begin;
        const uint64_t left = passed < limit_ns ? limit_ns - passed : 0;
        const int err = layer->wait(session->queue, ticket, left < SLICE_NS ? left : SLICE_NS);
        if (!err)
            let_go(session, ticket);
        if (err != -ETIMEDOUT)
            return err;
        if (is_cancelled(session))
            return -ECANCELED;
        if (!left)
            return -ETIMEDOUT;
    }
}

/* Copies the results of a finished frame out of its position. The lock is held. */
static void take_results(struct VmafBackendSession *session, const Outstanding *frame,
                         unsigned char *results)
{
    memcpy(results, session->memory.download[frame->position]->mapped, results_size(session));
    if (frame->list)
        vmaf_gpu_timer_add(&session->timer, frame->list, &frame->timestamps, frame->copied);
}

VmafDevice *vmaf_session_device(const struct VmafBackendSession *session)
{
    return session->plan->device;
}

int32_t vmaf_session_profile(const struct VmafBackendSession *session, uint32_t index,
                             VmafSdkProfileEntry *entry)
{
    return vmaf_gpu_timer_entry(&session->timer, session->plan, index, entry);
}

/* -- opening -- */

static int prepare_command_lists(struct VmafBackendSession *session)
{
    VmafListKey key = {.stream = 0};
    for (uint32_t r = 0; r < session->plan->program->n_requests; r++)
        vmaf_request_set_add(&key.wanted, r);
    int err = 0;
    for (uint32_t p = 0; p < session->memory.n_positions && !err; p++) {
        VmafMadeCommandList made;
        key.stream = p % session->memory.n_streams;
        err = vmaf_command_lists_get(&session->lists, p, &key, &made);
    }
    return err;
}

static int allocate(struct VmafBackendSession *session)
{
    const uint32_t slots = session->plan->slots;
    const size_t results = results_size(session) + 1;
    session->positions = calloc(session->memory.n_positions, sizeof(*session->positions));
    session->outstanding = calloc(slots, sizeof(*session->outstanding));
    session->results = malloc(results);
    if (!session->positions || !session->outstanding || !session->results)
        return -ENOMEM;
    for (uint32_t i = 0; i < slots; i++) {
        session->outstanding[i].results = malloc(results);
        if (!session->outstanding[i].results)
            return -ENOMEM;
    }
    return 0;
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
        err = vmaf_gpu_timer_create(&session->timer, session->plan);
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

static void destroy(struct VmafBackendSession *session)
{
    if (session->positions)
        let_go(session, UINT64_MAX);
    vmaf_command_lists_destroy(&session->lists);
    vmaf_session_memory_destroy(&session->memory);
    vmaf_gpu_timer_destroy(&session->timer);
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
        if (!atomic_load(&plan->device->stuck)) /* as in come_to_rest */
            destroy(session);
    } else {
        *opened = session;
    }
    vmaf_driver_guard_end(&guard);
    return vmaf_sdk_status(err);
}

/* -- closing -- */

/* Waits until all submissions have ended, so that nothing in use is destroyed; false if one is
 * stuck, be it another session's: drivers wait for all work of a device before they free memory. */
static bool come_to_rest(struct VmafBackendSession *session)
{
    const VmafDeviceLayer *layer = session->plan->device->layer;
    if (atomic_load(&session->plan->device->stuck))
        return false;
    const int64_t limit = vmaf_steady_ns() + (int64_t)VMAF_REST_LIMIT_NS;
    int err = 0;
    for (uint32_t i = 0; i < session->memory.n_positions && err != -ETIMEDOUT; i++) {
        const int64_t left = limit - vmaf_steady_ns();
        if (session->positions[i].used)
            err = layer->wait(session->queue, session->positions[i].ticket,
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
    vmaf_copy_pool_destroy(session->pool);
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

/* -- submitting: a position for the frame -- */

/*
 * Frees a position for the next frame pair: waits until nothing running reads or writes it, and
 * takes out results that were not collected.
 */
static int free_position(struct VmafBackendSession *session, uint32_t position)
{
    const uint32_t n = session->memory.n_positions;
    int err = 0;
    /* Frames that look back to this position are up to `earlier` places after it; they may be in
     * another stream, so that none of them says anything of the others. */
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
        if (o->position == position && !o->taken) {
            take_results(session, o, o->results);
            o->taken = true;
        }
    }
    vmaf_mutex_unlock(&session->lock);
    return 0;
}

/*
 * The stream of a frame: they take turns. But pixels that a command list has unpacked are not seen
 * in another stream, as those that were copied are; so frames that look back to such a one follow
 * it.
 */
static uint32_t choose_stream(const struct VmafBackendSession *session, uint32_t position)
{
    const uint32_t n = session->memory.n_positions;
    for (uint32_t k = 1; k <= session->plan->program->earlier; k++) {
        const Submission *before = &session->positions[(position + n - k) % n];
        if (before->used && before->unpacked)
            return before->stream;
    }
    return position % session->memory.n_streams;
}

/* -- pixels -- */

enum {
    MANY_BYTES = 1 << 21, /* more than this is copied by several threads */
    MOST_HELPERS = 3,     /* more of them do not make memory faster */
};

/* Copies what the device cannot fetch on its own. */
static void copy_rows(struct VmafBackendSession *session, const VmafFrameSource *source)
{
    if (source->n_bytes > MANY_BYTES && !session->pool_was_tried) {
        const unsigned others = vmaf_processors_usable() - 1;
        session->pool_was_tried = true;
        session->pool =
            others ? vmaf_copy_pool_create(others < MOST_HELPERS ? others : MOST_HELPERS) : NULL;
    }
    vmaf_copy_pool_run(source->n_bytes > MANY_BYTES ? session->pool : NULL, source->rows,
                       source->n_rows);
}

/* -- the frame -- */

/* The program's requests that a frame wants. */
static VmafRequestSet wanted_set(const struct VmafBackendSession *session,
                                 const VmafBackendFrame *frame)
{
    VmafRequestSet set = {{0}};
    for (uint32_t r = 0; r < session->plan->n_requests; r++) {
        const VmafRequest *request = &session->plan->requests[r];
        if (request->metric && (frame->wanted[r / 64] >> r % 64 & 1))
            vmaf_request_set_add(&set, request->number);
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

/* Submits the parts of a list, the first of them with the copies; *ticket: of the last one that was
 * submitted, also after an error. */
static int submit_parts(struct VmafBackendSession *session, const VmafMadeCommandList *made,
                        const VmafDeviceSubmit *first, VmafDeviceTicket *ticket)
{
    const VmafDeviceSubmit rest = {.struct_size = sizeof(rest), .stream = first->stream};
    for (uint32_t i = 0; i <= made->n_parts; i++) {
        VmafDeviceTicket next;
        const int err =
            vmaf_device_submit(session->queue, i < made->n_parts ? made->parts[i] : made->list,
                               i ? &rest : first, &next);
        if (err)
            return err;
        *ticket = next;
    }
    return 0;
}

/* Submits what the frame needs, if that is anything. The buffers stay until it has been done. */
static int start(struct VmafBackendSession *session, const VmafFrameSource *source,
                 const VmafMadeCommandList *made, Submission *submission)
{
    const VmafListKey *key = &made->key;
    const VmafDeviceSubmit submit = {
        .struct_size = sizeof(submit),
        .stream = key->stream,
        .copies = source->copies,
        .n_copies = source->n_copies,
        .waits = source->waits,
        .n_waits = source->n_waits,
        .signals = source->signals,
        .n_signals = source->n_signals,
    };
    VmafDeviceTicket ticket = 0;
    submission->used = false;
    if (!made->list && !source->n_copies)
        return 0;
    const int err = submit_parts(session, made, &submit, &ticket);
    if (!ticket)
        return err;
    vmaf_mutex_lock(&session->lock);
    *submission = (Submission){
        .used = true,
        .ticket = ticket,
        .stream = key->stream,
        .unpacked = !vmaf_packing_is_none(key->packing),
        .buffers = {source->buffers[0], source->buffers[1]},
    };
    for (int side = 0; side < 2; side++) {
        if (submission->buffers[side])
            atomic_fetch_add(&submission->buffers[side]->references, 1);
    }
    vmaf_mutex_unlock(&session->lock);
    return err;
}

static void await_frame(struct VmafBackendSession *session, const VmafBackendFrame *frame,
                        uint32_t position, const VmafMadeCommandList *made, bool copied)
{
    vmaf_mutex_lock(&session->lock);
    Outstanding *o =
        &session->outstanding[(session->first + session->count++) % session->plan->slots];
    unsigned char *results = o->results;
    *o = (Outstanding){
        .sequence = frame->sequence,
        .position = position,
        .n_earlier = session->n_earlier,
        .runs = session->positions[position].used,
        .ticket = session->positions[position].ticket,
        .list = made->list,
        .timestamps = made->timestamps,
        .copied = copied,
        .results = results,
    };
    memcpy(o->wanted, frame->wanted, sizeof(o->wanted));
    vmaf_mutex_unlock(&session->lock);
}

static int run_frame(struct VmafBackendSession *session, const VmafBackendFrame *frame,
                     bool context)
{
    const uint32_t position = (uint32_t)(session->n_submissions % session->memory.n_positions);
    VmafFrameSource source;
    VmafMadeCommandList made = {.list = NULL};
    int err = free_position(session, position);
    if (!err)
        err = vmaf_frame_source_find(&source, session->plan, &session->memory, position, frame->ref,
                                     frame->dist);
    if (err)
        return err;
    copy_rows(session, &source);
    note_neighbours(session, frame->sequence);

    VmafListKey key = {.stream = choose_stream(session, position)};
    memcpy(key.packing, source.packing, sizeof(key.packing));
    if (!context)
        key.wanted = wanted_set(session, frame);
    if (!vmaf_request_set_is_empty(&key.wanted) || !vmaf_packing_is_none(key.packing))
        err = vmaf_command_lists_get(&session->lists, position, &key, &made);
    else
        made.key = key;
    if (!err)
        err = start(session, &source, &made, &session->positions[position]);
    if (err)
        return err;
    session->n_submissions++;
    if (!context)
        await_frame(session, frame, position, &made, source.n_copies > 0);
    return 0;
}

int32_t vmaf_session_submit(struct VmafBackendSession *session, const VmafBackendFrame *frame)
{
    const struct VmafBackendPlan *plan = session->plan;
    const bool context = frame->flags & VMAF_BACKEND_SUBMIT_CONTEXT;
    if ((frame->flags & ~VMAF_BACKEND_SUBMIT_CONTEXT) ||
        !vmaf_picture_is_usable(plan, frame->ref) ||
        ((frame->dist || !context) && !vmaf_picture_is_usable(plan, frame->dist)))
        return VMAF_BACKEND_INVALID;
    vmaf_mutex_lock(&session->lock);
    const bool cancelled = session->cancelled;
    const bool full = session->count == plan->slots;
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

static void decode(const struct VmafBackendPlan *plan, const VmafRequest *request,
                   const unsigned char *results, void *record)
{
    const unsigned char *all_sums = results + plan->program->bytes_size;
    uint64_t sums[VMAF_PROGRAM_MAX_RESULTS];
    const void *bytes[VMAF_PROGRAM_MAX_BYTES];
    for (uint32_t i = 0; i < request->n_results; i++)
        memcpy(&sums[i], all_sums + request->results[i] * sizeof(sums[i]), sizeof(sums[i]));
    for (uint32_t i = 0; i < request->n_bytes; i++)
        bytes[i] = results + request->bytes[i];
    const VmafMetricResults own = {sums, bytes};
    request->metric->decode(&plan->geometry, request->options, &own, record);
}

static void deliver(const struct VmafBackendSession *session, const Outstanding *frame,
                    const unsigned char *results, VmafBackendResult *result)
{
    const struct VmafBackendPlan *plan = session->plan;
    result->sequence = frame->sequence;
    for (uint32_t r = 0; r < plan->n_requests && r < result->n_requests; r++) {
        const VmafRequest *request = &plan->requests[r];
        if (!request->metric || !(frame->wanted[r / 64] >> r % 64 & 1) || !result->records[r])
            continue;
        if (frame->n_earlier < request->earlier)
            memset(result->records[r], 0, request->record_size);
        else
            decode(plan, request, results, result->records[r]);
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
    const bool ready = oldest->taken || !oldest->runs;
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
    if (frame.taken)
        memcpy(session->results, frame.results, results_size(session));
    else
        take_results(session, oldest, session->results);
    session->first = (session->first + 1) % session->plan->slots;
    session->count--;
    vmaf_mutex_unlock(&session->lock);
    deliver(session, &frame, session->results, result);
    return VMAF_BACKEND_OK;
}
