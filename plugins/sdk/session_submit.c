/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The submitting side of a session. */
#include <string.h>

#include "driver_guard.h"
#include "platform/machine.h"
#include "session_internal.h"
#include "status.h"

/* -- a position for the frame -- */

/*
 * Frees a position for the next frame pair: waits until nothing running reads or writes it, and
 * takes out results that were not collected.
 */
static int free_position(struct VmafBackendSession *session, uint32_t position)
{
    const uint32_t n = session->memory.n_positions;
    int err = 0;
    /* Frames that look back to this position are up to `earlier` places after it; they may be in
     * another lane, so that none of them says anything of the others. */
    for (uint32_t k = 0; k <= session->plan->program->earlier && !err; k++) {
        const VmafSubmission *user = &session->positions[(position + k) % n];
        if (user->used)
            err = vmaf_session_wait(session, user->ticket, UINT64_MAX);
    }
    if (err)
        return err;
    vmaf_mutex_lock(&session->lock);
    for (uint32_t i = 0; i < session->count; i++) {
        VmafOutstanding *o = &session->outstanding[(session->first + i) % session->plan->slots];
        if (o->position == position && !o->harvested) {
            vmaf_session_harvest(session, o, o->results);
            o->harvested = true;
        }
    }
    vmaf_mutex_unlock(&session->lock);
    return 0;
}

/*
 * The lane of a frame: they take turns. But pixels that a command list has unpacked are not seen in
 * another lane, as those that were copied are; so frames that look back to such a one follow it.
 */
static uint32_t choose_lane(const struct VmafBackendSession *session, uint32_t position)
{
    const uint32_t n = session->memory.n_positions;
    for (uint32_t k = 1; k <= session->plan->program->earlier; k++) {
        const VmafSubmission *before = &session->positions[(position + n - k) % n];
        if (before->used && before->unpacked)
            return before->lane;
    }
    return position % session->memory.n_lanes;
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

/* Submits the parts of a list, the first of them with the copies; *ticket: of the last one that was
 * submitted, also after an error. */
static int submit_parts(struct VmafBackendSession *session, const VmafMadeCommandList *made,
                        const VmafDeviceSubmit *first, VmafDeviceTicket *ticket)
{
    const VmafDeviceSubmit rest = {.struct_size = sizeof(rest), .lane = first->lane};
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
                 const VmafMadeCommandList *made, VmafSubmission *submission)
{
    const VmafListKey *key = &made->key;
    const VmafDeviceSubmit submit = {
        .struct_size = sizeof(submit),
        .lane = key->lane,
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
    *submission = (VmafSubmission){
        .used = true,
        .ticket = ticket,
        .lane = key->lane,
        .unpacked = !vmaf_packing_is_none(key->packing),
        .buffers = {source->buffers[0], source->buffers[1]},
    };
    for (int side = 0; side < 2; side++) {
        if (submission->buffers[side])
            vmaf_buffer_keep(submission->buffers[side]);
    }
    vmaf_mutex_unlock(&session->lock);
    return err;
}

static void await_frame(struct VmafBackendSession *session, const VmafBackendFrame *frame,
                        uint32_t position, const VmafMadeCommandList *made, bool copied)
{
    vmaf_mutex_lock(&session->lock);
    VmafOutstanding *o =
        &session->outstanding[(session->first + session->count++) % session->plan->slots];
    unsigned char *results = o->results;
    *o = (VmafOutstanding){
        .sequence = frame->sequence,
        .position = position,
        .n_earlier = session->n_earlier,
        .runs = session->positions[position].used,
        .ticket = session->positions[position].ticket,
        .list = made->list,
        .laps = made->laps,
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

    VmafListKey key = {.lane = choose_lane(session, position)};
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
