/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_QUEUE_LOAD_BALANCE_H
#define CORE_ENGINE_QUEUE_LOAD_BALANCE_H

/*
 * How fast devices and one worker of the CPU score a frame. While frames keep coming, all of them
 * take what they can. Each of the last frames of a run goes to the one that would finish it first,
 * so that the end does not wait for the slower; and the end may come at any time, so that a device
 * which is much slower than another takes fewer frames ahead. Of all that may take a frame at least
 * one never leaves it to the others: they never wait for each other.
 */

#include "engine/requests/work_list.h"

enum {
    BALANCE_DEVICES_MAX = 64,
    FRAMES_AHEAD = 32, /* that others may score while a device scores those that it has */
};

/* A device that takes whole frames. */
typedef struct DevicePace {
    RequestMask requests; /* that it computes; empty: it does not take part */
    unsigned n_held;      /* frames that it has */
    double us;            /* from one of its answers to the next; 0: it has given none */
    int64_t last_answer;  /* when that was */
} DevicePace;

typedef struct LoadBalance {
    bool ending;        /* no more frames will come */
    RequestMask shared; /* requests that a device and the CPU may take; empty: there are none */
    DevicePace devices[BALANCE_DEVICES_MAX]; /* by number */
    unsigned n_devices;                      /* numbers in use */
    double *unit_us;                         /* of the CPU, by unit */
    int64_t worked_us;                       /* of the CPU in all, added up over its workers */
} LoadBalance;

/* How far a run has come. */
typedef struct RunProgress {
    uint64_t n_submitted, n_retired; /* frames */
    int64_t worked_us;
    uint64_t
        n_by_backend; /* of the retired ones: those of which a backend has computed something */
} RunProgress;

/* 0, -ENOMEM. */
int load_balance_init(LoadBalance *balance, const WorkList *work);
void load_balance_clear(LoadBalance *balance);

void load_balance_note_work(LoadBalance *balance, unsigned unit, int64_t microseconds);
/* `now` and `claimed_at` are of one clock. */
void load_balance_note_answer(DevicePace *pace, int64_t claimed_at, int64_t now);

/* Microseconds of scoring that are likely to be left for so many workers: what waits, at the speed
 * so far; at least as much as was done, since a run that has lasted some time is likely to last as
 * long again. */
int64_t run_left_us(const RunProgress *progress, unsigned n_workers);

/* True if the devices that compute anything of `wanted` would finish the n-th frame (from 1) of
 * those that are not begun sooner than a worker of the CPU that begins with it now. */
bool load_balance_devices_are_sooner(const LoadBalance *balance, const WorkList *work,
                                     const RequestMask *wanted, unsigned n);
/* True if a device that has frames should finish some before it takes another one: else a faster
 * one would be FRAMES_AHEAD frames further by then, or might be, for all that is known. */
bool load_balance_device_has_enough(const LoadBalance *balance, unsigned device);
/* True if other devices that compute at least as much, and `n_workers` workers of the CPU, would
 * finish all `n_left` frames that are not begun before this device finished one of them. */
bool load_balance_device_is_later(const LoadBalance *balance, const WorkList *work, unsigned device,
                                  unsigned n_workers, unsigned n_left);

#endif
