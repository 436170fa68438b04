/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/shots.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HISTOGRAM_BINS = 64, HISTOGRAM_BITS = 6, GRID_WIDTH = 32, GRID_HEIGHT = 18 };
enum { FLASH_FRAMES = 4 }; /* longer ones are shots */

/* What is kept of a frame for the next few. Samples are normalised to [0, 1]. */
typedef struct FrameSignature {
    double complexity, motion; /* as of shots; motion 0 for the first */
    uint32_t histogram[HISTOGRAM_BINS];
    double samples;
    float grid[GRID_HEIGHT][GRID_WIDTH]; /* means of the cells of the picture */
} FrameSignature;

/* What is kept of each frame until all are known. */
typedef struct FrameChange {
    double complexity, motion;
    float step;   /* 1 - correlation with the frame before */
    float reach;  /* the same with the frame FLASH_FRAMES before */
    float spread; /* part of the samples that are in other bins than before */
    bool is_flat;
} FrameChange;

struct ShotDetector {
    ShotOptions options;
    FrameChange *changes; /* of all frames */
    size_t frames, capacity;
    FrameSignature before[FLASH_FRAMES]; /* number i is at i modulo their number */
};

/* -- frames -- */

/* A row as 16-bit numbers. Samples that are larger than their depth allows count as the largest. */
static void read_row(const LumaPlane *plane, int y, uint16_t *row)
{
    const void *samples = (const char *)plane->samples + y * plane->stride;
    const uint16_t peak = (uint16_t)((1u << plane->bit_depth) - 1);
    for (int x = 0; x < plane->width; x++) {
        const uint16_t sample =
            plane->bit_depth == 8 ? ((const uint8_t *)samples)[x] : ((const uint16_t *)samples)[x];
        row[x] = sample < peak ? sample : peak;
    }
}

typedef struct Span {
    int first, end;
} Span;

/* What a cell has of a row or column of the picture: at least a sample. */
static Span span_of(int cell, int cells, int size)
{
    const Span span = {cell * size / cells, (cell + 1) * size / cells};
    return (Span){span.first, span.end + (span.end == span.first)};
}

/* Sums over samples: integers, so that they are the same in any order. */
typedef struct LumaSums {
    uint64_t samples, squares, differences;
    uint64_t cells[GRID_HEIGHT][GRID_WIDTH];
} LumaSums;

static void add_row(const LumaPlane *frame, int y, const uint16_t *row, const uint16_t *before,
                    LumaSums *sums, uint32_t *histogram)
{
    for (int x = 0; x < frame->width; x++) {
        sums->samples += row[x];
        sums->squares += (uint64_t)row[x] * row[x];
        sums->differences +=
            (uint64_t)(row[x] > before[x] ? row[x] - before[x] : before[x] - row[x]);
        histogram[row[x] >> (frame->bit_depth - HISTOGRAM_BITS)]++;
    }
    for (int i = 0; i < GRID_HEIGHT; i++) {
        const Span rows = span_of(i, GRID_HEIGHT, frame->height);
        for (int k = 0; k < GRID_WIDTH && y >= rows.first && y < rows.end; k++) {
            const Span columns = span_of(k, GRID_WIDTH, frame->width);
            for (int x = columns.first; x < columns.end; x++)
                sums->cells[i][k] += row[x];
        }
    }
}

/* 0; -ENOMEM. */
static int sign_frame(const LumaPlane *frame, const LumaPlane *before, FrameSignature *signature)
{
    uint16_t *row = calloc(2 * (size_t)frame->width, sizeof(*row)), *old = row + frame->width;
    LumaSums sums = {0};
    if (!row)
        return -ENOMEM;
    *signature = (FrameSignature){.samples = (double)frame->width * frame->height};
    for (int y = 0; y < frame->height; y++) {
        read_row(frame, y, row);
        if (before)
            read_row(before, y, old);
        add_row(frame, y, row, before ? old : row, &sums, signature->histogram);
    }
    free(row);
    const double peak = (1 << frame->bit_depth) - 1, n = signature->samples;
    const double mean = (double)sums.samples / n / peak;
    signature->complexity = fmax(0, (double)sums.squares / n / (peak * peak) - mean * mean);
    signature->motion = (double)sums.differences / n / peak;
    for (int i = 0; i < GRID_HEIGHT; i++)
        for (int k = 0; k < GRID_WIDTH; k++) {
            const Span rows = span_of(i, GRID_HEIGHT, frame->height);
            const Span columns = span_of(k, GRID_WIDTH, frame->width);
            const double cells = (rows.end - rows.first) * (double)(columns.end - columns.first);
            signature->grid[i][k] = (float)((double)sums.cells[i][k] / cells / peak);
        }
    return 0;
}

/* -- what changes from frame to frame -- */

static float histogram_change(const FrameSignature *a, const FrameSignature *b)
{
    double distance = 0;
    for (int i = 0; i < HISTOGRAM_BINS; i++)
        distance += fabs((double)a->histogram[i] - b->histogram[i]);
    return (float)(distance / a->samples);
}

/* Cells by which a picture may have moved; the standard deviation, of 1, of samples of a picture
 * that shows nothing, and of the noise in means of cells. */
enum { GRID_REACH = 3 };
static const double flat_deviation = 0.004, noise_deviation = 0.006;

/* Where both overlap, with b moved: the correlation, in which what is nearly flat counts as noise.
 */
static double correlation(const FrameSignature *a, const FrameSignature *b, int dx, int dy)
{
    const int left = dx > 0 ? dx : 0, right = GRID_WIDTH + (dx < 0 ? dx : 0);
    const int top = dy > 0 ? dy : 0, bottom = GRID_HEIGHT + (dy < 0 ? dy : 0);
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

ShotDetector *shot_detector_create(const ShotOptions *options)
{
    ShotDetector *detector = calloc(1, sizeof(*detector));
    if (detector)
        detector->options = *options;
    return detector;
}

void shot_detector_free(ShotDetector *detector)
{
    if (detector)
        free(detector->changes);
    free(detector);
}

int shot_detector_put(ShotDetector *detector, const LumaPlane *frame, const LumaPlane *before)
{
    const size_t t = detector->frames;
    const FrameSignature *last = &detector->before[(t + FLASH_FRAMES - 1) % FLASH_FRAMES];
    FrameSignature *oldest = &detector->before[t % FLASH_FRAMES], now;
    if (t == detector->capacity) {
        const size_t capacity = t ? 2 * t : 256;
        FrameChange *grown = realloc(detector->changes, capacity * sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        detector->changes = grown;
        detector->capacity = capacity;
    }
    if (sign_frame(frame, before, &now))
        return -ENOMEM;
    FrameChange change = {.complexity = now.complexity, .motion = now.motion};
    change.is_flat = now.complexity < flat_deviation * flat_deviation;
    change.step = t ? content_change(last, &now) : 0;
    change.reach = t >= FLASH_FRAMES ? content_change(oldest, &now) : change.step;
    change.spread = t ? histogram_change(last, &now) : 0;
    detector->changes[detector->frames++] = change;
    *oldest = now;
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
           end - first >= FLASH_FRAMES;
}

static bool replaces_content(const ShotDetector *detector, size_t t)
{
    const FrameChange *changes = detector->changes;
    const double said = detector->options.threshold, threshold = said < 0 ? 0.3 : said / 100;
    const double step = changes[t].step;
    if (is_middle_of_fade(detector, t))
        return true;
    if (step < threshold || changes[t].is_flat || changes[t - 1].is_flat)
        return false;
    /* After a flash, and before it, the same is seen. */
    for (size_t i = t; i < t + FLASH_FRAMES && i < detector->frames; i++)
        if (i >= FLASH_FRAMES && changes[i].reach < threshold)
            return false;
    return step >= neighbour_factor * change_around(detector, t);
}

/* Histograms count where that part of the samples is in other bins, and something moves at least.
 */
static bool is_cut(const ShotDetector *detector, size_t t)
{
    const ShotOptions *options = &detector->options;
    const double motion = detector->changes[t].motion * 255, spread = detector->changes[t].spread;
    if (options->kind == SHOTS_BY_CONTENT)
        return replaces_content(detector, t);
    return motion >= (options->threshold < 0 ? 12 : options->threshold) ||
           (options->kind == SHOTS_BY_HISTOGRAM && motion >= 6 && spread >= 0.35f);
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

static size_t join_short(Shot *shots, size_t n, size_t min_frames)
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
        memmove(&shots[left + 1], &shots[left + 2], (n - left - 2) * sizeof(*shots));
        n--;
    }
    return n;
}

static size_t parts_of(const Shot *shot, double max_frames)
{
    const double frames = (double)shot_frames(shot);
    return max_frames > 0 ? (size_t)fmin(ceil(frames / max_frames), frames) : 1;
}

/* In place, where there is room for MAX_SHOTS. */
static int split_long(Shot *shots, size_t n, double max_frames)
{
    size_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += parts_of(&shots[i], max_frames);
    if (all > MAX_SHOTS)
        return -E2BIG;
    for (size_t i = n, to = all; i-- > 0;) {
        const Shot whole = shots[i];
        const size_t parts = parts_of(&whole, max_frames), frames = shot_frames(&whole);
        for (size_t part = parts; part-- > 0;) {
            shots[--to] = whole;
            shots[to].first = whole.first + frames * part / parts;
            shots[to].end = whole.first + frames * (part + 1) / parts;
        }
    }
    return (int)all;
}

static int find_shots(const ShotDetector *detector, Shot *shots)
{
    const ShotOptions *options = &detector->options;
    size_t n = 0, first = 0;
    for (size_t t = 1; t <= detector->frames; t++) {
        const bool ends = t == detector->frames;
        if (!ends && (t - first < options->min_frames || !is_cut(detector, t)))
            continue;
        if (n == MAX_SHOTS)
            return -E2BIG;
        shots[n++] = shot_of(detector, first, t);
        first = t;
    }
    return split_long(shots, join_short(shots, n, options->join_below), options->max_frames);
}

int shot_detector_finish(const ShotDetector *detector, Shot **shots)
{
    *shots = calloc(MAX_SHOTS, sizeof(**shots));
    const int n = *shots ? find_shots(detector, *shots) : -ENOMEM;
    if (n < 0) {
        free(*shots);
        *shots = NULL;
    }
    return n;
}

/* -- windows -- */

int sample_by_time(size_t frames, FrameRate rate, double seconds, size_t n_windows,
                   SampleWindow *windows)
{
    if (!frames || !n_windows || rate.numerator <= 0 || rate.denominator <= 0 ||
        !(seconds >= 0 && isfinite(seconds)))
        return -EINVAL;
    const double all = seconds * rate.numerator / rate.denominator;
    if (!(all > 0) || all >= (double)frames) {
        windows[0] = (SampleWindow){.frames = frames, .stands_for = frames};
        return 1;
    }
    const size_t count = (size_t)fmax(1, rint(all / (double)n_windows));
    const size_t n = frames / count < n_windows ? frames / count : n_windows;
    for (size_t i = 0; i < n; i++) {
        const size_t from = frames * i / n, to = frames * (i + 1) / n;
        windows[i] = (SampleWindow){
            .first = from + (to - from - count) / 2, .frames = count, .stands_for = to - from};
    }
    return (int)n;
}
