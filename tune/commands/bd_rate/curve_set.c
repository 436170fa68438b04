/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/bd_rate/curve_set.h"

#include "common/messages.h"
#include "platform/file.h"
#include "tune/commands/bd_rate/csv_points.h"
#include "tune/rows/row_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static SourceCurve *find(const CurveSet *set, const char *source)
{
    for (size_t i = 0; i < set->n; i++)
        if (!strcmp(set->curves[i].source, source))
            return &set->curves[i];
    return NULL;
}

const SourceCurve *curve_set_find(const CurveSet *set, const char *source)
{
    return find(set, source);
}

/* NULL without memory. */
static SourceCurve *add_source(CurveSet *set, const char *source, const char *name)
{
    SourceCurve *more = realloc(set->curves, (set->n + 1) * sizeof(*more));
    if (!more)
        return NULL;
    set->curves = more;
    SourceCurve *curve = &set->curves[set->n];
    *curve = (SourceCurve){.source = strdup(source), .name = strdup(name)};
    set->n++;
    return curve->source && curve->name ? curve : NULL;
}

static int add_point(SourceCurve *curve, double rate, double quality)
{
    for (size_t i = 0; i < curve->n; i++)
        if (curve->points[i].rate == rate && curve->points[i].quality == quality)
            return 0;
    RatePoint *more = realloc(curve->points, (curve->n + 1) * sizeof(*more));
    if (!more)
        return -ENOMEM;
    curve->points = more;
    curve->points[curve->n++] = (RatePoint){rate, quality};
    return 0;
}

static bool is_wanted(const char *text, const char *wanted)
{
    return !wanted || (text && !strcmp(text, wanted));
}

/* *encoder: of the rows so far, NULL: none. */
static int check_encoder(const Row *row, const char **encoder, Message *message)
{
    const char *name = row->encoder ? row->encoder : "";
    if (*encoder && strcmp(*encoder, name))
        return message_set(message, -EINVAL,
                           "there are rows of %.60s and of %.60s: which is meant?", *encoder, name);
    *encoder = name;
    return 0;
}

static int add_row(CurveSet *set, const Row *row, double quality)
{
    SourceCurve *curve = find(set, row_source(row));
    if (!curve)
        curve = add_source(set, row_source(row), row->src ? row->src : row_source(row));
    return curve ? add_point(curve, row_kbps(row), quality) : -ENOMEM;
}

int curve_set_of_rows(CurveSet *set, const Row *rows, size_t n, const CurveFilter *filter,
                      Message *message)
{
    const char *encoder = NULL;
    *set = (CurveSet){0};
    for (size_t i = 0; i < n; i++) {
        const Row *row = &rows[i];
        double quality;
        if (!is_wanted(row->encoder, filter->encoder) || !is_wanted(row->preset, filter->preset) ||
            !row_is_usable(row) || isnan(row_kbps(row)) ||
            !row_number(row, filter->metric, &quality) || isnan(quality))
            continue;
        int err = check_encoder(row, &encoder, message);
        if (!err && add_row(set, row, quality))
            err = message_set(message, -ENOMEM, "out of memory");
        if (err)
            return err;
    }
    if (set->n)
        return 0;
    return message_set(message, -EINVAL, "no row%s%.60s%s%.60s has a bitrate and %.60s",
                       filter->encoder ? " of " : "", filter->encoder ? filter->encoder : "",
                       filter->preset ? ", preset " : "", filter->preset ? filter->preset : "",
                       filter->metric);
}

static int of_csv(CurveSet *set, const char *text, const CurveFilter *filter, Message *message)
{
    CsvPoints points;
    int err = csv_points_parse(&points, text, filter->metric, message);
    if (err)
        return err;
    SourceCurve *curve = add_source(set, "", "");
    if (!curve)
        err = message_set(message, -ENOMEM, "out of memory");
    for (size_t i = 0; i < points.n && !err; i++)
        if (add_point(curve, points.points[i].rate, points.points[i].quality))
            err = message_set(message, -ENOMEM, "out of memory");
    free(points.points);
    return err;
}

static int of_text(CurveSet *set, const char *text, size_t size, const CurveFilter *filter,
                   Message *message)
{
    const char *begin = strncmp(text, "\xef\xbb\xbf", 3) ? text : text + 3;
    if (begin[strspn(begin, " \t\r\n")] != '{')
        return of_csv(set, begin, filter, message);
    RowTable table;
    int err = rows_parse(&table, text, size, message);
    if (table.is_torn)
        say("vmaf-tune: the last line of the rows is cut off, and left out");
    if (!err)
        err = curve_set_of_rows(set, table.rows, table.n, filter, message);
    row_table_free(&table);
    return err;
}

int curve_set_load(CurveSet *set, const char *path, const CurveFilter *filter, Message *message)
{
    char *text;
    size_t size;
    *set = (CurveSet){0};
    int err = vmaf_file_load(path, ROWS_MAX_BYTES, &text, &size);
    if (err)
        return message_set(message, err, "%.300s: %s", path, strerror(-err));
    err = of_text(set, text, size, filter, message);
    free(text);
    if (err) {
        const Message why = *message;
        message_set(message, err, "%.200s: %.300s", path, why.text);
    }
    return err;
}

void curve_set_free(CurveSet *set)
{
    for (size_t i = 0; i < set->n; i++) {
        free(set->curves[i].source);
        free(set->curves[i].name);
        free(set->curves[i].points);
    }
    free(set->curves);
    *set = (CurveSet){0};
}
