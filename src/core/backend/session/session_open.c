/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/limited_call.h"
#include "backend/session/self_test.h"
#include "backend/session/session_state.h"
#include "support/log.h"

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

static bool any_accepted(const Opening *opening)
{
    for (unsigned r = 0; r < opening->params.workload->n_requests; r++) {
        if (opening->coverage[r].placement == VMAF_PLACEMENT_BACKEND)
            return true;
    }
    return false;
}

static bool any_failed_self_test(const Opening *opening)
{
    for (unsigned r = 0; r < opening->params.workload->n_requests; r++) {
        if (opening->coverage[r].placement == VMAF_PLACEMENT_SELF_TEST)
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
    if (!err && !any_accepted(opening))
        err = nothing_accepted(opening);
    if (!err && any_failed_self_test(opening)) { /* a plan without the requests that failed */
        backend_plan_destroy(&plan);
        err = backend_plan_create(&plan, opening->device, params, format, opening->coverage,
                                  availability);
        if (err)
            return err;
    }
    if (!err) {
        err = session_start(&opening->session, opening->device, &plan, &availability->why);
        if (err) {
            availability->state = BACKEND_INIT_FAILED;
            availability->error = err;
        }
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
    if (!any_accepted(opening))
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
        return backend_availability_set(availability, BACKEND_INIT_FAILED, -ENOMEM,
                                        "out of memory");
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
        err = backend_availability_set(&opening->availability, BACKEND_INIT_FAILED, err,
                                       "out of memory");
    else
        err = opening->err;
    *availability = opening->availability;
    if (opening->coverage)
        memcpy(coverage, opening->coverage, params->workload->n_requests * sizeof(*coverage));
    if (!err) {
        session_keep(opening->session, params->time_limit);
        *session = opening->session;
    }
    opening_free(opening);
    return err;
}
