/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/limited_call.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

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
    pthread_condattr_t attributes;
    Call *call = calloc(1, sizeof(*call));
    if (!call || pthread_condattr_init(&attributes))
        goto fail;
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    int failed = pthread_cond_init(&call->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    if (failed)
        goto fail;
    if (pthread_mutex_init(&call->lock, NULL)) {
        pthread_cond_destroy(&call->changed);
        goto fail;
    }
    *call_out = call;
    return 0;

fail:
    free(call);
    return -ENOMEM;
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

static struct timespec deadline_after(unsigned milliseconds)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += milliseconds / 1000;
    time.tv_nsec += (long)(milliseconds % 1000) * 1000000;
    if (time.tv_nsec >= 1000000000) {
        time.tv_sec++;
        time.tv_nsec -= 1000000000;
    }
    return time;
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

    struct timespec deadline = deadline_after(milliseconds);
    pthread_t thread;
    err = start(call, &thread);
    if (err < 0) {
        call_destroy(call);
        return err;
    }
    pthread_mutex_lock(&call->lock);
    int waited = 0;
    while (!call->returned && waited != ETIMEDOUT)
        waited = pthread_cond_timedwait(&call->changed, &call->lock, &deadline);
    bool returned = call->returned;
    call->abandoned = !returned;
    pthread_mutex_unlock(&call->lock);

    if (!returned) {
        pthread_detach(thread);
        return -ETIMEDOUT;
    }
    pthread_join(thread, NULL);
    call_destroy(call);
    return 0;
}
