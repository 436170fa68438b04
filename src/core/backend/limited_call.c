/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/limited_call.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "platform/thread.h"
#include "platform/time.h"
#include "trace/trace.h"

/*
 * Less than this part of a limit is no progress; it is what threads consume that only poll for
 * work. A machine so busy that a call gets less than that is out of order.
 */
enum { PROGRESS_PART = 100 };
enum { PARTS_OF_LIMIT = 20, PAUSE_MIN_MS = 5, PAUSE_MAX_MS = 250 };

static const char name_of_ours[] = "vmaf-scoring";

/* When the first plugin was loaded, as vmaf_thread_times_now has it; INT64_MAX: none was. Part of
 * the state of the registry of plugins. */
static _Atomic(int64_t) plugins_since = INT64_MAX;

void processor_time_is_ours(void)
{
    vmaf_thread_set_name(name_of_ours);
}

void processor_time_plugins_begin(void)
{
    int64_t none = INT64_MAX;
    atomic_compare_exchange_strong(&plugins_since, &none, vmaf_thread_times_now());
}

/* What it takes to find out is no progress: where there are many threads that is more than nothing,
 * and the caller may be the one that asks. */
static int64_t consumed_so_far(CallLimit *limit)
{
    const bool asks = vmaf_thread_equal(limit->caller, vmaf_thread_self());
    const int64_t before = vmaf_thread_time_of_us(limit->caller);
    int64_t others = vmaf_thread_times_since(atomic_load(&plugins_since), name_of_ours);
    if (!vmaf_thread_equal(limit->caller, limit->helper))
        others += vmaf_thread_time_of_us(limit->helper);
    const int64_t consumed = before - limit->looking + others;
    if (asks)
        limit->looking += vmaf_thread_time_of_us(limit->caller) - before;
    return consumed;
}

void call_limit_begin(CallLimit *limit, VmafThread caller, VmafThread helper, unsigned milliseconds)
{
    *limit = (CallLimit){.milliseconds = milliseconds,
                         .caller = caller,
                         .helper = helper,
                         .begun = vmaf_steady_ms()};
    limit->renewed = limit->begun;
    limit->consumed = INT64_MAX; /* determined when somebody has to wait */
}

int64_t call_limit_left(CallLimit *limit)
{
    const int64_t most = limit->milliseconds, now = vmaf_steady_ms();
    if (now - limit->renewed < most / PARTS_OF_LIMIT)
        return limit->renewed + most - now; /* cheap, because most calls are short */
    const int64_t consumed = consumed_so_far(limit);
    if (consumed < limit->consumed) /* the time of a thread that has ended is no longer known */
        limit->consumed = consumed;
    if ((consumed - limit->consumed) * PROGRESS_PART > most * 1000) {
        limit->consumed = consumed;
        limit->renewed = now;
    }
    const int64_t left = limit->renewed + most - now;
    const int64_t left_in_all = limit->begun + CALL_LIMIT_TIMES * most - now;
    return left < left_in_all ? left : left_in_all;
}

unsigned call_limit_pause(const CallLimit *limit)
{
    const unsigned part = limit->milliseconds / PARTS_OF_LIMIT;
    return part < PAUSE_MIN_MS ? PAUSE_MIN_MS : part > PAUSE_MAX_MS ? PAUSE_MAX_MS : part;
}

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
        if (call->destroy)
            call->destroy(call->argument);
        call_destroy(call);
    }
    return NULL;
}

/* Waits until the function has returned or is late. If it is late, its thread owns the call. */
static bool wait_for_return(Call *call, VmafThread thread, unsigned milliseconds)
{
    TRACE_SCOPE(TRACE_WAIT, "wait for a call");
    CallLimit limit;
    call_limit_begin(&limit, thread, thread, milliseconds);
    vmaf_mutex_lock(&call->lock);
    for (int64_t left = milliseconds; !call->returned && left > 0;) {
        const unsigned pause = call_limit_pause(&limit);
        const VmafDeadline deadline = vmaf_deadline_after(left < pause ? (unsigned)left : pause);
        vmaf_condition_wait_until(&call->changed, &call->lock, deadline);
        if (call->returned)
            break;
        vmaf_mutex_unlock(&call->lock);
        left = call_limit_left(&limit);
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
