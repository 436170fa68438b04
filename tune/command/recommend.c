/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf-tune recommend, and search --from: which row of a corpus, or which encode, for each source.
 */
#include "common/json.h"
#include "common/messages.h"
#include "tune/command/commands.h"
#include "tune/command/encode_grid.h"
#include "tune/command/quality_command.h"
#include "tune/options/options.h"
#include "tune/options/output.h"
#include "tune/output/corpus_rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct RowRequest {
    const RowTable *table;
    const char *encoder, *preset, *source; /* NULL: any */
    double lowest, highest;                /* qualities; -1: any */
    double kbps;                           /* the nearest to it; NAN: what the conditions say */
    double max_kbps;                       /* more is too much; 0: any */
    TuneGates gates;
    bool any_pool;        /* the first one is met by what rows have, however that was pooled */
    bool most_compressed; /* of those that reach the target; else the cheapest */
} RowRequest;

/* One of a source. */
typedef struct RowChoice {
    const Row *row;
    size_t of; /* rows that were chosen among */
} RowChoice;

typedef struct RowChoices {
    RowChoice *choices; /* in the order of the sources */
    size_t n;
    bool has_encoders; /* of several encoders or presets: texts name them */
} RowChoices;

/* -- choosing -- */

static bool is_wanted(const char *text, const char *wanted)
{
    return !wanted || (text && !strcmp(text, wanted));
}

static bool is_same(const char *a, const char *b)
{
    return !strcmp(a ? a : "", b ? b : "");
}

/* A score of the row as a condition wants it; NAN: the row does not have it. */
static double value_of(const Row *row, const RowRequest *request, size_t gate)
{
    const TuneGate *wanted = &request->gates.gate[gate];
    const char *pool = score_pool_name(wanted->pool);
    if (!strcmp(wanted->name, "vmaf") &&
        ((!gate && request->any_pool) || !row->pool || !strcmp(row->pool, pool)))
        return row->vmaf_score;
    return json_number_of(row_feature(row->json, wanted->name), pool);
}

/* By FFmpeg's name, or without its "lib". */
static bool is_encoder(const char *name, const char *wanted)
{
    return is_wanted(name, wanted) ||
           (name && !strncmp(name, "lib", 3) && !strcmp(name + 3, wanted));
}

static bool is_candidate(const Row *row, const RowRequest *request)
{
    return row_is_usable(row) && isfinite(value_of(row, request, 0)) &&
           is_encoder(row->encoder, request->encoder) && is_wanted(row->preset, request->preset) &&
           is_wanted(row->src, request->source) && (isnan(request->kbps) || row_is_point(row)) &&
           (request->lowest < 0 || row->crf >= request->lowest) &&
           (request->highest < 0 || row->crf <= request->highest);
}

static bool is_met(const Row *row, const RowRequest *request)
{
    for (size_t i = 0; i < request->gates.n; i++) {
        const TuneGate *gate = &request->gates.gate[i];
        const double value = value_of(row, request, i);
        if (!isnan(gate->target) &&
            !(gate->lower_is_better ? value <= gate->target : value >= gate->target))
            return false;
    }
    return !(request->max_kbps > 0) || row_kbps(row) <= request->max_kbps;
}

static double strength(const Row *row)
{
    return quality_range_of_encoder(row->encoder).higher_is_better ? -row->crf : row->crf;
}

/*
 * Above 0 if `a` is the better answer: the lowest bitrate of those that meet all conditions, of
 * equals the higher score, then the more compressed; if none does, the highest score. Rows without
 * bitrate count only where none that meets them has one; then the most compressed is taken.
 */
static double compare(const Row *a, const Row *b, const RowRequest *request)
{
    const double wanted = request->kbps, kbps = row_kbps(a), other_kbps = row_kbps(b);
    const double stronger = strength(a) - strength(b);
    const double better = value_of(a, request, 0) - value_of(b, request, 0);
    const double nearer = fabs(other_kbps - wanted) - fabs(kbps - wanted);
    const bool met = is_met(a, request), has_kbps = !isnan(kbps);
    if (!isnan(wanted))
        return nearer != 0 ? nearer : -stronger;
    if (met != is_met(b, request))
        return met ? 1 : -1;
    if (!met)
        return better != 0 ? better : stronger;
    if (has_kbps == isnan(other_kbps))
        return has_kbps ? 1 : -1;
    if (!has_kbps || request->most_compressed)
        return stronger != 0 ? stronger : better;
    return kbps != other_kbps ? other_kbps - kbps : better != 0 ? better : stronger;
}

/* Adds a choice for each source that rows of the request have. 0; -ENOMEM. */
static int add_choices(RowChoices *choices, const RowRequest *request)
{
    const size_t from = choices->n;
    const Row *first = NULL;
    for (size_t i = 0; i < request->table->n; i++) {
        const Row *row = &request->table->rows[i];
        size_t at = from;
        if (!is_candidate(row, request))
            continue;
        first = first ? first : row;
        choices->has_encoders |=
            !is_same(row->encoder, first->encoder) || !is_same(row->preset, first->preset);
        while (at < choices->n && strcmp(row_source(choices->choices[at].row), row_source(row)))
            at++;
        if (at == choices->n) {
            RowChoice *more = realloc(choices->choices, (at + 1) * sizeof(*more));
            if (!more)
                return -ENOMEM;
            choices->choices = more;
            more[choices->n++] = (RowChoice){.row = row};
        }
        RowChoice *choice = &choices->choices[at];
        choice->of++;
        if (compare(row, choice->row, request) > 0)
            choice->row = row;
    }
    return 0;
}

static bool any_is_met(const RowChoices *choices, const RowRequest *request)
{
    for (size_t i = 0; i < choices->n; i++)
        if (is_met(choices->choices[i].row, request))
            return true;
    return false;
}

/* -- printing -- */

enum { PREDICATE_SIZE = 64 };

static const char *predicate_of(const RowRequest *request, char text[PREDICATE_SIZE])
{
    if (isnan(request->kbps))
        snprintf(text, PREDICATE_SIZE, "target_vmaf>=%g", request->gates.gate[0].target);
    else
        snprintf(text, PREDICATE_SIZE, "target_bitrate~%g", request->kbps);
    return text;
}

static const char *number_text(char text[32], const char *format, double number)
{
    snprintf(text, 32, isfinite(number) ? format : "unknown", number);
    return text;
}

/* A line for each choice among rows of a corpus. */
static void print_rows(const RowChoices *choices, const RowRequest *request, FILE *out)
{
    char predicate[PREDICATE_SIZE], vmaf[32], kbps[32];
    const bool has_sources = choices->n > 1, has_encoders = choices->has_encoders;
    for (size_t i = 0; i < choices->n; i++) {
        const Row *row = choices->choices[i].row;
        print_line(out, "%s%s%scrf=%g  vmaf=%s  kbps=%s%s%s%s%s  predicate=%s  [%s]",
                   has_sources ? "src=" : "", has_sources && row->src ? row->src : "",
                   has_sources ? "  " : "", row->crf, number_text(vmaf, "%.3f", row->vmaf_score),
                   number_text(kbps, "%.0f", row_kbps(row)), has_encoders ? "  encoder=" : "",
                   has_encoders && row->encoder ? row->encoder : "",
                   has_encoders ? "  preset=" : "", has_encoders && row->preset ? row->preset : "",
                   predicate_of(request, predicate), is_met(row, request) ? "OK" : "UNMET");
    }
}

/* The row with predicate, margin and status. A new reference; NULL without memory. */
static json_t *row_record(const Row *row, const RowRequest *request)
{
    char predicate[PREDICATE_SIZE];
    const double margin = isnan(request->kbps)
                              ? value_of(row, request, 0) - request->gates.gate[0].target
                              : row_kbps(row) - request->kbps;
    json_t *json = json_copy(row->json);
    int err = json_put_text(json, "predicate", predicate_of(request, predicate));
    err |= json_put_number(json, "margin", margin);
    err |= json_put_text(json, "status", is_met(row, request) ? "OK" : "UNMET");
    return json_unless(err, json);
}

typedef json_t *RecordRow(const Row *row, const RowRequest *request);

/* The record of the only choice, or an array of those of all. */
static json_t *records_of(const RowChoices *choices, const RowRequest *request, RecordRow *record)
{
    if (choices->n == 1)
        return record(choices->choices[0].row, request);
    json_t *array = json_array();
    int err = 0;
    for (size_t i = 0; i < choices->n; i++)
        err |= json_array_append_new(array, record(choices->choices[i].row, request));
    return json_unless(err, array);
}

typedef int PrintChoices(const TuneCommand *command, const RowChoices *choices,
                         const RowRequest *request, const void *settings);

/* Chooses among the rows of a file, and prints. A status. */
static int choose_from(const TuneCommand *command, const char *path, RowRequest *request,
                       PrintChoices *print, const void *settings)
{
    const char *encoder = request->encoder, *preset = request->preset;
    RowTable table = {0};
    RowChoices choices = {0};
    int status = corpus_load(command, path, &table);
    request->table = &table;
    if (!status && add_choices(&choices, request))
        status = command_fail(command, TUNE_NO_RESULT, "out of memory");
    if (!status && choices.n)
        status = print(command, &choices, request, settings);
    else if (!status)
        status = command_fail(
            command, TUNE_NO_RESULT, "no row%s%s%s%s%s%s has succeeded and has a score%s",
            request->source ? " of " : "", request->source ? request->source : "",
            encoder ? " of " : "", encoder ? encoder : "", preset ? ", preset " : "",
            preset ? preset : "", isnan(request->kbps) ? "" : " and a bitrate");
    free(choices.choices);
    row_table_free(&table);
    return status;
}

/* -- search --from -- */

/* Members of a row under the names that they have here. */
static int put_members(json_t *json, const Row *row, const char *const (*names)[2], size_t n)
{
    int err = 0;
    for (size_t i = 0; i < n; i++) {
        json_t *value = json_object_get(row->json, names[i][1]);
        err |= json_put(json, names[i][0], value ? json_incref(value) : json_null());
    }
    return err;
}

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static int put_measurement(json_t *json, const Row *row)
{
    static const char *const names[][2] = {
        {"quality", "crf"},   {"kbps", "bitrate_kbps"}, {"video_bytes", "stream_size_bytes"},
        {"frames", "frames"}, {"scores", "features"},   {"encoder_version", "encoder_version"},
    };
    int err = put_members(json, row, names, COUNT(names));
    err |= json_put_text(json, "of", "film");
    err |= json_put_number(json, "percent", NAN);
    err |= json_put_flag(json, "cached", true);
    return err | json_put_number(json, "encode_seconds", row->encode_time_ms / 1000);
}

static json_t *source_record(const Row *row)
{
    static const char *const names[][2] = {
        {"src", "src"},       {"sha256", "src_sha256"},  {"width", "width"},
        {"height", "height"}, {"pix_fmt", "pix_fmt"},    {"framerate", "framerate"},
        {"frames", "frames"}, {"seconds", "duration_s"}, {"extra_params", "extra_params"},
    };
    json_t *json = json_object();
    int err = put_members(json, row, names, COUNT(names));
    return json_unless(err | json_put_number(json, "kbps", NAN), json);
}

static json_t *request_record(const Row *row, const RowRequest *request)
{
    static const char *const names[][2] = {
        {"encoder", "encoder"}, {"preset", "preset"}, {"model", "vmaf_model"}};
    json_t *json = json_object();
    int err = put_members(json, row, names, COUNT(names));
    err |= json_put_text(json, "command", "search");
    err |= json_put_number(json, "quality", NAN);
    err |= json_put_number(json, "first_quality", request->lowest < 0 ? NAN : request->lowest);
    err |= json_put_number(json, "last_quality", request->highest < 0 ? NAN : request->highest);
    err |= json_put(json, "conditions", search_conditions(&request->gates));
    err |= json_put_number(json, "max_kbps", request->max_kbps > 0 ? request->max_kbps : NAN);
    err |= json_put_integer(json, "threads", 0);
    err |= json_put_flag(json, "two_pass", row->rate_control && strstr(row->rate_control, "2pass"));
    return json_unless(err | json_put(json, "samples", json_array()), json);
}

/* As a search has them that encodes. */
static json_t *search_document(const Row *row, const RowRequest *request)
{
    const bool met = is_met(row, request);
    json_t *json = json_object(), *measurements = json_array(), *answer = json_object();
    int err = json_put_flag(answer, "reached", met);
    err |= json_put_text(answer, "error", met ? NULL : "no row reaches the goal");
    err |= json_put_integer(answer, "seconds", 0);
    err |= put_measurement(answer, row);
    for (size_t i = 0; i < request->table->n; i++) {
        const Row *other = &request->table->rows[i];
        json_t *one = json_object();
        if (is_candidate(other, request) && !strcmp(row_source(other), row_source(row)))
            err |= put_measurement(one, other) | json_array_append(measurements, one);
        json_decref(one);
    }
    err |= json_put_text(json, "schema", "vmaf-tune-search/v1");
    err |= json_put(json, "request", request_record(row, request));
    err |= json_put(json, "source", source_record(row));
    err |= json_put(json, "measurements", measurements);
    err |= json_put(json, "answer", answer);
    return json_unless(err, json);
}

static int print_search(const TuneCommand *command, const RowChoices *choices,
                        const RowRequest *request, const void *cookie)
{
    const QualitySettings *settings = cookie;
    const bool any_met = any_is_met(choices, request);
    TextBuffer text;
    int status;
    if (settings->json || settings->format == QUALITY_JSON || settings->report) {
        status = result_print_json(command, settings->report,
                                   records_of(choices, request, search_document));
        return status || any_met ? status : TUNE_NO_RESULT;
    }
    if (!text_begin(&text))
        return result_print(&text, command, NULL, -ENOMEM);
    for (size_t i = 0; i < choices->n; i++) {
        const RowChoice *choice = &choices->choices[i];
        const Row *row = choice->row;
        const char *source = row->src ? row->src : row_source(row);
        if (is_met(row, request))
            print_line(text.out, "%s: %s %s, quality %g, %.1f kbit/s; VMAF %.2f; %zu rows", source,
                       row->encoder ? row->encoder : "", row->preset ? row->preset : "", row->crf,
                       row_kbps(row), row->vmaf_score, choice->of);
        else
            print_error("vmaf-tune %s: %s: none of %zu rows reaches the goal; the best is quality "
                        "%g, with VMAF %.2f",
                        command->name, source, choice->of, row->crf, row->vmaf_score);
    }
    status = result_print(&text, command, NULL, 0);
    return status || any_met ? status : TUNE_NO_RESULT;
}

int rows_search(const TuneCommand *command, const QualitySettings *settings,
                const SessionOptions *options, double target)
{
    const SearchChoice *search = &settings->quality.search;
    RowRequest request = {
        .encoder = search->encoder,
        .preset = search->preset,
        .source = options->sources.n ? options->sources.text[0] : NULL,
        .lowest = search->lowest,
        .highest = search->highest,
        .kbps = NAN,
        .max_kbps = search->max_kbps,
    };
    const char *dot = settings->report ? strrchr(settings->report, '.') : NULL;
    if (settings->record || search->max_percent > 0 || settings->quality.quality >= 0)
        return command_fail(command, TUNE_USAGE,
                            "--from is for search, without --quality and --max-encoded-percent");
    if (dot && strcmp(dot, ".json") != 0)
        return command_fail(command, TUNE_USAGE, "of rows, --report writes JSON, not %s", dot);
    const int status = session_gates(command, options, target, &request.gates);
    return status ? status : choose_from(command, settings->from, &request, print_search, settings);
}

/* -- recommend, of encodes that are made for it -- */

/* The most compressed that reaches the target, of each encoder, preset and source. */
static int choose_made(RowChoices *choices, const EncodeGrid *grid, RowRequest request)
{
    request.table = &grid->table;
    request.most_compressed = true;
    for (size_t i = 0; i < grid->n_lines; i++) {
        request.encoder = grid->lines[i].spec.encoder->name;
        request.preset = grid->lines[i].spec.preset;
        if (add_choices(choices, &request))
            return session_fail(grid->session, -ENOMEM, "out of memory");
    }
    return choices->n ? 0
                      : command_fail(grid->session->command, TUNE_NO_RESULT, "all encodes failed");
}

/* A line for each that reaches the target. */
static void print_met(const RowChoices *choices, const RowRequest *request, bool names_encoder,
                      FILE *out)
{
    for (size_t i = 0; i < choices->n; i++) {
        const RowChoice *choice = &choices->choices[i];
        const Row *row = choice->row;
        if (is_met(row, request))
            print_line(out, "src=%s%s%s preset=%s crf=%g vmaf=%.3f (visited %zu encodes)", row->src,
                       names_encoder ? " encoder=" : "", names_encoder ? row->encoder : "",
                       row->preset, row->crf, row->vmaf_score, choice->of);
    }
}

/* How far those come that do not. */
static void explain_unmet(const RowChoices *choices, const RowRequest *request)
{
    for (size_t i = 0; i < choices->n; i++) {
        const RowChoice *choice = &choices->choices[i];
        const Row *row = choice->row;
        if (!is_met(row, request))
            print_error(
                "vmaf-tune recommend: %s: %s %s: nothing of %zu encodes reaches VMAF %g%s; "
                "the best is %.3f at crf %g",
                row->src, row->encoder, row->preset, choice->of, request->gates.gate[0].target,
                request->gates.n > 1 ? " and the other conditions" : "", row->vmaf_score, row->crf);
    }
}

/* -- recommend -- */

typedef struct Settings {
    GridOptions grid;
    const char *corpus, *output;
    double target, kbps;
    bool json;
    RowRequest request; /* what these ask for */
} Settings;

#define AT(member) .target = offsetof(Settings, member)

static const TuneOption rows[] = {
    {"from-corpus", "FILE", "choose among these rows, and encode nothing", TEXT_AT(corpus),
     .file = TUNE_FILE_READ},
    {"target-vmaf", "X",
     "reach this score, and spend no more than it takes (92, beside "
     "--require as well)",
     NUMBER_AT(target, 0, 100), .other_name = "target"},
    {"target-bitrate", "KBPS", "the bitrate nearest to this one instead",
     NUMBER_AT(kbps, 1e-3, 1e12)},
    {"json", NULL, "print JSON", FLAG_AT(json)},
    {"output", "FILE", "write the result to a file", TEXT_AT(output), .short_name = 'o',
     .file = TUNE_FILE_TEXT},
};

/* What was chosen, in a line each: of rows, or of encodes that were made for it. */
static int print(const TuneCommand *command, const RowChoices *choices, const RowRequest *request,
                 const void *cookie)
{
    const Settings *settings = cookie;
    TextBuffer text;
    if (settings->json)
        return result_print_json(command, settings->output,
                                 records_of(choices, request, row_record));
    if (text_begin(&text) && settings->corpus)
        print_rows(choices, request, text.out);
    else if (text.out)
        print_met(choices, request, settings->grid.encoders.n > 1, text.out);
    return result_print(&text, command, settings->output, 0);
}

static int run_corpus(const TuneCommand *command, const Settings *settings, RowRequest *request)
{
    const GridOptions *grid = &settings->grid;
    if (grid->encoders.n > 1 || grid->presets.n > 1)
        return command_fail(command, TUNE_USAGE,
                            "one --encoder and one --preset choose rows of a corpus");
    request->encoder = grid->encoders.n ? grid->encoders.text[0] : NULL;
    request->preset = grid->presets.n ? grid->presets.text[0] : NULL;
    return choose_from(command, settings->corpus, request, print, settings);
}

static int choose_live(EncodeGrid *grid, void *cookie)
{
    Settings *settings = cookie;
    RowRequest *request = &settings->request;
    RowChoices choices = {0};
    int status = encode_grid_run(grid);
    if (!status)
        status = choose_made(&choices, grid, *request);
    const bool any_met = any_is_met(&choices, request);
    if (!status && (settings->json || any_met))
        status = print(grid->session->command, &choices, request, settings);
    if (!status) {
        explain_unmet(&choices, request);
        status = any_met ? TUNE_OK : TUNE_NO_RESULT;
    }
    free(choices.choices);
    return status;
}

static int run_live(const TuneCommand *command, Settings *settings, const SessionOptions *options)
{
    GridOptions *wanted = &settings->grid;
    const bool is_free = !wanted->qualities.n && !wanted->coarse_to_fine;
    wanted->target = settings->request.gates.gate[0].target;
    wanted->kbps = settings->kbps;
    wanted->searches = is_free && !isnan(wanted->target);
    wanted->coarse_to_fine |= is_free && !wanted->searches;
    return encode_grid_work(command, options, wanted, choose_live, settings);
}

static int begin(const TuneCommand *command, SessionOptions *options, void *cookie)
{
    Settings *settings = cookie;
    const double target = isnan(settings->target) ? 92 : settings->target;
    settings->request =
        (RowRequest){.kbps = settings->kbps, .lowest = -1, .highest = -1, .any_pool = true};
    if (!isnan(settings->target) && !isnan(settings->kbps))
        return command_fail(command, TUNE_USAGE,
                            "--target-vmaf and --target-bitrate exclude each other");
    if (settings->corpus && options->sources.n)
        return command_fail(command, TUNE_USAGE, "--from-corpus encodes nothing: %s is not needed",
                            options->sources.text[0]);
    if (!settings->corpus && !options->sources.n)
        return command_fail(command, TUNE_USAGE, "give SOURCE or --from-corpus FILE");
    const int status = session_gates(command, options, isnan(settings->kbps) ? target : NAN,
                                     &settings->request.gates);
    if (status)
        return status;
    return settings->corpus ? run_corpus(command, settings, &settings->request)
                            : run_live(command, settings, options);
}

static int run_command(const TuneCommand *command, int argc, char **argv)
{
    Settings settings = {.grid = grid_options(), .target = NAN, .kbps = NAN};
    const OptionGroup groups[] = {
        {"Recommend", rows, sizeof rows / sizeof *rows, &settings},
        grid_option_group(&settings.grid),
    };
    return session_command(command, argc, argv, groups, 2, begin, &settings);
}

const TuneCommand recommend_command = {
    .name = "recommend",
    .operands = "SOURCE",
    .summary = "which quality to encode with: of a video, or of a corpus",
    .examples = "  vmaf-tune recommend film.mkv --target-vmaf 93 --preset medium,slow\n"
                "  vmaf-tune recommend --from-corpus corpus.jsonl --target-vmaf 93\n"
                "  vmaf-tune recommend --from-corpus corpus.jsonl --target-bitrate 2500 --json\n",
    .run = run_command,
};
