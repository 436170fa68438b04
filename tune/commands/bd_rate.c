/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf-tune bd-rate: how much less an encoder needs than another. */
#include "tune/commands/commands.h"

#include "common/json.h"
#include "common/messages.h"
#include "platform/file.h"
#include "platform/text.h"
#include "tune/engine/bd_rate.h"
#include "tune/engine/encode_point.h"
#include "tune/rows/row.h"
#include "tune/rows/row_file.h"
#include "tune/session/option_rows.h"
#include "tune/session/output.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* -- rate-quality curves from files: one for each source -- */

typedef struct SourceCurve {
    char *source; /* what distinguishes it from others (row_source); "": unknown */
    char *name;   /* for people */
    RatePoint *points;
    size_t n;
} SourceCurve;

typedef struct CurveSet {
    SourceCurve *curves; /* in the order in which they came */
    size_t n;
} CurveSet;

/* Selects rows, and the number of them that is the score. NULL texts: any. */
typedef struct CurveFilter {
    const char *encoder, *preset;
    const char *metric; /* a key of rows, or a feature; of CSV with a header, a column */
} CurveFilter;

/* The curve of a source; NULL: there is none. */
static SourceCurve *find_curve(const CurveSet *set, const char *source)
{
    for (size_t i = 0; i < set->n; i++)
        if (!strcmp(set->curves[i].source, source))
            return &set->curves[i];
    return NULL;
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

/* -- points in CSV -- */

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

/* The first cell of either name. False: there is none. */
static bool find_column(const char *line, const char *name, const char *other, size_t *index)
{
    Cell cell;
    for (*index = 0; (cell = cell_at(line, *index)).text; ++*index)
        if (cell_is(cell, name) || cell_is(cell, other))
            return true;
    return false;
}

typedef struct Columns {
    size_t rate, quality;
} Columns;

/* False: it is no header. */
static bool find_columns(const char *line, const char *metric, Columns *columns)
{
    Columns found;
    if (!find_column(line, "rate", "bitrate_kbps", &found.rate) ||
        !find_column(line, metric, "metric", &found.quality))
        return false;
    *columns = found;
    return true;
}

static bool is_skipped(const char *line)
{
    const char *begin = line + strspn(line, " \t\r");
    return !*begin || *begin == '\n' || *begin == '#';
}

static int take_line(SourceCurve *curve, const char *line, size_t number, Columns columns,
                     Message *message)
{
    double rate, quality;
    if (!number_of(cell_at(line, columns.rate), &rate) ||
        !number_of(cell_at(line, columns.quality), &quality))
        return message_set(message, -EINVAL, "line %zu: expected a rate and a quality", number);
    if (add_point(curve, rate, quality))
        return message_set(message, -ENOMEM, "out of memory");
    return 0;
}

/*
 * Points of a text, one on each line: rate and quality, or the columns that the first line names:
 * "rate" or "bitrate_kbps", and `metric` or "metric". Empty lines, and those that begin with #, are
 * skipped. 0; -EINVAL, -ENOMEM and why.
 */
static int curve_set_of_csv(CurveSet *set, const char *text, const char *metric, Message *message)
{
    Columns columns = {0, 1};
    bool is_first = true;
    SourceCurve *curve = add_source(set, "", "");
    int err = curve ? 0 : message_set(message, -ENOMEM, "out of memory");
    for (size_t line = 1; *text && !err; line++) {
        if (!is_skipped(text)) {
            const bool is_header = is_first && find_columns(text, metric, &columns);
            is_first = false;
            if (!is_header)
                err = take_line(curve, text, line, columns, message);
        }
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    if (!err && !curve->n)
        err = message_set(message, -EINVAL, "there is no point");
    return err;
}

/* -- rows -- */

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
    SourceCurve *curve = find_curve(set, row_source(row));
    if (!curve)
        curve = add_source(set, row_source(row), row->src ? row->src : row_source(row));
    return curve ? add_point(curve, row_kbps(row), quality) : -ENOMEM;
}

static int curve_set_of_rows(CurveSet *set, const Row *rows, size_t n, const CurveFilter *filter,
                             Message *message)
{
    const char *encoder = NULL;
    *set = (CurveSet){0};
    for (size_t i = 0; i < n; i++) {
        const Row *row = &rows[i];
        double quality;
        if (!is_wanted(row->encoder, filter->encoder) || !is_wanted(row->preset, filter->preset) ||
            !row_is_point(row) || !row_number(row, filter->metric, &quality) || isnan(quality))
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

static int of_text(CurveSet *set, const char *text, size_t size, const CurveFilter *filter,
                   Message *message)
{
    const char *begin = strncmp(text, "\xef\xbb\xbf", 3) ? text : text + 3;
    if (begin[strspn(begin, " \t\r\n")] != '{')
        return curve_set_of_csv(set, begin, filter->metric, message);
    RowTable table;
    int err = rows_parse(&table, text, size, message);
    if (table.is_torn)
        print_error("vmaf-tune: the last line of the rows is cut off, and left out");
    if (!err)
        err = curve_set_of_rows(set, table.rows, table.n, filter, message);
    row_table_free(&table);
    return err;
}

/*
 * A file of rows (its first character is a brace), or CSV: rate and metric on each line, or in
 * columns that a header names; lines that begin with # are comments. Rows that failed, or that
 * lack the rate or the metric, do not count; a point that is there twice does once. 0; -EINVAL with
 * a message if a line is damaged, nothing is left, or rows of several encoders are; the error of
 * reading the file; -ENOMEM.
 */
static int curve_set_load(CurveSet *set, const char *path, const CurveFilter *filter,
                          Message *message)
{
    char *text;
    size_t size;
    *set = (CurveSet){0};
    int err = vmaf_file_load(path, ROWS_MAX_BYTES, &text, &size);
    if (err)
        return message_set(message, err, "%.300s: %s", path, strerror(-err));
    err = of_text(set, text, size, filter, message);
    free(text);
    return err ? message_about_file(message, err, path) : 0;
}

static void curve_set_free(CurveSet *set)
{
    for (size_t i = 0; i < set->n; i++) {
        free(set->curves[i].source);
        free(set->curves[i].name);
        free(set->curves[i].points);
    }
    free(set->curves);
    *set = (CurveSet){0};
}

/* -- deltas of curves, source by source and over all -- */

typedef struct BdRequest {
    const char *reference, *test, *metric; /* what is said about both curves */
    BdOptions options;
    double percent; /* of the common interval, for the delta at one quality; NAN: none is wanted */
    bool has_confidence;
} BdRequest;

typedef struct BdDelta {
    BdStatus status;
    double value; /* NAN unless it is BD_OK */
} BdDelta;

typedef struct BdSource {
    const char *name; /* of the sets; "" if unknown */
    size_t n_reference, n_test;
    BdDelta rate, quality, rate_at; /* fractions of rates, points of quality */
    double half_width;              /* bd_rate_uncertainty; NAN: not known */
} BdSource;

typedef struct BdReport {
    BdSource *sources; /* that both sets have */
    size_t n, n_alone; /* sources that one set has only */
    /* Over those that could be computed: geometric mean of ratios of rates, mean of differences of
     * quality. */
    BdSource mean;
} BdReport;

static BdSource compare_source(const SourceCurve *reference, const SourceCurve *test,
                               const BdRequest *request)
{
    const RateCurve a = {reference->points, reference->n}, b = {test->points, test->n};
    BdSource source = {.name = *reference->name ? reference->name : test->name,
                       .n_reference = reference->n,
                       .n_test = test->n,
                       .rate = {.value = NAN},
                       .quality = {.value = NAN},
                       .rate_at = {.value = NAN},
                       .half_width = NAN};
    source.rate.status = bd_rate(&a, &b, &request->options, &source.rate.value);
    source.quality.status = bd_quality(&a, &b, &request->options, &source.quality.value);
    if (!isnan(request->percent))
        source.rate_at.status =
            bd_rate_at(&a, &b, &request->options, request->percent, &source.rate_at.value);
    if (request->has_confidence)
        bd_rate_uncertainty(&a, &b, &request->options, &source.half_width);
    return source;
}

/* The curve of `test` that belongs to one of the reference; NULL: none. */
static const SourceCurve *partner(const CurveSet *reference, const CurveSet *test, size_t i)
{
    const bool single = reference->n == 1 && test->n == 1;
    if (single && (!*reference->curves[0].source || !*test->curves[0].source))
        return &test->curves[0];
    return find_curve(test, reference->curves[i].source);
}

typedef struct Mean {
    double sum;
    size_t n;
} Mean;

static void mean_add(Mean *mean, double value)
{
    if (isnan(value))
        return;
    mean->sum += value;
    mean->n++;
}

static double mean_of(Mean mean)
{
    return mean.n ? mean.sum / (double)mean.n : NAN;
}

/* Means of logarithms become means of ratios. A single source has its own value to the last bit. */
static BdDelta delta_of(Mean mean, bool is_logarithm, const BdDelta *single)
{
    const double value = is_logarithm ? expm1(mean_of(mean)) : mean_of(mean);
    return single ? *single : (BdDelta){mean.n ? BD_OK : BD_NO_OVERLAP, value};
}

static void summarise(BdReport *report)
{
    Mean rate = {0}, rate_at = {0}, quality = {0}, squares = {0};
    for (size_t i = 0; i < report->n; i++) {
        const BdSource *source = &report->sources[i];
        mean_add(&squares, source->half_width * source->half_width);
        mean_add(&rate, log1p(source->rate.value));
        mean_add(&rate_at, log1p(source->rate_at.value));
        mean_add(&quality, source->quality.value);
    }
    const BdSource *single = report->n == 1 ? &report->sources[0] : NULL;
    report->mean = (BdSource){
        .rate = delta_of(rate, true, single ? &single->rate : NULL),
        .rate_at = delta_of(rate_at, true, single ? &single->rate_at : NULL),
        .quality = delta_of(quality, false, single ? &single->quality : NULL),
        .half_width = sqrt(mean_of(squares) / (double)squares.n),
    };
}

static void bd_report_free(BdReport *report)
{
    free(report->sources);
    *report = (BdReport){0};
}

/* The sets outlive the report. Two curves of unknown source, or one of them, belong together. 0;
 * -EINVAL with a message if no source is in both; -ENOMEM. Free with bd_report_free. */
static int bd_report_make(BdReport *report, const CurveSet *reference, const CurveSet *test,
                          const BdRequest *request, Message *message)
{
    *report = (BdReport){.sources = calloc(reference->n + 1, sizeof(BdSource))};
    if (!report->sources)
        return message_set(message, -ENOMEM, "out of memory");
    for (size_t i = 0; i < reference->n; i++) {
        const SourceCurve *other = partner(reference, test, i);
        if (other)
            report->sources[report->n++] = compare_source(&reference->curves[i], other, request);
    }
    report->n_alone = reference->n + test->n - 2 * report->n;
    if (!report->n) {
        bd_report_free(report);
        return message_set(message, -EINVAL, "no source is in both");
    }
    summarise(report);
    return 0;
}

/* -- text -- */

/* In per cent if it is one of rates. */
static void print_delta(FILE *out, const char *name, const BdDelta *delta, bool is_rate)
{
    if (delta->status != BD_OK)
        fprintf(out, "%s: none: %s\n", name, bd_status_text(delta->status));
    else if (is_rate)
        fprintf(out, "%s: %+.2f %%\n", name, 100 * delta->value);
    else
        fprintf(out, "%s: %+.4f\n", name, delta->value);
}

static void print_deltas(FILE *out, const BdSource *source, const BdRequest *request)
{
    print_delta(out, "BD-rate", &source->rate, true);
    if (!isnan(source->half_width)) {
        const BdInterval interval = bd_interval(source->rate.value, source->half_width);
        fprintf(out, "  95 %% confidence: %+.2f %% to %+.2f %%\n", 100 * interval.low,
                100 * interval.high);
    }
    if (!isnan(request->percent)) {
        Message name;
        message_set(&name, 0, "rate at %g %% of the common interval", request->percent);
        print_delta(out, name.text, &source->rate_at, true);
    }
    print_delta(out, "BD-quality", &source->quality, false);
}

static void bd_report_print_text(const BdReport *report, const BdRequest *request, FILE *out)
{
    fprintf(out, "%s against %s, %s\n", request->test, request->reference, request->metric);
    if (report->n == 1) {
        print_deltas(out, &report->sources[0], request);
        return;
    }
    for (size_t i = 0; i < report->n; i++) {
        fprintf(out, "\n%s\n", report->sources[i].name);
        print_deltas(out, &report->sources[i], request);
    }
    fprintf(out, "\nmean of %zu sources\n", report->n);
    print_deltas(out, &report->mean, request);
}

/* -- JSON -- */

static int put_delta(json_t *json, const char *key, const char *error_key, const BdDelta *delta)
{
    if (json_put_number(json, key, delta->value))
        return -ENOMEM;
    if (delta->status == BD_OK)
        return 0;
    return json_put_text(json, error_key, bd_status_text(delta->status));
}

static int put_deltas(json_t *json, const BdSource *source, const BdRequest *request)
{
    const BdInterval interval = bd_interval(source->rate.value, source->half_width);
    int err = put_delta(json, "bd_rate", "bd_rate_error", &source->rate);
    err |= put_delta(json, "bd_quality", "bd_quality_error", &source->quality);
    if (!isnan(request->percent))
        err |= put_delta(json, "bd_rate_at", "bd_rate_at_error", &source->rate_at);
    if (request->has_confidence) {
        err |= json_put_number(json, "bd_rate_low", interval.low);
        err |= json_put_number(json, "bd_rate_high", interval.high);
    }
    return err;
}

static json_t *source_record(const BdSource *source, const BdRequest *request)
{
    json_t *json = json_object();
    int err = json_put_text(json, "src", source->name);
    err |= json_put_integer(json, "reference_points", source->n_reference);
    err |= json_put_integer(json, "test_points", source->n_test);
    err |= put_deltas(json, source, request);
    return json_unless(err, json);
}

/* A new reference; NULL without memory. */
static json_t *bd_report_record(const BdReport *report, const BdRequest *request)
{
    json_t *json = json_object(), *sources = json_array();
    int err = json_put(json, "sources", sources);
    for (size_t i = 0; i < report->n && !err; i++)
        err = json_array_append_new(sources, source_record(&report->sources[i], request));
    err |= json_put_text(json, "schema", "vmaf-tune-bd-rate/v1");
    err |= json_put_text(json, "reference", request->reference);
    err |= json_put_text(json, "test", request->test);
    err |= json_put_text(json, "metric", request->metric);
    err |= json_put_flag(json, "hull", request->options.hull);
    err |= json_put_flag(json, "exact", request->options.exact);
    err |= json_put_number(json, "min_metric", request->options.min_quality);
    err |= json_put_number(json, "max_metric", request->options.max_quality);
    err |= json_put_number(json, "bd_rate_percent", 100 * report->mean.rate.value);
    err |= put_deltas(json, &report->mean, request);
    if (!isnan(request->percent))
        err |= json_put_number(json, "at_percent", request->percent);
    return json_unless(err, json);
}

/* -- the subcommand -- */

typedef struct Settings {
    const char *reference, *test;
    const char *reference_encoder, *test_encoder;
    const char *preset, *reference_preset, *test_preset;
    const char *metric, *output;
    bool hull, exact, confidence;
    int format; /* FORMAT_TEXT, FORMAT_JSON */
    double min_metric, max_metric, at;
} Settings;

enum { FORMAT_TEXT, FORMAT_JSON };

#define AT(member) .target = offsetof(Settings, member)

static const TuneOption rows[] = {
    {"ref", "FILE", "points of the reference: CSV rate,metric, or a corpus", TEXT_AT(reference),
     .other_name = "reference", .file = TUNE_FILE_READ},
    {"test", "FILE", "points to be compared; the file of --ref if it is a corpus", TEXT_AT(test),
     .file = TUNE_FILE_READ},
    {"ref-encoder", "NAME", "of a corpus: rows of this encoder", TEXT_AT(reference_encoder)},
    {"test-encoder", "NAME", "the same for the points to be compared", TEXT_AT(test_encoder)},
    {"preset", "NAME", "of a corpus: rows of this preset", TEXT_AT(preset)},
    {"ref-preset", "NAME", "the same for the reference alone", TEXT_AT(reference_preset)},
    {"test-preset", "NAME", "the same for the points to be compared", TEXT_AT(test_preset)},
    {"metric", "NAME", "a number of rows, or the mean of a feature (vmaf_score)", TEXT_AT(metric)},
    {"hull", NULL, "compare upper convex hulls", FLAG_AT(hull)},
    {"exact", NULL, "integrate the cubics instead of 100 samples of them", FLAG_AT(exact)},
    {"min-metric", "X", "compare from this quality on", NUMBER_AT(min_metric, 0, 0)},
    {"max-metric", "X", "compare up to this quality", NUMBER_AT(max_metric, 0, 0)},
    {"at", "PERCENT", "also at one quality: so far from the lowest common one to the highest",
     NUMBER_AT(at, 0, 100)},
    {"confidence", NULL, "also how sure BD-rates are, by leaving out each point in turn",
     FLAG_AT(confidence)},
    {"format", NULL, "of what is printed", CHOICE_AT(format, "text|json")},
    {"json", NULL, "the same as --format json", CHOSEN_AT(format, FORMAT_JSON)},
    {"output", "FILE", "write the result to a file", TEXT_AT(output), .short_name = 'o',
     .file = TUNE_FILE_TEXT},
};

static const char *either(const char *first, const char *second)
{
    return first ? first : second;
}

static int load(const Settings *settings, CurveSet *reference, CurveSet *test, Message *why)
{
    const CurveFilter a = {settings->reference_encoder,
                           either(settings->reference_preset, settings->preset), settings->metric};
    const CurveFilter b = {settings->test_encoder, either(settings->test_preset, settings->preset),
                           settings->metric};
    const int err = curve_set_load(reference, settings->reference, &a, why);
    return err ? err : curve_set_load(test, either(settings->test, settings->reference), &b, why);
}

static int print(const TuneCommand *command, const Settings *settings, const BdReport *report,
                 const BdRequest *request)
{
    TextBuffer text;
    if (settings->format == FORMAT_JSON)
        return result_print_json(command, settings->output, bd_report_record(report, request));
    if (text_begin(&text))
        bd_report_print_text(report, request, text.out);
    return result_print(&text, command, settings->output, 0);
}

static int compare(const TuneCommand *command, const Settings *settings, const CurveSet *reference,
                   const CurveSet *test)
{
    const BdRequest request = {
        .reference = either(settings->reference_encoder, settings->reference),
        .test = either(settings->test_encoder, either(settings->test, settings->reference)),
        .metric = settings->metric,
        .options = {settings->hull, settings->exact, settings->min_metric, settings->max_metric},
        .percent = settings->at,
        .has_confidence = settings->confidence};
    BdReport report;
    Message why;
    const int err = bd_report_make(&report, reference, test, &request, &why);
    if (err)
        return command_fail(command, TUNE_NO_RESULT, "%s", why.text);
    if (report.n_alone)
        print_error("vmaf-tune bd-rate: %zu of the sources are on one side only", report.n_alone);
    int status = print(command, settings, &report, &request);
    if (status == TUNE_OK && isnan(report.mean.rate.value))
        status = command_fail(command, TUNE_NO_RESULT, "there is no BD-rate: %s",
                              bd_status_text(report.sources[0].rate.status));
    bd_report_free(&report);
    return status;
}

static int run(const TuneCommand *command, int argc, char **argv)
{
    Settings settings = {
        .metric = "vmaf_score", .min_metric = -INFINITY, .max_metric = INFINITY, .at = NAN};
    const OptionGroup group = {"Options", rows, sizeof(rows) / sizeof(rows[0]), &settings};
    int status;
    if (!command_parse_options(command, &group, 1, argc, argv, &status))
        return status;
    if (!settings.reference)
        return command_fail(command, TUNE_USAGE, "--ref FILE is needed");
    if (!settings.test && !settings.test_encoder && !settings.test_preset)
        return command_fail(command, TUNE_USAGE, "--test FILE is needed, or --test-encoder");
    CurveSet reference = {0}, test = {0};
    Message why;
    const int err = load(&settings, &reference, &test, &why);
    if (err)
        status =
            command_fail(command, err == -ENOMEM ? TUNE_NO_RESULT : TUNE_USAGE, "%s", why.text);
    else
        status = compare(command, &settings, &reference, &test);
    curve_set_free(&reference);
    curve_set_free(&test);
    return status;
}

const TuneCommand bd_rate_command = {
    .name = "bd-rate",
    .operands = "",
    .summary = "how much bitrate an encoder saves against another at equal quality",
    .examples =
        "  vmaf-tune bd-rate --ref x264.csv --test x265.csv\n"
        "  vmaf-tune bd-rate --ref corpus.jsonl --ref-encoder libx264 --test-encoder libx265\n",
    .run = run,
};
