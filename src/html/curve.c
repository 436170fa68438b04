/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "html/curve.h"

#include "html/statistics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static CurvePoint point_of(const HtmlSeries *series, const double *scores, size_t first, size_t end)
{
    CurvePoint point = {.frame =
                            (series_frame(series, first) + 0.0 + series_frame(series, end - 1)) / 2,
                        .min = NAN,
                        .mean = NAN,
                        .max = NAN};
    double sum = 0;
    size_t n = 0;
    for (size_t i = first; i < end; i++) {
        if (!isfinite(scores[i]))
            continue;
        point.min = n ? fmin(point.min, scores[i]) : scores[i];
        point.max = n ? fmax(point.max, scores[i]) : scores[i];
        sum += scores[i];
        n++;
    }
    if (n)
        point.mean = fmin(fmax(sum / (double)n, point.min), point.max);
    return point;
}

int curve_of(Curve *curve, const HtmlSeries *series, const double *scores, size_t max_points)
{
    const size_t n = series->n < max_points ? series->n : max_points;
    *curve = (Curve){.n = n, .is_exact = n == series->n};
    curve->points = malloc((n ? n : 1) * sizeof(*curve->points));
    if (!curve->points)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        /* Products of a size and a number of points stay far below 2^64. */
        const size_t first = (size_t)((uint64_t)i * series->n / n);
        const size_t end = (size_t)((uint64_t)(i + 1) * series->n / n);
        curve->points[i] = point_of(series, scores ? scores : series->scores, first, end);
    }
    return 0;
}

void curve_free(Curve *curve)
{
    free(curve->points);
    curve->points = NULL;
}

/* -- scenes -- */

/* Appends a scene, or lengthens the last one if that is near. */
static int add(Scenes *scenes, size_t *capacity, size_t first, size_t last, size_t near_by)
{
    if (scenes->n && first <= scenes->scenes[scenes->n - 1].last + near_by) {
        scenes->scenes[scenes->n - 1].last = (uint32_t)last;
        return 0;
    }
    if (scenes->n == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 16;
        Scene *more = realloc(scenes->scenes, *capacity * sizeof(*more));
        if (!more)
            return -ENOMEM;
        scenes->scenes = more;
    }
    scenes->scenes[scenes->n++] = (Scene){(uint32_t)first, (uint32_t)last};
    return 0;
}

static int longest_first(const void *a, const void *b)
{
    const Scene *x = a, *y = b;
    const uint32_t m = x->last - x->first, n = y->last - y->first;
    return m != n ? (m < n) - (m > n) : (x->first > y->first) - (x->first < y->first);
}

static int by_frame(const void *a, const void *b)
{
    const Scene *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

static bool is_low(const HtmlSeries *series, double score, double limit)
{
    return series->sense == HTML_HIGH_IS_BAD ? score > limit : score < limit;
}

/* Positions of scores instead of frames. */
static int find(Scenes *scenes, const HtmlSeries *series, size_t window)
{
    size_t capacity = 0;
    double sum = 0;
    size_t finite = 0;
    for (size_t i = 0; i < series->n; i++) {
        if (isfinite(series->scores[i])) {
            sum += series->scores[i];
            finite++;
        }
        if (i >= window && isfinite(series->scores[i - window])) {
            sum -= series->scores[i - window];
            finite--;
        }
        if (i + 1 < window || !finite)
            continue;
        if (is_low(series, sum / (double)finite, scenes->limit) &&
            add(scenes, &capacity, i + 1 - window, i, window))
            return -ENOMEM;
    }
    return 0;
}

/* The window that finds a scene begins before it, and ends behind it: not with a low score. */
static void trim(const HtmlSeries *series, double limit, Scene *scene)
{
    while (scene->first < scene->last && !is_low(series, series->scores[scene->first], limit))
        scene->first++;
    while (scene->last > scene->first && !is_low(series, series->scores[scene->last], limit))
        scene->last--;
}

int scenes_of(Scenes *scenes, const HtmlSeries *series, double median, double distance,
              unsigned window, size_t max_scenes)
{
    *scenes = (Scenes){0};
    if (series->sense == HTML_NO_SENSE || !isfinite(median) || !series->n)
        return 0;
    scenes->limit = series->sense == HTML_HIGH_IS_BAD ? median + distance : median - distance;
    if (window > series->n)
        window = (unsigned)series->n;
    if (find(scenes, series, window ? window : 1)) {
        scenes_free(scenes);
        return -ENOMEM;
    }
    for (size_t i = 0; i < scenes->n; i++)
        trim(series, scenes->limit, &scenes->scenes[i]);
    if (scenes->n > max_scenes) {
        qsort(scenes->scenes, scenes->n, sizeof(Scene), longest_first);
        scenes->n = max_scenes;
        qsort(scenes->scenes, scenes->n, sizeof(Scene), by_frame);
    }
    for (size_t i = 0; i < scenes->n; i++) {
        Scene *scene = &scenes->scenes[i];
        *scene = (Scene){series_frame(series, scene->first), series_frame(series, scene->last)};
    }
    return 0;
}

void scenes_free(Scenes *scenes)
{
    free(scenes->scenes);
    scenes->scenes = NULL;
    scenes->n = 0;
}
