/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/pace.h"

#include <errno.h>
#include <stdlib.h>

#include "platform/time.h"

/* Weight of a new measurement in the running mean. */
static const double newest = 0.25;

int pace_init(Pace *pace, const WorkPlan *plan)
{
    *pace = (Pace){.unit_us = calloc(plan->n_units + 1, sizeof(*pace->unit_us))};
    return pace->unit_us ? 0 : -ENOMEM;
}

void pace_clear(Pace *pace)
{
    free(pace->unit_us);
    *pace = (Pace){0};
}

static void average(double *mean, int64_t microseconds)
{
    *mean += (*mean > 0 ? newest : 1) * ((double)microseconds - *mean);
}

void pace_note_work(Pace *pace, unsigned unit, int64_t microseconds)
{
    average(&pace->unit_us[unit], microseconds);
    pace->worked_us += microseconds;
}

void pace_note_answer(Pace *pace, int64_t claimed_at)
{
    int64_t now = vmaf_steady_us();
    /* With several frames in flight the time between answers counts, not that of each frame. */
    average(&pace->backend_us,
            now - (pace->last_answer > claimed_at ? pace->last_answer : claimed_at));
    pace->last_answer = now;
}

int64_t pace_left_us(const PaceProgress *progress, unsigned n_workers)
{
    const int64_t done = progress->worked_us / (n_workers ? n_workers : 1);
    const uint64_t n_waiting = progress->n_submitted - progress->n_retired;
    if (!progress->n_retired)
        return done;
    const double waiting = (double)done / (double)progress->n_retired * (double)n_waiting;
    return waiting > (double)done ? (int64_t)waiting : done;
}

static double cpu_us(const Pace *pace, const WorkPlan *plan)
{
    double sum = 0;
    for (unsigned u = 0; u < plan->n_units; u++) {
        RequestMask both = mask_and(plan->units[u].requests, &pace->shared);
        if (!mask_empty(&both))
            sum += pace->unit_us[u];
    }
    return sum;
}

bool pace_backend_is_sooner(const Pace *pace, const WorkPlan *plan, unsigned n)
{
    return (pace->n_held + n) * pace->backend_us < cpu_us(pace, plan);
}

bool pace_backend_is_later(const Pace *pace, const WorkPlan *plan, unsigned n)
{
    return (pace->n_held + n) * pace->backend_us > cpu_us(pace, plan);
}
