/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf-tune bd-rate: how much less an encoder needs than another. */
#include "tune/command/commands.h"

#include "common/json.h"
#include "common/messages.h"
#include "platform/file.h"
#include "platform/text.h"
#include "tune/measure/row_file.h"
#include "tune/options/options.h"
#include "tune/options/output.h"
#include "tune/output/report_internal.h"

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

/* -- curves of a file: {SOURCE: {name, points: [[rate, quality] ...]}}; "" is an unknown source --
 */

/* Selects rows, and the number of them that is the score. NULL texts: any. */
typedef struct CurveFilter {
    const char *encoder, *preset;
    const char *metric; /* a key of rows, or a feature; of CSV with a header, a column */
} CurveFilter;

/* A point that is there already does not count. */
static int add_point(json_t *curves, const char *source, const char *name, double rate,
                     double quality)
{
    json_t *curve = json_object_get(curves, source), *other;
    json_t *point = json_pack("[f, f]", rate, quality);
    size_t i;
    if (!curve) {
        curve = json_pack("{s:s, s:[]}", "name", name, "points");
        json_object_set_new(curves, source, curve);
    }
    json_t *points = json_object_get(curve, "points");
    json_array_foreach(points, i, other)
    {
        if (!json_equal(point, other))
            continue;
        json_decref(point);
        return 0;
    }
    return json_array_append_new(points, point) ? -ENOMEM : 0;
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
    return end && !*end && *number > -INFINITY;
}

/* A point on each line: rate and quality, or the columns that the first line names: "rate" or
 * "bitrate_kbps", and `metric` or "metric". Of two columns, the
 * one beside the rate may have any name. Empty lines, and those that begin with #, are skipped. */
static int take_csv(json_t *curves, char *text, const char *metric, Message *message)
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
        const bool is_header = is_first && r < n && (q < n || n == 2);
        is_first = false;
        if (is_header) {
            rate_at = r;
            quality_at = q < n ? q : 1 - r;
            continue;
        }
        if (!number_at(cells, n, rate_at, &rate) || isinf(rate) ||
            !number_at(cells, n, quality_at, &quality))
            return message_set(message, -EINVAL, "line %zu: expected a rate and a quality", line);
        if (add_point(curves, "", "", rate, isinf(quality) ? 100 : quality))
            return message_set(message, -ENOMEM, "out of memory");
    }
    return json_object_size(curves) ? 0 : message_set(message, -EINVAL, "there is no point");
}

static bool is_wanted(const char *text, const char *wanted)
{
    return !wanted || (text && !strcmp(text, wanted));
}

/* Rows that failed, or that lack the rate or the metric, do not count. */
static int take_rows(json_t *curves, const RowTable *table, const CurveFilter *filter,
                     Message *message)
{
    const char *encoder = NULL;
    for (size_t i = 0; i < table->n; i++) {
        const Row *row = &table->rows[i];
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
        if (add_point(curves, source, either(row->src, source), row_kbps(row), quality))
            return message_set(message, -ENOMEM, "out of memory");
    }
    if (json_object_size(curves))
        return 0;
    return message_set(message, -EINVAL, "no row%s%.60s%s%.60s has a bitrate and %.60s",
                       filter->encoder ? " of " : "", either(filter->encoder, ""),
                       filter->preset ? ", preset " : "", either(filter->preset, ""),
                       filter->metric);
}

/* A file of rows (its first character is a brace), or CSV. NULL, and why, also if nothing is left,
 * or if rows are of several encoders. */
static json_t *load(const char *path, const CurveFilter *filter, Message *message, int *err)
{
    char *text;
    size_t size;
    RowTable table = {0};
    *err = vmaf_file_load(path, ROWS_MAX_BYTES, &text, &size);
    if (*err) {
        message_set(message, *err, "%.300s: %s", path, strerror(-*err));
        return NULL;
    }
    json_t *curves = json_object();
    char *begin = strncmp(text, "\xef\xbb\xbf", 3) ? text : text + 3;
    const bool is_csv = begin[strspn(begin, " \t\r\n")] != '{';
    if (is_csv)
        *err = take_csv(curves, begin, filter->metric, message);
    else
        *err = rows_parse(&table, text, size, message);
    if (table.is_torn)
        print_error("vmaf-tune: the last line of the rows is cut off, and left out");
    if (!*err && !is_csv)
        *err = take_rows(curves, &table, filter, message);
    row_table_free(&table);
    free(text);
    if (*err)
        message_about_file(message, *err, path);
    return json_unless(*err, curves);
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

typedef struct Deltas {
    BdStatus status[N_DELTAS];
    double value[N_DELTAS]; /* NAN unless the status is BD_OK */
    double half_width;      /* bd_rate_uncertainty; NAN: not known */
} Deltas;

static bool is_left_out(DeltaKind kind, const Settings *settings)
{
    return kind == RATE_AT && isnan(settings->at);
}

static int put_deltas(json_t *json, const Deltas *deltas, const Settings *settings)
{
    const BdInterval interval = bd_interval(deltas->value[RATE], deltas->half_width);
    int err = 0;
    for (DeltaKind kind = 0; kind < N_DELTAS; kind++) {
        if (is_left_out(kind, settings))
            continue;
        err |= json_put_number(json, kinds[kind].key, deltas->value[kind]);
        if (deltas->status[kind] != BD_OK)
            err |= json_put_text(json, kinds[kind].error_key, bd_status_text(deltas->status[kind]));
    }
    return settings->confidence ? err | json_put_all(json, "bd_rate_low:n bd_rate_high:n",
                                                     interval.low, interval.high)
                                : err;
}

static Deltas deltas_of(const RateCurve *a, const RateCurve *b, const Settings *settings)
{
    const BdOptions *options = &settings->options;
    Deltas deltas = {.value = {NAN, NAN, NAN}, .half_width = NAN};
    deltas.status[RATE] = bd_rate(a, b, options, &deltas.value[RATE]);
    deltas.status[QUALITY] = bd_quality(a, b, options, &deltas.value[QUALITY]);
    if (!is_left_out(RATE_AT, settings))
        deltas.status[RATE_AT] = bd_rate_at(a, b, options, settings->at, &deltas.value[RATE_AT]);
    if (settings->confidence)
        bd_rate_uncertainty(a, b, options, &deltas.half_width);
    return deltas;
}

static json_t *source_record(const json_t *reference, const json_t *test, const Settings *settings,
                             Deltas *deltas)
{
    const RateCurve a = report_rates(json_object_get(reference, "points"));
    const RateCurve b = report_rates(json_object_get(test, "points"));
    const char *name = json_text_of(reference, "name");
    *deltas = deltas_of(&a, &b, settings);
    json_t *json = json_object_of("src:t reference_points:z test_points:z",
                                  *name ? name : json_text_of(test, "name"), a.n, b.n);
    free((void *)a.points);
    free((void *)b.points);
    return json_unless(put_deltas(json, deltas, settings), json);
}

/* Over sources: of rates, the geometric mean of their ratios; of independent errors, the root of
 * the squares. */
static Deltas mean_of(const Deltas *of_sources, size_t n)
{
    Deltas mean = {.value = {NAN, NAN, NAN}, .half_width = NAN};
    double squares = 0;
    size_t n_widths = 0;
    for (DeltaKind kind = 0; kind < N_DELTAS; kind++) {
        double sum = 0;
        size_t of = 0;
        for (size_t i = 0; i < n; i++) {
            const double value = of_sources[i].value[kind];
            sum += isnan(value) ? 0 : kinds[kind].is_rate ? log1p(value) : value;
            of += !isnan(value);
        }
        mean.status[kind] = of ? BD_OK : BD_NO_OVERLAP;
        mean.value[kind] = kinds[kind].is_rate ? expm1(sum / (double)of) : sum / (double)of;
    }
    for (size_t i = 0; i < n; i++) {
        const double width = of_sources[i].half_width;
        squares += isnan(width) ? 0 : width * width;
        n_widths += !isnan(width);
    }
    mean.half_width = sqrt(squares) / (double)n_widths;
    return n == 1 ? of_sources[0] : mean; /* to the last bit */
}

/* A new reference; NULL without memory. `deltas` has room for all sources of the reference. Two
 * curves that are alone belong together if one is of an unknown source. */
static json_t *record_of(const Settings *settings, json_t *reference, json_t *test, Deltas *deltas)
{
    const bool single = json_object_size(reference) == 1 && json_object_size(test) == 1;
    const char *only = json_object_iter_key(json_object_iter(test)), *source;
    json_t *json = json_object(), *sources = json_array(), *curve;
    size_t n = 0;
    int err = json_put(json, "sources", sources);
    json_object_foreach(reference, source, curve)
    {
        const bool is_pair = single && (!*source || !*only);
        const json_t *other = json_object_get(test, is_pair ? only : source);
        if (other)
            err |=
                json_array_append_new(sources, source_record(curve, other, settings, &deltas[n++]));
    }
    const Deltas mean = mean_of(deltas, n);
    const char *from = settings->reference, *file = either(settings->test, from);
    err |= json_put_all(
        json,
        "schema:t reference:t test:t metric:t hull:b exact:b min_metric:n max_metric:n "
        "bd_rate_percent:n",
        "vmaf-tune-bd-rate/v1", either(settings->reference_encoder, from),
        either(settings->test_encoder, file), settings->metric, settings->options.hull,
        settings->options.exact, settings->options.min_quality, settings->options.max_quality,
        100 * mean.value[RATE]);
    err |= put_deltas(json, &mean, settings);
    if (!isnan(settings->at))
        err |= json_put_number(json, "at_percent", settings->at);
    return json_unless(err, json);
}

static void print_deltas(const json_t *json, const Settings *settings, FILE *out)
{
    for (DeltaKind kind = 0; kind < N_DELTAS; kind++) {
        const double value = json_number_of(json, kinds[kind].key);
        const char *error = json_text_of(json, kinds[kind].error_key);
        const double low = json_number_of(json, "bd_rate_low");
        if (is_left_out(kind, settings))
            continue;
        fputs(kinds[kind].label, out);
        if (kind == RATE_AT)
            fprintf(out, " %g %% of the common interval", settings->at);
        if (error)
            fprintf(out, ": none: %s\n", error);
        else
            fprintf(out, kinds[kind].is_rate ? ": %+.2f %%\n" : ": %+.4f\n",
                    kinds[kind].is_rate ? 100 * value : value);
        if (kind == RATE && !isnan(low))
            fprintf(out, "  95 %% confidence: %+.2f %% to %+.2f %%\n", 100 * low,
                    100 * json_number_of(json, "bd_rate_high"));
    }
}

static void print_text(const json_t *record, const Settings *settings, FILE *out)
{
    const json_t *sources = json_object_get(record, "sources");
    const size_t n = json_array_size(sources);
    fprintf(out, "%s against %s, %s\n", json_text_of(record, "test"),
            json_text_of(record, "reference"), settings->metric);
    for (size_t i = 0; i < n && n > 1; i++) {
        fprintf(out, "\n%s\n", json_text_of(json_array_get(sources, i), "src"));
        print_deltas(json_array_get(sources, i), settings, out);
    }
    if (n > 1)
        fprintf(out, "\nmean of %zu sources\n", n);
    print_deltas(record, settings, out);
}

/* -- the subcommand -- */

static int print(const TuneCommand *command, const Settings *settings, json_t *record)
{
    TextBuffer text;
    if (settings->format == FORMAT_JSON)
        return result_print_json(command, settings->output, json_incref(record));
    if (text_begin(&text))
        print_text(record, settings, text.out);
    return result_print(&text, command, settings->output, 0);
}

static int compare(const TuneCommand *command, const Settings *settings, json_t *reference,
                   json_t *test)
{
    const size_t all = json_object_size(reference) + json_object_size(test);
    Deltas *deltas = calloc(all, sizeof(*deltas));
    json_t *record = deltas ? record_of(settings, reference, test, deltas) : NULL;
    const size_t n = json_array_size(json_object_get(record, "sources"));
    int status = 0;
    if (!record)
        status = command_fail(command, TUNE_NO_RESULT, "out of memory");
    else if (!n)
        status = command_fail(command, TUNE_NO_RESULT, "no source is in both");
    else if (all > 2 * n)
        print_error("vmaf-tune bd-rate: %zu of the sources are on one side only", all - 2 * n);
    if (!status)
        status = print(command, settings, record);
    if (!status && isnan(json_number_of(record, "bd_rate")))
        status = command_fail(command, TUNE_NO_RESULT, "there is no BD-rate: %s",
                              bd_status_text(deltas[0].status[RATE]));
    json_decref(record);
    free(deltas);
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
    Message why;
    int err;
    json_t *test = NULL, *reference = load(settings.reference, &of_reference, &why, &err);
    if (!err)
        test = load(either(settings.test, settings.reference), &of_test, &why, &err);
    status =
        err ? command_fail(command, err == -ENOMEM ? TUNE_NO_RESULT : TUNE_USAGE, "%s", why.text)
            : compare(command, &settings, reference, test);
    json_decref(reference);
    json_decref(test);
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
