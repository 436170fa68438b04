/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_TIME_H
#define VMAF_PLATFORM_TIME_H

/* Clocks. All functions may be called from any thread. */

#include <stdint.h>

/* Time that goes on steadily, whatever is done to the clock on the wall; from some fixed moment. */
int64_t vmaf_steady_ns(void);
int64_t vmaf_steady_us(void);
int64_t vmaf_steady_ms(void);

/* A moment of the steady clock, for vmaf_condition_wait_until. */
typedef struct VmafDeadline {
    int64_t ns;
} VmafDeadline;

VmafDeadline vmaf_deadline_after(unsigned milliseconds);

/* Processor time that the process, or the calling thread, has consumed. */
int64_t vmaf_process_time_us(void);
int64_t vmaf_thread_time_us(void);

/* What clock() of C libraries measures, but exactly: processor time of the process; on Windows,
 * whose processor times have ticks of milliseconds, time that passes. */
int64_t vmaf_clock_us(void);

/* Since 1970 as far as the machine knows, to tell names apart; 0 if it does not. */
int64_t vmaf_time_of_day_ns(void);

/* Less if a signal arrives. */
void vmaf_sleep_ns(uint64_t nanoseconds);

#endif
