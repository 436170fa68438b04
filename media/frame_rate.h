/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_FRAME_RATE_H
#define MEDIA_FRAME_RATE_H

/* Frames a second, judged by the times at which frames are shown: headers of containers may lie. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct FrameRateTimes {
    const int64_t *ticks; /* ascending */
    size_t n;
    int num, den; /* a tick is num / den seconds */
} FrameRateTimes;

typedef struct MediaRate {
    int num, den; /* 0/0: unknown */
} MediaRate;

/*
 * The rate that the times follow but for rounding: the one that is told, a usual one, or the
 * average. False: they follow none, and the rate is the average, or, of less than two frames, what
 * is told.
 */
bool frame_rate_judge(const FrameRateTimes *times, MediaRate told, MediaRate *rate);

#endif
