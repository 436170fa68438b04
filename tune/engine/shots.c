/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/engine/shots.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

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
