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

/* What is printed of a choice: a document as those of searches, the row, or the encode that was
 * made for it. */
typedef enum RowForm { AS_SEARCH, AS_ROW, AS_ENCODE } RowForm;

typedef struct RowRequest {
    const RowTable *table;
    const char *encoder, *preset, *source; /* NULL: any */
    double lowest, highest;                /* qualities; -1: any */
    double kbps;                           /* the nearest to it; NAN: what the conditions say */
    double max_kbps;                       /* more is too much; 0: any */
    TuneGates gates;
    bool any_pool;        /* the first one is met by what rows have, however that was pooled */
    bool most_compressed; /* of those that reach the target; else the cheapest */
    /* The result. */
    RowForm form;
    bool json;
    const char *output;
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

/* -- as JSON -- */

enum { PREDICATE_SIZE = 64 };

static const char *predicate_of(const RowRequest *request, char text[PREDICATE_SIZE])
{
    if (isnan(request->kbps))
        snprintf(text, PREDICATE_SIZE, "target_vmaf>=%g", request->gates.gate[0].target);
    else
        snprintf(text, PREDICATE_SIZE, "target_bitrate~%g", request->kbps);
    return text;
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

static json_t *member(const Row *row, const char *key)
{
    return json_object_get(row->json, key);
}

static json_t *measurement_of(const Row *row)
{
    return json_pack("{s:s s:O? s:O? s:O? s:O? s:O? s:O? s:n s:b s:o}", "of", "film", "quality",
                     member(row, "crf"), "kbps", member(row, "bitrate_kbps"), "video_bytes",
                     member(row, "stream_size_bytes"), "frames", member(row, "frames"), "scores",
                     member(row, "features"), "encoder_version", member(row, "encoder_version"),
                     "percent", "cached", true, "encode_seconds",
                     json_number_or_null(row->encode_time_ms / 1000));
}

static json_t *source_of(const Row *row)
{
    return json_pack("{s:O? s:O? s:O? s:O? s:O? s:O? s:O? s:O? s:O? s:n}", "src",
                     member(row, "src"), "sha256", member(row, "src_sha256"), "width",
                     member(row, "width"), "height", member(row, "height"), "pix_fmt",
                     member(row, "pix_fmt"), "framerate", member(row, "framerate"), "frames",
                     member(row, "frames"), "seconds", member(row, "duration_s"), "extra_params",
                     member(row, "extra_params"), "kbps");
}

static json_t *request_of(const Row *row, const RowRequest *request)
{
    const double lowest = request->lowest, highest = request->highest, most = request->max_kbps;
    return json_pack("{s:s s:O? s:O? s:O? s:n s:o s:o s:o s:o s:i s:b s:[]}", "command", "search",
                     "encoder", member(row, "encoder"), "preset", member(row, "preset"), "model",
                     member(row, "vmaf_model"), "quality", "first_quality",
                     json_number_or_null(lowest < 0 ? NAN : lowest), "last_quality",
                     json_number_or_null(highest < 0 ? NAN : highest), "conditions",
                     search_conditions(&request->gates), "max_kbps",
                     json_number_or_null(most > 0 ? most : NAN), "threads", 0, "two_pass",
                     row->rate_control && strstr(row->rate_control, "2pass"), "samples");
}

/* As a search has it that encodes. */
static json_t *search_document(const Row *row, const RowRequest *request)
{
    const bool met = is_met(row, request);
    json_t *measurements = json_array(), *answer = measurement_of(row);
    int err = json_put_flag(answer, "reached", met);
    err |= json_put_text(answer, "error", met ? NULL : "no row reaches the goal");
    err |= json_put_integer(answer, "seconds", 0);
    for (size_t i = 0; i < request->table->n; i++) {
        const Row *other = &request->table->rows[i];
        if (is_candidate(other, request) && !strcmp(row_source(other), row_source(row)))
            err |= json_array_append_new(measurements, measurement_of(other));
    }
    return json_unless(err, json_pack("{s:s s:o s:o s:o s:o}", "schema", "vmaf-tune-search/v1",
                                      "request", request_of(row, request), "source", source_of(row),
                                      "measurements", measurements, "answer", answer));
}

/* The record of the only choice, or an array of those of all. */
static json_t *records_of(const RowChoices *choices, const RowRequest *request)
{
    json_t *array = json_array(), *only;
    int err = 0;
    for (size_t i = 0; i < choices->n; i++) {
        const Row *row = choices->choices[i].row;
        err |=
            json_array_append_new(array, request->form == AS_SEARCH ? search_document(row, request)
                                                                    : row_record(row, request));
    }
    if (err || choices->n != 1)
        return json_unless(err, array);
    only = json_incref(json_array_get(array, 0));
    json_decref(array);
    return only;
}

/* -- for people -- */

static const char *number_text(char text[32], const char *format, double number)
{
    snprintf(text, 32, isfinite(number) ? format : "unknown", number);
    return text;
}

static void print_row(const RowChoices *choices, const Row *row, const RowRequest *request,
                      FILE *out)
{
    char predicate[PREDICATE_SIZE], vmaf[32], kbps[32];
    const bool has_sources = choices->n > 1, has_encoders = choices->has_encoders;
    print_line(out, "%s%s%scrf=%g  vmaf=%s  kbps=%s%s%s%s%s  predicate=%s  [%s]",
               has_sources ? "src=" : "", has_sources && row->src ? row->src : "",
               has_sources ? "  " : "", row->crf, number_text(vmaf, "%.3f", row->vmaf_score),
               number_text(kbps, "%.0f", row_kbps(row)), has_encoders ? "  encoder=" : "",
               has_encoders && row->encoder ? row->encoder : "", has_encoders ? "  preset=" : "",
               has_encoders && row->preset ? row->preset : "", predicate_of(request, predicate),
               is_met(row, request) ? "OK" : "UNMET");
}

/* A line of one that reaches the goal, or on stderr how far it comes. */
static void print_answer(const TuneCommand *command, const RowChoices *choices,
                         const RowChoice *choice, const RowRequest *request, FILE *out)
{
    const Row *row = choice->row;
    const char *source = row->src ? row->src : row_source(row);
    const char *encoder = row->encoder ? row->encoder : "",
               *preset = row->preset ? row->preset : "";
    if (!is_met(row, request))
        print_error("vmaf-tune %s: %s: none of %zu encodes with %s %s reaches the goal; the best "
                    "is quality %g, with VMAF %.3f",
                    command->name, source, choice->of, encoder, preset, row->crf, row->vmaf_score);
    else if (request->form == AS_SEARCH)
        print_line(out, "%s: %s %s, quality %g, %.1f kbit/s; VMAF %.2f; %zu rows", source, encoder,
                   preset, row->crf, row_kbps(row), row->vmaf_score, choice->of);
    else
        print_line(out, "src=%s%s%s preset=%s crf=%g vmaf=%.3f (visited %zu encodes)", source,
                   choices->has_encoders ? " encoder=" : "", choices->has_encoders ? encoder : "",
                   preset, row->crf, row->vmaf_score, choice->of);
}

/* A status: of rows there is always an answer. */
static int print_choices(const TuneCommand *command, const RowChoices *choices,
                         const RowRequest *request)
{
    TextBuffer text;
    bool any_met = request->form == AS_ROW;
    for (size_t i = 0; i < choices->n; i++)
        any_met = any_met || is_met(choices->choices[i].row, request);
    if (request->json) {
        const int status =
            result_print_json(command, request->output, records_of(choices, request));
        return status || any_met ? status : TUNE_NO_RESULT;
    }
    FILE *out = text_begin(&text);
    for (size_t i = 0; out && i < choices->n; i++)
        if (request->form == AS_ROW)
            print_row(choices, choices->choices[i].row, request, out);
        else
            print_answer(command, choices, &choices->choices[i], request, out);
    const int status = result_print(&text, command, request->output, out ? 0 : -ENOMEM);
    return status || any_met ? status : TUNE_NO_RESULT;
}

/* -- among rows of a file -- */

/* Chooses, and prints. A status. */
static int choose_from(const TuneCommand *command, const char *path, RowRequest *request)
{
    RowTable table = {0};
    RowChoices choices = {0};
    int status = corpus_load(command, path, &table);
    request->table = &table;
    if (!status && add_choices(&choices, request))
        status = command_fail(command, TUNE_NO_RESULT, "out of memory");
    if (!status && choices.n)
        status = print_choices(command, &choices, request);
    else if (!status)
        status = command_fail(command, TUNE_NO_RESULT,
                              "no row of what is asked for has succeeded and has a score%s",
                              isnan(request->kbps) ? "" : " and a bitrate");
    free(choices.choices);
    row_table_free(&table);
    return status;
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
        .json = settings->json || settings->format == QUALITY_JSON || settings->report,
        .output = settings->report,
    };
    const char *dot = settings->report ? strrchr(settings->report, '.') : NULL;
    if (settings->record || search->max_percent > 0 || settings->quality.quality >= 0)
        return command_fail(command, TUNE_USAGE,
                            "--from is for search, without --quality and --max-encoded-percent");
    if (dot && strcmp(dot, ".json") != 0)
        return command_fail(command, TUNE_USAGE, "of rows, --report writes JSON, not %s", dot);
    const int status = session_gates(command, options, target, &request.gates);
    return status ? status : choose_from(command, settings->from, &request);
}

/* -- recommend -- */

typedef struct Settings {
    GridOptions grid;
    const char *corpus;
    double target;
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
     NUMBER_AT(request.kbps, 1e-3, 1e12)},
    {"json", NULL, "print JSON", FLAG_AT(request.json)},
    {"output", "FILE", "write the result to a file", TEXT_AT(request.output), .short_name = 'o',
     .file = TUNE_FILE_TEXT},
};

/* Makes encodes, and takes the most compressed that reaches the target, of each encoder, preset and
 * source. */
static int choose_live(EncodeGrid *grid, void *cookie)
{
    RowRequest request = ((Settings *)cookie)->request;
    RowChoices choices = {0};
    int status = encode_grid_run(grid);
    request.table = &grid->table;
    for (size_t i = 0; i < grid->n_lines && !status; i++) {
        request.encoder = grid->lines[i].spec.encoder->name;
        request.preset = grid->lines[i].spec.preset;
        if (add_choices(&choices, &request))
            status = session_fail(grid->session, -ENOMEM, "out of memory");
    }
    choices.has_encoders = grid->options->encoders.n > 1;
    if (!status && !choices.n)
        status = command_fail(grid->session->command, TUNE_NO_RESULT, "all encodes failed");
    if (!status)
        status = print_choices(grid->session->command, &choices, &request);
    free(choices.choices);
    return status;
}

static int run_live(const TuneCommand *command, Settings *settings, const SessionOptions *options)
{
    GridOptions *wanted = &settings->grid;
    const bool is_free = !wanted->qualities.n && !wanted->coarse_to_fine;
    wanted->target = settings->request.gates.gate[0].target;
    wanted->kbps = settings->request.kbps;
    wanted->searches = is_free && !isnan(wanted->target);
    wanted->coarse_to_fine |= is_free && !wanted->searches;
    settings->request.form = AS_ENCODE;
    settings->request.most_compressed = true;
    return encode_grid_work(command, options, wanted, choose_live, settings);
}

static int begin(const TuneCommand *command, SessionOptions *options, void *cookie)
{
    Settings *settings = cookie;
    RowRequest *request = &settings->request;
    const GridOptions *grid = &settings->grid;
    const double target = isnan(settings->target) ? 92 : settings->target;
    if (!isnan(settings->target) && !isnan(request->kbps))
        return command_fail(command, TUNE_USAGE,
                            "--target-vmaf and --target-bitrate exclude each other");
    if (settings->corpus && options->sources.n)
        return command_fail(command, TUNE_USAGE, "--from-corpus encodes nothing: %s is not needed",
                            options->sources.text[0]);
    if (!settings->corpus && !options->sources.n)
        return command_fail(command, TUNE_USAGE, "give SOURCE or --from-corpus FILE");
    if (settings->corpus && (grid->encoders.n > 1 || grid->presets.n > 1))
        return command_fail(command, TUNE_USAGE,
                            "one --encoder and one --preset choose rows of a corpus");
    const int status =
        session_gates(command, options, isnan(request->kbps) ? target : NAN, &request->gates);
    if (status || !settings->corpus)
        return status ? status : run_live(command, settings, options);
    request->encoder = grid->encoders.n ? grid->encoders.text[0] : NULL;
    request->preset = grid->presets.n ? grid->presets.text[0] : NULL;
    return choose_from(command, settings->corpus, request);
}

static int run_command(const TuneCommand *command, int argc, char **argv)
{
    Settings settings = {
        .grid = grid_options(),
        .target = NAN,
        .request = {.kbps = NAN, .lowest = -1, .highest = -1, .any_pool = true, .form = AS_ROW},
    };
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
