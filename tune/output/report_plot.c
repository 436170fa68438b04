/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The plot of a subject: scores over the logarithm of bitrate. */
#include "tune/output/report_internal.h"

#include "common/json.h"

#include <math.h>
#include <string.h>

/*
 * Drawings are stretched to the width of the page; what would be distorted by that, numbers and
 * names, is text beside them. Points are lines without length, whose round ends stay round.
 */
enum { N_COLOURS = 8, N_DASHES = 4, MAX_TICKS = 9 };

/* Part of the axis of bitrates that is free beyond the outermost values. */
#define MARGIN 0.04

/* What is farther below the target than this matters to nobody who wants to reach it. */
#define BELOW_TARGET 32

/* Texts that are nearer to each other, as parts of the width: on any screen, on small ones. */
#define TOO_NEAR 0.03
#define NEAR     0.11

typedef struct Plot {
    FILE *out;
    const Report *report;
    const char *metric;
    const json_t *chosen, *hull;
    json_t *curves;
    double target;    /* NAN: none */
    double low, high; /* of the axis of bitrates, in kbit/s */
    double ticks[MAX_TICKS];
    size_t n_ticks;
    Axis y;
} Plot;

/* A point, and where it is: 0 to 1 inside of the plot. */
typedef struct Dot {
    double kbps, score;
    const char *label;
    double x, y;
} Dot;

/* -- axes -- */

/* Counts a tick that is on the axis, and takes it if there is room. */
static void add_tick(Plot *plot, double tick)
{
    if (tick < plot->low * (1 - 1e-9) || tick > plot->high * (1 + 1e-9))
        return;
    if (plot->n_ticks < MAX_TICKS)
        plot->ticks[plot->n_ticks] = tick;
    plot->n_ticks++;
}

/* A little wider than from low to high, with ticks at numbers that people like. */
static void find_kbps_axis(Plot *plot, double low, double high)
{
    /* Multiples of powers of ten, from many ticks to few. */
    static const double sets[][7] = {{1, 1.5, 2, 3, 5, 7}, {1, 2, 5}, {1, 3}, {1}};
    if (!(high > low * 1.01)) {
        low *= 0.9;
        high *= 1.1;
    }
    const double room = pow(high / low, MARGIN);
    plot->low = low / room;
    plot->high = high * room;
    const Axis linear = axis_of_values(plot->low, plot->high, 6);
    const bool is_narrow = plot->high / plot->low < 3.5; /* equal steps */
    for (size_t i = 0; i < axis_ticks(&linear) && is_narrow; i++)
        add_tick(plot, axis_tick(&linear, i));
    const int first = (int)floor(log10(plot->low)), last = (int)floor(log10(plot->high));
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]) && !is_narrow; i++) {
        plot->n_ticks = 0;
        for (int power = first; power <= last; power++)
            for (const double *multiple = sets[i]; *multiple; multiple++)
                add_tick(plot, *multiple * pow(10, power));
        if (plot->n_ticks <= MAX_TICKS)
            return;
    }
    plot->n_ticks = plot->n_ticks < MAX_TICKS ? plot->n_ticks : MAX_TICKS;
}

static double place_of(const Plot *plot, double kbps)
{
    return log(kbps / plot->low) / log(plot->high / plot->low);
}

typedef struct Range {
    double low, high;
} Range;

static void widen(Range *range, double value)
{
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
}

static void widen_by(const json_t *points, double least_score, Range *kbps, Range *scores)
{
    size_t i;
    json_t *point;
    json_array_foreach(points, i, point)
    {
        const double score = json_number_value(json_array_get(point, 1));
        if (score < least_score)
            continue;
        widen(kbps, json_number_value(json_array_get(point, 0)));
        widen(scores, score);
    }
}

static void find_ranges(const Plot *plot, double least_score, Range *kbps, Range *scores)
{
    const char *name;
    json_t *points;
    *kbps = *scores = (Range){INFINITY, -INFINITY};
    json_object_foreach(plot->curves, name, points) widen_by(points, least_score, kbps, scores);
    widen_by(plot->chosen, least_score, kbps, scores);
}

/* False: there is nothing to be drawn. */
static bool find_axes(Plot *plot)
{
    Range kbps, scores;
    find_ranges(plot, isnan(plot->target) ? -INFINITY : plot->target - BELOW_TARGET, &kbps,
                &scores);
    if (!(scores.high >= scores.low))
        find_ranges(plot, -INFINITY, &kbps, &scores);
    if (!(scores.high >= scores.low))
        return false;
    if (!isnan(plot->target))
        widen(&scores, plot->target);
    find_kbps_axis(plot, kbps.low, kbps.high);
    plot->y = axis_of_values(scores.low, scores.high, 6);
    return true;
}

static Dot dot_at(const Plot *plot, const json_t *points, size_t i)
{
    Dot dot = {0};
    json_unpack(json_array_get(points, i), "[F, F, s]", &dot.kbps, &dot.score, &dot.label);
    dot.x = place_of(plot, dot.kbps);
    dot.y = (dot.score - plot->y.low) / (plot->y.high - plot->y.low);
    return dot;
}

static bool is_inside(const Dot *dot)
{
    return dot->x >= 0 && dot->x <= 1 && dot->y >= 0 && dot->y <= 1;
}

/* -- drawing -- */

static void put_class(const Report *report, const char *kind, const char *name, FILE *out)
{
    const int style = (int)json_integer_value(json_object_get(report->styles, name));
    fprintf(out, "class=\"%s c%d d%d\"", kind, style % N_COLOURS, style / N_COLOURS % N_DASHES);
}

static const char sign_begin[] = "<svg class=\"sign\" viewBox=\"0 0 28 8\" aria-hidden=\"true\">";

void rd_plot_print_sign(const Report *report, const json_t *subject, const char *name, FILE *out)
{
    if (!json_object_get(json_object_get(subject, "curves"), name))
        return;
    fprintf(out, "%s<path ", sign_begin);
    put_class(report, "line", name, out);
    fputs(" d=\"M1 4H27\"/><path ", out);
    put_class(report, "dot", name, out);
    fputs(" d=\"M14 4h0\"/></svg>", out);
}

static void put_line(const Plot *plot, const json_t *points)
{
    fputs(" d=\"", plot->out);
    for (size_t i = 0; i < json_array_size(points); i++) {
        const Dot dot = dot_at(plot, points, i);
        fprintf(plot->out, "%c%.0f %.0f", i ? 'L' : 'M', PLOT_WIDTH * dot.x,
                PLOT_HEIGHT * (1 - dot.y));
    }
    fputs("\"/>", plot->out);
}

/* The points of a curve, or, without its name, rings of those that are chosen. A browser shows the
 * title of the one under the pointer. */
static void put_dots(const Plot *plot, const char *name, const json_t *points)
{
    char place[64], kbps[HTML_NUMBER_SIZE], score[HTML_NUMBER_SIZE];
    for (size_t i = 0; i < json_array_size(points); i++) {
        const Dot dot = dot_at(plot, points, i);
        if (!is_inside(&dot))
            continue;
        snprintf(place, sizeof place, " d=\"M%.0f %.0fh0\"", PLOT_WIDTH * dot.x,
                 PLOT_HEIGHT * (1 - dot.y));
        fputs("<path ", plot->out);
        if (name)
            put_class(plot->report, "dot", name, plot->out);
        else
            fprintf(plot->out, "class=\"ring\"%s/><path class=\"hole\"", place);
        fputs(place, plot->out);
        html_put_element(plot->out, "><title>", name ? name : "", name ? ", " : "");
        html_put_text(plot->out, dot.label);
        fprintf(plot->out, ": %s kbit/s, %s</title></path>\n",
                html_number(kbps, dot.kbps, dot.kbps < 100), html_number(score, dot.score, 2));
    }
}

/* Chosen points are behind the points themselves. */
static void put_drawing(const Plot *plot)
{
    const char *name;
    json_t *points;
    html_put_grid(plot->out, &plot->y);
    fputs("<path class=\"grid\" d=\"", plot->out);
    for (size_t i = 0; i < plot->n_ticks; i++)
        fprintf(plot->out, "M%.0f 0V%d", PLOT_WIDTH * place_of(plot, plot->ticks[i]), PLOT_HEIGHT);
    fputs("\"/>", plot->out);
    if (!isnan(plot->target))
        fprintf(plot->out, "<path class=\"target\" d=\"M0 %.0fH%d\"/>",
                PLOT_HEIGHT * (1 - axis_place(&plot->y, plot->target)), PLOT_WIDTH);
    if (json_array_size(plot->hull) > 1) {
        fputs("<path class=\"hull\"", plot->out);
        put_line(plot, plot->hull);
    }
    put_dots(plot, NULL, plot->chosen);
    json_object_foreach(plot->curves, name, points)
    {
        fputs("<path ", plot->out);
        put_class(plot->report, "line", name, plot->out);
        put_line(plot, points);
        put_dots(plot, name, points);
    }
}

/* -- text around it -- */

static void put_description(const Plot *plot)
{
    char texts[4][HTML_NUMBER_SIZE];
    const char *name;
    json_t *points;
    html_put_element(plot->out, "<svg role=\"img\" aria-label=\"", plot->metric, " over bitrate.");
    json_object_foreach(plot->curves, name, points)
    {
        Range kbps = {INFINITY, -INFINITY}, scores = {INFINITY, -INFINITY};
        widen_by(points, -INFINITY, &kbps, &scores);
        if (!json_array_size(points))
            continue;
        html_put_element(plot->out, " ", name, ": ");
        fprintf(plot->out, "%zu encode%s, %s to %s kbit/s, scores %s to %s.",
                json_array_size(points), json_array_size(points) == 1 ? "" : "s",
                html_number(texts[0], kbps.low, 0), html_number(texts[1], kbps.high, 0),
                html_number(texts[2], scores.low, 1), html_number(texts[3], scores.high, 1));
    }
    fprintf(plot->out, "\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\">", PLOT_WIDTH,
            PLOT_HEIGHT);
}

static const char *kbps_text(double kbps, char text[HTML_NUMBER_SIZE])
{
    if (kbps >= 1000 && kbps < 1e15)
        return html_count(text, (unsigned long long)rint(kbps));
    return html_number(text, kbps, kbps >= 10 || kbps == rint(kbps) ? 0 : kbps >= 1 ? 1 : 2);
}

static void put_x_numbers(const Plot *plot)
{
    char text[HTML_NUMBER_SIZE];
    double last = -INFINITY;
    fputs("<div class=\"xs\" aria-hidden=\"true\">", plot->out);
    for (size_t i = 0; i < plot->n_ticks; i++) {
        const double place = place_of(plot, plot->ticks[i]);
        const bool is_last = place > 0.97; /* it ends there, instead of having its middle there */
        const bool is_near = place - (is_last ? 0.05 : 0) - last < NEAR;
        fprintf(plot->out, "<span class=\"%s%s\" style=\"left:%.2f%%\">%s</span>",
                is_near ? "minor" : "major", is_last ? " last" : "", 100 * place,
                kbps_text(plot->ticks[i], text));
        last = is_near ? last : place;
    }
    fputs("</div>", plot->out);
}

/* Names of the chosen points, unless they would stand on the one before; "minor": on small screens.
 */
static void put_names(const Plot *plot)
{
    char text[HTML_NUMBER_SIZE];
    const double target = plot->target;
    double last = -INFINITY, last_major = -INFINITY;
    fputs("<div class=\"names\" aria-hidden=\"true\">", plot->out);
    if (!isnan(target))
        fprintf(plot->out, "<span class=\"target-name\" style=\"bottom:%.2f%%\">target %s</span>",
                100 * axis_place(&plot->y, target),
                html_number(text, target, target == rint(target) ? 0 : 1));
    for (size_t i = 0; i < json_array_size(plot->chosen); i++) {
        const Dot dot = dot_at(plot, plot->chosen, i);
        const bool is_near = fabs(dot.x - last_major) < NEAR;
        if (!is_inside(&dot) || fabs(dot.x - last) < TOO_NEAR)
            continue;
        fprintf(plot->out, "<span class=\"rung%s%s\" style=\"left:%.2f%%;bottom:%.2f%%",
                dot.x > 0.93 ? " left" : "", is_near ? " minor" : "", 100 * dot.x, 100 * dot.y);
        html_put_element(plot->out, "\">", dot.label, "</span>");
        last = dot.x;
        last_major = is_near ? last_major : dot.x;
    }
    fputs("</div>", plot->out);
}

static void put_legend(const Plot *plot, const json_t *subject)
{
    const char *name;
    json_t *points;
    fputs("<ul class=\"legend\">", plot->out);
    json_object_foreach(plot->curves, name, points)
    {
        if (!json_array_size(points))
            continue;
        fputs("<li>", plot->out);
        rd_plot_print_sign(plot->report, subject, name, plot->out);
        html_put_element(plot->out, "", name, "</li>");
    }
    if (json_array_size(plot->hull) > 1)
        fprintf(plot->out, "<li>%s<path class=\"hull\" d=\"M1 4H27\"/></svg>convex hull</li>",
                sign_begin);
    if (json_array_size(plot->chosen))
        fprintf(plot->out,
                "<li>%s<path class=\"ring\" d=\"M14 4h0\"/><path class=\"hole\" d=\"M14 4h0\"/>"
                "</svg>chosen</li>",
                sign_begin);
    fputs("</ul>", plot->out);
}

void rd_plot_print(const Report *report, const json_t *subject, FILE *out)
{
    Plot plot = {
        .out = out,
        .report = report,
        .metric = json_text_of(subject, "metric"),
        .chosen = json_object_get(subject, "chosen"),
        .hull = json_object_get(subject, "hull"),
        .curves = json_object_get(subject, "curves"),
        .target = json_number_of(subject, "target"),
    };
    if (!find_axes(&plot))
        return;
    put_legend(&plot, subject);
    html_put_element(out, "<figure><figcaption>", plot.metric,
                     " over bitrate in kbit/s, on a logarithmic scale</figcaption>");
    fprintf(out, "<div class=\"frame large rd\" style=\"--room:%zuch\">", axis_room(&plot.y));
    put_description(&plot);
    put_drawing(&plot);
    fputs("</svg>", out);
    put_names(&plot);
    html_put_y_numbers(out, &plot.y, "");
    put_x_numbers(&plot);
    fputs("</div></figure>\n", out);
}
