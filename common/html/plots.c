/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Plots: scores over time, and how often which are. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/html/html_internal.h"

/*
 * Drawings are stretched to the width of the page; what would be distorted by that, numbers and
 * names, is text beside them.
 */

enum {
    COLOURS = 8,    /* of the style sheet */
    MAX_STRIPS = 8, /* videos whose low scenes have room below a plot */
    STRIP = 22,     /* height of one */
};

static const char *video_class(size_t video, char text[HTML_NUMBER_SIZE])
{
    snprintf(text, HTML_NUMBER_SIZE, "c%zu d%zu", video % COLOURS, video / COLOURS % 4);
    return text;
}

void put_sign(FILE *out, size_t video)
{
    char class[HTML_NUMBER_SIZE];
    fprintf(out,
            "<svg class=\"sign\" viewBox=\"0 0 28 8\" aria-hidden=\"true\"><path class=\"line %s\""
            " d=\"M1 4H27\"/></svg>",
            video_class(video, class));
}

/* ---- Axes ---- */

double axis_tick(const Axis *axis, size_t i)
{
    const double value = axis_first_tick(axis) + (double)i * axis->step;
    return fabs(value) < axis->step * 1e-9 ? 0 : value;
}

static const char *tick_text(const Axis *axis, double value, bool is_time,
                             char text[HTML_NUMBER_SIZE])
{
    return is_time ? html_time(text, value, axis->decimals)
                   : html_number(text, value, axis->decimals);
}

size_t axis_room(const Axis *axis)
{
    size_t widest = 2;
    for (size_t i = 0; i < axis_ticks(axis); i++) {
        char text[HTML_NUMBER_SIZE];
        const int n =
            snprintf(NULL, 0, "%s", html_number(text, axis_tick(axis, i), axis->decimals));
        widest = (size_t)n > widest ? (size_t)n : widest;
    }
    return widest + 1;
}

/* A plot: its begin, the drawing from <svg> on with the grid first, and the end, which closes the
 * drawing and has the numbers beside it. */
static void put_plot_begin(FILE *out, const Axis *y, bool is_large)
{
    fprintf(out, "<div class=\"frame%s\" style=\"--room:%zuch\">", is_large ? " large" : "",
            axis_room(y));
}

void html_put_grid(FILE *out, const Axis *y)
{
    fputs("<path class=\"grid\" d=\"", out);
    for (size_t i = 0; i < axis_ticks(y); i++)
        fprintf(out, "M0 %.0fH%d", PLOT_HEIGHT * (1 - axis_place(y, axis_tick(y, i))), PLOT_WIDTH);
    fputs("\"/>", out);
}

void html_put_y_numbers(FILE *out, const Axis *y, const char *unit)
{
    char text[HTML_NUMBER_SIZE];
    fputs("<div class=\"ys\" aria-hidden=\"true\">", out);
    for (size_t i = 0; i < axis_ticks(y); i++)
        fprintf(out, "<span style=\"bottom:%.2f%%\">%s%s</span>",
                100 * axis_place(y, axis_tick(y, i)),
                html_number(text, axis_tick(y, i), y->decimals), unit);
    fputs("</div>", out);
}

static void put_plot_end(FILE *out, const Axis *x, const Axis *y, const char *unit, bool x_is_time)
{
    char text[HTML_NUMBER_SIZE];
    fputs("</svg>", out);
    html_put_y_numbers(out, y, unit);
    fputs("<div class=\"xs\" aria-hidden=\"true\">", out);
    for (size_t i = 0; i < axis_ticks(x); i++) {
        const double place = axis_place(x, axis_tick(x, i));
        const char *end = place < 0.03 ? " class=\"first\"" : place > 0.97 ? " class=\"last\"" : "";
        fprintf(out, "<span%s style=\"left:%.2f%%\">%s</span>", end, 100 * place,
                tick_text(x, axis_tick(x, i), x_is_time, text));
    }
    fputs("</div></div>", out);
}

/* ---- Curves ---- */

typedef struct Canvas {
    FILE *out;
    const View *view;
    const Axis *y;
} Canvas;

static int x_of(const Canvas *canvas, double frame)
{
    const double place = axis_place(&canvas->view->time, view_time(canvas->view, frame));
    return (int)(PLOT_WIDTH * place + 0.5);
}

static int y_of(const Canvas *canvas, double score)
{
    return (int)(PLOT_HEIGHT * (1 - axis_place(canvas->y, score)) + 0.5);
}

/* The line of the means, interrupted where there are none; a point by itself is a dot. */
static void put_line(const Canvas *canvas, const Curve *curve)
{
    bool is_drawn = false;
    for (size_t i = 0; i < curve->n; i++) {
        const CurvePoint *point = &curve->points[i];
        if (isfinite(point->mean)) {
            fprintf(canvas->out, "%c%d %d", is_drawn ? 'L' : 'M', x_of(canvas, point->frame),
                    y_of(canvas, point->mean));
            if (!is_drawn && (i + 1 == curve->n || !isfinite(curve->points[i + 1].mean)))
                fputs("h0", canvas->out);
        }
        is_drawn = isfinite(point->mean);
    }
}

/* Areas between two curves, where both have points. */
static void put_band(const Canvas *canvas, const CurvePoint *upper, const CurvePoint *lower,
                     size_t n, PointValue *above, PointValue *below)
{
    for (size_t i = 0, end; i < n; i = end) {
        end = i + 1;
        if (!isfinite(above(&upper[i])) || !isfinite(below(&lower[i])))
            continue;
        while (end < n && isfinite(above(&upper[end])) && isfinite(below(&lower[end])))
            end++;
        for (size_t k = i; k < end; k++)
            fprintf(canvas->out, "%c%d %d", k == i ? 'M' : 'L', x_of(canvas, upper[k].frame),
                    y_of(canvas, above(&upper[k])));
        for (size_t k = end; k-- > i;)
            fprintf(canvas->out, "L%d %d", x_of(canvas, lower[k].frame),
                    y_of(canvas, below(&lower[k])));
        fputc('Z', canvas->out);
    }
}

/* Below the line of means how low single scores are; the other way round where high is bad. */
static void put_extremes(const Canvas *canvas, const Curve *curve, HtmlSense sense,
                         const char *class)
{
    if (curve->is_exact)
        return;
    fprintf(canvas->out, "<path class=\"band %s\" d=\"", class);
    if (sense == HTML_HIGH_IS_BAD)
        put_band(canvas, curve->points, curve->points, curve->n, point_max, point_mean);
    else
        put_band(canvas, curve->points, curve->points, curve->n, point_mean, point_min);
    fputs("\"/>", canvas->out);
}

static int put_confidence(const Canvas *canvas, const HtmlSeries *series, const char *class)
{
    Curve low = {0}, high = {0};
    int err = 0;
    if (!series->low || !series->high)
        return 0;
    if (curve_of(&low, series, series->low, canvas->view->max_points) ||
        curve_of(&high, series, series->high, canvas->view->max_points))
        err = -ENOMEM;
    if (!err) {
        fprintf(canvas->out, "<path class=\"confidence %s\" d=\"", class);
        put_band(canvas, high.points, low.points, low.n, point_mean, point_mean);
        fputs("\"/>", canvas->out);
    }
    curve_free(&low);
    curve_free(&high);
    return err;
}

static int put_curve(const Canvas *canvas, const HtmlSeries *series, size_t video)
{
    Curve curve;
    char class[HTML_NUMBER_SIZE];
    video_class(video, class);
    int err = put_confidence(canvas, series, class);
    if (!err)
        err = curve_of(&curve, series, NULL, canvas->view->max_points);
    if (err)
        return err;
    put_extremes(canvas, &curve, series->sense, class);
    fprintf(canvas->out, "<path class=\"line %s\" data-video=\"%zu\" d=\"", class, video);
    put_line(canvas, &curve);
    fputs("\"/>", canvas->out);
    curve_free(&curve);
    return 0;
}

/* ---- Scenes of low score ---- */

static void put_scene(const Canvas *canvas, const Scene *scene, size_t video, bool is_alone)
{
    const int left = x_of(canvas, scene->first - 0.5 < 0 ? 0 : scene->first - 0.5);
    const int right = x_of(canvas, scene->last + 0.5);
    const int width = right > left ? right - left : 1;
    const int top = is_alone ? 0 : PLOT_HEIGHT - (int)(video + 1) * STRIP;
    char class[HTML_NUMBER_SIZE];
    fprintf(canvas->out, "<rect class=\"low %s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>",
            is_alone ? "alone" : video_class(video, class), left, top, width,
            is_alone ? PLOT_HEIGHT : STRIP - 6);
}

static void put_scenes(const Canvas *canvas)
{
    const size_t n = canvas->view->page->n_videos;
    fputs("<g class=\"scenes\">", canvas->out);
    for (size_t v = 0; v < n && n <= MAX_STRIPS; v++) {
        const Scenes *scenes = &canvas->view->videos[v].scenes;
        for (size_t i = 0; i < scenes->n; i++)
            put_scene(canvas, &scenes->scenes[i], v, n == 1);
    }
    fputs("</g>", canvas->out);
}

/* ---- The plot ---- */

/* What the drawing shows, for those who cannot see it. */
static void put_description(const Canvas *canvas, const Group *group)
{
    const View *view = canvas->view;
    char number[HTML_NUMBER_SIZE];
    fputs("<svg role=\"img\" aria-label=\"", canvas->out);
    html_put_text(canvas->out, group->name);
    fputs(" over time.", canvas->out);
    for (size_t v = 0; v < view->page->n_videos; v++) {
        const Statistics *statistics = view_statistics(view, group, v);
        if (!statistics)
            continue;
        fputc(' ', canvas->out);
        html_put_text(canvas->out, view->page->videos[v].name);
        fprintf(canvas->out, ": mean %s",
                html_number(number, statistics->mean, view_decimals(group, statistics->mean)));
        fprintf(canvas->out, ", from %s",
                html_number(number, statistics->min, view_decimals(group, statistics->min)));
        fprintf(canvas->out, " to %s.",
                html_number(number, statistics->max, view_decimals(group, statistics->max)));
    }
    fprintf(canvas->out, "\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\">", PLOT_WIDTH,
            PLOT_HEIGHT);
}

int put_time_plot(FILE *out, const View *view, const Group *group, bool is_large)
{
    double low, high;
    view_range(view, group, &low, &high);
    const Axis y = axis_of_values(low, high, is_large ? 5 : 3);
    Axis x = view->time;
    if (!is_large)
        x = axis_of_range(x.low, x.high, 4, view->has_time);
    const Canvas canvas = {out, view, &y};
    int err = 0;
    put_plot_begin(out, &y, is_large);
    put_description(&canvas, group);
    html_put_grid(out, &y);
    put_scenes(&canvas);
    fprintf(out, "<g class=\"curves\" data-group=\"%td\" data-low=\"%.12g\" data-high=\"%.12g\">",
            group - view->groups, y.low, y.high);
    for (size_t v = 0; v < view->page->n_videos && !err; v++) {
        const HtmlSeries *series = view_series(view, group, v);
        if (series)
            err = put_curve(&canvas, series, v);
    }
    fputs("</g>", out);
    put_plot_end(out, &x, &y, "", view->has_time);
    return err;
}

/* ---- How often which scores are ---- */

enum { MAX_BINS = 60, WANTED_BINS = 50 };

/* Shares of the scores in each of `n` bins of equal width. */
typedef struct Bins {
    size_t n;
    double low, step;
    double share[MAX_BINS];
} Bins;

static Bins bins_of(const Axis *axis, const Statistics *statistics)
{
    Bins bins = {.low = axis->low, .step = axis->step};
    const double n = (axis->high - axis->low) / axis->step + 0.5;
    bins.n = n < 1 ? 1 : n > MAX_BINS ? MAX_BINS : (size_t)n;
    if (!statistics)
        return bins;
    for (size_t i = 0; i < statistics->n_finite; i++) {
        const double place = (statistics->sorted[i] - bins.low) / bins.step;
        const size_t bin = place < 1 ? 0 : place >= (double)bins.n ? bins.n - 1 : (size_t)place;
        bins.share[bin] += 1.0 / (double)statistics->n_finite;
    }
    return bins;
}

static double largest_share(const View *view, const Group *group, const Axis *axis)
{
    double largest = 0;
    for (size_t v = 0; v < view->page->n_videos; v++) {
        const Bins bins = bins_of(axis, view_statistics(view, group, v));
        for (size_t i = 0; i < bins.n; i++)
            largest = fmax(largest, bins.share[i]);
    }
    return largest;
}

static void put_bars(FILE *out, const Bins *bins, double top)
{
    fputs("<path class=\"bars\" d=\"", out);
    for (size_t i = 0; i < bins->n; i++) {
        const double width = PLOT_WIDTH / (double)bins->n, gap = width * 0.06;
        const double height = PLOT_HEIGHT * 100 * bins->share[i] / top;
        if (height > 0)
            fprintf(out, "M%.0f %dV%.0fh%.0fV%dZ", (double)i * width + gap, PLOT_HEIGHT,
                    PLOT_HEIGHT - fmax(height, 4), width - 2 * gap, PLOT_HEIGHT);
    }
    fputs("\"/>", out);
}

static void put_outline(FILE *out, const Bins *bins, double top, size_t video)
{
    fprintf(out, "<path class=\"line c%zu d%zu\" d=\"M0 %d", video % COLOURS, video / COLOURS % 4,
            PLOT_HEIGHT);
    for (size_t i = 0; i < bins->n; i++)
        fprintf(out, "V%.0fH%.0f", PLOT_HEIGHT * (1 - 100 * bins->share[i] / top),
                PLOT_WIDTH * (double)(i + 1) / (double)bins->n);
    fprintf(out, "V%d\"/>", PLOT_HEIGHT);
}

/* ---- Percentiles ---- */

typedef struct Percentile {
    unsigned percent;
    const char *name;
} Percentile;

static const Percentile percentiles[] = {{1, "1 %"},   {5, "5 %"},     {10, "10 %"},
                                         {25, "25 %"}, {50, "median"}, {75, "75 %"}};
enum { N_PERCENTILES = sizeof(percentiles) / sizeof(percentiles[0]) };

static void put_marks(FILE *out, const Axis *axis, const Statistics *statistics)
{
    fputs("<path class=\"marks\" d=\"", out);
    for (unsigned i = 0; i < N_PERCENTILES; i++) {
        const double value = statistics_percentile(statistics, percentiles[i].percent);
        if (isfinite(value))
            fprintf(out, "M%.0f 0V%d", PLOT_WIDTH * axis_place(axis, value), PLOT_HEIGHT);
    }
    fputs("\"/>", out);
}

/* Names of the marks, in as many rows as it takes that none covers another on a small screen. */
typedef struct MarkNames {
    unsigned rows;
    unsigned row[N_PERCENTILES];
    double place[N_PERCENTILES]; /* NaN: there is no such mark */
} MarkNames;

static const double name_width = 0.16;

static MarkNames mark_names(const Axis *axis, const Statistics *statistics)
{
    MarkNames names = {0};
    double taken[N_PERCENTILES];
    for (unsigned i = 0; i < N_PERCENTILES; i++)
        taken[i] = -1;
    for (unsigned i = 0; i < N_PERCENTILES; i++) {
        const double value = statistics_percentile(statistics, percentiles[i].percent);
        names.place[i] = isfinite(value) ? axis_place(axis, value) : NAN;
        if (!isfinite(value))
            continue;
        unsigned row = 0;
        while (names.place[i] < taken[row])
            row++;
        names.row[i] = row;
        taken[row] = names.place[i] + name_width;
        names.rows = row + 1 > names.rows ? row + 1 : names.rows;
    }
    return names;
}

static void put_mark_names(FILE *out, const MarkNames *names)
{
    fputs("<div class=\"mark-names\" aria-hidden=\"true\">", out);
    for (unsigned i = 0; i < N_PERCENTILES; i++) {
        if (isfinite(names->place[i]))
            fprintf(out, "<span style=\"left:%.2f%%;--row:%u\"%s>%s</span>", 100 * names->place[i],
                    names->row[i], names->place[i] > 1 - name_width ? " class=\"last\"" : "",
                    percentiles[i].name);
    }
    fputs("</div>", out);
}

static void put_percentile_head(FILE *out)
{
    fputs("<div class=\"scroll\"><table class=\"numbers\"><caption>Percentiles: so many of the "
          "frames "
          "score no higher</caption><thead><tr><th scope=\"col\">video</th>",
          out);
    for (unsigned i = 0; i < N_PERCENTILES; i++)
        fprintf(out, "<th scope=\"col\">%s</th>", percentiles[i].name);
    fputs("</tr></thead><tbody>", out);
}

static void put_percentiles(FILE *out, const View *view, const Group *group)
{
    put_percentile_head(out);
    for (size_t v = 0; v < view->page->n_videos; v++) {
        const Statistics *statistics = view_statistics(view, group, v);
        if (!statistics)
            continue;
        fputs("<tr><th scope=\"row\">", out);
        if (view->page->n_videos > 1)
            put_sign(out, v);
        html_put_text(out, view->page->videos[v].name);
        fputs("</th>", out);
        for (unsigned i = 0; i < N_PERCENTILES; i++) {
            fprintf(out, "<td data-percentile=\"%u\">", percentiles[i].percent);
            html_put_score(out, view->page->score_format,
                           statistics_percentile(statistics, percentiles[i].percent));
            fputs("</td>", out);
        }
        fputs("</tr>", out);
    }
    fputs("</tbody></table></div>", out);
}

/* ---- The part ---- */

static void put_drawing(FILE *out, const View *view, const Group *group, const Axis *axis,
                        const Axis *y)
{
    fputs("<svg role=\"img\" aria-label=\"Histogram of ", out);
    html_put_text(out, group->name);
    fprintf(out,
            ". The table below has its percentiles.\" viewBox=\"0 0 %d %d\""
            " preserveAspectRatio=\"none\">",
            PLOT_WIDTH, PLOT_HEIGHT);
    html_put_grid(out, y);
    for (size_t v = 0; v < view->page->n_videos; v++) {
        const Statistics *statistics = view_statistics(view, group, v);
        const Bins bins = bins_of(axis, statistics);
        if (!statistics)
            continue;
        if (view->page->n_videos > 1) {
            put_outline(out, &bins, y->high, v);
        } else {
            put_bars(out, &bins, y->high);
            put_marks(out, axis, statistics);
        }
    }
}

int put_histogram(FILE *out, const View *view, const Group *group)
{
    double low, high;
    view_range(view, group, &low, &high);
    const Axis axis = axis_of_values(low, high, WANTED_BINS);
    Axis x = axis_of_values(axis.low, axis.high, 7);
    x.low = axis.low;
    x.high = axis.high;
    const Axis y = axis_of_values(0, 100 * largest_share(view, group, &axis), 4);
    const Statistics *only = view->page->n_videos == 1 ? view_statistics(view, group, 0) : NULL;
    MarkNames names = {0};
    if (only)
        names = mark_names(&axis, only);
    fprintf(out, "<div class=\"histogram\" style=\"--rows:%u\">", names.rows);
    put_plot_begin(out, &y, true);
    if (only)
        put_mark_names(out, &names);
    put_drawing(out, view, group, &axis, &y);
    put_plot_end(out, &x, &y, "\xe2\x80\xaf%", false);
    fputs("</div>", out);
    put_percentiles(out, view, group);
    return 0;
}
