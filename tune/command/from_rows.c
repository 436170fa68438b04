/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* search --from, and recommend --from-corpus: which row of a corpus, for each source. */
#include "common/json.h"
#include "common/messages.h"
#include "tune/command/quality_command.h"
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
    /* As recommend has it: the first condition is met by what rows have, however that was pooled;
     * rows are printed, and one that misses the goal is an answer, too. */
    bool recommends;
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
    const char *pool = score_pool_name(wanted->pool), *own = json_text_of(row->json, "pool");
    if (!strcmp(wanted->name, "vmaf") &&
        ((!gate && request->recommends) || !own || !strcmp(own, pool)))
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
    if (!has_kbps)
        return stronger != 0 ? stronger : better;
    return kbps != other_kbps ? other_kbps - kbps : better != 0 ? better : stronger;
}

/* Makes a choice for each source that rows of the request have. 0; -ENOMEM. */
static int choose(RowChoices *made, const RowRequest *request)
{
    const Row *first = NULL;
    made->choices = calloc(request->table->n + 1, sizeof *made->choices);
    if (!made->choices)
        return -ENOMEM;
    for (size_t i = 0; i < request->table->n; i++) {
        const Row *row = &request->table->rows[i];
        RowChoice *choice = made->choices;
        if (!is_candidate(row, request))
            continue;
        first = first ? first : row;
        made->has_encoders |=
            !is_same(row->encoder, first->encoder) || !is_same(row->preset, first->preset);
        while (choice->row && strcmp(row_source(choice->row), row_source(row)) != 0)
            choice++;
        made->n += !choice->row;
        if (!choice->row || compare(row, choice->row, request) > 0)
            choice->row = row;
        choice->of++;
    }
    return 0;
}

/* -- as JSON -- */

enum { PREDICATE_SIZE = 64 };

/* What is wanted of VMAF or, unless that is NAN, of the bitrate. */
static const char *predicate_of(double target, double kbps, char text[PREDICATE_SIZE])
{
    if (isnan(kbps))
        snprintf(text, PREDICATE_SIZE, "target_vmaf>=%g", target);
    else
        snprintf(text, PREDICATE_SIZE, "target_bitrate~%g", kbps);
    return text;
}

int recommend_put(json_t *row, double target, double kbps, double value, bool met)
{
    char predicate[PREDICATE_SIZE];
    int err = json_put_text(row, "predicate", predicate_of(target, kbps, predicate));
    err |= json_put_number(row, "margin", value - (isnan(kbps) ? target : kbps));
    return err | json_put_text(row, "status", met ? "OK" : "UNMET");
}

static json_t *row_record(const Row *row, const RowRequest *request)
{
    const double value = isnan(request->kbps) ? value_of(row, request, 0) : row_kbps(row);
    json_t *json = json_copy(row->json);
    return json_unless(recommend_put(json, request->gates.gate[0].target, request->kbps, value,
                                     is_met(row, request)),
                       json);
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
                     json_number_or_null(json_number_of(row->json, "encode_time_ms") / 1000));
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
    const char *rate_control = json_text_of(row->json, "rate_control");
    return json_pack(
        "{s:s s:O? s:O? s:O? s:n s:o s:o s:o s:o s:i s:b s:[]}", "command", "search", "encoder",
        member(row, "encoder"), "preset", member(row, "preset"), "model", member(row, "vmaf_model"),
        "quality", "first_quality", json_number_or_null(lowest < 0 ? NAN : lowest), "last_quality",
        json_number_or_null(highest < 0 ? NAN : highest), "conditions",
        search_conditions(&request->gates), "max_kbps", json_number_or_null(most > 0 ? most : NAN),
        "threads", 0, "two_pass", rate_control && strstr(rate_control, "2pass"), "samples");
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

static json_t *record_of(const Row *row, const RowRequest *request)
{
    return request->recommends ? row_record(row, request) : search_document(row, request);
}

/* The record of the only choice, or an array of those of all. */
static json_t *records_of(const RowChoices *choices, const RowRequest *request)
{
    if (choices->n == 1)
        return record_of(choices->choices[0].row, request);
    json_t *array = json_array();
    int err = 0;
    for (size_t i = 0; i < choices->n; i++)
        err |= json_array_append_new(array, record_of(choices->choices[i].row, request));
    return json_unless(err, array);
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
               has_encoders && row->preset ? row->preset : "",
               predicate_of(request->gates.gate[0].target, request->kbps, predicate),
               is_met(row, request) ? "OK" : "UNMET");
}

/* A line of one that reaches the goal, or on stderr how far it comes. */
static void print_answer(const TuneCommand *command, const RowChoice *choice,
                         const RowRequest *request, FILE *out)
{
    const Row *row = choice->row;
    const char *source = row->src ? row->src : row_source(row);
    if (is_met(row, request))
        print_line(out, "%s: %s %s, quality %g, %.1f kbit/s; VMAF %.2f; %zu row%s", source,
                   row->encoder ? row->encoder : "", row->preset ? row->preset : "", row->crf,
                   row_kbps(row), row->vmaf_score, choice->of, choice->of == 1 ? "" : "s");
    else
        print_error("vmaf-tune %s: %s: none of %zu row%s reaches the goal; the best is quality %g, "
                    "with VMAF %.2f",
                    command->name, source, choice->of, choice->of == 1 ? "" : "s", row->crf,
                    row->vmaf_score);
}

/* A status. */
static int print_choices(const TuneCommand *command, const RowChoices *choices,
                         const RowRequest *request)
{
    TextBuffer text;
    bool is_result = request->recommends;
    int status;
    for (size_t i = 0; i < choices->n; i++)
        is_result = is_result || is_met(choices->choices[i].row, request);
    if (request->json) {
        status = result_print_json(command, request->output, records_of(choices, request));
    } else {
        FILE *out = text_begin(&text);
        for (size_t i = 0; out && i < choices->n; i++)
            if (request->recommends)
                print_row(choices, choices->choices[i].row, request, out);
            else
                print_answer(command, &choices->choices[i], request, out);
        status = result_print(&text, command, request->output, out ? 0 : -ENOMEM);
    }
    return status || is_result ? status : TUNE_NO_RESULT;
}

/* -- among rows of a file -- */

/* Chooses, and prints. A status. */
static int choose_from(const TuneCommand *command, const char *path, RowRequest *request)
{
    RowTable table = {0};
    RowChoices choices = {0};
    int status = corpus_load(command, path, &table);
    request->table = &table;
    if (!status && choose(&choices, request))
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
    const char *dot = settings->report ? strrchr(settings->report, '.') : NULL;
    const bool recommends = settings->recommends;
    RowRequest request = {
        .encoder = search->encoder,
        .preset = search->preset,
        .source = options->sources.n ? options->sources.text[0] : NULL,
        .lowest = search->lowest,
        .highest = search->highest,
        .kbps = settings->kbps,
        .max_kbps = search->max_kbps,
        .recommends = recommends,
        .json = settings->json ||
                (!recommends && (settings->format == QUALITY_JSON || settings->report)),
        .output = settings->report,
    };
    if ((settings->record && !recommends) || search->max_percent > 0 ||
        settings->quality.quality >= 0)
        return command_fail(command, TUNE_USAGE,
                            "--from is for search, without --quality and --max-encoded-percent");
    if (dot && strcmp(dot, ".json") != 0 && !recommends)
        return command_fail(command, TUNE_USAGE, "of rows, --report writes JSON, not %s", dot);
    const int status =
        session_gates(command, options, isnan(request.kbps) ? target : NAN, &request.gates);
    return status ? status : choose_from(command, settings->from, &request);
}
