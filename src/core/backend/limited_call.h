/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_LIMITED_CALL_H
#define CORE_BACKEND_LIMITED_CALL_H

/*
 * Runs function(argument) on a thread of its own, with all signals blocked, and waits for it. 0: it
 * has returned. -ENOMEM: it could not be started. In both cases the caller still owns the argument.
 * -ETIMEDOUT: it has not returned after `milliseconds` in which it consumed next to no processor
 * time, or after ten times as long (processor_time.h). Then the thread continues alone, owns the
 * argument, and calls destroy(argument) if it ever returns.
 */
int limited_call(void (*function)(void *argument), void *argument, void (*destroy)(void *argument),
                 unsigned milliseconds);

#endif
