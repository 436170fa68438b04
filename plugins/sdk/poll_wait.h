/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_POLL_WAIT_H
#define VMAF_SDK_POLL_WAIT_H

#include <stdint.h>

/*
 * Waits with a time limit, for layers whose API can only be polled. `ask` returns 0 once the
 * awaited event has happened, -EAGAIN before that, or an error; it is called at least once, and
 * again after pauses of an eighth of the time waited so far, from 10 microseconds to a millisecond:
 * short waits end soon, long ones cost no processor time.
 *
 * Returns what `ask` returned, or -ETIMEDOUT once timeout_ns (UINT64_MAX: no limit) has passed.
 */
int vmaf_poll_wait(int (*ask)(void *cookie), void *cookie, uint64_t timeout_ns);

#endif
