/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_SUPPORT_DEADLINE_H
#define CORE_SUPPORT_DEADLINE_H

/* Time that goes on steadily, whatever is done to the clock on the wall. */

#include <pthread.h>
#include <stdint.h>
#include <time.h>

int64_t steady_ms(void);
int64_t steady_us(void);
/* For pthread_cond_timedwait on a condition made by deadline_cond_init. */
struct timespec deadline_after(unsigned milliseconds);
void deadline_cond_init(pthread_cond_t *condition);

#endif
