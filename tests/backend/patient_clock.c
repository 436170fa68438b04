/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * The clock by which calls into plugins are late, linked in place of the library's own: it goes on
 * only as far as a thread of this process gets processor time. However busy the machine is, a call
 * that works gets as much meanwhile, so that none is late that does not hang.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

#include "backend/limited_call.h"
#include "platform/time.h"

enum { TURN_MS = 4, WORK_US = TURN_MS * 20 }; /* twice what is progress in that time */

static _Atomic(int64_t) now;
static atomic_int process; /* that goes on with it: a forked one begins anew */

int64_t __real_vmaf_steady_ms(void);
int64_t __wrap_vmaf_steady_ms(void);

static void *go_on(void *argument)
{
    processor_time_is_ours(); /* and no plugin's progress */
    for (;;) {
        const int64_t begin = vmaf_thread_time_us();
        usleep(TURN_MS * 1000);
        while (vmaf_thread_time_us() - begin < WORK_US)
            continue;
        atomic_fetch_add(&now, TURN_MS);
    }
    return argument;
}

int64_t __wrap_vmaf_steady_ms(void)
{
    pthread_t thread;
    if (atomic_exchange(&process, getpid()) != getpid() &&
        pthread_create(&thread, NULL, go_on, NULL) == 0)
        pthread_detach(thread);
    return atomic_load(&now);
}
