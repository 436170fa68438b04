/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/engine/sampling.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

static double fps_of(FrameRate rate)
{
    return (double)rate.numerator / rate.denominator;
}

static int check(size_t frames, FrameRate rate, double seconds, size_t n_windows)
{
    const bool ok = frames && frames <= INT_MAX && n_windows && n_windows <= INT_MAX &&
                    rate.numerator > 0 && rate.denominator > 0 && seconds >= 0 && isfinite(seconds);
    return ok ? 0 : -EINVAL;
}

/* Frames of a window: at least 1, and no more than there are. */
static size_t window_frames(double fps, double seconds, size_t n_windows, size_t frames)
{
    const double wanted = rint(seconds / (double)n_windows * fps);
    if (wanted >= (double)frames)
        return frames;
    return wanted < 1 ? 1 : (size_t)wanted;
}

int sample_by_time(size_t frames, FrameRate rate, double seconds, size_t n_windows,
                   SampleWindow *windows)
{
    if (check(frames, rate, seconds, n_windows))
        return -EINVAL;
    const double fps = fps_of(rate), duration = (double)frames / fps;
    if (!(seconds > 0) || seconds >= duration) {
        windows[0] = (SampleWindow){.frames = frames, .stands_for = frames};
        return 1;
    }
    const double length = seconds / (double)n_windows;
    size_t n = 0, end = 0;
    for (size_t i = 0; i < n_windows; i++) {
        const double centre = ((double)i + 0.5) * duration / (double)n_windows;
        const size_t count = window_frames(fps, seconds, n_windows, frames);
        size_t first = (size_t)rint(fmax(0, centre - length / 2) * fps);
        if (first < end)
            first = end;
        if (first + count > frames)
            break;
        windows[n++] = (SampleWindow){.first = first, .frames = count};
        end = first + count;
    }
    for (size_t i = 0; i < n; i++)
        windows[i].stands_for = frames * (i + 1) / n - frames * i / n;
    return (int)n;
}

typedef struct RankedShot {
    double need;
    size_t shot;
    size_t times; /* windows that it gets */
} RankedShot;

static int compare_need(const void *a, const void *b)
{
    const RankedShot *x = a, *y = b;
    if (x->need != y->need)
        return x->need > y->need ? 1 : -1;
    return (x->shot > y->shot) - (x->shot < y->shot);
}

static int compare_windows(const void *a, const void *b)
{
    const SampleWindow *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

static RankedShot *rank_shots(const Shot *shots, size_t n)
{
    RankedShot *ranked = calloc(n, sizeof(*ranked));
    for (size_t i = 0; ranked && i < n; i++) {
        /* What moves and what has detail costs bits; of either, ratios matter. */
        const double need = log(shots[i].motion + 1e-3) + log(shots[i].complexity + 1e-3);
        ranked[i] = (RankedShot){.need = need, .shot = i};
    }
    if (ranked)
        qsort(ranked, n, sizeof(*ranked), compare_need);
    return ranked;
}

/* Windows in the middles of as many parts of a shot: fewer if they would not fit. */
static size_t put_windows(const Shot *shot, size_t times, size_t count, size_t stands_for,
                          SampleWindow *windows)
{
    const size_t frames = shot_frames(shot);
    if (count > frames)
        count = frames;
    const size_t fitting = frames / count < times ? frames / count : times;
    for (size_t i = 0; i < fitting; i++) {
        const size_t from = frames * i / fitting, to = frames * (i + 1) / fitting;
        windows[i] = (SampleWindow){
            .first = shot->first + from + (to - from - count) / 2,
            .frames = count,
            .stands_for = stands_for * (i + 1) / fitting - stands_for * i / fitting,
        };
    }
    return fitting;
}

/* Every shot that holds a place at (i + 1/2) / n_windows of all frames, in their order, gets a
 * window. */
static void take_shots(const Shot *shots, RankedShot *ranked, size_t n, size_t frames,
                       size_t n_windows)
{
    size_t before = 0, taken = 0;
    for (size_t i = 0; i < n; i++) {
        before += shot_frames(&shots[ranked[i].shot]);
        while (taken < n_windows && (2 * taken + 1) * frames < 2 * before * n_windows) {
            ranked[i].times++;
            taken++;
        }
    }
}

int sample_by_shots(const Shot *shots, size_t n_shots, FrameRate rate, double seconds,
                    size_t n_windows, SampleWindow *windows)
{
    size_t frames = 0;
    for (size_t i = 0; i < n_shots; i++) {
        if (shots[i].end <= shots[i].first)
            return -EINVAL;
        frames += shot_frames(&shots[i]);
    }
    if (check(frames, rate, seconds, n_windows))
        return -EINVAL;
    const double fps = fps_of(rate);
    if (!(seconds > 0) || seconds * fps >= (double)frames)
        return sample_by_time(frames, rate, 0, n_windows, windows);
    RankedShot *ranked = rank_shots(shots, n_shots);
    if (!ranked)
        return -ENOMEM;
    take_shots(shots, ranked, n_shots, frames, n_windows);
    const size_t count = window_frames(fps, seconds, n_windows, frames);
    size_t n = 0, taken = 0;
    for (size_t i = 0; i < n_shots; i++) {
        const size_t times = ranked[i].times;
        if (!times)
            continue;
        const size_t from = frames * taken / n_windows, to = frames * (taken + times) / n_windows;
        n += put_windows(&shots[ranked[i].shot], times, count, to - from, windows + n);
        taken += times;
    }
    free(ranked);
    qsort(windows, n, sizeof(*windows), compare_windows);
    return (int)n;
}

double sampled_mean(const SampleWindow *windows, const double *scores, size_t n)
{
    double sum = 0, weight = 0;
    for (size_t i = 0; i < n; i++) {
        sum += scores[i] * (double)windows[i].stands_for;
        weight += (double)windows[i].stands_for;
    }
    return sum / weight;
}
