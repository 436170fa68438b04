/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/limited_call.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "backend/processor_time.h"
#include "platform/thread.h"
#include "trace/trace.h"

/* Shared by both threads until one of them leaves; then the other one owns it. */
typedef struct Call {
    VmafMutex lock;
    VmafCondition changed;
    bool returned;  /* the function has */
    bool abandoned; /* the caller has stopped waiting */
    void (*function)(void *argument);
    void (*destroy)(void *argument);
    void *argument;
    TraceContext *trace;
} Call;

static int call_create(Call **call_out)
{
    Call *call = calloc(1, sizeof(*call));
    if (!call)
        return -ENOMEM;
    if (vmaf_mutex_init(&call->lock)) {
        free(call);
        return -ENOMEM;
    }
    vmaf_condition_init(&call->changed);
    *call_out = call;
    return 0;
}

static void call_destroy(Call *call)
{
    vmaf_mutex_destroy(&call->lock);
    vmaf_condition_destroy(&call->changed);
    free(call);
}

static void *run(void *argument)
{
    Call *call = argument;
    TRACE_THREAD(call->trace, "call with a time limit");
    call->function(call->argument);
    vmaf_mutex_lock(&call->lock);
    call->returned = true;
    bool abandoned = call->abandoned;
    vmaf_condition_signal(&call->changed);
    vmaf_mutex_unlock(&call->lock);
    if (abandoned) {
        call->destroy(call->argument);
        call_destroy(call);
    }
    return NULL;
}

/* Waits until the function has returned or is late. If it is late, its thread owns the call. */
static bool wait_for_return(Call *call, VmafThread thread, unsigned milliseconds)
{
    TRACE_SCOPE(TRACE_WAIT, "wait for a call");
    Patience patience;
    patience_begin(&patience, thread, milliseconds);
    vmaf_mutex_lock(&call->lock);
    for (int64_t left = milliseconds; !call->returned && left > 0;) {
        const unsigned pause = patience_pause(&patience);
        const VmafDeadline deadline = vmaf_deadline_after(left < pause ? (unsigned)left : pause);
        vmaf_condition_wait_until(&call->changed, &call->lock, deadline);
        if (call->returned)
            break;
        vmaf_mutex_unlock(&call->lock);
        left = patience_left(&patience);
        vmaf_mutex_lock(&call->lock);
    }
    bool returned = call->returned;
    call->abandoned = !returned;
    vmaf_mutex_unlock(&call->lock);
    return returned;
}

int limited_call(void (*function)(void *argument), void *argument, void (*destroy)(void *argument),
                 unsigned milliseconds)
{
    Call *call;
    int err = call_create(&call);
    if (err < 0)
        return err;
    call->function = function;
    call->destroy = destroy;
    call->argument = argument;
    call->trace = trace_here();

    VmafThread thread;
    if (vmaf_thread_start(&thread, run, call)) {
        call_destroy(call);
        return -ENOMEM;
    }
    bool returned = wait_for_return(call, thread, milliseconds);
    if (!returned) {
        vmaf_thread_detach(thread);
        return -ETIMEDOUT;
    }
    vmaf_thread_join(thread);
    call_destroy(call);
    return 0;
}
