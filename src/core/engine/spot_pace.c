/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/spot_pace.h"

/* A tenth of one processor at most, and less where there are few: all of them may be busy with the
 * run, which is to lose less than 2 %. */
static const double share_of_one = 0.10, share_of_all = 0.015;
/* As long as a check holds pictures of a pool, who fills them may have to wait. And so does, at
 * the end, who waits for the scores. */
static const double share_of_waiting = 0.02;

void spot_pace_init(SpotPace *pace, unsigned every, uint64_t seed, unsigned n_processors,
                    int64_t likely_us, int64_t now)
{
    const double share = share_of_all * n_processors;
    *pace = (SpotPace){
        .every = every,
        .share = share < share_of_one ? share : share_of_one,
        .random = seed,
        .began = now,
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

bool spot_pace_chooses(SpotPace *pace, bool scarce, int64_t now)
{
    unsigned every = pace->every;
    if (every <= 1)
        return every == 1;
    if (now - pace->began < SPOT_EARLY_US)
        every = every > SPOT_EARLY_FACTOR ? every / SPOT_EARLY_FACTOR : 1;
    if (next_random(pace) % every)
        return false;
    return now >= pace->next_by_cost && (!scarce || now >= pace->next_by_hold);
}

void spot_pace_note(SpotPace *pace, int64_t began, int64_t processor_us, int64_t held_us)
{
    pace->next_by_cost = began + (int64_t)((double)processor_us / pace->share);
    pace->next_by_hold = began + (int64_t)((double)held_us / share_of_waiting);
}

int64_t spot_pace_patience(const SpotPace *pace, int64_t now)
{
    if (pace->every == 1)
        return -1;
    return (int64_t)((double)(now - pace->began) * share_of_waiting);
}
