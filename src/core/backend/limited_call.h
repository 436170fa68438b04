/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_LIMITED_CALL_H
#define CORE_BACKEND_LIMITED_CALL_H

/*
 * Time limits of calls into plugins. They measure progress, so that a busy machine is not mistaken
 * for a plugin that hangs: as long as the call consumes processor time, the limit starts again, up
 * to CALL_LIMIT_TIMES times in all. For a call that sleeps, only the clock counts.
 *
 * The time of the calling thread counts, and that of threads that plugins may have created: all
 * threads that were started after the first plugin was loaded, except the one that waits and those
 * of the library that are always there, such as those that score frames or serve another device.
 * Other threads that the host starts later count as well, because they cannot be distinguished from
 * a plugin's: while they are busy, a call that sleeps may be given up late.
 */

#include <stdbool.h>
#include <stdint.h>

#include "platform/thread.h"

enum { CALL_LIMIT_TIMES = 10 };

/* The time limit of a call. */
typedef struct CallLimit {
    unsigned milliseconds;
    VmafThread caller; /* the thread in the call */
    VmafThread helper; /* whose time counts, too; the caller: there is none */
    int64_t begun;     /* vmaf_steady_ms */
    int64_t renewed;   /* the last time at which progress was seen, or begun */
    int64_t consumed;  /* us of processor time, then; INT64_MAX: not known yet */
    int64_t looking;   /* us of the caller's processor time that went into finding out */
} CallLimit;

/* For a call that begins now on the thread `caller`, which must not be joined before the last
 * call of call_limit_left. What another thread of the library, `helper`, does for the plugin counts
 * as well; it is the caller where there is none. */
void call_limit_begin(CallLimit *limit, VmafThread caller, VmafThread helper,
                      unsigned milliseconds);
/* Milliseconds until the call is late, as far as is known now; 0 or less if it is late. */
int64_t call_limit_left(CallLimit *limit);
/* The longest time to wait before the next call of call_limit_left. */
unsigned call_limit_pause(const CallLimit *limit);

/* The calling thread is the library's own, so its time is no plugin's progress unless it is in the
 * call. Gives it a name. */
void processor_time_is_ours(void);
/* A plugin is about to be loaded. */
void processor_time_plugins_begin(void);

/*
 * Runs function(argument) on a thread of its own, with all signals blocked, and waits for it. 0: it
 * has returned. -ENOMEM: it could not be started. In both cases the caller still owns the argument.
 * -ETIMEDOUT: it has not returned after `milliseconds` in which it consumed next to no processor
 * time, or after ten times as long (see above). Then the thread continues alone, owns the
 * argument, and calls destroy(argument), unless that is NULL, if it ever returns.
 */
int limited_call(void (*function)(void *argument), void *argument, void (*destroy)(void *argument),
                 unsigned milliseconds);

#endif
