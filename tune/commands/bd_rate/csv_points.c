/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/bd_rate/csv_points.h"

#include "platform/text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A cell of a line, without blanks around it. */
typedef struct Cell {
    const char *text;
    size_t length;
} Cell;

static bool cell_is(Cell cell, const char *name)
{
    return strlen(name) == cell.length && !strncmp(cell.text, name, cell.length);
}

/* Number `index` of a line; without text if there are fewer. */
static Cell cell_at(const char *line, size_t index)
{
    for (; index; index--) {
        line += strcspn(line, ",\n");
        if (*line != ',')
            return (Cell){0};
        line++;
    }
    line += strspn(line, " \t");
    size_t length = strcspn(line, ",\n");
    while (length && strchr(" \t\r", line[length - 1]))
        length--;
    return (Cell){line, length};
}

static bool number_of(Cell cell, double *number)
{
    char *end;
    if (!cell.length)
        return false;
    *number = vmaf_c_strtod(cell.text, &end);
    return end == cell.text + cell.length;
}

typedef struct Columns {
    size_t rate, quality;
} Columns;

/* False: it is no header. */
static bool find_columns(const char *line, const char *metric, Columns *columns)
{
    bool has_rate = false, has_quality = false;
    Cell cell;
    for (size_t i = 0; (cell = cell_at(line, i)).text; i++) {
        if (!has_rate && (cell_is(cell, "rate") || cell_is(cell, "bitrate_kbps"))) {
            columns->rate = i;
            has_rate = true;
        } else if (!has_quality && (cell_is(cell, metric) || cell_is(cell, "metric"))) {
            columns->quality = i;
            has_quality = true;
        }
    }
    return has_rate && has_quality;
}

static bool is_skipped(const char *line)
{
    const char *begin = line + strspn(line, " \t\r");
    return !*begin || *begin == '\n' || *begin == '#';
}

static int add(CsvPoints *points, double rate, double quality)
{
    RatePoint *more = realloc(points->points, (points->n + 1) * sizeof(*more));
    if (!more)
        return -ENOMEM;
    points->points = more;
    points->points[points->n++] = (RatePoint){rate, quality};
    return 0;
}

static int take_line(CsvPoints *points, const char *line, size_t number, Columns columns,
                     Message *message)
{
    double rate, quality;
    if (!number_of(cell_at(line, columns.rate), &rate) ||
        !number_of(cell_at(line, columns.quality), &quality))
        return message_set(message, -EINVAL, "line %zu: expected a rate and a quality", number);
    if (add(points, rate, quality))
        return message_set(message, -ENOMEM, "out of memory");
    return 0;
}

int csv_points_parse(CsvPoints *points, const char *text, const char *metric, Message *message)
{
    Columns columns = {0, 1};
    bool is_first = true;
    int err = 0;
    *points = (CsvPoints){0};
    for (size_t line = 1; *text && !err; line++) {
        if (!is_skipped(text)) {
            const bool is_header = is_first && find_columns(text, metric, &columns);
            is_first = false;
            if (!is_header)
                err = take_line(points, text, line, columns, message);
        }
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    if (!err && !points->n)
        err = message_set(message, -EINVAL, "there is no point");
    if (err)
        free(points->points);
    return err;
}
