/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_LIMITED_CALL_H
#define CORE_BACKEND_LIMITED_CALL_H

/*
 * Runs function(argument) on a thread of its own, with all signals blocked, and waits for it.
 * 0 when it has returned; -ETIMEDOUT if it has not after `milliseconds` in which it consumed next
 * to no processor time, or after ten times as long (processor_time.h): then the thread goes on
 * alone and calls destroy(argument) if it ever returns, so `argument` is no longer the caller's;
 * -ENOMEM if it could not be started. On 0 and -ENOMEM the argument stays the caller's.
 */
int limited_call(void (*function)(void *argument), void *argument, void (*destroy)(void *argument),
                 unsigned milliseconds);

#endif
