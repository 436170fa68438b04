/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/recommend.h"

#include "common/json.h"
#include "common/messages.h"
#include "tune/commands/commands.h"
#include "tune/session/corpus_rows.h"
#include "tune/session/encode_grid.h"
#include "tune/session/option_rows.h"
#include "tune/session/output.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Usable rows as points, those of one source behind each other. */
typedef struct Candidates {
    EncodePoint *points;
    size_t n;
} Candidates;

static bool is_wanted(const char *text, const char *wanted)
{
    return !wanted || (text && !strcmp(text, wanted));
}

static bool is_same(const char *a, const char *b)
{
    return !strcmp(a ? a : "", b ? b : "");
}

static bool is_candidate(const Row *row, const ChoiceRequest *request)
{
    return row_is_usable(row) && is_wanted(row->encoder, request->encoder) &&
           is_wanted(row->preset, request->preset);
}

/* Collects the candidates that have the same source as row `first`, all of which are at `first` or
 * after it, and marks them as taken. Their number. */
static size_t take_source(EncodePoint *points, const Row *rows, size_t n, size_t first, bool *taken,
                          const ChoiceRequest *request)
{
    size_t count = 0;
    for (size_t i = first; i < n; i++) {
        if (taken[i] || !is_candidate(&rows[i], request) ||
            strcmp(row_source(&rows[i]), row_source(&rows[first])) != 0)
            continue;
        taken[i] = true;
        points[count++] = point_of_row(&rows[i], i);
    }
    return count;
}

/* Leaves out points without bitrate if there is another that reaches the target; *has: there is. */
static size_t with_bitrate(EncodePoint *points, size_t n, double target, bool *has)
{
    *has = false;
    for (size_t i = 0; i < n; i++)
        *has = *has || (!isnan(points[i].kbps) && points[i].score >= target);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!*has || !isnan(points[i].kbps))
            points[kept++] = points[i];
    return kept;
}

static Choice choose(const QualityRange *qualities, EncodePoint *points, size_t n,
                     const ChoiceRequest *request)
{
    bool has_bitrate;
    if (isnan(request->target))
        return choose_bitrate(qualities, points, n, request->kbps);
    n = with_bitrate(points, n, request->target, &has_bitrate);
    return !has_bitrate || request->most_compressed
               ? choose_most_compressed(qualities, points, n, request->target)
               : choose_cheapest(qualities, points, n, request->target);
}

static void add_choice(RowChoices *choices, const Row *rows, EncodePoint *points, size_t n,
                       const ChoiceRequest *request)
{
    const QualityRange qualities = quality_range_of_encoder(rows[points[0].source].encoder);
    const Choice chosen = choose(&qualities, points, n, request);
    if (chosen.status == CHOICE_NONE)
        return;
    const EncodePoint *point = &points[chosen.index];
    choices->choices[choices->n++] = (RowChoice){
        .row = &rows[point->source],
        .met = chosen.status == CHOICE_MET,
        .margin =
            isnan(request->target) ? point->kbps - request->kbps : point->score - request->target,
        .of = n,
    };
}

static int make(RowChoices *choices, const Row *rows, size_t n, const ChoiceRequest *request,
                EncodePoint *points, bool *taken)
{
    const Row *first = NULL;
    for (size_t i = 0; i < n; i++) {
        if (!is_candidate(&rows[i], request))
            continue;
        first = first ? first : &rows[i];
        choices->has_encoders |=
            !is_same(rows[i].encoder, first->encoder) || !is_same(rows[i].preset, first->preset);
        if (taken[i])
            continue;
        const size_t count = take_source(points, rows, n, i, taken, request);
        choices->n_usable += count;
        add_choice(choices, rows, points, count, request);
    }
    return choices->n ? 0 : -ENODATA;
}

static int explain(int err, const ChoiceRequest *request, Message *message)
{
    if (err == -ENOMEM)
        return message_set(message, err, "out of memory");
    return message_set(message, err, "no row%s%.60s%s%.60s has succeeded and has a score%s",
                       request->encoder ? " of " : "", request->encoder ? request->encoder : "",
                       request->preset ? ", preset " : "", request->preset ? request->preset : "",
                       isnan(request->target) ? " and a bitrate" : "");
}

int row_choices_make(RowChoices *choices, const Row *rows, size_t n, const ChoiceRequest *request,
                     Message *message)
{
    EncodePoint *points = calloc(n + 1, sizeof(*points));
    bool *taken = calloc(n + 1, sizeof(*taken));
    *choices = (RowChoices){.choices = calloc(n + 1, sizeof(*choices->choices))};
    const int err = points && taken && choices->choices
                        ? make(choices, rows, n, request, points, taken)
                        : -ENOMEM;
    free(points);
    free(taken);
    if (!err)
        return 0;
    row_choices_free(choices);
    return explain(err, request, message);
}

void row_choices_free(RowChoices *choices)
{
    free(choices->choices);
    *choices = (RowChoices){0};
}

enum { PREDICATE_SIZE = 64 };

static const char *predicate_of(const ChoiceRequest *request, char text[PREDICATE_SIZE])
{
    if (isnan(request->target))
        snprintf(text, PREDICATE_SIZE, "target_bitrate~%g", request->kbps);
    else
        snprintf(text, PREDICATE_SIZE, "target_vmaf>=%g", request->target);
    return text;
}

/* -- text -- */

static void print_number(FILE *out, const char *name, const char *format, double value)
{
    fputs(name, out);
    if (isfinite(value))
        fprintf(out, format, value);
    else
        fputs("unknown", out);
}

void row_choices_print_text(const RowChoices *choices, const ChoiceRequest *request, FILE *out)
{
    char predicate[PREDICATE_SIZE];
    for (size_t i = 0; i < choices->n; i++) {
        const RowChoice *choice = &choices->choices[i];
        TextBuffer buffer;
        FILE *rest = text_begin(&buffer);
        if (!rest)
            return;
        print_number(rest, "crf=", "%g", choice->row->crf);
        print_number(rest, "  vmaf=", "%.3f", choice->row->vmaf_score);
        print_number(rest, "  kbps=", "%.0f", row_kbps(choice->row));
        if (choices->has_encoders)
            fprintf(rest, "  encoder=%s  preset=%s", choice->row->encoder,
                    choice->row->preset ? choice->row->preset : "");
        fprintf(rest, "  predicate=%s  [%s]", predicate_of(request, predicate),
                choice->met ? "OK" : "UNMET");
        char *line = text_end(&buffer, 0);
        if (!line)
            return;
        if (choices->n > 1)
            print_line(out, "src=%s  %s", choice->row->src ? choice->row->src : "", line);
        else
            print_line(out, "%s", line);
        free(line);
    }
}

/* -- JSON -- */

/* A new reference; NULL without memory. */
static json_t *choice_to_json(const RowChoice *choice, const ChoiceRequest *request)
{
    char predicate[PREDICATE_SIZE];
    json_t *json = row_to_json(choice->row);
    if (!json)
        return NULL;
    if (json_put(json, "predicate", json_string(predicate_of(request, predicate))) ||
        json_put_number(json, "margin", choice->margin) ||
        json_put(json, "status", json_string(choice->met ? "OK" : "UNMET"))) {
        json_decref(json);
        return NULL;
    }
    return json;
}

static json_t *choices_to_json(const RowChoices *choices, const ChoiceRequest *request)
{
    if (choices->n == 1)
        return choice_to_json(&choices->choices[0], request);
    json_t *array = json_array();
    for (size_t i = 0; i < choices->n && array; i++)
        if (json_array_append_new(array, choice_to_json(&choices->choices[i], request))) {
            json_decref(array);
            array = NULL;
        }
    return array;
}

int row_choices_print_json(const RowChoices *choices, const ChoiceRequest *request, FILE *out)
{
    json_t *json = choices_to_json(choices, request);
    const int err = json ? json_document_print(json, 2, out) : -ENOMEM;
    fputc('\n', out);
    json_decref(json);
    return err;
}

/* -- after encodes were made: of each encoder, preset and source -- */

static int append(RowChoices *all, const RowChoices *some)
{
    if (!some->n)
        return 0;
    RowChoice *more = realloc(all->choices, (all->n + some->n) * sizeof(*more));
    if (!more)
        return -ENOMEM;
    memcpy(more + all->n, some->choices, some->n * sizeof(*more));
    all->choices = more;
    all->n += some->n;
    all->n_usable += some->n_usable;
    return 0;
}

/* The choices of one encoder and preset. */
static int add_choices(RowChoices *all, const EncodeGrid *grid, const ChoiceRequest *request,
                       Message *why)
{
    RowChoices choices;
    int err = row_choices_make(&choices, grid->rows, grid->n_rows, request, why);
    if (err == -ENODATA)
        return 0; /* all of them failed, which was said */
    if (err)
        return err;
    err = append(all, &choices);
    row_choices_free(&choices);
    return err ? message_set(why, err, "out of memory") : 0;
}

static int add_presets(RowChoices *all, const EncodeGrid *grid, const Encoder *encoder,
                       ChoiceRequest request, Message *why)
{
    const TextList *presets = &grid->options->presets;
    int err = 0;
    request.encoder = encoder->name;
    request.most_compressed = true;
    for (size_t i = 0; i < (presets->n ? presets->n : 1) && !err; i++) {
        request.preset = presets->n ? presets->text[i] : encoder->default_preset;
        err = add_choices(all, grid, &request, why);
    }
    return err;
}

/* The most compressed that reaches the target; else as row_choices_make. Free them in either case,
 * before the grid. */
static int choices_of_grid(RowChoices *choices, const EncodeGrid *grid,
                           const ChoiceRequest *request, Message *why)
{
    int err = 0;
    *choices = (RowChoices){0};
    for (size_t i = 0; i < grid->n_encoders && !err; i++)
        err = add_presets(choices, grid, grid->encoders[i].encoder, *request, why);
    if (!err && !choices->n)
        err = message_set(why, -ENODATA, "all encodes failed");
    return err;
}

static bool any_is_met(const RowChoices *choices)
{
    for (size_t i = 0; i < choices->n; i++)
        if (choices->choices[i].met)
            return true;
    return false;
}

/* A line for each that reaches the target. */
static void print_met(const RowChoices *choices, bool names_encoder, FILE *out)
{
    for (size_t i = 0; i < choices->n; i++) {
        const RowChoice *choice = &choices->choices[i];
        const Row *row = choice->row;
        if (!choice->met)
            continue;
        print_line(out, "src=%s%s%s preset=%s crf=%g vmaf=%.3f (visited %zu encodes)", row->src,
                   names_encoder ? " encoder=" : "", names_encoder ? row->encoder : "", row->preset,
                   row->crf, row->vmaf_score, choice->of);
    }
}

/* How far those come that do not. */
static void explain_unmet(const RowChoices *choices, const ChoiceRequest *request)
{
    for (size_t i = 0; i < choices->n; i++) {
        const RowChoice *choice = &choices->choices[i];
        const Row *row = choice->row;
        if (!choice->met)
            print_error(
                "vmaf-tune recommend: %s: %s %s: nothing of %zu encodes reaches VMAF %g; the best "
                "is %.3f at crf %g",
                row->src, row->encoder, row->preset, choice->of, request->target, row->vmaf_score,
                row->crf);
    }
}

/* -- the subcommand -- */

typedef struct Settings {
    GridOptions grid;
    const char *corpus, *output;
    double target, kbps;
    bool json;
} Settings;

#define AT(member) .target = offsetof(Settings, member)

static const TuneOption rows[] = {
    {"from-corpus", "FILE", "choose among these rows, and encode nothing", TEXT_AT(corpus),
     .file = TUNE_FILE_READ},
    {"target-vmaf", "X",
     "reach this score, and spend no more than it takes (92, beside "
     "--require as well)",
     NUMBER_AT(target, 0, 100)},
    {"target-bitrate", "KBPS", "the bitrate nearest to this one instead",
     NUMBER_AT(kbps, 1e-3, 1e12)},
    {"json", NULL, "print JSON", FLAG_AT(json)},
    {"output", "FILE", "write the result to a file", TEXT_AT(output), .short_name = 'o',
     .file = TUNE_FILE_TEXT},
};

/* `grid`: the encodes that were made for them; NULL: they are rows of a corpus. */
static int print(const TuneCommand *command, const Settings *settings, const RowChoices *choices,
                 const ChoiceRequest *request, const EncodeGrid *grid)
{
    TextBuffer text;
    int err = 0;
    if (text_begin(&text) && settings->json)
        err = row_choices_print_json(choices, request, text.out);
    else if (text.out && grid)
        print_met(choices, grid->n_encoders > 1, text.out);
    else if (text.out)
        row_choices_print_text(choices, request, text.out);
    return result_print(&text, command, settings->output, err);
}

static ChoiceRequest request_of(const Settings *settings)
{
    const double target = isnan(settings->target) ? 92 : settings->target;
    return (ChoiceRequest){.target = isnan(settings->kbps) ? target : NAN, .kbps = settings->kbps};
}

/* -- among rows that are there -- */

static int choose_from(const TuneCommand *command, const Settings *settings, const RowTable *table,
                       const ChoiceRequest *request)
{
    RowChoices choices;
    Message why;
    const int err = row_choices_make(&choices, table->rows, table->n, request, &why);
    if (err)
        return command_fail(command, err == -EINVAL ? TUNE_USAGE : TUNE_NO_RESULT, "%s", why.text);
    const int status = print(command, settings, &choices, request, NULL);
    row_choices_free(&choices);
    return status;
}

static int run_corpus(const TuneCommand *command, const Settings *settings, ChoiceRequest request)
{
    const GridOptions *grid = &settings->grid;
    RowTable table;
    int status;
    if (grid->encoders.n > 1 || grid->presets.n > 1)
        return command_fail(command, TUNE_USAGE,
                            "one --encoder and one --preset choose rows of a corpus");
    request.encoder = grid->encoders.n ? grid->encoders.text[0] : NULL;
    request.preset = grid->presets.n ? grid->presets.text[0] : NULL;
    if (!corpus_load(command, settings->corpus, &table, &status))
        return status;
    status = choose_from(command, settings, &table, &request);
    row_table_free(&table);
    return status;
}

/* -- live -- */

static int choose_live(const Settings *settings, const EncodeGrid *grid,
                       const ChoiceRequest *request)
{
    const TuneCommand *command = grid->session->command;
    RowChoices choices;
    Message why;
    const int err = choices_of_grid(&choices, grid, request, &why);
    const bool is_met = any_is_met(&choices);
    int status = TUNE_OK;
    if (err)
        status =
            command_fail(command, err == -EINVAL ? TUNE_USAGE : TUNE_NO_RESULT, "%s", why.text);
    else if (settings->json || is_met)
        status = print(command, settings, &choices, request, grid);
    if (!status) {
        explain_unmet(&choices, request);
        status = is_met ? TUNE_OK : TUNE_NO_RESULT;
    }
    row_choices_free(&choices);
    return status;
}

static int run_live(const TuneCommand *command, Settings *settings, const SessionOptions *options,
                    const ChoiceRequest *request)
{
    Session session;
    EncodeGrid grid = {0};
    const bool is_free = !settings->grid.qualities.n && !settings->grid.coarse_to_fine;
    settings->grid.searches = is_free && !isnan(request->target);
    settings->grid.coarse_to_fine |= is_free && !settings->grid.searches;
    settings->grid.target = request->target;
    settings->grid.kbps = request->kbps;
    int status = session_open(&session, command, options, request->target);
    if (!status)
        status = encode_grid_open(&grid, &session, &settings->grid);
    if (!status)
        status = encode_grid_run(&grid);
    if (!status && !options->dry_run)
        status = choose_live(settings, &grid, request);
    encode_grid_close(&grid);
    session_close(&session);
    return status;
}

static int begin(const TuneCommand *command, SessionOptions *options, void *cookie)
{
    Settings *settings = cookie;
    const ChoiceRequest request = request_of(settings);
    if (!isnan(settings->target) && !isnan(settings->kbps))
        return command_fail(command, TUNE_USAGE,
                            "--target-vmaf and --target-bitrate exclude each other");
    if (settings->corpus && options->sources.n)
        return command_fail(command, TUNE_USAGE, "--from-corpus encodes nothing: %s is not needed",
                            options->sources.text[0]);
    if (settings->corpus)
        return run_corpus(command, settings, request);
    if (options->sources.n)
        return run_live(command, settings, options, &request);
    return command_fail(command, TUNE_USAGE, "give SOURCE or --from-corpus FILE");
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
