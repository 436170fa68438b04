/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/limited_call.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "backend/processor_time.h"
#include "support/deadline.h"

/* Belongs to both threads until one of them leaves, then to the other. */
typedef struct Call {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool returned;  /* the function has */
    bool abandoned; /* the caller waits no longer */
    void (*function)(void *argument);
    void (*destroy)(void *argument);
    void *argument;
} Call;

static int call_create(Call **call_out)
{
    Call *call = calloc(1, sizeof(*call));
    if (!call)
        return -ENOMEM;
    if (pthread_mutex_init(&call->lock, NULL)) {
        free(call);
        return -ENOMEM;
    }
    deadline_cond_init(&call->changed);
    *call_out = call;
    return 0;
}

static void call_destroy(Call *call)
{
    pthread_mutex_destroy(&call->lock);
    pthread_cond_destroy(&call->changed);
    free(call);
}

static void *run(void *argument)
{
    Call *call = argument;
    call->function(call->argument);
    pthread_mutex_lock(&call->lock);
    call->returned = true;
    bool abandoned = call->abandoned;
    pthread_cond_signal(&call->changed);
    pthread_mutex_unlock(&call->lock);
    if (abandoned) {
        call->destroy(call->argument);
        call_destroy(call);
    }
    return NULL;
}

/* With all signals blocked: handlers of the host run on its own threads. */
static int start(Call *call, pthread_t *thread)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(thread, NULL, run, call);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed ? -ENOMEM : 0;
}

/* Until the function has returned, or is late: then the call is its thread's. */
static bool wait_for_return(Call *call, pthread_t thread, unsigned milliseconds)
{
    Patience patience;
    patience_begin(&patience, thread, milliseconds);
    pthread_mutex_lock(&call->lock);
    for (int64_t left = milliseconds; !call->returned && left > 0;) {
        const unsigned pause = patience_pause(&patience);
        const struct timespec deadline = deadline_after(left < pause ? (unsigned)left : pause);
        pthread_cond_timedwait(&call->changed, &call->lock, &deadline);
        if (call->returned)
            break;
        pthread_mutex_unlock(&call->lock);
        left = patience_left(&patience);
        pthread_mutex_lock(&call->lock);
    }
    bool returned = call->returned;
    call->abandoned = !returned;
    pthread_mutex_unlock(&call->lock);
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

    pthread_t thread;
    err = start(call, &thread);
    if (err < 0) {
        call_destroy(call);
        return err;
    }
    bool returned = wait_for_return(call, thread, milliseconds);
    if (!returned) {
        pthread_detach(thread);
        return -ETIMEDOUT;
    }
    pthread_join(thread, NULL);
    call_destroy(call);
    return 0;
}
