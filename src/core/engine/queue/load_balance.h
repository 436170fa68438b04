/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_QUEUE_LOAD_BALANCE_H
#define CORE_ENGINE_QUEUE_LOAD_BALANCE_H

/*
 * How fast a backend and one worker of the CPU score a frame. While frames keep coming, backend and
 * workers take what they can. Each of the last frames of a run goes to the one that would finish it
 * first, so that the end does not wait for the slower. At most one of the two rules below holds for
 * a frame: backend and CPU never leave it to each other.
 */

#include "engine/requests/work_list.h"

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
    uint64_t n_by_backend; /* of the retired ones: those of which a backend has computed something */
} RunProgress;

/* 0, -ENOMEM. */
int load_balance_init(LoadBalance *balance, const WorkList *work);
void load_balance_clear(LoadBalance *balance);

void load_balance_note_work(LoadBalance *balance, unsigned unit, int64_t microseconds);
void load_balance_note_answer(LoadBalance *balance, int64_t claimed_at);

/* Microseconds of scoring that are likely to be left for so many workers: what waits, at the speed
 * so far; at least as much as was done, since a run that has lasted some time is likely to last as
 * long again. */
int64_t run_left_us(const RunProgress *progress, unsigned n_workers);

/* Whether the backend would finish the n-th frame (from 1) of those that are not begun sooner, or
 * later, than a worker of the CPU that begins with it now. */
bool load_balance_backend_is_sooner(const LoadBalance *balance, const WorkList *work, unsigned n);
bool load_balance_backend_is_later(const LoadBalance *balance, const WorkList *work, unsigned n);

#endif
