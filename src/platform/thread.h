/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_THREAD_H
#define VMAF_PLATFORM_THREAD_H

/*
 * Threads, mutexes and conditions. The types are as large as any system needs, so that none of its
 * headers shows here. Functions that can fail return a negative errno.
 */

#include <stdbool.h>
#include <stdint.h>

#include "platform/time.h"

typedef union VmafMutex {
    void *alignment[8];
    unsigned char bytes[64];
} VmafMutex;

typedef union VmafCondition {
    uint64_t alignment[8];
    unsigned char bytes[64];
} VmafCondition;

typedef union VmafThread {
    void *alignment;
    unsigned char bytes[8];
} VmafThread;

/* For static ones, which need no vmaf_mutex_init. */
#define VMAF_MUTEX_INITIALIZER                                                                     \
    {                                                                                              \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

int vmaf_mutex_init(VmafMutex *mutex);
void vmaf_mutex_destroy(VmafMutex *mutex);
void vmaf_mutex_lock(VmafMutex *mutex);
void vmaf_mutex_unlock(VmafMutex *mutex);

int vmaf_condition_init(VmafCondition *condition);
void vmaf_condition_destroy(VmafCondition *condition);
void vmaf_condition_signal(VmafCondition *condition);
void vmaf_condition_broadcast(VmafCondition *condition);
/* Both may return for no reason, with the mutex locked. */
void vmaf_condition_wait(VmafCondition *condition, VmafMutex *mutex);
/* -ETIMEDOUT once the deadline has passed, else 0; setting the time of day changes nothing. */
int vmaf_condition_wait_until(VmafCondition *condition, VmafMutex *mutex, VmafDeadline deadline);

/*
 * The thread blocks all signals, which are the business of the host program's threads, and has a
 * stack of 2 MiB or more (Windows: what the program says, 1 MiB unless it was linked otherwise).
 * Each must be joined or detached once. -EAGAIN if there cannot be more of them.
 */
int vmaf_thread_start(VmafThread *thread, void *(*function)(void *argument), void *argument);
void vmaf_thread_join(VmafThread thread);
void vmaf_thread_detach(VmafThread thread);
VmafThread vmaf_thread_self(void);
bool vmaf_thread_equal(VmafThread one, VmafThread other);
/* What the system calls the calling thread; 0: it has no numbers. */
uint32_t vmaf_thread_number(void);
/* Names the calling thread, for debuggers and vmaf_thread_times_since: at most 15 bytes. */
void vmaf_thread_set_name(const char *name);
/* Processor time that a thread which is not joined has consumed; 0 if it cannot be told. */
int64_t vmaf_thread_time_of_us(VmafThread thread);

/* ---- Processor time of threads that somebody else has started ---- */

/* A moment with which the starts of threads are compared; INT64_MAX if the system has none. */
int64_t vmaf_thread_times_now(void);

/*
 * Processor time, in us, that threads have consumed which were started at that moment or later: all
 * but the one that asks, the first of the process, and those whose name is `except`. 0 if the
 * system does not tell.
 */
int64_t vmaf_thread_times_since(int64_t moment, const char *except);

#endif
