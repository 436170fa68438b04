/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/engine/shots.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* -- frames -- */

/* Sums over samples: integers, so that they are the same in any order. */
typedef struct LumaSums {
    uint64_t samples, squares, differences;
} LumaSums;

static const void *row_of(const LumaPlane *plane, int y)
{
    return (const char *)plane->samples + y * plane->stride;
}

static void add_row_8(const uint8_t *row, const uint8_t *before, int width, LumaSums *sums,
                      uint32_t *histogram)
{
    for (int x = 0; x < width; x++) {
        const uint32_t sample = row[x];
        sums->samples += sample;
        sums->squares += (uint64_t)sample * sample;
        histogram[sample >> 2]++;
        if (before)
            sums->differences += sample > before[x] ? sample - before[x] : before[x] - sample;
    }
}

/* Samples that are larger than their depth allows count as the largest. */
static uint32_t limited(uint16_t sample, uint32_t peak)
{
    return sample < peak ? sample : peak;
}

static void add_row_16(const uint16_t *row, const uint16_t *before, int width, int bit_depth,
                       LumaSums *sums, uint32_t *histogram)
{
    const uint32_t peak = (1u << bit_depth) - 1;
    const int shift = bit_depth - 6;
    for (int x = 0; x < width; x++) {
        const uint32_t sample = limited(row[x], peak);
        sums->samples += sample;
        sums->squares += (uint64_t)sample * sample;
        histogram[sample >> shift]++;
        if (before) {
            const uint32_t old = limited(before[x], peak);
            sums->differences += sample > old ? sample - old : old - sample;
        }
    }
}

static int check_planes(const LumaPlane *frame, const LumaPlane *before)
{
    if (frame->width < 1 || frame->height < 1 || frame->bit_depth < 8 || frame->bit_depth > 16)
        return -EINVAL;
    if (before && (before->width != frame->width || before->height != frame->height ||
                   before->bit_depth != frame->bit_depth))
        return -EINVAL;
    return 0;
}

int frame_signature(const LumaPlane *frame, const LumaPlane *before, FrameSignature *signature)
{
    if (check_planes(frame, before))
        return -EINVAL;
    LumaSums sums = {0};
    *signature = (FrameSignature){.samples = (uint64_t)frame->width * (uint64_t)frame->height};
    for (int y = 0; y < frame->height; y++) {
        const void *row = row_of(frame, y), *old = before ? row_of(before, y) : NULL;
        if (frame->bit_depth == 8)
            add_row_8(row, old, frame->width, &sums, signature->histogram);
        else
            add_row_16(row, old, frame->width, frame->bit_depth, &sums, signature->histogram);
    }
    const double peak = (1 << frame->bit_depth) - 1, n = (double)signature->samples;
    const double mean = (double)sums.samples / n / peak;
    const double variance = (double)sums.squares / n / (peak * peak) - mean * mean;
    signature->mean = mean;
    signature->complexity = variance > 0 ? variance : 0;
    signature->motion = (double)sums.differences / n / peak;
    return 0;
}

/* -- shots -- */

/* The second test of SHOTS_BY_HISTOGRAM: that part of the samples is in other bins, and there is
 * some motion at least. */
static const double histogram_part = 0.35, histogram_motion = 6;

static bool is_cut(const ShotDetector *detector, const FrameSignature *now)
{
    const double motion = now->motion * 255;
    if (motion >= detector->options.threshold)
        return true;
    if (detector->options.kind != SHOTS_BY_HISTOGRAM || motion < histogram_motion)
        return false;
    uint64_t distance = 0;
    for (int i = 0; i < SHOT_HISTOGRAM_BINS; i++) {
        const uint32_t a = now->histogram[i], b = detector->before.histogram[i];
        distance += a > b ? a - b : b - a;
    }
    return (double)distance >= histogram_part * (double)now->samples;
}

static void end_running_shot(ShotDetector *detector)
{
    Shot *shot = &detector->shots[detector->n - 1];
    shot->end = detector->frames;
    shot->complexity = detector->complexity_sum / (double)shot_frames(shot);
    shot->motion = detector->motion_sum / (double)shot_frames(shot);
}

static int begin_shot(ShotDetector *detector)
{
    if (detector->n == MAX_SHOTS)
        return -E2BIG;
    if (detector->n == detector->capacity) {
        const size_t capacity = detector->capacity ? 2 * detector->capacity : 16;
        Shot *shots = realloc(detector->shots, capacity * sizeof(*shots));
        if (!shots)
            return -ENOMEM;
        detector->shots = shots;
        detector->capacity = capacity;
    }
    if (detector->n)
        end_running_shot(detector);
    detector->shots[detector->n++] = (Shot){.first = detector->frames, .end = detector->frames};
    detector->complexity_sum = detector->motion_sum = 0;
    return 0;
}

int shot_detector_put(ShotDetector *detector, const FrameSignature *signature)
{
    const bool first = !detector->n;
    const size_t running = first ? 0 : detector->frames - detector->shots[detector->n - 1].first;
    if (first || (running >= detector->options.min_frames && is_cut(detector, signature))) {
        const int err = begin_shot(detector);
        if (err)
            return err;
    }
    detector->complexity_sum += signature->complexity;
    detector->motion_sum += signature->motion;
    detector->before = *signature;
    detector->frames++;
    return 0;
}

size_t shot_detector_finish(ShotDetector *detector, const Shot **shots)
{
    if (detector->n)
        end_running_shot(detector);
    *shots = detector->shots;
    return detector->n;
}

void shot_detector_free(ShotDetector *detector)
{
    free(detector->shots);
    *detector = (ShotDetector){0};
}

static size_t parts_of(const Shot *shot, double max_frames)
{
    const double frames = (double)shot_frames(shot), parts = ceil(frames / max_frames);
    return (size_t)fmin(parts, frames);
}

int shots_split(const Shot *shots, size_t n, double max_frames, Shot **parts)
{
    if (!(max_frames > 0))
        return -EINVAL;
    size_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += parts_of(&shots[i], max_frames);
    if (all > INT_MAX)
        return -ENOMEM;
    Shot *to = calloc(all ? all : 1, sizeof(*to));
    if (!to)
        return -ENOMEM;
    *parts = to;
    for (size_t i = 0; i < n; i++) {
        const size_t n_parts = parts_of(&shots[i], max_frames), frames = shot_frames(&shots[i]);
        for (size_t part = 0; part < n_parts; part++, to++) {
            *to = shots[i];
            to->first = shots[i].first + frames * part / n_parts;
            to->end = shots[i].first + frames * (part + 1) / n_parts;
        }
    }
    return (int)all;
}

/* How unlike two shots are: the ratios of complexity and motion, as logarithms. */
static double unlikeness(const Shot *a, const Shot *b)
{
    const double floor = 1e-4; /* below, nothing is seen */
    return fabs(log((a->complexity + floor) / (b->complexity + floor))) +
           fabs(log((a->motion + floor) / (b->motion + floor)));
}

static Shot joined(const Shot *a, const Shot *b)
{
    const double n_a = (double)shot_frames(a), n_b = (double)shot_frames(b);
    return (Shot){.first = a->first,
                  .end = b->end,
                  .complexity = (a->complexity * n_a + b->complexity * n_b) / (n_a + n_b),
                  .motion = (a->motion * n_a + b->motion * n_b) / (n_a + n_b)};
}

static size_t shortest(const Shot *shots, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (shot_frames(&shots[i]) < shot_frames(&shots[best]))
            best = i;
    return best;
}

/* Where short ones follow each other, motion was taken for cuts, or cuts are so quick that one
 * encode has several of them anyway. */
static size_t join_runs(Shot *shots, size_t n, size_t min_frames)
{
    size_t kept = 0;
    bool was_short = false;
    for (size_t i = 0; i < n; i++) {
        const bool is_short = shot_frames(&shots[i]) < min_frames;
        if (was_short && is_short)
            shots[kept - 1] = joined(&shots[kept - 1], &shots[i]);
        else
            shots[kept++] = shots[i];
        was_short = is_short;
    }
    return kept;
}

size_t shots_join_short(Shot *shots, size_t n, size_t min_frames)
{
    n = join_runs(shots, n, min_frames);
    while (n > 1) {
        const size_t i = shortest(shots, n);
        if (shot_frames(&shots[i]) >= min_frames)
            break;
        const bool with_next = !i || (i + 1 < n && unlikeness(&shots[i], &shots[i + 1]) <
                                                       unlikeness(&shots[i], &shots[i - 1]));
        const size_t left = with_next ? i : i - 1;
        shots[left] = joined(&shots[left], &shots[left + 1]);
        for (size_t k = left + 1; k + 1 < n; k++)
            shots[k] = shots[k + 1];
        n--;
    }
    return n;
}

double shot_predicted_q(const Shot *shot, const ShotPlan *plan)
{
    const double range = plan->highest - plan->lowest;
    const double duration = shot_frames(shot) < 24 ? 0.5 : 1;
    double q = plan->lowest + range / 2;
    q += 0.20 * range * fmin(1, 20 * shot->motion) * duration;
    q -= 0.20 * range * fmin(1, fmax(0, shot->complexity / 0.05));
    q -= 0.15 * range * fmin(1, fmax(0, (plan->target - 70) / 30));
    return fmin(plan->highest, fmax(plan->lowest, q));
}

/* -- windows -- */

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
