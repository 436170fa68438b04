/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENGINE_SAMPLING_H
#define TUNE_ENGINE_SAMPLING_H

/* Chooses frames of a video that stand for all of it. */

#include "tune/engine/shots.h"

#include <stddef.h>

typedef struct FrameRate {
    int numerator, denominator; /* frames, in seconds; both above 0 */
} FrameRate;

typedef struct SampleWindow {
    size_t first, frames;
    size_t stands_for; /* frames of the video: its weight */
} SampleWindow;

/*
 * n_windows windows of together `seconds`, of a video of `frames` frames: one is in the middle,
 * more are in the middles of as many parts. All frames are one window if seconds is 0 or the video
 * is no longer. Windows are ascending and do not overlap; windows has room for n_windows. Their
 * number; -EINVAL if there are no frames, no windows or the rate is not positive.
 */
int sample_by_time(size_t frames, FrameRate rate, double seconds, size_t n_windows,
                   SampleWindow *windows);

/*
 * The same budget, by content: shots are put in order of what they are likely to need (their motion
 * and complexity), and n_windows of them are taken at equal distances in frames of that order. A
 * window is in the middle of its shot, or of its part of a long one, and never crosses a cut.
 * Ascending, without overlap. Their number, which is smaller where shots are few and short;
 * -EINVAL; -ENOMEM.
 */
int sample_by_shots(const Shot *shots, size_t n_shots, FrameRate rate, double seconds,
                    size_t n_windows, SampleWindow *windows);

/* Mean score of the video from those of its windows, weighted by what they stand for. */
double sampled_mean(const SampleWindow *windows, const double *scores, size_t n);

#endif
