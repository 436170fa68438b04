/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The life of a session: how it is prepared, opened, cancelled and closed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi_internal.h"
#include "platform/time.h"
#include "session_internal.h"

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
    const size_t results = vmaf_session_results_size(session) + 1;
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
        vmaf_session_let_go(session, UINT64_MAX);
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
    const VmafDriverGuard guard = vmaf_driver_enter();
    const int err = open_session(session);
    if (err) {
        explain(plan->device, err, why);
        if (!atomic_load(&plan->device->stuck)) /* as in come_to_rest */
            destroy(session);
    } else {
        *opened = session;
    }
    vmaf_driver_leave(&guard);
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
    const VmafDriverGuard guard = vmaf_driver_enter();
    vmaf_session_cancel(session);
    vmaf_copy_pool_destroy(session->pool);
    if (come_to_rest(session))
        destroy(session);
    else
        atomic_store(&session->plan->device->stuck, true);
    vmaf_driver_leave(&guard);
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
