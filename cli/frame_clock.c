/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "frame_clock.h"

#include <math.h>
#include <stdlib.h>

void frame_clock_start(FrameClock *clock, double rate, unsigned passed_over)
{
    *clock = (FrameClock){.rate = rate, .passed_over = passed_over};
    vmaf_mutex_init(&clock->lock);
}

void frame_clock_free(FrameClock *clock)
{
    free(clock->times);
    *clock = (FrameClock){.rate = 0};
}

static double by_rate(const FrameClock *clock, unsigned frame)
{
    return clock->rate > 0 ? ((double)clock->passed_over + frame) / clock->rate : NAN;
}

/* Without memory it is as if the file did not say. */
static bool append(FrameClock *clock, double seconds)
{
    if (clock->count == clock->capacity) {
        const unsigned capacity = clock->capacity ? 2 * clock->capacity : 1024;
        double *moved = reallocarray(clock->times, capacity, sizeof(*moved));
        if (!moved)
            return false;
        clock->times = moved;
        clock->capacity = capacity;
    }
    clock->times[clock->count++] = seconds;
    return true;
}

void frame_clock_add(FrameClock *clock, unsigned frame, double seconds)
{
    vmaf_mutex_lock(&clock->lock);
    bool goes_on = !isnan(seconds);
    while (goes_on && clock->count <= frame)
        goes_on = append(clock, clock->count == frame ? seconds : NAN);
    vmaf_mutex_unlock(&clock->lock);
}

double frame_clock_at(FrameClock *clock, unsigned frame)
{
    vmaf_mutex_lock(&clock->lock);
    const bool is_said = frame < clock->count && !isnan(clock->times[frame]);
    const double seconds = is_said ? clock->times[frame] : by_rate(clock, frame);
    vmaf_mutex_unlock(&clock->lock);
    return seconds;
}

bool frame_clock_is_plain(FrameClock *clock)
{
    vmaf_mutex_lock(&clock->lock);
    const bool is_plain = !clock->count && !clock->passed_over;
    vmaf_mutex_unlock(&clock->lock);
    return is_plain;
}
