/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the parts of a page are made from. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/html/html_internal.h"
#include "common/html/parts.h"
#include "metrics/common/order_statistics.h"

/* ---- Statistics ---- */

uint32_t series_frame(const HtmlSeries *series, size_t i)
{
    return series->frames ? series->frames[i] : (uint32_t)i;
}

/* An infinite score may be the worst; one that is no number cannot be compared. */
static bool is_worse(HtmlSense sense, double score, double than)
{
    if (isnan(than))
        return !isnan(score);
    return sense == HTML_HIGH_IS_BAD ? score > than : score < than;
}

int statistics_of(Statistics *statistics, const HtmlSeries *series)
{
    double sum = 0, inverse_sum = 0;
    double *sorted = malloc((series->n ? series->n : 1) * sizeof(*sorted));
    if (!sorted)
        return -ENOMEM;
    *statistics = (Statistics){.n = series->n, .sorted = sorted};
    for (size_t i = 0; i < series->n; i++) {
        const double score = series->scores[i];
        sum += score;
        inverse_sum += 1.0 / (score + 1.0);
        if (isfinite(score))
            sorted[statistics->n_finite++] = score;
        if (is_worse(series->sense, score, series->scores[statistics->worst]))
            statistics->worst = i;
    }
    const size_t n = statistics->n_finite;
    qsort(sorted, n, sizeof(*sorted), compare_scores);
    statistics->min = n ? sorted[0] : NAN;
    statistics->max = n ? sorted[n - 1] : NAN;
    statistics->mean = sum / (double)series->n;
    statistics->harmonic_mean = (double)series->n / inverse_sum - 1.0;
    statistics->deviation = n ? population_deviation(sorted, n) : NAN;
    return 0;
}

void statistics_free(Statistics *statistics)
{
    free((void *)statistics->sorted);
    statistics->sorted = NULL;
}

double statistics_percentile(const Statistics *statistics, unsigned percent)
{
    const size_t n = statistics->n_finite;
    return n && n == statistics->n ? percentile_of_sorted(statistics->sorted, n, percent) : NAN;
}

double statistics_worst_percentile(const Statistics *statistics, HtmlSense sense, unsigned percent)
{
    return statistics_percentile(statistics, sense == HTML_HIGH_IS_BAD ? 100 - percent : percent);
}

/* ---- Axes ---- */

/* 1, 2 or 5 times a power of ten, at least `least`. */
static double round_step(double least)
{
    const double power = pow(10, floor(log10(least)));
    static const double factors[] = {1, 2, 5, 10};
    for (unsigned i = 0; i < sizeof(factors) / sizeof(factors[0]); i++) {
        if (factors[i] * power >= least * (1 - 1e-9))
            return factors[i] * power;
    }
    return 10 * power;
}

/* Seconds in which people count. */
static double time_step(double least)
{
    static const double steps[] = {1,   2,   5,    10,   15,   30,    60,    120,   300,
                                   600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400};
    if (least < 1)
        return round_step(least);
    for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        if (steps[i] >= least)
            return steps[i];
    }
    return 86400 * ceil(least / 86400);
}

static int decimals_of(double step)
{
    const int decimals = (int)ceil(-log10(step) - 1e-9);
    return decimals < 0 ? 0 : decimals > 12 ? 12 : decimals;
}

Axis axis_of_values(double low, double high, unsigned n)
{
    low = isfinite(low) ? low : 0;
    high = isfinite(high) ? high : 0;
    /* Differences that are nothing but rounding are no range. */
    const double least = fmax(fmax(fabs(low), fabs(high)) * 1e-6, 1e-6);
    if (high - low < least) {
        const double middle = low / 2 + high / 2, half = fmax(fabs(middle) * 0.05, 10 * least);
        low = middle - half;
        high = middle + half;
    }
    const double step = round_step((high / n - low / n));
    Axis axis = {floor(low / step + 1e-9) * step, ceil(high / step - 1e-9) * step, step,
                 decimals_of(step)};
    if (!isfinite(axis.low) || !isfinite(axis.high))
        return (Axis){low, high, step, 0};
    return axis;
}

Axis axis_of_range(double low, double high, unsigned n, int is_time)
{
    if (!(high > low))
        high = low + 1;
    const double least = (high - low) / n;
    const double step = is_time ? time_step(least) : fmax(round_step(least), 1);
    return (Axis){low, high, step, decimals_of(step)};
}

double axis_place(const Axis *axis, double value)
{
    const double place = (value / 2 - axis->low / 2) / (axis->high / 2 - axis->low / 2);
    return place < 0 ? 0 : place > 1 ? 1 : place;
}

double axis_first_tick(const Axis *axis)
{
    return ceil(axis->low / axis->step - 1e-9) * axis->step;
}

size_t axis_ticks(const Axis *axis)
{
    const double n = floor((axis->high - axis_first_tick(axis)) / axis->step + 1e-9) + 1;
    return n >= 1 && n < 100 ? (size_t)n : 0;
}

/* ---- Curves ---- */

double point_min(const CurvePoint *point)
{
    return point->min;
}

double point_mean(const CurvePoint *point)
{
    return point->mean;
}

double point_max(const CurvePoint *point)
{
    return point->max;
}

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

/* ---- Scenes ---- */

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

/* ---- The view ---- */

enum {
    MAX_POINTS = 800,   /* of a curve: one for a pixel or two */
    MIN_POINTS = 100,   /* however many curves there are */
    ALL_POINTS = 60000, /* of all curves, about a megabyte */
    MAX_SCENES = 200,   /* that are shaded */
    TIME_TICKS = 7,
    WINDOW_FRAMES = 24, /* of scenes, where the rate is not known */
    MODEL_DISTANCE = 6, /* about one just noticeable difference of VMAF */
};

static size_t count_curves(const HtmlPage *page)
{
    size_t n = 0;
    for (size_t v = 0; v < page->n_videos; v++)
        n += page->videos[v].n_series;
    return n;
}

static uint32_t count_frames(const HtmlPage *page)
{
    uint32_t n = 0;
    for (size_t v = 0; v < page->n_videos; v++) {
        const HtmlVideo *video = &page->videos[v];
        for (size_t s = 0; s < video->n_series; s++) {
            const HtmlSeries *series = &video->series[s];
            if (series->n && series_frame(series, series->n - 1) >= n)
                n = series_frame(series, series->n - 1) + 1;
        }
    }
    return n;
}

static Group *find_group(View *view, const HtmlSeries *series)
{
    for (size_t g = 0; g < view->n_groups; g++) {
        if (!strcmp(view->groups[g].name, series->name))
            return &view->groups[g];
    }
    Group *group = &view->groups[view->n_groups];
    *group = (Group){series->name, series->is_model, series->sense, NULL};
    group->series = malloc(view->page->n_videos * sizeof(*group->series));
    if (!group->series)
        return NULL;
    for (size_t v = 0; v < view->page->n_videos; v++)
        group->series[v] = NO_SERIES;
    view->n_groups++;
    return group;
}

static int make_groups(View *view)
{
    const HtmlPage *page = view->page;
    bool has_lead = false;
    view->groups = calloc(view->n_curves ? view->n_curves : 1, sizeof(*view->groups));
    if (!view->groups)
        return -ENOMEM;
    for (size_t v = 0; v < page->n_videos; v++) {
        for (size_t s = 0; s < page->videos[v].n_series; s++) {
            Group *group = find_group(view, &page->videos[v].series[s]);
            if (!group)
                return -ENOMEM;
            group->series[v] = s;
            if (!has_lead && s == page->videos[v].lead) {
                view->lead = (size_t)(group - view->groups);
                has_lead = true;
            }
        }
    }
    return 0;
}

static int find_scenes(View *view, VideoView *video, const HtmlSeries *lead,
                       const Statistics *statistics)
{
    const double rate = view->page->rate;
    const unsigned window = rate >= 1 && rate <= 1000 ? (unsigned)(rate + 0.5) : WINDOW_FRAMES;
    if (!statistics->n_finite)
        return 0;
    Statistics finite = *statistics;
    finite.n = finite.n_finite;
    const double median = statistics_percentile(&finite, 50);
    const double distance = lead->is_model ? MODEL_DISTANCE : 1.5 * statistics->deviation;
    if (!(distance > fabs(median) * 1e-6))
        return 0;
    return scenes_of(&video->scenes, lead, median, distance, window, MAX_SCENES);
}

static int compute(View *view, VideoView *mine, const HtmlVideo *video)
{
    mine->statistics = calloc(video->n_series ? video->n_series : 1, sizeof(*mine->statistics));
    if (!mine->statistics)
        return -ENOMEM;
    for (size_t s = 0; s < video->n_series; s++) {
        if (statistics_of(&mine->statistics[s], &video->series[s]))
            return -ENOMEM;
    }
    if (video->lead >= video->n_series)
        return 0;
    return find_scenes(view, mine, &video->series[video->lead], &mine->statistics[video->lead]);
}

static size_t points_of_a_curve(size_t n_curves)
{
    const size_t points = ALL_POINTS / (n_curves ? n_curves : 1);
    return points > MAX_POINTS ? MAX_POINTS : points < MIN_POINTS ? MIN_POINTS : points;
}

int view_create(View *view, const HtmlPage *page)
{
    *view = (View){.page = page,
                   .n_curves = count_curves(page),
                   .n_frames = count_frames(page),
                   .has_time = page->rate > 0 || page->n_times};
    view->max_points = points_of_a_curve(view->n_curves);
    view->videos = calloc(page->n_videos ? page->n_videos : 1, sizeof(*view->videos));
    int err = view->videos ? make_groups(view) : -ENOMEM;
    for (size_t v = 0; v < page->n_videos && !err; v++)
        err = compute(view, &view->videos[v], &page->videos[v]);
    const double last = view->n_frames ? view->n_frames - 1.0 : 0;
    view->time =
        axis_of_range(view_time(view, 0), view_time(view, last), TIME_TICKS, view->has_time);
    if (err)
        view_free(view);
    return err;
}

void view_free(View *view)
{
    for (size_t g = 0; view->groups && g < view->n_groups; g++)
        free(view->groups[g].series);
    free(view->groups);
    for (size_t v = 0; view->videos && v < view->page->n_videos; v++) {
        VideoView *video = &view->videos[v];
        for (size_t s = 0; video->statistics && s < view->page->videos[v].n_series; s++)
            statistics_free(&video->statistics[s]);
        free(video->statistics);
        scenes_free(&video->scenes);
    }
    free(view->videos);
    *view = (View){.page = view->page};
}

double view_time(const View *view, double frame)
{
    const HtmlPage *page = view->page;
    if (!page->n_times)
        return page->rate > 0 ? frame / page->rate : frame;
    const size_t below = (size_t)frame, last = page->n_times - 1;
    if (below >= last) {
        const double beyond = page->rate > 0 ? (frame - (double)last) / page->rate : 0;
        return page->times[last] + beyond;
    }
    const double step = page->times[below + 1] - page->times[below];
    return page->times[below] + step * (frame - (double)below);
}

const char *view_time_text(const View *view, double frame, char text[HTML_NUMBER_SIZE])
{
    text[0] = '\0';
    return view->has_time ? html_time(text, view_time(view, frame), 2) : text;
}

const HtmlSeries *view_series(const View *view, const Group *group, size_t video)
{
    const size_t series = group->series[video];
    return series == NO_SERIES ? NULL : &view->page->videos[video].series[series];
}

const Statistics *view_statistics(const View *view, const Group *group, size_t video)
{
    const size_t series = group->series[video];
    return series == NO_SERIES ? NULL : &view->videos[video].statistics[series];
}

void view_range(const View *view, const Group *group, double *low, double *high)
{
    *low = *high = NAN;
    for (size_t v = 0; v < view->page->n_videos; v++) {
        const Statistics *statistics = view_statistics(view, group, v);
        if (statistics) { /* which ignore a NaN */
            *low = fmin(*low, statistics->min);
            *high = fmax(*high, statistics->max);
        }
    }
}

int view_decimals(const Group *group, double score)
{
    if (group->is_model)
        return 2;
    return fabs(score) < 10 ? 4 : fabs(score) < 100 ? 3 : fabs(score) < 1e5 ? 2 : 0;
}
