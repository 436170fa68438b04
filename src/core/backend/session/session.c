/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The life of a session, and the calls into the plugin, each of which is counted while it is under
 * way. */
#include "backend/session/session.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/limited_call.h"
#include "backend/session/session_internal.h"
#include "platform/thread.h"
#include "support/log.h"
#include "support/memory.h"
#include "trace/trace.h"

struct BackendSession {
    BackendDevice *device;
    const Plugin *plugin;
    BackendPlan plan;
    VmafBackendSession *handle;

    /* Where the plugin writes: records by place in the plan, between guards. */
    unsigned char *memory;
    size_t memory_size;
    void **homes;      /* of the records */
    void **targets;    /* of one call */
    int32_t *statuses; /* and a guard behind the last */

    VmafMutex lock;
    VmafCondition left;
    unsigned n_calls;          /* of submit, collect and flush that are in the plugin */
    bool cancelled, abandoned; /* the plugin is called no more; its memory is touched no more */
    unsigned close_time_limit;
    Workload *workload;      /* a reference of its own, which outlives the plan */
    SessionProfile *profile; /* NULL: nobody wants to know */
};

static void session_free(BackendSession *session)
{
    memory_free(session->memory);
    free(session->homes);
    free(session->targets);
    free(session->statuses);
    free(session->profile);
    vmaf_condition_destroy(&session->left);
    vmaf_mutex_destroy(&session->lock);
    free(session);
}

/* ---- memory of the records ---- */

static int place_records(BackendSession *session)
{
    const BackendPlan *plan = &session->plan;
    size_t size = GUARD_SIZE;
    for (unsigned i = 0; i < plan->n_requests; i++) {
        if (!size_add(size, size_round_up(plan->requests[i].size, MEMORY_ALIGNMENT) + GUARD_SIZE,
                      &size))
            return -ENOMEM;
    }
    session->memory_size = size;
    session->memory = memory_alloc(1, size);
    session->homes = calloc(plan->n_requests, sizeof(*session->homes));
    session->targets = calloc(plan->n_requests, sizeof(*session->targets));
    session->statuses = calloc(1, plan->n_requests * sizeof(*session->statuses) + GUARD_SIZE);
    if (!session->memory || !session->homes || !session->targets || !session->statuses)
        return -ENOMEM;
    size_t offset = GUARD_SIZE;
    for (unsigned i = 0; i < plan->n_requests; i++) {
        session->homes[i] = session->memory + offset;
        offset += size_round_up(plan->requests[i].size, MEMORY_ALIGNMENT) + GUARD_SIZE;
    }
    return 0;
}

/* True if the bytes outside the records of this call are unchanged. */
static bool guards_are_whole(const BackendSession *session)
{
    size_t next = 0;
    for (unsigned i = 0; i <= session->plan.n_requests; i++) {
        bool last = i == session->plan.n_requests;
        if (!last && !session->targets[i])
            continue;
        size_t end = last ? session->memory_size
                          : (size_t)((unsigned char *)session->homes[i] - session->memory);
        if (!guard_range_holds(session->memory + next, end - next))
            return false;
        next = last ? next : end + session->plan.requests[i].size;
    }
    return true;
}

static unsigned char *guard_of_statuses(const BackendSession *session)
{
    return (unsigned char *)(session->statuses + session->plan.n_requests);
}

/* ---- calls ---- */

static int session_enter(BackendSession *session, Reason *why)
{
    vmaf_mutex_lock(&session->lock);
    bool open = !session->cancelled && !backend_device_is_abandoned(session->device);
    session->n_calls += open;
    vmaf_mutex_unlock(&session->lock);
    return open ? 0 : reason_set(why, -ECANCELED, "the session is closed");
}

/* Returns `err`, or -ECANCELED if the session was abandoned meanwhile. */
static int session_leave(BackendSession *session, int err)
{
    vmaf_mutex_lock(&session->lock);
    if (session->abandoned)
        err = -ECANCELED;
    session->n_calls--;
    vmaf_condition_broadcast(&session->left);
    vmaf_mutex_unlock(&session->lock);
    return err;
}

/* The error of a call, as the plugin reports it. */
static int failure(BackendSession *session, const char *call, int32_t result, Reason *why)
{
    struct {
        char text[VMAF_BACKEND_TEXT_SIZE];
        unsigned char guard[GUARD_SIZE];
    } guarded = {.text = ""};
    char text[VMAF_BACKEND_TEXT_SIZE] = "";
    guard_set(guarded.guard);
    if (result == VMAF_BACKEND_DEVICE_LOST)
        backend_device_mark_lost(session->device);
    if (result != VMAF_BACKEND_CANCELLED && !backend_device_is_abandoned(session->device)) {
        PluginGuard guard = plugin_enter();
        session->plugin->api.last_error(VMAF_BACKEND_OBJECT_SESSION, session->handle, guarded.text,
                                        sizeof(guarded.text));
        plugin_leave(&guard);
        foreign_text(text, sizeof(text), guarded.text, sizeof(guarded.text));
        if (!guard_holds(guarded.guard))
            snprintf(text, sizeof(text), "last_error writes beyond its text");
    }
    const char *kind = result == VMAF_BACKEND_DEVICE_LOST     ? "the device is lost"
                       : result == VMAF_BACKEND_OUT_OF_MEMORY ? "out of memory"
                       : result == VMAF_BACKEND_CANCELLED     ? "cancelled"
                                                              : "it failed";
    return reason_set(why, plugin_error(result), "%s in %s%s%s", kind, call, text[0] ? ": " : "",
                      text);
}

static VmafBackendPicture picture_for(const BackendSession *session, const VmafPicture *pic,
                                      VmafBackendBuffer *buffer)
{
    VmafBackendPicture picture = {.struct_size = sizeof(picture), .buffer = buffer};
    for (unsigned p = 0; p < 3 && !buffer; p++) {
        if (!(session->plan.planes >> p & 1))
            continue;
        picture.data[p] = pic->data[p];
        picture.stride[p] = pic->stride[p];
    }
    return picture;
}

/* Mask of the plan from a mask of the workload. */
static void translate_wanted(const BackendPlan *plan, const uint64_t *wanted, uint64_t mask[4])
{
    for (unsigned i = 0; i < plan->n_requests; i++) {
        unsigned r = plan->requests[i].request;
        if (plan->requests[i].accepted && (wanted[r / 64] >> r % 64 & 1))
            mask[i / 64] |= UINT64_C(1) << i % 64;
    }
}

/*
 * The buffer with a reference that others read, too. A call of its own, after which the session may
 * be closed; *buffer is NULL if the picture is to be read in host memory.
 */
static int fetch_upload(BackendSession *session, const BackendSessionFrame *frame,
                        VmafBackendBuffer **buffer, Reason *why)
{
    const VmafPicture pic = *frame->ref;
    PictureAttachment *upload = picture_attachment_ref(frame->ref_upload);
    int err = session_enter(session, why);
    if (!err) {
        *buffer = shared_upload_fetch(upload, session->device, session->plan.planes, &pic);
        err = session_leave(session, 0);
    }
    picture_attachment_unref(upload);
    return err;
}

static int call_submit(BackendSession *session, const BackendSessionFrame *frame, Reason *why)
{
    /* First of all: the end of the session destroys the plan, which is read below, as soon as no
     * call is under way. */
    int err = session_enter(session, why);
    if (err)
        return err;
    /* Memory of the caller is not read once the call may have been abandoned: after the first call
     * into the plugin. */
    const VmafBackendPicture ref = picture_for(session, frame->ref, frame->ref_buffer);
    VmafBackendPicture dist = {0};
    if (frame->dist)
        dist = picture_for(session, frame->dist, frame->dist_buffer);
    VmafBackendFrame submitted = {
        .struct_size = sizeof(submitted),
        .flags = frame->context ? VMAF_BACKEND_SUBMIT_CONTEXT : 0,
        .sequence = frame->sequence,
        .ref = &ref,
        .dist = frame->dist ? &dist : NULL,
    };
    if (frame->wanted)
        translate_wanted(&session->plan, frame->wanted, submitted.wanted);

    PictureBlock *blocks[2] = {NULL, NULL};
    if (!frame->ref_buffer)
        blocks[0] = picture_block(frame->ref);
    if (frame->dist && !frame->dist_buffer)
        blocks[1] = picture_block(frame->dist);

    registered_memory_add(session->device, blocks[0]);
    registered_memory_add(session->device, blocks[1]);
    PluginGuard guard = plugin_enter();
    int32_t result = session->plugin->api.submit(session->handle, &submitted);
    plugin_leave(&guard);
    if (result)
        err = failure(session, "submit", result, why);
    return session_leave(session, err);
}

int backend_session_submit(BackendSession *session, const BackendSessionFrame *frame, Reason *why)
{
    BackendSessionFrame submitted = *frame;
    if (frame->ref_upload && !frame->ref_buffer) {
        const int err = fetch_upload(session, frame, &submitted.ref_buffer, why);
        if (err)
            return err;
    }
    return call_submit(session, &submitted, why);
}

int backend_session_flush(BackendSession *session, Reason *why)
{
    int err = session_enter(session, why);
    if (err)
        return err;
    PluginGuard guard = plugin_enter();
    int32_t result = session->plugin->api.flush(session->handle);
    plugin_leave(&guard);
    if (result)
        err = failure(session, "flush", result, why);
    return session_leave(session, err);
}

/* ---- answers ---- */

static int check_scores(const PlannedRequest *planned, const double *scores, Reason *why)
{
    for (size_t i = 0; i < planned->size / sizeof(*scores); i++) {
        if (!isfinite(scores[i]))
            return reason_set(why, -EIO, "%s: its score is not finite",
                              planned->feature->spec.name);
    }
    return 0;
}

static int check_answer(const BackendSession *session, const VmafBackendResult *result,
                        uint64_t sequence, Reason *why)
{
    const BackendPlan *plan = &session->plan;
    if (!guards_are_whole(session))
        return reason_set(why, -EIO, "it wrote beyond a record");
    if (result->sequence != sequence)
        return reason_set(why, -EIO, "it answered out of order");
    for (unsigned i = 0; i < plan->n_requests; i++) {
        const PlannedRequest *planned = &plan->requests[i];
        const WorkloadRequest *request = &plan->workload->requests[planned->request];
        if (!session->targets[i])
            continue;
        if (session->statuses[i])
            return reason_set(why, plugin_error(session->statuses[i]),
                              "%s: no record of a frame (%d)", planned->feature->spec.name,
                              (int)session->statuses[i]);
        if (planned->outputs) {
            int err = check_scores(planned, session->homes[i], why);
            if (err)
                return err;
            continue;
        }
        if (!request->extractor->record.is_possible(session->homes[i], request->options,
                                                    &plan->format))
            return reason_set(why, -EIO, "%s: its record is out of bounds",
                              planned->feature->spec.name);
    }
    return 0;
}

static void copy_records(const BackendSession *session, void *const records[])
{
    for (unsigned i = 0; i < session->plan.n_requests; i++) {
        const PlannedRequest *planned = &session->plan.requests[i];
        if (!session->targets[i])
            continue;
        if (!planned->outputs) {
            memcpy(records[planned->request], session->homes[i], planned->size);
            continue;
        }
        double *scores = records[planned->request];
        const double *answered = session->homes[i];
        for (unsigned o = 0; o < planned->n_outputs; o++)
            scores[o] = NAN;
        for (unsigned k = 0; k < planned->size / sizeof(*answered); k++) {
            if (planned->outputs[k] >= 0)
                scores[planned->outputs[k]] = answered[k];
        }
    }
}

int backend_session_collect(BackendSession *session, uint64_t sequence, void *const records[],
                            unsigned milliseconds, Reason *why)
{
    int err = session_enter(session, why);
    if (err)
        return err;
    const BackendPlan *plan = &session->plan;
    memset(session->memory, GUARD_BYTE, session->memory_size);
    for (unsigned i = 0; i < plan->n_requests; i++) {
        bool wanted = plan->requests[i].accepted && records[plan->requests[i].request];
        session->targets[i] = wanted ? session->homes[i] : NULL;
        session->statuses[i] = VMAF_BACKEND_FAILED;
        if (wanted)
            memset(session->homes[i], 0, plan->requests[i].size);
    }
    GUARDED(VmafBackendResult) guarded;
    guarded.value = (VmafBackendResult){
        .struct_size = sizeof(guarded.value),
        .n_requests = plan->n_requests,
        .sequence = ~sequence,
        .records = session->targets,
        .status = session->statuses,
    };
    guard_set(guarded.guard);
    guard_set(guard_of_statuses(session));
    PluginGuard guard = plugin_enter();
    int32_t outcome = session->plugin->api.collect(session->handle, milliseconds, &guarded.value);
    plugin_leave(&guard);
    if (outcome == VMAF_BACKEND_TIMED_OUT)
        err = -ETIMEDOUT;
    else if (outcome)
        err = failure(session, "collect", outcome, why);
    else if (!guard_holds(guarded.guard) || !guard_holds(guard_of_statuses(session)))
        err = reason_set(why, -EIO, "collect writes beyond its result");
    else
        err = check_answer(session, &guarded.value, sequence, why);
    if (!backend_device_is_abandoned(session->device))
        session_profile_note(session->profile, session->plugin, session->handle, outcome);

    /* `records` is there as long as the session was not abandoned. */
    vmaf_mutex_lock(&session->lock);
    if (!err && !session->abandoned)
        copy_records(session, records);
    vmaf_mutex_unlock(&session->lock);
    return session_leave(session, err);
}

/* ---- opening and closing ---- */

static int open_in_plugin(BackendSession *session, Reason *why)
{
    const VmafBackend *api = &session->plugin->api;
    TRACE_SCOPE(TRACE_BACKEND, "open a session");
    GUARDED(VmafBackendReason) guarded = {.value = {.struct_size = sizeof(guarded.value)}};
    guard_set(guarded.guard);
    if (backend_device_is_abandoned(session->device))
        return reason_set(why, -EIO, "it hangs in another call");
    PluginGuard guard = plugin_enter();
    int32_t result = api->session_open(session->plan.handle, &session->handle, &guarded.value);
    plugin_leave(&guard);
    bool opened = !result && session->handle;
    if (!guard_holds(guarded.guard)) {
        guard = plugin_enter();
        if (opened)
            api->session_close(session->handle);
        plugin_leave(&guard);
        return reason_set(why, -EIO, "session_open writes beyond its reason");
    }
    if (opened)
        return 0;
    foreign_text(why->text, sizeof(why->text), guarded.value.text, sizeof(guarded.value.text));
    if (!why->text[0])
        reason_set(why, 0, "session_open failed (%d)", (int)result);
    return result ? plugin_error(result) : -EIO;
}

int session_start(BackendSession **created, BackendDevice *device, BackendPlan *plan, Reason *why)
{
    BackendSession *session = calloc(1, sizeof(*session));
    if (!session)
        return reason_set(why, -ENOMEM, "out of memory");
    vmaf_mutex_init(&session->lock);
    vmaf_condition_init(&session->left);
    session->device = device;
    session->plugin = plan->plugin;
    session->plan = *plan;
    int err = place_records(session);
    if (err) {
        session_free(session);
        return reason_set(why, err, "out of memory");
    }

    err = open_in_plugin(session, why);
    if (err) {
        session_free(session);
        return err;
    }
    *plan = (BackendPlan){0};
    *created = session;
    return 0;
}

/* Runs on a thread of its own, since each of these calls may hang. Leaves the session's memory. */
static void shut(void *argument)
{
    BackendSession *session = argument;
    TRACE_SCOPE(TRACE_BACKEND, "close a session");
    if (backend_device_is_abandoned(session->device))
        return;
    PluginGuard guard = plugin_enter();
    session->plugin->api.cancel(session->handle);
    plugin_leave(&guard);

    vmaf_mutex_lock(&session->lock);
    while (session->n_calls && !session->abandoned)
        vmaf_condition_wait(&session->left, &session->lock);
    bool abandoned = session->abandoned;
    vmaf_mutex_unlock(&session->lock);
    if (abandoned)
        return;
    guard = plugin_enter();
    session->plugin->api.session_close(session->handle);
    plugin_leave(&guard);
    backend_plan_destroy(&session->plan);
}

void session_end(BackendSession *session)
{
    shut(session);
    session_free(session);
}

bool backend_session_shut(BackendSession *session)
{
    vmaf_mutex_lock(&session->lock);
    session->cancelled = true;
    vmaf_mutex_unlock(&session->lock);

    int err = -EIO;
    if (!backend_device_is_abandoned(session->device))
        err = limited_call(shut, session, NULL, session->close_time_limit);
    if (err == -ENOMEM) {
        shut(session);
        err = 0;
    }
    if (err) {
        vmaf_mutex_lock(&session->lock);
        session->abandoned = true;
        vmaf_condition_broadcast(&session->left);
        vmaf_mutex_unlock(&session->lock);
        backend_device_abandon(session->device);
        return false;
    }
    return true;
}

void backend_session_free(BackendSession *session)
{
    workload_unref(session->workload);
    session_free(session);
}

bool backend_session_close(BackendSession *session)
{
    bool closed = backend_session_shut(session);
    if (closed)
        backend_session_free(session);
    return closed;
}

unsigned backend_session_slots(const BackendSession *session)
{
    return session->plan.slots;
}

unsigned backend_session_planes(const BackendSession *session)
{
    return session->plan.planes;
}

/* Everything that opening needs, on a thread that may never return. */
typedef struct Opening {
    BackendDevice *device;
    BackendSessionParams params;
    BackendCoverage *coverage;
    BackendAvailability availability;
    BackendSession *session;
    int err;
} Opening;

static void opening_free(void *argument)
{
    Opening *opening = argument;
    workload_unref(opening->params.workload);
    free(opening->coverage);
    free(opening);
}

static bool any_placed(const Opening *opening, enum VmafPlacement placement)
{
    for (unsigned r = 0; r < opening->params.workload->n_requests; r++) {
        if (opening->coverage[r].placement == placement)
            return true;
    }
    return false;
}

static int nothing_accepted(Opening *opening)
{
    return backend_availability_set(&opening->availability, BACKEND_USABLE, -ENOTSUP,
                                    "it computes none of the features in question");
}

/* With so many frames in flight, and what has not been tested yet. */
static int attempt(Opening *opening, const BackendSessionParams *params, bool *tested)
{
    const PictureFormat *format = &params->workload->format;
    BackendAvailability *availability = &opening->availability;
    BackendPlan plan;
    int err = backend_plan_create(&plan, opening->device, params, format, opening->coverage,
                                  availability);
    if (err)
        return err;
    if (!*tested) {
        err = self_test_run(opening->device, params, opening->coverage, availability);
        *tested = !err;
    }
    if (!err && !any_placed(opening, VMAF_PLACEMENT_BACKEND))
        err = nothing_accepted(opening);
    /* A plan without the requests that failed. */
    if (!err && any_placed(opening, VMAF_PLACEMENT_SELF_TEST)) {
        backend_plan_destroy(&plan);
        err = backend_plan_create(&plan, opening->device, params, format, opening->coverage,
                                  availability);
        if (err)
            return err;
    }
    if (!err) {
        err = session_start(&opening->session, opening->device, &plan, &availability->why);
        if (err)
            backend_availability_fail(availability, err);
    }
    if (err)
        backend_plan_destroy(&plan);
    return err;
}

/* Each frame in flight takes memory of its own: a device that is short of it may do with fewer. */
static int negotiate_and_open(Opening *opening)
{
    BackendSessionParams params = opening->params;
    const Plugin *plugin = backend_device_plugin(opening->device);
    bool tested = false;
    backend_plan_screen(plugin, &params, opening->coverage);
    if (!any_placed(opening, VMAF_PLACEMENT_BACKEND))
        return nothing_accepted(opening);
    int err = attempt(opening, &params, &tested);
    while (err == -ENOMEM && params.frames_in_flight > 1) {
        log_message(NULL, VMAF_LOG_LEVEL_INFO,
                    "backend %s has no memory for %u frames in flight, trying %u", plugin->name,
                    params.frames_in_flight, params.frames_in_flight / 2);
        params.frames_in_flight /= 2;
        opening->availability = (BackendAvailability){.state = BACKEND_USABLE};
        err = attempt(opening, &params, &tested);
    }
    return err;
}

static void open_session(void *argument)
{
    Opening *opening = argument;
    opening->err = negotiate_and_open(opening);
}

int backend_session_open(BackendSession **session, BackendDevice *device,
                         const BackendSessionParams *params, BackendCoverage coverage[],
                         BackendAvailability *availability)
{
    const size_t coverage_size = (params->workload->n_requests + 1) * sizeof(*coverage);
    Opening *opening = calloc(1, sizeof(*opening));
    if (!opening)
        return backend_out_of_memory(availability);
    opening->device = device;
    opening->params = *params;
    opening->params.workload = workload_ref(params->workload);
    opening->coverage = calloc(1, coverage_size);
    int err = -ENOMEM;
    if (opening->coverage)
        err = limited_call(open_session, opening, opening_free, params->opening_limit);
    if (err == -ETIMEDOUT) {
        backend_device_abandon(device);
        return backend_availability_set(availability, BACKEND_INIT_FAILED, -ETIMEDOUT,
                                        "it did not open a session within %u ms",
                                        params->opening_limit);
    }
    if (err)
        err = backend_out_of_memory(&opening->availability);
    else
        err = opening->err;
    *availability = opening->availability;
    if (opening->coverage)
        memcpy(coverage, opening->coverage, params->workload->n_requests * sizeof(*coverage));
    if (!err) {
        *session = opening->session;
        (*session)->workload = workload_ref(params->workload);
        (*session)->close_time_limit = params->time_limit;
        (*session)->profile = session_profile_create(device);
    }
    opening_free(opening);
    return err;
}
