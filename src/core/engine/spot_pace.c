/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/spot_pace.h"

/* Of one processor, while there is one with nothing to do; */
static const double share_of_idle = 0.10;
/* of the process's time else, since a run that computes as much as it can is to lose less than 2 %.
 */
static const double share_of_process = 0.015;
/* As long as a check holds pictures of a pool, who fills them may have to wait. And so does, at
 * the end, who waits for the scores. */
static const double share_of_waiting = 0.02;
/* A thread that gets less of a processor than that shares it with others. */
static const double alone = 0.75;

void spot_pace_init(SpotPace *pace, unsigned every, uint64_t seed, unsigned n_processors,
                    int64_t likely_us, SpotTime now)
{
    *pace = (SpotPace){
        .every = every,
        .n_processors = n_processors,
        .random = seed,
        .began = now.clock,
    };
    spot_pace_note(pace, now, likely_us, likely_us);
}

/* splitmix64 (Steele, Lea and Flood, 2014). */
static uint64_t next_random(SpotPace *pace)
{
    uint64_t z = pace->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

bool spot_pace_draws(SpotPace *pace, int64_t clock)
{
    unsigned every = pace->every;
    if (every <= 1)
        return every == 1;
    if (clock - pace->began < SPOT_EARLY_US)
        every = every > SPOT_EARLY_FACTOR ? every / SPOT_EARLY_FACTOR : 1;
    return next_random(pace) % every == 0;
}

/* The process leaves processors idle, and so did others when that could be seen last. */
static bool is_idle(const SpotPace *pace, SpotTime now)
{
    const double passed = (double)(now.clock - pace->last.clock);
    const double computed = (double)(now.process - pace->last.process);
    return pace->was_idle && 2 * computed < passed * pace->n_processors;
}

bool spot_pace_affords(const SpotPace *pace, bool scarce, SpotTime now)
{
    if (pace->every == 1)
        return true;
    if (now.clock < pace->next_by_clock || (scarce && now.clock < pace->next_by_hold))
        return false;
    return now.process >= pace->next_by_process || is_idle(pace, now);
}

void spot_pace_note(SpotPace *pace, SpotTime began, int64_t processor_us, int64_t held_us)
{
    pace->last = began;
    pace->was_idle = (double)processor_us >= alone * (double)held_us;
    pace->next_by_clock = began.clock + (int64_t)((double)processor_us / share_of_idle);
    pace->next_by_process = began.process + (int64_t)((double)processor_us / share_of_process);
    pace->next_by_hold = began.clock + (int64_t)((double)held_us / share_of_waiting);
}

int64_t spot_pace_patience(const SpotPace *pace, int64_t clock)
{
    if (pace->every == 1)
        return -1;
    return (int64_t)((double)(clock - pace->began) * share_of_waiting);
}
