/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "html/view.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
