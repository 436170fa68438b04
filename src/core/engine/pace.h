/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_PACE_H
#define CORE_ENGINE_PACE_H

/*
 * How fast a backend and one worker of the CPU score a frame. While frames keep coming, backend and
 * workers take what they can; the last ones of a run go to who would finish them first, so that
 * nobody waits long for the slower. Of a frame exactly one of the two rules below holds, or none:
 * they never leave it to each other.
 */

#include "engine/work_plan.h"

typedef struct Pace {
    bool ending;         /* no more frames will come */
    RequestMask shared;  /* requests that both may take; empty: there is no such backend */
    unsigned n_held;     /* frames that the backend has */
    double backend_us;   /* from one of its answers to the next */
    int64_t last_answer; /* when that was */
    double *unit_us;     /* of the CPU, by unit of the plan */
    int64_t worked_us;   /* of the CPU in all, added up over its workers */
} Pace;

/* How far a run has come. */
typedef struct PaceProgress {
    uint64_t n_submitted, n_retired; /* frames */
    int64_t worked_us;
} PaceProgress;

/* 0, -ENOMEM. */
int pace_init(Pace *pace, const WorkPlan *plan);
void pace_clear(Pace *pace);

void pace_note_work(Pace *pace, unsigned unit, int64_t microseconds);
void pace_note_answer(Pace *pace, int64_t claimed_at);

/* Microseconds of scoring that are likely to be left for so many workers: what waits, at the speed
 * so far, but no less than what was done already, for a run that has lasted some time is likely to
 * last as long again. */
int64_t pace_left_us(const PaceProgress *progress, unsigned n_workers);

/* Whether the backend would be done with the n-th of the frames that nobody has begun with (from 1)
 * sooner than a worker of the CPU that begins with it now, or later. */
bool pace_backend_is_sooner(const Pace *pace, const WorkPlan *plan, unsigned n);
bool pace_backend_is_later(const Pace *pace, const WorkPlan *plan, unsigned n);

#endif
