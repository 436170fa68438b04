/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_THREAD_TIMES_H
#define VMAF_PLATFORM_THREAD_TIMES_H

/* Processor time of threads that somebody else has started. */

#include <stdint.h>

/* A moment with which the starts of threads are compared; INT64_MAX if the system has none. */
int64_t vmaf_thread_times_now(void);

/*
 * Processor time, in us, that threads have consumed which were started at that moment or later: all
 * but the one that asks, the first of the process, and those whose name is `except`. 0 if the
 * system does not tell.
 */
int64_t vmaf_thread_times_since(int64_t moment, const char *except);

#endif
