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

static float cell_mean(const LumaPlane *frame, int column, int row)
{
    const int left = column * frame->width / SHOT_GRID_WIDTH;
    const int top = row * frame->height / SHOT_GRID_HEIGHT;
    int right = (column + 1) * frame->width / SHOT_GRID_WIDTH;
    int bottom = (row + 1) * frame->height / SHOT_GRID_HEIGHT;
    const uint32_t peak = (1u << frame->bit_depth) - 1;
    uint64_t sum = 0;
    right += right == left;
    bottom += bottom == top;
    for (int y = top; y < bottom; y++) {
        const void *samples = row_of(frame, y);
        for (int x = left; x < right; x++)
            sum += frame->bit_depth == 8 ? ((const uint8_t *)samples)[x]
                                         : limited(((const uint16_t *)samples)[x], peak);
    }
    return (float)((double)sum / ((double)(right - left) * (bottom - top)) / peak);
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
    for (int y = 0; y < SHOT_GRID_HEIGHT; y++)
        for (int x = 0; x < SHOT_GRID_WIDTH; x++)
            signature->grid[y][x] = cell_mean(frame, x, y);
    return 0;
}

/* -- what changes from frame to frame -- */

/* The second test of SHOTS_BY_HISTOGRAM: that part of the samples is in other bins, and there is
 * some motion at least. */
static const double histogram_part = 0.35, histogram_motion = 6;

static double threshold_of(const ShotOptions *options)
{
    const bool by_content = options->kind == SHOTS_BY_CONTENT;
    if (options->threshold >= 0)
        return options->threshold;
    return by_content ? SHOT_CONTENT_THRESHOLD : SHOT_DEFAULT_THRESHOLD;
}

static bool differs(const ShotOptions *options, const FrameSignature *before,
                    const FrameSignature *now)
{
    const double motion = now->motion * 255;
    if (motion >= threshold_of(options))
        return true;
    if (options->kind != SHOTS_BY_HISTOGRAM || motion < histogram_motion)
        return false;
    uint64_t distance = 0;
    for (int i = 0; i < SHOT_HISTOGRAM_BINS; i++) {
        const uint32_t a = now->histogram[i], b = before->histogram[i];
        distance += a > b ? a - b : b - a;
    }
    return (double)distance >= histogram_part * (double)now->samples;
}

/* Cells by which a picture may have moved; the standard deviation, of 1, of samples of a picture
 * that shows nothing, and of the noise in means of cells. */
enum { GRID_REACH = 3 };
static const double flat_deviation = 0.004, noise_deviation = 0.006;

/* Where both overlap, with b moved: the correlation, in which what is nearly flat counts as noise.
 */
static double correlation(const FrameSignature *a, const FrameSignature *b, int dx, int dy)
{
    const int left = dx > 0 ? dx : 0, right = SHOT_GRID_WIDTH + (dx < 0 ? dx : 0);
    const int top = dy > 0 ? dy : 0, bottom = SHOT_GRID_HEIGHT + (dy < 0 ? dy : 0);
    const double n = (right - left) * (bottom - top);
    double sum_a = 0, sum_b = 0, aa = 0, bb = 0, ab = 0;
    for (int y = top; y < bottom; y++) {
        for (int x = left; x < right; x++) {
            const double p = a->grid[y][x], q = b->grid[y - dy][x - dx];
            sum_a += p;
            sum_b += q;
            aa += p * p;
            bb += q * q;
            ab += p * q;
        }
    }
    const double noise = noise_deviation * noise_deviation;
    const double var_a = fmax(0, aa / n - sum_a * sum_a / n / n) + noise;
    const double var_b = fmax(0, bb / n - sum_b * sum_b / n / n) + noise;
    return (ab / n - sum_a * sum_b / n / n + noise) / sqrt(var_a * var_b);
}

/* 1 less the best correlation of any motion of the camera that is not too quick. */
static float content_change(const FrameSignature *a, const FrameSignature *b)
{
    double best = correlation(a, b, 0, 0);
    for (int dy = -GRID_REACH; dy <= GRID_REACH && best < 0.95; dy++)
        for (int dx = -GRID_REACH; dx <= GRID_REACH; dx++)
            best = fmax(best, correlation(a, b, dx, dy));
    return (float)(1 - fmin(1, best));
}

static int grow(ShotDetector *detector)
{
    if (detector->frames < detector->capacity)
        return 0;
    const size_t capacity = detector->capacity ? 2 * detector->capacity : 256;
    FrameChange *changes = realloc(detector->changes, capacity * sizeof(*changes));
    if (!changes)
        return -ENOMEM;
    detector->changes = changes;
    detector->capacity = capacity;
    return 0;
}

int shot_detector_put(ShotDetector *detector, const FrameSignature *signature)
{
    if (grow(detector))
        return -ENOMEM;
    const size_t t = detector->frames++;
    FrameSignature *oldest = &detector->before[t % SHOT_FLASH_FRAMES];
    const FrameSignature *before =
        &detector->before[(t + SHOT_FLASH_FRAMES - 1) % SHOT_FLASH_FRAMES];
    FrameChange change = {.complexity = signature->complexity, .motion = signature->motion};
    if (detector->options.kind == SHOTS_BY_CONTENT) {
        change.is_flat = signature->complexity < flat_deviation * flat_deviation;
        change.step = t ? content_change(before, signature) : 0;
        change.reach = t >= SHOT_FLASH_FRAMES ? content_change(oldest, signature) : change.step;
    } else {
        change.is_difference = t && differs(&detector->options, before, signature);
    }
    detector->changes[t] = change;
    *oldest = *signature;
    return 0;
}

/* -- shots -- */

/* A cut changes this many times what frames around it do on average. */
static const double neighbour_factor = 2.5;
enum { NEIGHBOURS = 6 }; /* on each side */

static double change_around(const ShotDetector *detector, size_t t)
{
    const size_t first = t > NEIGHBOURS ? t - NEIGHBOURS : 1;
    const size_t end = t + NEIGHBOURS < detector->frames ? t + NEIGHBOURS + 1 : detector->frames;
    double sum = 0, n = 0;
    for (size_t i = first; i < end; i++) {
        if (i == t)
            continue;
        sum += detector->changes[i].step;
        n++;
    }
    return n > 0 ? sum / n : 0;
}

/* The middle of flat frames between others. */
static bool is_middle_of_fade(const ShotDetector *detector, size_t t)
{
    size_t first = t, end = t + 1;
    if (!detector->changes[t].is_flat)
        return false;
    while (first && detector->changes[first - 1].is_flat)
        first--;
    while (end < detector->frames && detector->changes[end].is_flat)
        end++;
    return first && end < detector->frames && t == first + (end - first) / 2 &&
           end - first >= SHOT_FLASH_FRAMES;
}

static bool replaces_content(const ShotDetector *detector, size_t t)
{
    const FrameChange *changes = detector->changes;
    const double threshold = threshold_of(&detector->options) / 100, step = changes[t].step;
    if (is_middle_of_fade(detector, t))
        return true;
    if (step < threshold || changes[t].is_flat || changes[t - 1].is_flat)
        return false;
    /* After a flash, and before it, the same is seen. */
    for (size_t i = t; i < t + SHOT_FLASH_FRAMES && i < detector->frames; i++)
        if (i >= SHOT_FLASH_FRAMES && changes[i].reach < threshold)
            return false;
    return step >= neighbour_factor * change_around(detector, t);
}

static bool is_cut(const ShotDetector *detector, size_t t)
{
    if (detector->options.kind == SHOTS_BY_CONTENT)
        return replaces_content(detector, t);
    return detector->changes[t].is_difference;
}

static Shot shot_of(const ShotDetector *detector, size_t first, size_t end)
{
    Shot shot = {.first = first, .end = end};
    for (size_t t = first; t < end; t++) {
        shot.complexity += detector->changes[t].complexity;
        shot.motion += detector->changes[t].motion;
    }
    shot.complexity /= (double)shot_frames(&shot);
    shot.motion /= (double)shot_frames(&shot);
    return shot;
}

int shot_detector_finish(ShotDetector *detector, const Shot **shots)
{
    size_t n = 0, first = 0;
    free(detector->shots);
    *shots = detector->shots = calloc(MAX_SHOTS, sizeof(*detector->shots));
    if (!detector->shots)
        return -ENOMEM;
    for (size_t t = 1; t <= detector->frames; t++) {
        const bool ends = t == detector->frames;
        if (!ends && (t - first < detector->options.min_frames || !is_cut(detector, t)))
            continue;
        if (n == MAX_SHOTS)
            return -E2BIG;
        detector->shots[n++] = shot_of(detector, first, t);
        first = t;
    }
    return (int)n;
}

void shot_detector_free(ShotDetector *detector)
{
    free(detector->shots);
    free(detector->changes);
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
