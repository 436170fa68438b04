/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What --auto chooses, and what auto prints and encodes: the size and encoder that reach a goal at
 * the lowest bitrate, by a search for each. */
#include "tune/command/quality_command.h"

#include "common/json.h"
#include "platform/path.h"
#include "tune/options/output.h"
#include "tune/output/corpus_rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RETRIES = 3, LOW_COMPLEXITY_KBPS = 200 };

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

typedef struct AutoRun {
    Session *session;
    const TuneSource *source;
    const QualitySettings *settings;
    QualityChoice choice; /* of each cell, which sets its encoder and size */
    Cell *cells;
    size_t n_cells, n_codecs;
    bool is_sampled, is_hdr;
} AutoRun;

static double target_of(const AutoRun *run)
{
    return run->session->gates.gate[0].target;
}

/* -- cells -- */

/* Heights that are given, else that of the source, and from 2160 lines on smaller ones; encoders:
 * the pinned one, else those that are allowed, else libx264. A status. */
static int lay_out(AutoRun *run)
{
    enum { LARGE = 2160 };
    static int usual[] = {LARGE, 1440, 1080, 720, 540};
    static char x264[] = "libx264";
    const AutoChoice *from = &run->settings->choice;
    int full = (int)run->source->format.height, width = (int)run->source->format.width;
    char *pinned = run->choice.search.encoder ? (char *)run->choice.search.encoder : x264;
    IntegerList heights = {&full, 1};
    TextList codecs = {&pinned, 1};
    if (from->heights.n)
        heights = from->heights;
    else if (full >= LARGE)
        heights = (IntegerList){usual, sizeof usual / sizeof *usual};
    if (from->codecs.n && !run->choice.search.encoder)
        codecs = from->codecs;
    run->n_codecs = codecs.n;
    run->cells = calloc(heights.n * codecs.n, sizeof(*run->cells));
    if (!run->cells)
        return session_fail(run->session, -ENOMEM, "out of memory");
    for (; run->n_cells < heights.n * codecs.n; run->n_cells++) {
        const int height = heights.value[run->n_cells / codecs.n];
        if (height > full || (height % 2 && height != full))
            return command_fail(run->session->command, TUNE_USAGE,
                                "--rungs %d: heights are even, and %d at most", height, full);
        run->cells[run->n_cells] = (Cell){
            .width =
                height == full ? width : 2 * (int)fmax(1, rint((double)width * height / full / 2)),
            .height = height,
            .codec = codecs.text[run->n_cells % codecs.n],
            .q = -1,
            .vmaf = NAN,
            .kbps = NAN,
            .baseline = NAN,
        };
    }
    return 0;
}

static Status status_of(const AutoRun *run, const Cell *cell)
{
    if (!isfinite(cell->vmaf) || !isfinite(cell->kbps))
        return NONE;
    if (!cell->reaches)
        return UNMET;
    return cell->kbps <= run->settings->choice.budget ? IN_BUDGET : OVER_BUDGET;
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
    run->is_hdr = session_find_hdr(run->session, run->source) != HDR_NONE;
    for (size_t i = 0; i < run->n_cells && !status; i++)
        status = search_cell(run, &run->cells[i]);
    return status;
}

/* Searches again on the whole film what is not certain and could be the best. */
static int escalate(AutoRun *run)
{
    int status = 0;
    run->choice.samples = "none";
    run->choice.search.max_iterations = 0;
    run->choice.time_budget = 0;
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

static void print_winner(const AutoRun *run)
{
    const Cell *best = winner_of(run);
    progress_print(run->session->progress, "vmaf-tune: %s %dx%d, quality %g, is the cheapest",
                   best->codec, best->width, best->height, best->q);
}

int auto_choose(Session *session, const TuneSource *source, QualitySettings *settings)
{
    AutoRun run = {
        .session = session, .source = source, .settings = settings, .choice = settings->quality};
    int status = estimate(&run);
    const Cell *best = status ? NULL : winner_of(&run);
    if (best && status_of(&run, best) == NONE)
        status = command_fail(session->command, TUNE_NO_RESULT, "there is no estimate of any: %s",
                              best->error.text);
    if (!status) {
        settings->quality = choice_of(&run, best);
        print_winner(&run);
    }
    free(run.cells);
    return status;
}

/* -- JSON -- */

static json_t *quality_of(const Cell *cell)
{
    return json_quality(cell->q < 0 ? NAN : cell->q);
}

static const char *prediction_source(const Cell *cell)
{
    return cell->is_sampled ? "probe" : "bisect";
}

static json_t *cell_record(const AutoRun *run, const Cell *cell)
{
    const bool is_selected = cell == winner_of(run) && status_of(run, cell) != NONE;
    return json_pack(
        "{s:o s:i s:i s:s s:o s:o s:o s:o s:f s:o s:s s:n s:b s:o}", "codec",
        json_text_or_null(cell->codec), "rung", cell->height, "width", cell->width, "verdict",
        cell->is_certain ? "GOSPEL" : "FALL_BACK", "crf", quality_of(cell), "estimated_vmaf",
        json_number_or_null(cell->vmaf), "estimated_bitrate_kbps", json_number_or_null(cell->kbps),
        "hdr_args", run->is_hdr ? json_pack("[s]", run->source->transfer) : json_array(),
        "sample_clip_seconds", run->is_sampled ? run->choice.chunk_seconds : 0.0,
        "effective_predictor_target_vmaf", json_number_or_null(target_of(run)), "prediction_source",
        prediction_source(cell), "saliency_intensity", "selected", is_selected, "error",
        json_text_or_null(*cell->error.text ? cell->error.text : NULL));
}

/* What was left out, since nothing could come of it. */
static json_t *short_circuits(const AutoRun *run)
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
        {run->n_codecs == run->n_cells, "ladder-single-rung"},
        {run->choice.search.encoder, "codec-pinned"},
        {certain, "predictor-gospel"},
        {true, "skip-saliency"},
        {!run->is_hdr, "sdr-skip"},
        {run->is_sampled, "sample-clip-propagate"},
        {simple, "low-complexity"},
        {met, "baseline-meets-target"},
        {!run->session->options->two_pass, "no-two-pass"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].holds)
            json_array_append_new(json, json_string(all[i].name));
    return json;
}

static json_t *winner_record(const AutoRun *run)
{
    static const char *const names[] = {"budget_and_quality_met", "quality_met_budget_exceeded",
                                        "target_unmet", "no_eligible_cells"};
    const Cell *cell = winner_of(run);
    const char *status = names[status_of(run, cell)];
    if (status_of(run, cell) == NONE)
        return json_pack("{s:s}", "status", status);
    return json_pack("{s:s s:I s:i s:s s:o s:o s:o s:o s:o}", "status", status, "cell_index",
                     (json_int_t)(cell - run->cells), "rung", cell->height, "codec", cell->codec,
                     "crf", quality_of(cell), "estimated_vmaf", json_number_or_null(cell->vmaf),
                     "estimated_bitrate_kbps", json_number_or_null(cell->kbps), "quality_margin",
                     json_number_or_null(cell->vmaf - target_of(run)), "budget_margin_kbps",
                     json_number_or_null(run->settings->choice.budget - cell->kbps));
}

static json_t *record_of(const AutoRun *run)
{
    const TuneSource *source = run->source;
    json_t *cells = json_array(), *codecs = json_array(), *escalated = json_array();
    for (size_t i = 0; i < run->n_cells; i++) {
        json_array_append_new(cells, cell_record(run, &run->cells[i]));
        if (i < run->n_codecs)
            json_array_append_new(codecs, json_text_or_null(run->cells[i].codec));
        if (run->cells[i].is_escalated)
            json_array_append_new(escalated, json_integer((json_int_t)i));
    }
    return json_pack("{s:o s:{s:o s:o s:o s:o s:o s:{s:i s:i s:f s:f s:b} s:o s:o s:o s:o}}",
                     "cells", cells, "metadata", "src", json_text_or_null(source->path),
                     "target_vmaf", json_number_or_null(target_of(run)), "max_budget_kbps",
                     json_number_or_null(run->settings->choice.budget), "allow_codecs", codecs,
                     "user_pinned_codec", json_text_or_null(run->choice.search.encoder),
                     "source_meta", "width", (int)source->format.width, "height",
                     (int)source->format.height, "framerate",
                     (double)source->rate.numerator / source->rate.denominator, "duration_s",
                     source->seconds, "is_hdr", run->is_hdr, "short_circuits", short_circuits(run),
                     "confidence_aware_escalations", escalated, "effective_predictor_target_vmaf",
                     json_number_or_null(target_of(run)), "winner", winner_record(run));
}

/* -- encodes -- */

/* A row of a corpus with what was expected, which is in the hands of the system when this returns.
 * A status. */
static int write_row(const AutoRun *run, const Cell *cell, const QualitySearch *search,
                     const MeasuredEncode *made, FILE *results)
{
    json_t *json = encode_row_plan(run->session, run->source, &search->on_film, &made->spec),
           *pools;
    const char *name;
    char key[128];
    int err = encode_row_fill(run->session, made, json);
    err |= json_put_integer(json, "cell_index", cell - run->cells);
    err |= json_put_text(json, "codec", cell->codec);
    err |= json_put_flag(json, "selected", cell == winner_of(run));
    err |= json_put_number(json, "estimated_vmaf", cell->vmaf);
    err |= json_put_number(json, "estimated_bitrate_kbps", cell->kbps);
    err |= json_put_text(json, "prediction_source", prediction_source(cell));
    err |= json_put_text(json, "encode_path", made->has_encode ? made->path : NULL);
    err |= json_put_integer(json, "encode_exit_status",
                            made->has_encode ? 0 : made->outcome.exit_status);
    err |= json_put_integer(json, "score_exit_status", !made->has_scores);
    json_object_foreach(json_object_get(json, "features"), name, pools)
    {
        snprintf(key, sizeof key, "feature_%s_mean", name);
        err |= json_put_number(json, key, json_number_of(pools, "mean"));
        snprintf(key, sizeof key, "feature_%s_std", name);
        err |= json_put_number(json, key, json_number_of(pools, "std"));
    }
    Row row;
    Message why;
    err |= row_from_json(&row, json, &why);
    if (!err)
        err = row_write(&row, results);
    row_free(&row);
    return err ? session_fail(run->session, -EIO, "tune_results.jsonl cannot be written") : 0;
}

/* Gives an encode its name, encode_000_libx264_medium_crf23.mkv; those of earlier runs are
 * replaced. A status. */
static int name_encode(const AutoRun *run, const Cell *cell, const QualitySearch *search,
                       MeasuredEncode *made)
{
    const char *preset = made->spec.preset ? made->spec.preset : "default";
    char *path;
    if (asprintf(&path, "%s/encode_%03zu_%s_%s_crf%g.mkv", run->settings->runs_dir,
                 (size_t)(cell - run->cells), cell->codec, preset, made->spec.q) < 0)
        return session_fail(run->session, -ENOMEM, "out of memory");
    const int status = place_video(search, made->path, path, true);
    free(made->path);
    made->path = path;
    return status;
}

/* Encodes a cell, again if it misses the target that it was to reach. A status. */
static int execute(const AutoRun *run, const Cell *cell, QualitySearch *search, FILE *results)
{
    const QualityRange *qualities = &search->plan.search.qualities;
    const double least = target_of(run) - MAX_MISS;
    double vmaf = NAN;
    int status = 0, k = quality_index(qualities, cell->q);
    for (bool goes_on = true; goes_on && !status; k--) {
        FilmEncode *film = &search->films[search->n_films];
        const int failed = quality_search_film(search, quality_value(qualities, k));
        vmaf = film->own.has_scores ? film->values[0] : NAN;
        if (measure_error_is_final(film->own.error))
            return failed;
        status = film->own.path ? name_encode(run, cell, search, &film->own) : 0;
        if (!status)
            status = write_row(run, cell, search, film->encode, results);
        goes_on = vmaf < least && search->n_films <= MAX_RETRIES && cell->reaches && k > 0;
        if (!status && goes_on) {
            progress_print(run->session->progress,
                           "vmaf-tune: %s %g has VMAF %.3f, %.3f less than expected: once more",
                           cell->codec, film->own.spec.q, vmaf, cell->vmaf - vmaf);
            remove(film->own.path);
        }
    }
    if (!status && cell == winner_of(run) && !(vmaf >= least))
        status = command_fail(run->session->command, TUNE_NO_RESULT,
                              "the result has VMAF %.3f, the target is %g", vmaf, target_of(run));
    return status;
}

static int execute_cells(const AutoRun *run, FILE *results)
{
    const QualitySettings *settings = run->settings;
    const bool all = !settings->video_only && !run->source->is_raw;
    const FilmPlace place = {
        .is_wanted = true,
        .folder = settings->runs_dir,
        .extension = ".mkv",
        .streams = all ? ENCODE_WITH_ALL_STREAMS : ENCODE_VIDEO_ONLY,
    };
    int first = 0;
    for (size_t i = 0; i < run->n_cells && (!first || first == TUNE_NO_RESULT); i++) {
        const Cell *cell = &run->cells[i];
        const QualityChoice choice = choice_of(run, cell);
        QualitySearch search;
        if (cell->q < 0 || (cell != winner_of(run) && !settings->executes_all))
            continue;
        int status = quality_search_open(&search, run->session, run->source, &choice, &place);
        if (!status)
            status = execute(run, cell, &search, results);
        quality_search_close(&search);
        first = status ? status : first;
    }
    return first;
}

/* Encodes the winner, or all cells, and measures them. A status. */
static int execute_all(const AutoRun *run)
{
    const char *folder = run->settings->runs_dir;
    char *path;
    if (asprintf(&path, "%s/tune_results.jsonl", folder) < 0)
        return session_fail(run->session, -ENOMEM, "out of memory");
    const int err = vmaf_folder_make(folder);
    FILE *results = err && err != -EEXIST ? NULL : fopen(path, "a");
    int status = results ? execute_cells(run, results)
                         : command_fail(run->session->command, TUNE_USAGE, "cannot write %s: %s",
                                        path, strerror(err ? -err : errno));
    if (results && fclose(results) && !status)
        status = session_fail(run->session, -EIO, "tune_results.jsonl cannot be written");
    free(path);
    return status;
}

/* -- auto -- */

int auto_run(Session *session, const TuneSource *source, const QualitySettings *settings)
{
    const bool executes = settings->executes || settings->executes_all;
    AutoRun run = {
        .session = session, .source = source, .settings = settings, .choice = settings->quality};
    int status = 0;
    if (executes) /* FFmpeg always has FFV1: of encodes only the container is known */
        status =
            session_check_streams(session, source, "ffv1", "the encode.mkv", settings->video_only);
    if (!status)
        status = estimate(&run);
    if (!status)
        status = escalate(&run);
    if (!status) {
        const Cell *winner = winner_of(&run);
        const Status found = status_of(&run, winner);
        const int executed = executes && found != NONE ? execute_all(&run) : 0;
        status = result_print_json(session->command, settings->report, record_of(&run));
        if (!status && found < UNMET)
            print_winner(&run);
        if (executed)
            status = executed;
        else if (!status && found >= UNMET)
            status = command_fail(session->command, TUNE_NO_RESULT, "nothing reaches VMAF %g%s%s",
                                  target_of(&run), found == NONE ? ": " : "",
                                  found == NONE ? winner->error.text : "");
    }
    free(run.cells);
    return status;
}
