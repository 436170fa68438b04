/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "html/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BINS = 60, WANTED_BINS = 50, COLOURS = 8 };

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

/* -- percentiles -- */

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

/* -- the part -- */

static void put_drawing(FILE *out, const View *view, const Group *group, const Axis *axis,
                        const Axis *y)
{
    fputs("<svg role=\"img\" aria-label=\"Histogram of ", out);
    html_put_text(out, group->name);
    fprintf(out,
            ". The table below has its percentiles.\" viewBox=\"0 0 %d %d\""
            " preserveAspectRatio=\"none\">",
            PLOT_WIDTH, PLOT_HEIGHT);
    put_grid(out, y);
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
