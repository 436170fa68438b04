/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/queue/load_balance.h"

#include <errno.h>
#include <stdlib.h>

#include "platform/time.h"

/* Weight of a new measurement in the running mean. */
static const double newest = 0.25;

int load_balance_init(LoadBalance *balance, const WorkList *work)
{
    *balance = (LoadBalance){.unit_us = calloc(work->n_units + 1, sizeof(*balance->unit_us))};
    return balance->unit_us ? 0 : -ENOMEM;
}

void load_balance_clear(LoadBalance *balance)
{
    free(balance->unit_us);
    *balance = (LoadBalance){0};
}

static void average(double *mean, int64_t microseconds)
{
    *mean += (*mean > 0 ? newest : 1) * ((double)microseconds - *mean);
}

void load_balance_note_work(LoadBalance *balance, unsigned unit, int64_t microseconds)
{
    average(&balance->unit_us[unit], microseconds);
    balance->worked_us += microseconds;
}

void load_balance_note_answer(LoadBalance *balance, int64_t claimed_at)
{
    int64_t now = vmaf_steady_us();
    /* With several frames in flight what counts is the time between answers. */
    average(&balance->backend_us,
            now - (balance->last_answer > claimed_at ? balance->last_answer : claimed_at));
    balance->last_answer = now;
}

int64_t run_left_us(const RunProgress *progress, unsigned n_workers)
{
    const int64_t done = progress->worked_us / (n_workers ? n_workers : 1);
    const uint64_t n_waiting = progress->n_submitted - progress->n_retired;
    if (!progress->n_retired)
        return done;
    const double waiting = (double)done / (double)progress->n_retired * (double)n_waiting;
    return waiting > (double)done ? (int64_t)waiting : done;
}

static double cpu_us(const LoadBalance *balance, const WorkList *work)
{
    double sum = 0;
    for (unsigned u = 0; u < work->n_units; u++) {
        RequestMask both = mask_and(work->units[u].requests, &balance->shared);
        if (!mask_empty(&both))
            sum += balance->unit_us[u];
    }
    return sum;
}

bool load_balance_backend_is_sooner(const LoadBalance *balance, const WorkList *work, unsigned n)
{
    return (balance->n_held + n) * balance->backend_us < cpu_us(balance, work);
}

bool load_balance_backend_is_later(const LoadBalance *balance, const WorkList *work, unsigned n)
{
    return (balance->n_held + n) * balance->backend_us > cpu_us(balance, work);
}
