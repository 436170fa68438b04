/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf-tune auto, and what encode --auto chooses: the size and encoder that reach a goal at the
 * lowest bitrate, by a search for each. */
#include "tune/commands/commands.h"
#include "tune/commands/quality_command.h"

#include "common/json.h"
#include "platform/path.h"
#include "tune/rows/row.h"
#include "tune/session/option_rows.h"
#include "tune/session/output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RUNGS = 16, MAX_RETRIES = 3, LOW_COMPLEXITY_KBPS = 200, USUAL_TARGET = 93 };

/* How far the score of the result may be below the target before a better quality is tried. */
#define MAX_MISS 0.5
/* What is not certain is searched on the whole film up to so many times the bitrate of the best. */
#define MOST_TIMES 1.5

/* A size and an encoder. */
typedef struct Cell {
    int width, height;
    const char *codec;
    double q;          /* -1: there is none */
    double vmaf, kbps; /* expected there; NAN */
    double baseline;   /* VMAF expected at the default of the encoder; NAN: unknown */
    bool reaches;
    bool is_sampled;   /* the estimate is of samples */
    bool is_certain;   /* the search came to an end: more encodes would not change it */
    bool is_escalated; /* it was searched on the whole film */
    Message error;     /* why there is no estimate; "" */
} Cell;

typedef enum Status { IN_BUDGET, OVER_BUDGET, UNMET, NONE } Status;

typedef struct AutoSettings {
    QualityChoice quality;
    AutoChoice from;
    const char *output, *runs_dir;
    bool executes, executes_all, video_only;
} AutoSettings;

typedef struct AutoRun {
    Session *session;
    const TuneSource *source;
    const AutoChoice *from;
    QualityChoice choice; /* of each cell, which sets its encoder and size */
    Cell *cells;
    size_t n_cells, n_rungs;
    bool is_sampled;
    json_t *executed; /* rows of what was encoded */
} AutoRun;

/* -- cells -- */

static int add_cell(AutoRun *run, int height, const char *codec)
{
    const int full = (int)run->source->format.height, width = (int)run->source->format.width;
    Cell *grown = realloc(run->cells, (run->n_cells + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    run->cells = grown;
    grown[run->n_cells++] = (Cell){
        .width = height == full ? width : 2 * (int)fmax(1, rint((double)width * height / full / 2)),
        .height = height,
        .codec = codec,
        .q = -1,
        .vmaf = NAN,
        .kbps = NAN,
        .baseline = NAN,
    };
    return 0;
}

/* Encoders to choose from: the pinned one, else those that are allowed, else libx264. */
static int add_rung(AutoRun *run, int height)
{
    const TextList *codecs = &run->from->codecs;
    int err = 0;
    run->n_rungs++;
    if (run->choice.search.encoder || !codecs->n)
        return add_cell(run, height,
                        run->choice.search.encoder ? run->choice.search.encoder : "libx264");
    for (size_t i = 0; i < codecs->n && !err; i++)
        err = add_cell(run, height, codecs->text[i]);
    return err;
}

/* Heights that are given, else that of the source, and from 2160 lines on smaller ones. A status.
 */
static int lay_out(AutoRun *run)
{
    static const int usual[] = {1440, 1080, 720, 540};
    const IntegerList *heights = &run->from->heights;
    const int full = (int)run->source->format.height;
    int err = 0;
    for (size_t i = 0; i < heights->n && i < MAX_RUNGS && !err; i++) {
        const int height = heights->value[i];
        if (height > full || (height % 2 && height != full))
            return command_fail(run->session->command, TUNE_USAGE,
                                "--rungs %d: heights are even, and %d at most", height, full);
        err = add_rung(run, height);
    }
    if (!heights->n) {
        err = add_rung(run, full >= 2160 ? 2160 : full);
        for (size_t i = 0; i < sizeof usual / sizeof *usual && full >= 2160 && !err; i++)
            err = add_rung(run, usual[i]);
    }
    return err ? session_fail(run->session, err, "out of memory") : 0;
}

static Status status_of(const AutoRun *run, const Cell *cell)
{
    if (!isfinite(cell->vmaf) || !isfinite(cell->kbps))
        return NONE;
    if (!cell->reaches)
        return UNMET;
    return cell->kbps <= run->from->budget ? IN_BUDGET : OVER_BUDGET;
}

/* The cheapest that reaches the goal within the budget, else the one that exceeds it least, else
 * the one with the highest score; of equals the larger one. */
static bool is_better(const AutoRun *run, const Cell *a, const Cell *b)
{
    const Status status = status_of(run, a);
    if (status != status_of(run, b))
        return status < status_of(run, b);
    if (status == UNMET && a->vmaf != b->vmaf)
        return a->vmaf > b->vmaf;
    if (a->kbps != b->kbps)
        return a->kbps < b->kbps;
    return a->vmaf != b->vmaf ? a->vmaf > b->vmaf : a->height > b->height;
}

static const Cell *winner_of(const AutoRun *run)
{
    const Cell *best = run->cells;
    for (size_t i = 1; i < run->n_cells; i++)
        if (is_better(run, &run->cells[i], best))
            best = &run->cells[i];
    return best;
}

/* -- estimates -- */

/* Copies the result of a search to its cell. */
static void take_result(Cell *cell, const QualitySearch *search)
{
    const SearchRun *run = &search->run;
    const SearchResult *result = &run->result;
    const Measurement *best = result->ok ? &result->best : NULL;
    for (size_t i = 0; i < run->search.n_samples && !result->ok && !run->error; i++)
        if (!best || run->search.samples[i].values[0] > best->values[0])
            best = &run->search.samples[i];
    cell->is_sampled = search->samples.n > 0;
    cell->is_certain = result->converged || result->status == SEARCH_UNREACHABLE;
    cell->baseline = quality_curve(run, 0, search->encoder.encoder->default_q);
    cell->reaches = result->ok;
    *cell->error.text = '\0';
    if (!best) {
        search_run_explain(run, &search->plan, &cell->error);
        return;
    }
    cell->q = best->q;
    cell->vmaf = best->values[0];
    cell->kbps = best->kbps;
}

/* What is wanted of a cell. */
static QualityChoice choice_of(const AutoRun *run, const Cell *cell)
{
    QualityChoice choice = run->choice;
    choice.search.encoder = cell->codec;
    if (cell->height != (int)run->source->format.height) {
        choice.width = cell->width;
        choice.height = cell->height;
    }
    return choice;
}

/* Searches for the quality of a cell. A status, of an error that ends all work. */
static int search_cell(AutoRun *run, Cell *cell)
{
    Session *session = run->session;
    const QualityChoice choice = choice_of(run, cell);
    const FilmPlace nowhere = {.is_wanted = false};
    SessionEncoder encoder;
    QualitySearch search;
    Message why;
    const int err = session_try_encoder(session, NULL, NULL, cell->codec, &encoder, &why);
    if (err && atomic_load(session_interrupt))
        return session_fail(session, err, why.text);
    if (err) { /* the others may work */
        cell->error = why;
        return 0;
    }
    int status = quality_search_open(&search, session, run->source, &choice, &nowhere);
    if (!status) {
        const int error = quality_search_measure(&search);
        const bool is_of_encoder = error == -EINVAL || error == -ENOENT;
        if (error && measure_error_is_final(error) && !is_of_encoder)
            status = session_fail(session, error, search.run.why.text);
        else
            take_result(cell, &search);
    }
    run->is_sampled = run->is_sampled || search.samples.n;
    quality_search_close(&search);
    return status;
}

static int estimate(AutoRun *run)
{
    int status = lay_out(run);
    for (size_t i = 0; i < run->n_cells && !status; i++)
        status = search_cell(run, &run->cells[i]);
    return status;
}

/* Searches again on the whole film what is not certain and could be the best. */
static int escalate(AutoRun *run)
{
    int status = 0;
    run->choice.is_joined = false;
    run->choice.samples = "none";
    for (size_t i = 0; i < run->n_cells && !status; i++) {
        Cell *cell = &run->cells[i];
        const Cell *best = winner_of(run);
        const double most = best->reaches ? MOST_TIMES * best->kbps : INFINITY;
        if (!cell->is_sampled || cell->is_certain || cell->q < 0 || !(cell->kbps <= most))
            continue;
        status = search_cell(run, cell);
        cell->is_escalated = !status;
    }
    return status;
}

int auto_choose(Session *session, const TuneSource *source, const AutoChoice *from,
                QualityChoice *choice)
{
    AutoRun run = {.session = session, .source = source, .from = from, .choice = *choice};
    int status = estimate(&run);
    const Cell *best = status ? NULL : winner_of(&run);
    if (best && status_of(&run, best) == NONE)
        status = command_fail(session->command, TUNE_NO_RESULT, "there is no estimate of any: %s",
                              best->error.text);
    if (!status) {
        *choice = choice_of(&run, best);
        progress_print(session->progress, "vmaf-tune: %s at %d lines is the cheapest", best->codec,
                       best->height);
    }
    free(run.cells);
    return status;
}

/* -- JSON -- */

static double target_of(const AutoRun *run)
{
    return run->session->gates.gate[0].target;
}

static bool is_hdr(const AutoRun *run)
{
    HdrTags tags;
    return session_find_hdr(run->session, run->source, &tags);
}

/* The transfer that encoders get; nothing of SDR. */
static json_t *hdr_of(const AutoRun *run)
{
    json_t *json = json_array();
    if (json && is_hdr(run))
        json_array_append_new(json, json_text_or_null(run->source->transfer));
    return json;
}

static json_t *cell_record(const AutoRun *run, const Cell *cell)
{
    json_t *json = json_object();
    int err = json_put_text(json, "codec", cell->codec);
    err |= json_put_integer(json, "rung", cell->height);
    err |= json_put_integer(json, "width", cell->width);
    err |= json_put_text(json, "verdict", cell->is_certain ? "GOSPEL" : "FALL_BACK");
    err |= json_put(json, "crf", json_quality(cell->q < 0 ? NAN : cell->q));
    err |= json_put_number(json, "estimated_vmaf", cell->vmaf);
    err |= json_put_number(json, "estimated_bitrate_kbps", cell->kbps);
    err |= json_put(json, "hdr_args", hdr_of(run));
    err |= json_put_number(json, "sample_clip_seconds",
                           run->is_sampled ? run->choice.search.chunk_seconds : 0);
    err |= json_put_number(json, "effective_predictor_target_vmaf", target_of(run));
    err |= json_put_text(json, "prediction_source", cell->is_sampled ? "probe" : "bisect");
    err |= json_put_text(json, "saliency_intensity", NULL);
    err |= json_put_flag(json, "selected", cell == winner_of(run) && status_of(run, cell) != NONE);
    err |= json_put_text(json, "error", *cell->error.text ? cell->error.text : NULL);
    return json_unless(err, json);
}

/* What was left out, since nothing could come of it. */
static json_t *short_circuits(const AutoRun *run, const AutoSettings *settings)
{
    bool certain = true, simple = true, met = true;
    json_t *json = json_array();
    for (size_t i = 0; i < run->n_cells; i++) {
        certain = certain && run->cells[i].is_certain;
        simple = simple && run->cells[i].kbps < LOW_COMPLEXITY_KBPS;
        met = met && run->cells[i].baseline >= target_of(run);
    }
    const struct {
        bool holds;
        const char *name;
    } all[] = {
        {run->n_rungs == 1, "ladder-single-rung"},
        {settings->quality.search.encoder, "codec-pinned"},
        {certain, "predictor-gospel"},
        {true, "skip-saliency"},
        {!is_hdr(run), "sdr-skip"},
        {run->is_sampled, "sample-clip-propagate"},
        {simple, "low-complexity"},
        {met, "baseline-meets-target"},
        {!run->session->options->two_pass, "no-two-pass"},
    };
    for (size_t i = 0; json && i < sizeof all / sizeof *all; i++)
        if (all[i].holds)
            json_array_append_new(json, json_string(all[i].name));
    return json;
}

static json_t *source_record(const AutoRun *run)
{
    const TuneSource *source = run->source;
    json_t *json = json_object();
    json_put_integer(json, "width", source->format.width);
    json_put_integer(json, "height", source->format.height);
    json_put_number(json, "framerate", (double)source->rate.numerator / source->rate.denominator);
    json_put_number(json, "duration_s", source->seconds);
    json_put_flag(json, "is_hdr", is_hdr(run));
    return json;
}

static json_t *winner_record(const AutoRun *run)
{
    static const char *const names[] = {"budget_and_quality_met", "quality_met_budget_exceeded",
                                        "target_unmet", "no_eligible_cells"};
    const Cell *cell = winner_of(run);
    json_t *json = json_object();
    json_put_text(json, "status", names[status_of(run, cell)]);
    if (status_of(run, cell) == NONE)
        return json;
    json_put_integer(json, "cell_index", cell - run->cells);
    json_put_integer(json, "rung", cell->height);
    json_put_text(json, "codec", cell->codec);
    json_put(json, "crf", json_quality(cell->q < 0 ? NAN : cell->q));
    json_put_number(json, "estimated_vmaf", cell->vmaf);
    json_put_number(json, "estimated_bitrate_kbps", cell->kbps);
    json_put_number(json, "quality_margin", cell->vmaf - target_of(run));
    json_put_number(json, "budget_margin_kbps", run->from->budget - cell->kbps);
    return json;
}

static json_t *record_of(const AutoRun *run, const AutoSettings *settings)
{
    json_t *json = json_object(), *metadata = json_object(), *cells = json_array();
    json_t *codecs = json_array(), *escalated = json_array();
    for (size_t i = 0; i < run->n_cells; i++) {
        json_array_append_new(cells, cell_record(run, &run->cells[i]));
        if (i < run->n_cells / run->n_rungs)
            json_array_append_new(codecs, json_text_or_null(run->cells[i].codec));
        if (run->cells[i].is_escalated)
            json_array_append_new(escalated, json_integer((json_int_t)i));
    }
    int err = json_put_text(metadata, "src", run->source->path);
    err |= json_put_number(metadata, "target_vmaf", target_of(run));
    err |= json_put_number(metadata, "max_budget_kbps", run->from->budget);
    err |= json_put(metadata, "allow_codecs", codecs);
    err |= json_put_text(metadata, "user_pinned_codec", settings->quality.search.encoder);
    err |= json_put(metadata, "source_meta", source_record(run));
    err |= json_put(metadata, "short_circuits", short_circuits(run, settings));
    err |= json_put(metadata, "confidence_aware_escalations", escalated);
    err |= json_put_number(metadata, "effective_predictor_target_vmaf", target_of(run));
    err |= json_put(metadata, "winner", winner_record(run));
    if (run->executed)
        err |= json_put(metadata, "executed", json_incref(run->executed));
    err |= json_put(json, "cells", cells);
    return json_unless(err | json_put(json, "metadata", metadata), json);
}

/* -- encodes -- */

static void put_features(json_t *json, const EncodeScores *scores)
{
    char key[128];
    for (size_t i = 0; i < scores->n_series; i++) {
        PooledScores pooled;
        if (pool_scores(scores->series[i].values, scores->frames, &pooled))
            continue;
        snprintf(key, sizeof key, "feature_%s_mean", scores->series[i].name);
        json_put_number(json, key, pooled.mean);
        snprintf(key, sizeof key, "feature_%s_std", scores->series[i].name);
        json_put_number(json, key, pooled.deviation);
    }
}

static json_t *row_of(const AutoRun *run, const Cell *cell, const MeasuredEncode *made, double vmaf)
{
    const EncodeOutcome *outcome = &made->outcome;
    const bool encoded = made->has_encode, scored = made->has_scores;
    json_t *json = json_object();
    json_put_integer(json, "cell_index", cell - run->cells);
    json_put_text(json, "codec", cell->codec);
    json_put_text(json, "preset", made->spec.preset);
    json_put(json, "crf", json_quality(made->spec.q));
    json_put_flag(json, "selected", cell == winner_of(run));
    json_put_number(json, "estimated_vmaf", cell->vmaf);
    json_put_number(json, "estimated_bitrate_kbps", cell->kbps);
    json_put_text(json, "prediction_source", cell->is_sampled ? "probe" : "bisect");
    json_put_text(json, "src", run->source->path);
    json_put_text(json, "encode_path", encoded ? made->path : NULL);
    json_put(json, "encode_size_bytes", encoded ? json_integer(outcome->size) : json_null());
    json_put_number(json, "bitrate_kbps", encoded ? made->kbps : NAN);
    json_put_number(json, "encode_time_ms", encoded ? outcome->wall_ms : NAN);
    json_put_integer(json, "encode_exit_status", encoded ? 0 : outcome->exit_status);
    json_put_text(json, "ffmpeg_version", run->session->ffmpeg.version);
    json_put_text(json, "encoder_version", outcome->encoder_version);
    json_put_number(json, "vmaf_score", vmaf);
    json_put_number(json, "score_time_ms", scored ? made->scores.ms : NAN);
    json_put_integer(json, "score_exit_status", scored ? 0 : 1);
    json_put_text(json, "vmaf_binary_version", session_score_version(run->session));
    json_put_text(json, "error", made->error ? made->why.text : NULL);
    if (scored)
        put_features(json, &made->scores);
    return json;
}

/* A line that is in the hands of the system when this returns. */
static int write_row(AutoRun *run, json_t *row, FILE *results)
{
    int err = row ? json_document_print(row, 0, results) : -ENOMEM;
    if (!err && (fputc('\n', results) == EOF || fflush(results)))
        err = -EIO;
    json_array_append_new(run->executed, row);
    return err ? session_fail(run->session, err, "tune_results.jsonl cannot be written") : 0;
}

/* Gives an encode its name, encode_000_libx264_medium_crf23.mkv. A status. Encodes of earlier runs
 * are replaced. */
static int name_encode(const AutoRun *run, const Cell *cell, const char *folder,
                       MeasuredEncode *made)
{
    const TuneCommand *command = run->session->command;
    const char *preset = made->spec.preset ? made->spec.preset : "default";
    char *path;
    if (asprintf(&path, "%s/encode_%03zu_%s_%s_crf%g.mkv", folder, (size_t)(cell - run->cells),
                 cell->codec, preset, made->spec.q) < 0)
        return session_fail(run->session, -ENOMEM, "out of memory");
    int status = 0;
    if (!command_check_video(command, run->source->path, path, true))
        status = TUNE_USAGE;
    else if (rename(made->path, path))
        status = command_fail(command, TUNE_USAGE, "cannot write %s: %s", path, strerror(errno));
    free(made->path);
    made->path = path;
    return status;
}

/* One encode and its row, with its score, NAN if it failed. A status. */
static int encode_once(AutoRun *run, const Cell *cell, QualitySearch *search, const char *folder,
                       FILE *results, MeasuredEncode *made, double *vmaf)
{
    const double q = made->spec.q;
    double values[SEARCH_MAX_GATES];
    EncodeSpec spec = search->plan.spec;
    Message why;
    spec.q = q;
    spec.streams = search->streams;
    spec.keeps_file = true;
    measure_encode(search->on_film.measurer, &spec, NULL, made);
    const bool ok = !made->error && !tune_gates_values(&search->plan.gates, made, values, &why);
    *vmaf = ok ? values[0] : NAN;
    if (measure_error_is_final(made->error))
        return session_fail(run->session, made->error, made->why.text);
    int status = made->path ? name_encode(run, cell, folder, made) : 0;
    if (!status)
        status = write_row(run, row_of(run, cell, made, *vmaf), results);
    if (!status && made->error)
        progress_print(run->session->progress, "vmaf-tune: %s", made->why.text);
    return status;
}

/* Encodes a cell, again if it misses the target that it was to reach. A status. */
static int execute(AutoRun *run, const Cell *cell, QualitySearch *search, const char *folder,
                   FILE *results)
{
    const QualityRange *qualities = &search->plan.search.qualities;
    const double least = target_of(run) - MAX_MISS;
    double vmaf = NAN;
    int status = 0, k = quality_index(qualities, cell->q);
    for (int retry = 0; !status; retry++, k--) {
        MeasuredEncode made = {.spec = {.q = quality_value(qualities, k)}};
        status = encode_once(run, cell, search, folder, results, &made, &vmaf);
        const bool ends = !(vmaf < least) || retry == MAX_RETRIES || !cell->reaches || k < 1;
        if (!status && !ends) {
            progress_print(run->session->progress,
                           "vmaf-tune: %s %g has VMAF %.3f, %.3f less than expected: once more",
                           cell->codec, made.spec.q, vmaf, cell->vmaf - vmaf);
            remove(made.path);
        }
        measured_encode_free(&made);
        if (ends)
            break;
    }
    if (!status && cell == winner_of(run) && !(vmaf >= least))
        status = command_fail(run->session->command, TUNE_NO_RESULT,
                              "the result has VMAF %.3f, the target is %g", vmaf, target_of(run));
    return status;
}

static int execute_cells(AutoRun *run, const AutoSettings *settings, FILE *results)
{
    const bool all = !settings->video_only && !run->source->is_raw;
    const FilmPlace place = {
        .is_wanted = true,
        .folder = settings->runs_dir,
        .extension = ".mkv",
        .streams = all ? ENCODE_WITH_ALL_STREAMS : ENCODE_VIDEO_ONLY,
    };
    int first = 0;
    run->choice.is_joined = false;
    run->choice.samples = "none";
    for (size_t i = 0; i < run->n_cells; i++) {
        const Cell *cell = &run->cells[i];
        const QualityChoice choice = choice_of(run, cell);
        QualitySearch search;
        if (cell->q < 0 || (cell != winner_of(run) && !settings->executes_all))
            continue;
        int status = quality_search_open(&search, run->session, run->source, &choice, &place);
        if (!status)
            status = execute(run, cell, &search, settings->runs_dir, results);
        quality_search_close(&search);
        if (status && status != TUNE_NO_RESULT)
            return status;
        first = first ? first : status;
    }
    return first;
}

/* Encodes the winner, or all cells, and measures them. A status. */
static int execute_all(AutoRun *run, const AutoSettings *settings)
{
    const TuneCommand *command = run->session->command;
    char *path;
    run->executed = json_array();
    if (asprintf(&path, "%s/tune_results.jsonl", settings->runs_dir) < 0)
        return session_fail(run->session, -ENOMEM, "out of memory");
    int err = vmaf_folder_make(settings->runs_dir);
    err = err == -EEXIST ? 0 : err;
    FILE *results = err ? NULL : fopen(path, "a");
    if (!results) {
        const char *why = strerror(err ? -err : errno);
        err = command_fail(command, TUNE_USAGE, "cannot write %s: %s", path, why);
        free(path);
        return err;
    }
    free(path);
    int status = execute_cells(run, settings, results);
    if (fclose(results) && !status)
        status = session_fail(run->session, -EIO, "tune_results.jsonl cannot be written");
    return status;
}

/* -- the command -- */

#define AT(member) .target = offsetof(AutoSettings, member)

static const TuneOption rows[] = {
    {"max-budget-bitrate", "KBPS", "what it should not exceed (8000)",
     NUMBER_AT(from.budget, 1, 1e9)},
    {"allow-codecs", "NAMES", "encoders to choose from (libx264)", NAMES_AT(from.codecs)},
    {"rungs", "HEIGHTS",
     "heights to choose from (the source's; of 2160 lines and more also 1440, 1080, 720, "
     "540)",
     INTEGERS_AT(from.heights, 16, 32768)},
    {"execute", NULL, "encode the winner, and measure it", FLAG_AT(executes)},
    {"execute-all", NULL, "encode all cells", FLAG_AT(executes_all)},
    {"runs-dir", "FOLDER", "for these encodes and tune_results.jsonl (runs)", TEXT_AT(runs_dir)},
    {"video-only", NULL, "these encodes have no audio, subtitles and chapters",
     FLAG_AT(video_only)},
    {"output", "FILE", "write the result to a file", TEXT_AT(output), .short_name = 'o',
     .file = TUNE_FILE_TEXT},
    {"n-trials", "N", "encodes of samples at most (6)",
     INTEGER_AT(quality.search.n_trials, 1, 256)},
    {"time-budget-s", "S", "begin no further encode of samples after so long (300; 0: no limit)",
     NUMBER_AT(quality.search.time_budget, 0, 1e9)},
    {"sample-chunk-seconds", "S",
     "of the video in three samples together (5); --sample-windows makes more of them",
     NUMBER_AT(quality.search.chunk_seconds, 0.001, 1e9)},
};

static int conclude(const AutoRun *run, const AutoSettings *settings, int executed)
{
    const TuneCommand *command = run->session->command;
    const Cell *winner = winner_of(run);
    const int status = result_print_json(command, settings->output, record_of(run, settings));
    if (executed || status)
        return executed ? executed : status;
    if (status_of(run, winner) == NONE)
        return command_fail(command, TUNE_NO_RESULT, "there is no estimate of any cell: %s",
                            run->cells[0].error.text);
    if (status_of(run, winner) == UNMET)
        return command_fail(command, TUNE_NO_RESULT, "nothing reaches VMAF %g", target_of(run));
    return TUNE_OK;
}

static int work(Session *session, const TuneSource *source, void *cookie)
{
    const AutoSettings *settings = cookie;
    const bool executes = settings->executes || settings->executes_all;
    AutoRun run = {
        .session = session,
        .source = source,
        .from = &settings->from,
        .choice = settings->quality,
    };
    int status = 0;
    if (executes) /* FFmpeg always has FFV1: of encodes only the container is known */
        status =
            session_check_streams(session, source, "ffv1", "the encode.mkv", settings->video_only);
    if (!status)
        status = estimate(&run);
    if (!status)
        status = escalate(&run);
    if (!status) {
        const bool has_winner = status_of(&run, winner_of(&run)) != NONE;
        const int executed = executes && has_winner ? execute_all(&run, settings) : 0;
        status = conclude(&run, settings, executed);
    }
    free(run.cells);
    json_decref(run.executed);
    return status;
}

static int begin(const TuneCommand *command, SessionOptions *options, void *cookie)
{
    AutoSettings *settings = cookie;
    double target;
    if (options->dry_run)
        return command_fail(command, TUNE_USAGE, "there is no --dry-run of it");
    int status = quality_prepare(command, &settings->quality, options, &target);
    if (!status && settings->video_only && leave_out_chapters(&options->extra))
        status = command_fail(command, TUNE_NO_RESULT, "out of memory");
    return status ? status : session_run(command, options, target, work, settings);
}

static int run_command(const TuneCommand *command, int argc, char **argv)
{
    AutoSettings settings = {
        .quality = quality_choice(), .from = {.budget = 8000}, .runs_dir = "runs"};
    QualityHelp help;
    OptionGroup groups[1 + QUALITY_GROUPS] = {
        {"Auto", rows, sizeof rows / sizeof *rows, &settings},
    };
    settings.quality.min_vmaf = USUAL_TARGET;
    settings.quality.search.encoder = NULL;
    settings.quality.is_joined = settings.quality.any_threads = true;
    settings.quality.search.quality_step = 1;
    quality_option_groups(&settings.quality, &help, groups + 1);
    return session_command(command, argc, argv, groups, 1 + QUALITY_GROUPS, begin, &settings);
}

const TuneCommand auto_command = {
    .name = "auto",
    .operands = "SOURCE",
    .summary = "the size, encoder and quality that reach a score most cheaply",
    .examples = "  vmaf-tune auto film.mkv --allow-codecs libx265,libsvtav1 --execute\n"
                "  vmaf-tune auto film.mkv --rungs 1080,720 --max-budget-bitrate 3000\n",
    .run = run_command,
};
