/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_PROCESSOR_TIME_H
#define CORE_BACKEND_PROCESSOR_TIME_H

/*
 * Time limits of calls into plugins. They measure progress, so that a busy machine is not taken for
 * a plugin that hangs: as long as the call consumes processor time the limit begins anew, up to
 * PATIENCE_MAX times in all. A call that sleeps is judged by the clock alone.
 *
 * What counts is the time of the thread that is in the call, and of threads that plugins may have
 * created: all that were started after the first plugin was loaded, without the thread that waits
 * and those that score frames. Threads that the host starts after that count as well, since nobody
 * can tell them from a plugin's: while they are busy, a call that sleeps may be given up late.
 */

#include <stdbool.h>
#include <stdint.h>

#include "platform/thread.h"

enum { PATIENCE_MAX = 10 };

typedef struct Patience {
    unsigned limit;    /* ms */
    VmafThread caller; /* the thread in the call */
    int64_t begun;     /* vmaf_steady_ms */
    int64_t renewed;   /* the last time at which progress was seen, or begun */
    int64_t consumed;  /* us of processor time, then; INT64_MAX: not known yet */
} Patience;

/* For a call that begins now on the thread `caller`, which must not be joined before the last
 * call of patience_left. */
void patience_begin(Patience *patience, VmafThread caller, unsigned milliseconds);
/* Milliseconds until the call is late, as far as can be said now; 0 or less: it is. */
int64_t patience_left(Patience *patience);
/* How long to wait, at most, before patience_left is asked again. */
unsigned patience_pause(const Patience *patience);

/* The calling thread scores frames: what it consumes is no plugin's progress. Names it. */
void processor_time_is_ours(void);
/* A plugin is about to be loaded. */
void processor_time_plugins_begin(void);

#endif
