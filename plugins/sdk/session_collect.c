/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The collecting side of a session. */
#include <string.h>

#include "driver_guard.h"
#include "session_internal.h"
#include "status.h"

void vmaf_session_harvest(struct VmafBackendSession *session, const VmafOutstanding *frame,
                          unsigned char *results)
{
    memcpy(results, session->memory.download[frame->position]->mapped,
           vmaf_session_results_size(session));
    if (frame->list)
        vmaf_stopwatch_add(&session->stopwatch, frame->list, &frame->laps, frame->copied);
}

static void decode(const struct VmafBackendPlan *plan, const VmafPlannedRequest *planned,
                   const unsigned char *results, void *record)
{
    const VmafProgramRequest *place = &plan->program->requests[planned->program_request];
    const unsigned char *all_sums = results + plan->program->bytes_size;
    uint64_t sums[VMAF_PROGRAM_MAX_RESULTS];
    const void *bytes[VMAF_PROGRAM_MAX_BYTES];
    for (uint32_t i = 0; i < place->n_results; i++)
        memcpy(&sums[i], all_sums + place->results[i] * sizeof(sums[i]), sizeof(sums[i]));
    for (uint32_t i = 0; i < place->n_bytes; i++)
        bytes[i] = results + place->bytes[i];
    const VmafMetricResults own = {sums, bytes};
    planned->metric->decode(&plan->geometry, planned->options, &own, record);
}

static void deliver(const struct VmafBackendSession *session, const VmafOutstanding *frame,
                    const unsigned char *results, VmafBackendResult *result)
{
    const struct VmafBackendPlan *plan = session->plan;
    result->sequence = frame->sequence;
    for (uint32_t r = 0; r < plan->n_requests && r < result->n_requests; r++) {
        const VmafPlannedRequest *planned = &plan->requests[r];
        if (!planned->metric || !(frame->wanted[r / 64] >> r % 64 & 1) || !result->records[r])
            continue;
        const VmafProgramRequest *place = &plan->program->requests[planned->program_request];
        if (frame->n_earlier < place->earlier)
            memset(result->records[r], 0, planned->record_size);
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
    VmafOutstanding *oldest = &session->outstanding[session->first];
    const VmafDeviceTicket ticket = oldest->ticket;
    const bool ready = oldest->harvested || !oldest->runs;
    vmaf_mutex_unlock(&session->lock);
    if (cancelled)
        return VMAF_BACKEND_CANCELLED;
    if (empty)
        return VMAF_BACKEND_NOTHING;

    const VmafDriverGuard guard = vmaf_driver_guard_begin();
    const int err = ready ? 0 : vmaf_session_wait(session, ticket, timeout_ms * UINT64_C(1000000));
    vmaf_driver_guard_end(&guard);
    if (err)
        return err == -ECANCELED ? VMAF_BACKEND_CANCELLED : vmaf_sdk_status(err);

    vmaf_mutex_lock(&session->lock);
    const VmafOutstanding frame = *oldest;
    if (frame.harvested)
        memcpy(session->results, frame.results, vmaf_session_results_size(session));
    else
        vmaf_session_harvest(session, oldest, session->results);
    session->first = (session->first + 1) % session->plan->slots;
    session->count--;
    vmaf_mutex_unlock(&session->lock);
    deliver(session, &frame, session->results, result);
    return VMAF_BACKEND_OK;
}
