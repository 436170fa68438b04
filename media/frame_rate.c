/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/module_interface.h"

#include <limits.h>
#include <math.h>

/* Two times that are rounded are at most a tick nearer or further. */
static bool follow(const FrameRateTimes *times, MediaRate rate)
{
    const double frame = (double)rate.den / rate.num, tick = (double)times->num / times->den;
    const double tolerance = fmin(1.001 * tick, frame / 4);
    for (size_t i = 0; i < times->n; i++) {
        const double shown = (double)(times->ticks[i] - times->ticks[0]) * tick;
        if (!(fabs(shown - (double)i * frame) <= tolerance))
            return false;
    }
    return true;
}

static MediaRate average(const FrameRateTimes *times)
{
    const int64_t ticks = times->ticks[times->n - 1] - times->ticks[0];
    const double seconds = (double)ticks * times->num / times->den;
    const double rate = (double)(times->n - 1) / seconds;
    long long num = (long long)(times->n - 1) * times->den, den = ticks * times->num;
    for (long long a = num, b = den, rest; b; a = b, b = rest) {
        rest = a % b;
        if (!rest) {
            num /= b;
            den /= b;
        }
    }
    if (num <= INT_MAX && den <= INT_MAX)
        return (MediaRate){(int)num, (int)den};
    return rate > 1 ? (MediaRate){(int)lround(fmin(rate, 1e4) * 1e5), 100000}
                    : (MediaRate){100000, (int)lround(fmin(1 / rate, 1e4) * 1e5)};
}

bool frame_rate_judge(const FrameRateTimes *times, MediaRate stated, MediaRate *rate)
{
    *rate = stated;
    if (times->n < 2 || times->ticks[times->n - 1] <= times->ticks[0])
        return stated.num > 0;
    const MediaRate mean = average(times);
    const int whole = (int)lround(fmin((double)mean.num / mean.den, 1e4));
    const MediaRate candidates[] = {stated, {whole, 1}, {whole * 1000, 1001}, mean};
    for (size_t i = 0; i < sizeof(candidates) / sizeof(*candidates); i++) {
        *rate = candidates[i];
        if (rate->num > 0 && rate->den > 0 && follow(times, *rate))
            return true;
    }
    return false;
}
