/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf-tune bd-rate: how much less an encoder needs than another. */
#include "tune/commands/commands.h"

#include "common/json.h"
#include "common/messages.h"
#include "platform/file.h"
#include "platform/text.h"
#include "tune/engine/bd_rate.h"
#include "tune/rows/row_file.h"
#include "tune/session/option_rows.h"
#include "tune/session/output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT_TEXT, FORMAT_JSON };

typedef struct Settings {
    const char *reference, *test;
    const char *reference_encoder, *test_encoder;
    const char *preset, *reference_preset, *test_preset;
    const char *metric, *output;
    BdOptions options;
    bool confidence;
    int format;
    double at; /* percent of the common interval; NAN: not asked for */
} Settings;

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
    {"hull", NULL, "compare upper convex hulls", FLAG_AT(options.hull)},
    {"exact", NULL, "integrate the cubics instead of 100 samples of them", FLAG_AT(options.exact)},
    {"min-metric", "X", "compare from this quality on", NUMBER_AT(options.min_quality, 0, 0)},
    {"max-metric", "X", "compare up to this quality", NUMBER_AT(options.max_quality, 0, 0)},
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

/* -- curves of a file, one for each source -- */

typedef struct SourceCurve {
    const char *source; /* what distinguishes it from others (row_source); "": unknown */
    const char *name;   /* for people */
    RatePoint *points;
    size_t n;
} SourceCurve;

typedef struct CurveSet {
    SourceCurve *curves; /* in the order in which they came */
    size_t n;
    RowTable table; /* has the texts */
} CurveSet;

/* Selects rows, and the number of them that is the score. NULL texts: any. */
typedef struct CurveFilter {
    const char *encoder, *preset;
    const char *metric; /* a key of rows, or a feature; of CSV with a header, a column */
} CurveFilter;

static void curve_set_free(CurveSet *set)
{
    for (size_t i = 0; i < set->n; i++)
        free(set->curves[i].points);
    free(set->curves);
    row_table_free(&set->table);
}

/* The curve of a source; NULL: there is none. */
static SourceCurve *find_curve(const CurveSet *set, const char *source)
{
    for (size_t i = 0; i < set->n; i++)
        if (!strcmp(set->curves[i].source, source))
            return &set->curves[i];
    return NULL;
}

/* A point that is there already does not count. */
static int add_point(CurveSet *set, const char *source, const char *name, double rate,
                     double quality)
{
    SourceCurve *curve = find_curve(set, source);
    if (!curve) {
        SourceCurve *more = realloc(set->curves, (set->n + 1) * sizeof(*more));
        if (!more)
            return -ENOMEM;
        set->curves = more;
        curve = &more[set->n++];
        *curve = (SourceCurve){source, name, NULL, 0};
    }
    for (size_t i = 0; i < curve->n; i++)
        if (curve->points[i].rate == rate && curve->points[i].quality == quality)
            return 0;
    RatePoint *more = realloc(curve->points, (curve->n + 1) * sizeof(*more));
    if (!more)
        return -ENOMEM;
    curve->points = more;
    more[curve->n++] = (RatePoint){rate, quality};
    return 0;
}

enum { MAX_CELLS = 256 };

/* Cuts a line into cells without blanks around them. Their number. */
static size_t cut_cells(char *line, char *cells[MAX_CELLS])
{
    size_t n = 0;
    for (char *cell; n < MAX_CELLS && (cell = strsep(&line, ",")); n++) {
        cells[n] = cell + strspn(cell, " \t");
        for (size_t length = strlen(cells[n]); length && strchr(" \t\r", cells[n][length - 1]);)
            cells[n][--length] = '\0';
    }
    return n;
}

/* The first cell of either name; n: there is none. */
static size_t find_cell(char *const *cells, size_t n, const char *name, const char *other)
{
    size_t i = 0;
    while (i < n && strcmp(cells[i], name) != 0 && strcmp(cells[i], other) != 0)
        i++;
    return i;
}

static bool number_at(char *const *cells, size_t n, size_t i, double *number)
{
    char *end = NULL;
    if (i >= n || !*cells[i])
        return false;
    *number = vmaf_c_strtod(cells[i], &end);
    return end && !*end;
}

/* A point on each line: rate and quality, or the columns that the first line names: "rate" or
 * "bitrate_kbps", and `metric` or "metric". Empty lines, and those that begin with #, are skipped.
 */
static int take_csv(CurveSet *set, char *text, const char *metric, Message *message)
{
    size_t rate_at = 0, quality_at = 1;
    bool is_first = true;
    char *cells[MAX_CELLS];
    for (size_t line = 1; text; line++) {
        double rate, quality;
        const size_t n = cut_cells(strsep(&text, "\n"), cells);
        if (*cells[0] == '#' || (n == 1 && !*cells[0]))
            continue;
        const size_t r = find_cell(cells, n, "rate", "bitrate_kbps");
        const size_t q = find_cell(cells, n, metric, "metric");
        const bool is_header = is_first && r < n && q < n;
        is_first = false;
        if (is_header) {
            rate_at = r;
            quality_at = q;
            continue;
        }
        if (!number_at(cells, n, rate_at, &rate) || !number_at(cells, n, quality_at, &quality))
            return message_set(message, -EINVAL, "line %zu: expected a rate and a quality", line);
        if (add_point(set, "", "", rate, quality))
            return message_set(message, -ENOMEM, "out of memory");
    }
    return set->n ? 0 : message_set(message, -EINVAL, "there is no point");
}

static bool is_wanted(const char *text, const char *wanted)
{
    return !wanted || (text && !strcmp(text, wanted));
}

/* Rows that failed, or that lack the rate or the metric, do not count. */
static int take_rows(CurveSet *set, const CurveFilter *filter, Message *message)
{
    const char *encoder = NULL;
    for (size_t i = 0; i < set->table.n; i++) {
        const Row *row = &set->table.rows[i];
        const char *name = either(row->encoder, ""), *source = row_source(row);
        double quality;
        if (!is_wanted(row->encoder, filter->encoder) || !is_wanted(row->preset, filter->preset) ||
            !row_is_point(row) || !row_number(row, filter->metric, &quality) || isnan(quality))
            continue;
        if (encoder && strcmp(encoder, name) != 0)
            return message_set(message, -EINVAL,
                               "there are rows of %.60s and of %.60s: which is meant?", encoder,
                               name);
        encoder = name;
        if (add_point(set, source, either(row->src, source), row_kbps(row), quality))
            return message_set(message, -ENOMEM, "out of memory");
    }
    if (set->n)
        return 0;
    return message_set(message, -EINVAL, "no row%s%.60s%s%.60s has a bitrate and %.60s",
                       filter->encoder ? " of " : "", either(filter->encoder, ""),
                       filter->preset ? ", preset " : "", either(filter->preset, ""),
                       filter->metric);
}

/* A file of rows (its first character is a brace), or CSV. -EINVAL, and why, also if nothing is
 * left, or if rows are of several encoders. Free in either case. */
static int curve_set_load(CurveSet *set, const char *path, const CurveFilter *filter,
                          Message *message)
{
    char *text;
    size_t size;
    int err = vmaf_file_load(path, ROWS_MAX_BYTES, &text, &size);
    if (err)
        return message_set(message, err, "%.300s: %s", path, strerror(-err));
    char *begin = strncmp(text, "\xef\xbb\xbf", 3) ? text : text + 3;
    if (begin[strspn(begin, " \t\r\n")] != '{') {
        err = take_csv(set, begin, filter->metric, message);
    } else {
        err = rows_parse(&set->table, text, size, message);
        if (set->table.is_torn)
            print_error("vmaf-tune: the last line of the rows is cut off, and left out");
        if (!err)
            err = take_rows(set, filter, message);
    }
    free(text);
    return err ? message_about_file(message, err, path) : 0;
}

/* -- deltas of curves, source by source and over all -- */

typedef enum DeltaKind { RATE, RATE_AT, QUALITY, N_DELTAS } DeltaKind;

static const struct {
    const char *key, *error_key, *label;
    bool is_rate; /* a fraction of rates; else points of quality */
} kinds[N_DELTAS] = {
    [RATE] = {"bd_rate", "bd_rate_error", "BD-rate", true},
    [RATE_AT] = {"bd_rate_at", "bd_rate_at_error", "rate at", true},
    [QUALITY] = {"bd_quality", "bd_quality_error", "BD-quality", false},
};

typedef struct BdDelta {
    BdStatus status;
    double value; /* NAN unless it is BD_OK */
} BdDelta;

typedef struct BdSource {
    const char *name;
    size_t n_reference, n_test;
    BdDelta delta[N_DELTAS];
    double half_width; /* bd_rate_uncertainty; NAN: not known */
} BdSource;

typedef struct BdReport {
    const Settings *settings;
    BdSource *sources; /* that both sets have */
    size_t n;
    BdSource mean; /* of those that could be computed */
} BdReport;

static BdSource compare_source(const SourceCurve *reference, const SourceCurve *test,
                               const Settings *settings)
{
    const RateCurve a = {reference->points, reference->n}, b = {test->points, test->n};
    const BdOptions *options = &settings->options;
    BdSource source = {*reference->name ? reference->name : test->name,
                       reference->n,
                       test->n,
                       {{.value = NAN}, {.value = NAN}, {.value = NAN}},
                       NAN};
    BdDelta *delta = source.delta;
    delta[RATE].status = bd_rate(&a, &b, options, &delta[RATE].value);
    delta[QUALITY].status = bd_quality(&a, &b, options, &delta[QUALITY].value);
    if (!isnan(settings->at))
        delta[RATE_AT].status = bd_rate_at(&a, &b, options, settings->at, &delta[RATE_AT].value);
    if (settings->confidence)
        bd_rate_uncertainty(&a, &b, options, &source.half_width);
    return source;
}

/* The curve of `test` that belongs to one of the reference; NULL: none. Two that are alone belong
 * together if one is of an unknown source. */
static const SourceCurve *partner(const CurveSet *reference, const CurveSet *test, size_t i)
{
    const bool single = reference->n == 1 && test->n == 1;
    if (single && (!*reference->curves[0].source || !*test->curves[0].source))
        return &test->curves[0];
    return find_curve(test, reference->curves[i].source);
}

/* Of rates, the geometric mean of their ratios. */
static BdDelta mean_delta(const BdReport *report, DeltaKind kind)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < report->n; i++) {
        const double value = report->sources[i].delta[kind].value;
        if (isnan(value))
            continue;
        sum += kinds[kind].is_rate ? log1p(value) : value;
        n++;
    }
    if (!n)
        return (BdDelta){BD_NO_OVERLAP, NAN};
    return (BdDelta){BD_OK, kinds[kind].is_rate ? expm1(sum / (double)n) : sum / (double)n};
}

/* Of independent errors. */
static double mean_half_width(const BdReport *report)
{
    double squares = 0;
    size_t n = 0;
    for (size_t i = 0; i < report->n; i++)
        if (!isnan(report->sources[i].half_width)) {
            squares += pow(report->sources[i].half_width, 2);
            n++;
        }
    return n ? sqrt(squares) / (double)n : NAN;
}

/* `report` has room for all sources of the reference. */
static void compare_sets(BdReport *report, const CurveSet *reference, const CurveSet *test)
{
    for (size_t i = 0; i < reference->n; i++) {
        const SourceCurve *other = partner(reference, test, i);
        if (other)
            report->sources[report->n++] =
                compare_source(&reference->curves[i], other, report->settings);
    }
    for (DeltaKind kind = 0; kind < N_DELTAS; kind++)
        report->mean.delta[kind] = mean_delta(report, kind);
    report->mean.half_width = mean_half_width(report);
    if (report->n == 1) /* to the last bit */
        report->mean = report->sources[0];
}

/* -- what is printed -- */

static void print_deltas(const BdSource *source, const Settings *settings, FILE *out)
{
    for (DeltaKind kind = 0; kind < N_DELTAS; kind++) {
        const BdDelta *delta = &source->delta[kind];
        if (kind == RATE_AT && isnan(settings->at))
            continue;
        fputs(kinds[kind].label, out);
        if (kind == RATE_AT)
            fprintf(out, " %g %% of the common interval", settings->at);
        if (delta->status != BD_OK)
            fprintf(out, ": none: %s\n", bd_status_text(delta->status));
        else
            fprintf(out, kinds[kind].is_rate ? ": %+.2f %%\n" : ": %+.4f\n",
                    kinds[kind].is_rate ? 100 * delta->value : delta->value);
        if (kind == RATE && !isnan(source->half_width)) {
            const BdInterval interval = bd_interval(delta->value, source->half_width);
            fprintf(out, "  95 %% confidence: %+.2f %% to %+.2f %%\n", 100 * interval.low,
                    100 * interval.high);
        }
    }
}

static const char *reference_of(const Settings *settings)
{
    return either(settings->reference_encoder, settings->reference);
}

static const char *test_of(const Settings *settings)
{
    return either(settings->test_encoder, either(settings->test, settings->reference));
}

static void print_text(const BdReport *report, FILE *out)
{
    const Settings *settings = report->settings;
    fprintf(out, "%s against %s, %s\n", test_of(settings), reference_of(settings),
            settings->metric);
    for (size_t i = 0; i < report->n && report->n > 1; i++) {
        fprintf(out, "\n%s\n", report->sources[i].name);
        print_deltas(&report->sources[i], settings, out);
    }
    if (report->n > 1)
        fprintf(out, "\nmean of %zu sources\n", report->n);
    print_deltas(&report->mean, settings, out);
}

static int put_deltas(json_t *json, const BdSource *source, const Settings *settings)
{
    int err = 0;
    for (DeltaKind kind = 0; kind < N_DELTAS; kind++) {
        const BdDelta *delta = &source->delta[kind];
        if (kind == RATE_AT && isnan(settings->at))
            continue;
        err |= json_put_number(json, kinds[kind].key, delta->value);
        if (delta->status != BD_OK)
            err |= json_put_text(json, kinds[kind].error_key, bd_status_text(delta->status));
    }
    if (settings->confidence) {
        const BdInterval interval = bd_interval(source->delta[RATE].value, source->half_width);
        err |= json_put_number(json, "bd_rate_low", interval.low);
        err |= json_put_number(json, "bd_rate_high", interval.high);
    }
    return err;
}

static json_t *source_record(const BdSource *source, const Settings *settings)
{
    json_t *json = json_object();
    int err = json_put_text(json, "src", source->name);
    err |= json_put_integer(json, "reference_points", (json_int_t)source->n_reference);
    err |= json_put_integer(json, "test_points", (json_int_t)source->n_test);
    return json_unless(err | put_deltas(json, source, settings), json);
}

/* A new reference; NULL without memory. */
static json_t *record_of(const BdReport *report)
{
    const Settings *settings = report->settings;
    json_t *json = json_object(), *sources = json_array();
    int err = json_put(json, "sources", sources);
    for (size_t i = 0; i < report->n && !err; i++)
        err = json_array_append_new(sources, source_record(&report->sources[i], settings));
    err |= json_put_text(json, "schema", "vmaf-tune-bd-rate/v1");
    err |= json_put_text(json, "reference", reference_of(settings));
    err |= json_put_text(json, "test", test_of(settings));
    err |= json_put_text(json, "metric", settings->metric);
    err |= json_put_flag(json, "hull", settings->options.hull);
    err |= json_put_flag(json, "exact", settings->options.exact);
    err |= json_put_number(json, "min_metric", settings->options.min_quality);
    err |= json_put_number(json, "max_metric", settings->options.max_quality);
    err |= json_put_number(json, "bd_rate_percent", 100 * report->mean.delta[RATE].value);
    err |= put_deltas(json, &report->mean, settings);
    if (!isnan(settings->at))
        err |= json_put_number(json, "at_percent", settings->at);
    return json_unless(err, json);
}

/* -- the subcommand -- */

static int print(const TuneCommand *command, const BdReport *report)
{
    const Settings *settings = report->settings;
    TextBuffer text;
    if (settings->format == FORMAT_JSON)
        return result_print_json(command, settings->output, record_of(report));
    if (text_begin(&text))
        print_text(report, text.out);
    return result_print(&text, command, settings->output, 0);
}

static int compare(const TuneCommand *command, const Settings *settings, const CurveSet *reference,
                   const CurveSet *test)
{
    BdReport report = {settings, .sources = calloc(reference->n + 1, sizeof(BdSource))};
    if (!report.sources)
        return command_fail(command, TUNE_NO_RESULT, "out of memory");
    compare_sets(&report, reference, test);
    int status = 0;
    if (!report.n)
        status = command_fail(command, TUNE_NO_RESULT, "no source is in both");
    else if (reference->n + test->n > 2 * report.n)
        print_error("vmaf-tune bd-rate: %zu of the sources are on one side only",
                    reference->n + test->n - 2 * report.n);
    if (!status)
        status = print(command, &report);
    if (!status && isnan(report.mean.delta[RATE].value))
        status = command_fail(command, TUNE_NO_RESULT, "there is no BD-rate: %s",
                              bd_status_text(report.sources[0].delta[RATE].status));
    free(report.sources);
    return status;
}

static int run(const TuneCommand *command, int argc, char **argv)
{
    Settings settings = {
        .metric = "vmaf_score", .options = {false, false, -INFINITY, INFINITY}, .at = NAN};
    const OptionGroup group = {"Options", rows, sizeof(rows) / sizeof(rows[0]), &settings};
    int status;
    if (!command_parse_options(command, &group, 1, argc, argv, &status))
        return status;
    if (!settings.reference)
        return command_fail(command, TUNE_USAGE, "--ref FILE is needed");
    if (!settings.test && !settings.test_encoder && !settings.test_preset)
        return command_fail(command, TUNE_USAGE, "--test FILE is needed, or --test-encoder");
    const CurveFilter of_reference = {settings.reference_encoder,
                                      either(settings.reference_preset, settings.preset),
                                      settings.metric};
    const CurveFilter of_test = {settings.test_encoder,
                                 either(settings.test_preset, settings.preset), settings.metric};
    CurveSet reference = {0}, test = {0};
    Message why;
    int err = curve_set_load(&reference, settings.reference, &of_reference, &why);
    if (!err)
        err = curve_set_load(&test, either(settings.test, settings.reference), &of_test, &why);
    status =
        err ? command_fail(command, err == -ENOMEM ? TUNE_NO_RESULT : TUNE_USAGE, "%s", why.text)
            : compare(command, &settings, &reference, &test);
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
