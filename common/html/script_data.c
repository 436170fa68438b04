/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>

#include "common/html/html_internal.h"

/*
 * The script can show more than the drawings do, which have about one point for a pixel: it has
 * every score of short videos, and more pieces of long ones.
 */
enum {
    ALL_VALUES = 160000, /* of all curves, about a megabyte */
    MIN_POINTS = 100,
};

static void put_value(FILE *out, double value, int digits)
{
    if (isfinite(value))
        fprintf(out, "%.*g", digits, value);
    else
        fputs("null", out);
}

static void put_values(FILE *out, const char *key, const Curve *curve, PointValue *value)
{
    const int digits = curve->is_exact ? 7 : 5;
    fprintf(out, ",\"%s\":[", key);
    for (size_t i = 0; i < curve->n; i++) {
        if (i)
            fputc(',', out);
        put_value(out, value(&curve->points[i]), digits);
    }
    fputc(']', out);
}

/* Where the points are: the first and the distance, or each. */
static void put_frames(FILE *out, const Curve *curve)
{
    const double n = (double)curve->n;
    const double first = curve->n ? curve->points[0].frame : 0;
    const double step = curve->n > 1 ? (curve->points[curve->n - 1].frame - first) / (n - 1) : 1;
    bool is_even = true;
    for (size_t i = 0; i < curve->n; i++)
        is_even &= fabs(curve->points[i].frame - (first + (double)i * step)) <=
                   (curve->is_exact ? 1e-3 : 1.0);
    if (is_even) {
        fprintf(out, "\"first\":%.10g,\"step\":%.10g", first, step);
        return;
    }
    fputs("\"at\":[", out);
    for (size_t i = 0; i < curve->n; i++)
        fprintf(out, "%s%.10g", i ? "," : "", curve->points[i].frame);
    fputc(']', out);
}

static int put_curve(FILE *out, const HtmlSeries *series, size_t max_points, size_t group,
                     size_t video)
{
    Curve curve;
    const int err = curve_of(&curve, series, NULL, max_points);
    if (err)
        return err;
    fprintf(out, "{\"group\":%zu,\"video\":%zu,", group, video);
    if (series->sense == HTML_HIGH_IS_BAD)
        fputs("\"highIsBad\":true,", out);
    put_frames(out, &curve);
    put_values(out, "mean", &curve, point_mean);
    if (!curve.is_exact)
        put_values(out, "worst", &curve, series->sense == HTML_HIGH_IS_BAD ? point_max : point_min);
    fputc('}', out);
    curve_free(&curve);
    return 0;
}

static void put_names(FILE *out, const View *view)
{
    fputs(",\"groups\":[", out);
    for (size_t g = 0; g < view->n_groups; g++) {
        fputs(g ? "," : "", out);
        html_put_json_string(out, view->groups[g].name);
    }
    fputs("],\"videos\":[", out);
    for (size_t v = 0; v < view->page->n_videos; v++) {
        fputs(v ? "," : "", out);
        html_put_json_string(out, view->page->videos[v].name);
    }
    fputc(']', out);
}

/* Times of frames, if no rate tells them: some of them, between which the script interpolates. */
static void put_times(FILE *out, const HtmlPage *page)
{
    enum { MAX_TIMES = 20000 };
    if (!page->n_times)
        return;
    const size_t step = page->n_times / MAX_TIMES + 1;
    fprintf(out, ",\"timeStep\":%zu,\"times\":[", step);
    for (size_t i = 0; i < page->n_times; i += step)
        fprintf(out, "%s%.8g", i ? "," : "", page->times[i]);
    fputc(']', out);
}

int put_script_data(FILE *out, const View *view)
{
    const size_t share = ALL_VALUES / (view->n_curves ? view->n_curves : 1);
    /* Decimated curves have two values for each point. */
    const size_t pieces = share / 2 > MIN_POINTS ? share / 2 : MIN_POINTS;
    bool is_first = true;
    int err = 0;
    fprintf(out, "<script type=\"application/json\" id=\"data\">{\"frames\":%u,\"rate\":%.10g",
            view->n_frames, view->page->rate > 0 ? view->page->rate : 0.0);
    put_times(out, view->page);
    put_names(out, view);
    fputs(",\"curves\":[", out);
    for (size_t g = 0; g < view->n_groups && !err; g++) {
        for (size_t v = 0; v < view->page->n_videos && !err; v++) {
            const HtmlSeries *series = view_series(view, &view->groups[g], v);
            if (!series)
                continue;
            fputs(is_first ? "" : ",\n", out);
            is_first = false;
            err = put_curve(out, series, series->n <= share ? series->n : pieces, g, v);
        }
    }
    fputs("]}</script>\n", out);
    return err;
}
