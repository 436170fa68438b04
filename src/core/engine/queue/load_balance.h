/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_QUEUE_LOAD_BALANCE_H
#define CORE_ENGINE_QUEUE_LOAD_BALANCE_H

/*
 * How fast a backend and one worker of the CPU score a frame. While frames keep coming, backend and
 * workers take what they can; the last ones of a run go to who would finish them first, so that
 * nobody waits long for the slower. Of a frame exactly one of the two rules below holds, or none:
 * they never leave it to each other.
 */

#include "engine/work/work_list.h"

typedef struct LoadBalance {
    bool ending;         /* no more frames will come */
    RequestMask shared;  /* requests that both may take; empty: there is no such backend */
    unsigned n_held;     /* frames that the backend has */
    double backend_us;   /* from one of its answers to the next */
    int64_t last_answer; /* when that was */
    double *unit_us;     /* of the CPU, by unit */
    int64_t worked_us;   /* of the CPU in all, added up over its workers */
} LoadBalance;

/* How far a run has come. */
typedef struct RunProgress {
    uint64_t n_submitted, n_retired; /* frames */
    int64_t worked_us;
} RunProgress;

/* 0, -ENOMEM. */
int load_balance_init(LoadBalance *balance, const WorkList *work);
void load_balance_clear(LoadBalance *balance);

void load_balance_note_work(LoadBalance *balance, unsigned unit, int64_t microseconds);
void load_balance_note_answer(LoadBalance *balance, int64_t claimed_at);

/* Microseconds of scoring that are likely to be left for so many workers: what waits, at the speed
 * so far, but no less than what was done already, for a run that has lasted some time is likely to
 * last as long again. */
int64_t run_left_us(const RunProgress *progress, unsigned n_workers);

/* Whether the backend would be done with the n-th of the frames that nobody has begun with (from 1)
 * sooner than a worker of the CPU that begins with it now, or later. */
bool load_balance_backend_is_sooner(const LoadBalance *balance, const WorkList *work, unsigned n);
bool load_balance_backend_is_later(const LoadBalance *balance, const WorkList *work, unsigned n);

#endif
