/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A logarithmic axis of values above 0. */
#include "tune/commands/report_internal.h"

#include "common/html/parts.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_AXIS_MAX_TICKS = 9 };

typedef struct LogAxis {
    double low, high; /* low < high */
    double ticks[LOG_AXIS_MAX_TICKS];
    size_t n_ticks;
} LogAxis;

/* Part of the axis that is free beyond the outermost values. */
#define MARGIN 0.04

/* Multiples of powers of ten, from few ticks to many. */
static const double few[] = {1, 10};
static const double thirds[] = {1, 3, 10};
static const double classic[] = {1, 2, 5, 10};
static const double more[] = {1, 1.5, 2, 3, 5, 7, 10};
static const double *const sets[] = {more, classic, thirds, few};

static void add_tick(LogAxis *axis, size_t *n, double tick)
{
    if (tick < axis->low * (1 - 1e-9) || tick > axis->high * (1 + 1e-9))
        return;
    if (*n < LOG_AXIS_MAX_TICKS)
        axis->ticks[*n] = tick;
    ++*n;
}

/* Their number, which may be too large. */
static size_t put_ticks(LogAxis *axis, const double *multiples)
{
    size_t n = 0;
    const int first = (int)floor(log10(axis->low)), last = (int)floor(log10(axis->high));
    for (int power = first; power <= last; power++)
        for (const double *multiple = multiples; *multiple < 10; multiple++)
            add_tick(axis, &n, *multiple * pow(10, power));
    return n;
}

/* Equal steps, for narrow ranges. */
static size_t put_linear_ticks(LogAxis *axis)
{
    const Axis linear = axis_of_values(axis->low, axis->high, 6);
    size_t n = 0;
    for (size_t i = 0; i < axis_ticks(&linear); i++)
        add_tick(axis, &n, axis_first_tick(&linear) + (double)i * linear.step);
    return n;
}

/* A little wider than from low to high, with ticks at numbers that people like. */
static LogAxis log_axis(double low, double high)
{
    LogAxis axis;
    if (!(high > low * 1.01)) {
        low *= 0.9;
        high *= 1.1;
    }
    const double room = pow(high / low, MARGIN);
    axis.low = low / room;
    axis.high = high * room;
    axis.n_ticks = 0;
    if (axis.high / axis.low < 3.5) {
        axis.n_ticks = put_linear_ticks(&axis);
    } else {
        size_t i = 0;
        do
            axis.n_ticks = put_ticks(&axis, sets[i]);
        while (axis.n_ticks > LOG_AXIS_MAX_TICKS && ++i < sizeof(sets) / sizeof(sets[0]));
    }
    if (axis.n_ticks > LOG_AXIS_MAX_TICKS)
        axis.n_ticks = LOG_AXIS_MAX_TICKS;
    return axis;
}

/* Position of a value: 0 to 1 inside of the axis. */
static double log_axis_place(const LogAxis *axis, double value)
{
    return log(value / axis->low) / log(axis->high / axis->low);
}

/*
 * Drawings are stretched to the width of the page; what would be distorted by that, numbers and
 * names, is text beside them. Points are lines without length, whose round ends stay round.
 */
enum { WIDTH = 4000, HEIGHT = 1000, N_COLOURS = 8, N_DASHES = 4 };

/* What is farther below the target than this matters to nobody who wants to reach it. */
#define BELOW_TARGET 32

/* Texts that are nearer to each other, as parts of the width: on any screen, on small ones. */
#define TOO_NEAR 0.03
#define NEAR     0.11

typedef struct Plot {
    FILE *out;
    LogAxis x;
    Axis y;
} Plot;

static void put_class(FILE *out, const char *kind, int style)
{
    fprintf(out, "%s c%d d%d", kind, style % N_COLOURS, style / N_COLOURS % N_DASHES);
}

void rd_plot_print_sign(const ReportCurve *curve, FILE *out)
{
    fputs("<svg class=\"sign\" viewBox=\"0 0 28 8\" aria-hidden=\"true\"><path class=\"", out);
    put_class(out, "line", curve->style);
    fputs("\" d=\"M1 4H27\"/><path class=\"", out);
    put_class(out, "dot", curve->style);
    fputs("\" d=\"M14 4h0\"/></svg>", out);
}

/* -- ranges -- */

typedef struct Range {
    double low, high;
} Range;

static void widen(Range *range, double value)
{
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
}

/* Calls for all points that are drawn. */
static void widen_by(const ReportPoints *points, double least_score, Range *kbps, Range *scores)
{
    for (size_t i = 0; i < points->n; i++) {
        if (points->points[i].score < least_score)
            continue;
        widen(kbps, points->points[i].kbps);
        widen(scores, points->points[i].score);
    }
}

static void ranges_of(const ReportSubject *subject, double least_score, Range *kbps, Range *scores)
{
    *kbps = *scores = (Range){INFINITY, -INFINITY};
    for (size_t c = 0; c < subject->n_curves; c++)
        widen_by(&subject->curves[c].points, least_score, kbps, scores);
    widen_by(&subject->chosen, least_score, kbps, scores);
}

/* False: there is nothing to be drawn. */
static bool find_axes(const ReportSubject *subject, Plot *plot)
{
    Range kbps, scores;
    const double least = isnan(subject->target) ? -INFINITY : subject->target - BELOW_TARGET;
    ranges_of(subject, least, &kbps, &scores);
    if (!(scores.high >= scores.low))
        ranges_of(subject, -INFINITY, &kbps, &scores);
    if (!(scores.high >= scores.low))
        return false;
    if (!isnan(subject->target))
        widen(&scores, subject->target);
    plot->x = log_axis(kbps.low, kbps.high);
    plot->y = axis_of_values(scores.low, scores.high, 6);
    return true;
}

/* -- drawing -- */

static double x_of(const Plot *plot, double kbps)
{
    return WIDTH * log_axis_place(&plot->x, kbps);
}

/* Points far outside stay outside. */
static double y_of(const Plot *plot, double score)
{
    const double place = (score - plot->y.low) / (plot->y.high - plot->y.low);
    return HEIGHT * (1 - place);
}

static bool is_inside(const Plot *plot, const ReportPoint *point)
{
    const double y = y_of(plot, point->score), x = x_of(plot, point->kbps);
    return x >= 0 && x <= WIDTH && y >= 0 && y <= HEIGHT;
}

static double tick_of(const Axis *axis, size_t i)
{
    const double tick = axis_first_tick(axis) + (double)i * axis->step;
    return fabs(tick) < axis->step * 1e-9 ? 0 : tick;
}

static void put_grid(const Plot *plot)
{
    fputs("<path class=\"grid\" d=\"", plot->out);
    for (size_t i = 0; i < axis_ticks(&plot->y); i++)
        fprintf(plot->out, "M0 %.0fH%d", y_of(plot, tick_of(&plot->y, i)), WIDTH);
    for (size_t i = 0; i < plot->x.n_ticks; i++)
        fprintf(plot->out, "M%.0f 0V%d", x_of(plot, plot->x.ticks[i]), HEIGHT);
    fputs("\"/>", plot->out);
}

static void put_line(const Plot *plot, const ReportPoint *points, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fprintf(plot->out, "%c%.0f %.0f", i ? 'L' : 'M', x_of(plot, points[i].kbps),
                y_of(plot, points[i].score));
}

static int by_bitrate(const void *a, const void *b)
{
    const ReportPoint *x = a, *y = b;
    if (x->kbps != y->kbps)
        return x->kbps > y->kbps ? 1 : -1;
    return (x->score > y->score) - (x->score < y->score);
}

/* In order of bitrate, to be freed. */
static ReportPoint *sorted(const ReportPoints *points)
{
    ReportPoint *copy = calloc(points->n + 1, sizeof(*copy));
    for (size_t i = 0; copy && i < points->n; i++)
        copy[i] = points->points[i];
    if (copy)
        qsort(copy, points->n, sizeof(*copy), by_bitrate);
    return copy;
}

/* What a browser shows of the point under the pointer. */
static void put_title(const Plot *plot, const char *name, const ReportPoint *point)
{
    char number[HTML_NUMBER_SIZE];
    fputs("<title>", plot->out);
    if (name && *name) {
        html_put_text(plot->out, name);
        fputs(", ", plot->out);
    }
    html_put_text(plot->out, point->label);
    fprintf(plot->out, ": %s kbit/s", html_number(number, point->kbps, point->kbps < 100));
    fprintf(plot->out, ", %s</title>", html_number(number, point->score, 2));
}

static int put_curve(const Plot *plot, const ReportCurve *curve)
{
    ReportPoint *points = sorted(&curve->points);
    if (!points)
        return -ENOMEM;
    fputs("<path class=\"", plot->out);
    put_class(plot->out, "line", curve->style);
    fputs("\" d=\"", plot->out);
    put_line(plot, points, curve->points.n);
    fputs("\"/>", plot->out);
    for (size_t i = 0; i < curve->points.n; i++) {
        if (!is_inside(plot, &points[i]))
            continue;
        fputs("<path class=\"", plot->out);
        put_class(plot->out, "dot", curve->style);
        fprintf(plot->out, "\" d=\"M%.0f %.0fh0\">", x_of(plot, points[i].kbps),
                y_of(plot, points[i].score));
        put_title(plot, curve->name, &points[i]);
        fputs("</path>\n", plot->out);
    }
    free(points);
    return 0;
}

static void put_hull(const Plot *plot, const ReportPoints *hull)
{
    if (hull->n < 2)
        return;
    fputs("<path class=\"hull\" d=\"", plot->out);
    put_line(plot, hull->points, hull->n);
    fputs("\"/>", plot->out);
}

static void put_target(const Plot *plot, double target)
{
    if (!isnan(target))
        fprintf(plot->out, "<path class=\"target\" d=\"M0 %.0fH%d\"/>", y_of(plot, target), WIDTH);
}

/* Rings, behind the points themselves. */
static void put_chosen(const Plot *plot, const ReportPoints *chosen)
{
    for (size_t i = 0; i < chosen->n; i++) {
        const ReportPoint *point = &chosen->points[i];
        if (!is_inside(plot, point))
            continue;
        const double x = x_of(plot, point->kbps), y = y_of(plot, point->score);
        fprintf(plot->out, "<path class=\"ring\" d=\"M%.0f %.0fh0\"/>", x, y);
        fprintf(plot->out, "<path class=\"hole\" d=\"M%.0f %.0fh0\">", x, y);
        put_title(plot, NULL, point);
        fputs("</path>", plot->out);
    }
}

/* -- text around it -- */

static void put_description(const Plot *plot, const ReportSubject *subject)
{
    char number[HTML_NUMBER_SIZE];
    fputs("<svg role=\"img\" aria-label=\"", plot->out);
    html_put_text(plot->out, subject->metric);
    fputs(" over bitrate.", plot->out);
    for (size_t c = 0; c < subject->n_curves; c++) {
        const ReportCurve *curve = &subject->curves[c];
        Range kbps = {INFINITY, -INFINITY}, scores = {INFINITY, -INFINITY};
        widen_by(&curve->points, -INFINITY, &kbps, &scores);
        if (!curve->points.n)
            continue;
        fputc(' ', plot->out);
        html_put_text(plot->out, curve->name);
        fprintf(plot->out, ": %zu encodes, %s", curve->points.n, html_number(number, kbps.low, 0));
        fprintf(plot->out, " to %s kbit/s", html_number(number, kbps.high, 0));
        fprintf(plot->out, ", scores %s", html_number(number, scores.low, 1));
        fprintf(plot->out, " to %s.", html_number(number, scores.high, 1));
    }
    fprintf(plot->out, "\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\">", WIDTH, HEIGHT);
}

static int decimals_of(double kbps)
{
    return kbps >= 10 || kbps == rint(kbps) ? 0 : kbps >= 1 ? 1 : 2;
}

static const char *kbps_text(double kbps, char text[HTML_NUMBER_SIZE])
{
    return kbps >= 1000 && kbps < 1e15 ? html_count(text, (unsigned long long)rint(kbps))
                                       : html_number(text, kbps, decimals_of(kbps));
}

static void put_y_numbers(const Plot *plot)
{
    char text[HTML_NUMBER_SIZE];
    fputs("<div class=\"ys\" aria-hidden=\"true\">", plot->out);
    for (size_t i = 0; i < axis_ticks(&plot->y); i++)
        fprintf(plot->out, "<span style=\"bottom:%.2f%%\">%s</span>",
                100 * axis_place(&plot->y, tick_of(&plot->y, i)),
                html_number(text, tick_of(&plot->y, i), plot->y.decimals));
    fputs("</div>", plot->out);
}

static void put_x_numbers(const Plot *plot)
{
    char text[HTML_NUMBER_SIZE];
    double last = -INFINITY;
    fputs("<div class=\"xs\" aria-hidden=\"true\">", plot->out);
    for (size_t i = 0; i < plot->x.n_ticks; i++) {
        const double place = log_axis_place(&plot->x, plot->x.ticks[i]);
        const bool is_last = place > 0.97; /* it ends there, instead of having its middle there */
        const bool is_near = place - (is_last ? 0.05 : 0) - last < NEAR;
        fprintf(plot->out, "<span class=\"%s%s\" style=\"left:%.2f%%\">%s</span>",
                is_near ? "minor" : "major", is_last ? " last" : "", 100 * place,
                kbps_text(plot->x.ticks[i], text));
        last = is_near ? last : place;
    }
    fputs("</div>", plot->out);
}

/* Places of the last names that are shown, and of those that are shown on any screen. */
typedef struct LastNames {
    double any, major;
} LastNames;

/* A point's name, unless it would stand on the one before. */
static void put_name(const Plot *plot, const ReportPoint *point, LastNames *last)
{
    const double place = log_axis_place(&plot->x, point->kbps);
    const bool is_near = fabs(place - last->major) < NEAR;
    if (!is_inside(plot, point) || fabs(place - last->any) < TOO_NEAR)
        return;
    fprintf(plot->out, "<span class=\"rung%s%s\" style=\"left:%.2f%%;bottom:%.2f%%\">",
            place > 0.93 ? " left" : "", is_near ? " minor" : "", 100 * place,
            100 * axis_place(&plot->y, point->score));
    html_put_text(plot->out, point->label);
    fputs("</span>", plot->out);
    last->any = place;
    last->major = is_near ? last->major : place;
}

static void put_names(const Plot *plot, const ReportSubject *subject)
{
    char text[HTML_NUMBER_SIZE];
    LastNames last = {-INFINITY, -INFINITY};
    fputs("<div class=\"names\" aria-hidden=\"true\">", plot->out);
    if (!isnan(subject->target))
        fprintf(
            plot->out, "<span class=\"target-name\" style=\"bottom:%.2f%%\">target %s</span>",
            100 * axis_place(&plot->y, subject->target),
            html_number(text, subject->target, subject->target == rint(subject->target) ? 0 : 1));
    for (size_t i = 0; i < subject->chosen.n; i++)
        put_name(plot, &subject->chosen.points[i], &last);
    fputs("</div>", plot->out);
}

static void put_legend(const Plot *plot, const ReportSubject *subject)
{
    fputs("<ul class=\"legend\">", plot->out);
    for (size_t c = 0; c < subject->n_curves; c++) {
        if (!subject->curves[c].points.n)
            continue;
        fputs("<li>", plot->out);
        rd_plot_print_sign(&subject->curves[c], plot->out);
        html_put_text(plot->out, subject->curves[c].name);
        fputs("</li>", plot->out);
    }
    if (subject->hull.n > 1)
        fputs("<li><svg class=\"sign\" viewBox=\"0 0 28 8\" aria-hidden=\"true\"><path "
              "class=\"hull\" d=\"M1 4H27\"/></svg>convex hull</li>",
              plot->out);
    if (subject->chosen.n)
        fputs("<li><svg class=\"sign\" viewBox=\"0 0 28 8\" aria-hidden=\"true\"><path "
              "class=\"ring\" d=\"M14 4h0\"/><path class=\"hole\" d=\"M14 4h0\"/></svg>chosen</li>",
              plot->out);
    fputs("</ul>", plot->out);
}

static size_t widest_number(const Axis *axis)
{
    char text[HTML_NUMBER_SIZE];
    size_t widest = 3;
    for (size_t i = 0; i < axis_ticks(axis); i++) {
        const size_t n = strlen(html_number(text, tick_of(axis, i), axis->decimals));
        widest = n > widest ? n : widest;
    }
    return widest;
}

int rd_plot_print(const ReportSubject *subject, FILE *out)
{
    Plot plot = {.out = out};
    int err = 0;
    if (!find_axes(subject, &plot))
        return 0;
    put_legend(&plot, subject);
    fputs("<figure><figcaption>", out);
    html_put_text(out, subject->metric);
    fprintf(out,
            " over bitrate in kbit/s, on a logarithmic scale</figcaption>"
            "<div class=\"frame large rd\" style=\"--room:%zuch\">",
            widest_number(&plot.y) + 1);
    put_description(&plot, subject);
    put_grid(&plot);
    put_target(&plot, subject->target);
    put_hull(&plot, &subject->hull);
    put_chosen(&plot, &subject->chosen);
    for (size_t c = 0; c < subject->n_curves && !err; c++)
        err = put_curve(&plot, &subject->curves[c]);
    fputs("</svg>", out);
    put_names(&plot, subject);
    put_y_numbers(&plot);
    put_x_numbers(&plot);
    fputs("</div></figure>\n", out);
    return err;
}
