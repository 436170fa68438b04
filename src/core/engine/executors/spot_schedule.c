/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/executors/spot_schedule.h"

/* The share of one processor that checks may take while one is idle. */
static const double share_of_idle = 0.10;
/* Else the share of the process's time: a run with no idle processor loses less than 2 %. */
static const double share_of_process = 0.015;
/* A check may hold up the thread that fills the pictures of a pool and, at the end, the one that
 * waits for scores. */
static const double share_of_waiting = 0.02;
/* A thread that gets less of a processor shares it with others. */
static const double alone = 0.75;

void spot_schedule_init(SpotSchedule *schedule, unsigned every, uint64_t seed,
                        unsigned n_processors, int64_t likely_us, SpotTime now)
{
    *schedule = (SpotSchedule){
        .every = every,
        .n_processors = n_processors,
        .random = seed,
        .began = now.clock,
    };
    spot_schedule_note(schedule, now, likely_us, likely_us);
}

/* splitmix64 (Steele, Lea and Flood, 2014). */
static uint64_t next_random(SpotSchedule *schedule)
{
    uint64_t z = schedule->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

bool spot_schedule_draws(SpotSchedule *schedule, int64_t age)
{
    unsigned every = schedule->every;
    if (every <= 1)
        return every == 1;
    if (age < SPOT_EARLY_US)
        every = every > SPOT_EARLY_FACTOR ? every / SPOT_EARLY_FACTOR : 1;
    return next_random(schedule) % every == 0;
}

/* The process leaves processors idle, and so did others during the last check. */
static bool is_idle(const SpotSchedule *schedule, SpotTime now)
{
    const double passed = (double)(now.clock - schedule->last.clock);
    const double computed = (double)(now.process - schedule->last.process);
    return schedule->was_idle && 2 * computed < passed * schedule->n_processors;
}

bool spot_schedule_affords(const SpotSchedule *schedule, bool scarce, SpotTime now)
{
    if (schedule->every == 1)
        return true;
    if (now.clock < schedule->next_by_clock || (scarce && now.clock < schedule->next_by_hold))
        return false;
    return now.process >= schedule->next_by_process || is_idle(schedule, now);
}

void spot_schedule_note(SpotSchedule *schedule, SpotTime began, int64_t processor_us,
                        int64_t held_us)
{
    schedule->last = began;
    schedule->was_idle = (double)processor_us >= alone * (double)held_us;
    schedule->next_by_clock = began.clock + (int64_t)((double)processor_us / share_of_idle);
    schedule->next_by_process = began.process + (int64_t)((double)processor_us / share_of_process);
    schedule->next_by_hold = began.clock + (int64_t)((double)held_us / share_of_waiting);
}

int64_t spot_schedule_patience(const SpotSchedule *schedule, int64_t clock)
{
    if (schedule->every == 1)
        return -1;
    return (int64_t)((double)(clock - schedule->began) * share_of_waiting);
}
