/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/auto_internal.h"

#include "common/json.h"
#include "platform/path.h"
#include "tune/rows/row.h"
#include "tune/session/output.h"
#include "tune/session/quality_search.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Copies the result of a search to its cell. */
static void take_result(AutoCell *cell, const Encoder *encoder, const SearchPlan *plan,
                        const SearchRun *run)
{
    const SearchResult *result = &run->result;
    const Measurement *best = result->ok ? &result->best : NULL;
    for (size_t i = 0; i < run->search.n_samples && !result->ok && !run->error; i++)
        if (!best || run->search.samples[i].values[0] > best->values[0])
            best = &run->search.samples[i];
    cell->is_certain = result->converged || result->status == SEARCH_UNREACHABLE;
    cell->baseline = quality_curve(run, 0, encoder->default_q);
    if (best) {
        cell->q = best->q;
        cell->vmaf = best->values[0];
        cell->kbps = best->kbps;
        return;
    }
    search_run_explain(run, plan, &cell->error);
}

/* Errors that are not of one encoder alone. */
static bool ends_all(int error)
{
    return error && measure_error_is_final(error) && error != -EINVAL && error != -ENOENT;
}

/* Searches for the quality of a cell. An error that ends all work, as a status. */
static int search_cell(Session *session, const AutoRun *run, const Samples *samples,
                       Measurer *measurer, AutoCell *cell)
{
    const SearchChoice *choice = &run->settings->search;
    SessionEncoder encoder;
    SearchPlan plan;
    SearchRun searched;
    Message why;
    const int err = session_try_encoder(session, NULL, NULL, cell->codec, &encoder, &why);
    if (err && atomic_load(session_interrupt))
        return session_fail(session, err, why.text);
    if (err) { /* the others may work */
        cell->error = why;
        return 0;
    }
    int status = search_make_plan(session, choice, run->source, &encoder, &plan);
    if (status)
        return status;
    if (cell->rung.height != run->size.height) {
        plan.spec.width = cell->rung.width;
        plan.spec.height = cell->rung.height;
    }
    search_set_target(&plan, run->source, choice, choice->target);
    if (samples)
        sample_plan(choice, samples, &plan);
    plan.search.on_non_monotonic = NON_MONOTONIC_KEEP;
    search_run(measurer, &plan, &searched);
    cell->basis = samples && samples->n ? CELL_PROBE : CELL_SEARCH;
    *cell->error.text = '\0';
    if (ends_all(searched.error))
        status = session_fail(session, searched.error, searched.why.text);
    else
        take_result(cell, encoder.encoder, &plan, &searched);
    search_run_free(&searched);
    return status;
}

static int estimate(Session *session, AutoRun *run, const Samples *samples)
{
    SessionMeasurer measurer;
    int status =
        session_open_measurer_of(session, run->source, samples->windows, samples->n, &measurer);
    for (size_t i = 0; i < run->n_cells && !status; i++)
        status = search_cell(session, run, samples, measurer.measurer, &run->cells[i]);
    session_close_measurer(&measurer);
    return status;
}

/* The bitrate of the winner so far; INFINITY if there is none. */
static double best_kbps(const AutoRun *run)
{
    const AutoSettings *settings = run->settings;
    const Winner winner =
        winner_of(run->cells, run->n_cells, settings->search.target, settings->budget);
    return winner.status <= WINNER_OVER_BUDGET ? run->cells[winner.cell].kbps : INFINITY;
}

/* Searches cells again on the whole video, where their estimates ask for that. */
static int escalate(Session *session, AutoRun *run)
{
    SessionMeasurer measurer = {0};
    int status = 0;
    for (size_t i = 0; i < run->n_cells && !status; i++) {
        AutoCell *cell = &run->cells[i];
        if (cell->basis != CELL_PROBE || !cell_wants_search(cell, best_kbps(run)))
            continue;
        if (!measurer.measurer)
            status = session_open_measurer_of(session, run->source, NULL, 0, &measurer);
        if (!status)
            status = search_cell(session, run, NULL, measurer.measurer, cell);
        cell->is_escalated = !status;
    }
    session_close_measurer(&measurer);
    return status;
}

int auto_probe(Session *session, AutoRun *run, const Samples *samples)
{
    run->is_sampled = samples->n > 0;
    int status = estimate(session, run, samples);
    if (status)
        return status;
    return escalate(session, run);
}

/* How far the score of the result may be below the target, and how often a better quality is tried.
 */
#define MAX_MISS 0.5
enum { MAX_RETRIES = 3 };

/* One encode that is to be kept. */
typedef struct Execution {
    Session *session; /* keeps encodes in the folder of runs */
    AutoRun *run;
    Measurer *measurer;
    FILE *results;
    size_t index; /* of the cell */
    SessionEncoder encoder;
    EncodeSpec spec;
    double vmaf; /* of the last encode; NAN: it failed */
    char *path;
} Execution;

/* -- rows -- */

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

static json_t *estimate_record(const Execution *execution)
{
    const AutoCell *cell = &execution->run->cells[execution->index];
    json_t *json = json_object();
    json_put_integer(json, "cell_index", execution->index);
    json_put_text(json, "codec", cell->codec);
    json_put_text(json, "preset", execution->spec.preset);
    json_put(json, "crf", json_quality(execution->spec.q));
    json_put_flag(json, "selected", cell->selected);
    json_put_number(json, "estimated_vmaf", cell->vmaf);
    json_put_number(json, "estimated_bitrate_kbps", cell->kbps);
    json_put_text(json, "prediction_source", cell_basis_name(cell->basis));
    return json;
}

static json_t *row_of(const Execution *execution, const MeasuredEncode *measured, const char *path)
{
    json_t *json = estimate_record(execution);
    const EncodeOutcome *outcome = &measured->outcome;
    const bool encoded = measured->has_encode, scored = measured->has_scores;
    json_put_text(json, "src", execution->run->source->path);
    json_put_text(json, "encode_path", path);
    json_put(json, "encode_size_bytes", encoded ? json_integer(outcome->size) : json_null());
    json_put_number(json, "bitrate_kbps", encoded ? measured->kbps : NAN);
    json_put_number(json, "encode_time_ms", encoded ? outcome->wall_ms : NAN);
    json_put_integer(json, "encode_exit_status", encoded ? 0 : outcome->exit_status);
    json_put_text(json, "ffmpeg_version", execution->session->ffmpeg.version);
    json_put_text(json, "encoder_version", outcome->encoder_version);
    json_put_number(json, "vmaf_score", execution->vmaf);
    json_put_number(json, "score_time_ms", scored ? measured->scores.ms : NAN);
    json_put_integer(json, "score_exit_status", scored ? 0 : 1);
    json_put_text(json, "vmaf_binary_version", session_score_version(execution->session));
    json_put_text(json, "error", measured->error ? measured->why.text : NULL);
    if (scored)
        put_features(json, &measured->scores);
    return json;
}

/* A line that is in the hands of the system when this returns. */
static int write_row(Execution *execution, const MeasuredEncode *measured, const char *path)
{
    json_t *row = row_of(execution, measured, path);
    int err = row ? json_document_print(row, 0, execution->results) : -ENOMEM;
    if (!err && (fputc('\n', execution->results) == EOF || fflush(execution->results)))
        err = -EIO;
    if (row)
        json_array_append_new(execution->run->executed, row);
    return err;
}

/* -- encodes -- */

/* encode_000_libx264_medium_crf23.mkv; to be freed. */
static char *final_path(const Execution *execution)
{
    char *path;
    const EncodeSpec *spec = &execution->spec;
    if (asprintf(&path, "%s/encode_%03zu_%s_%s_crf%g.mkv", execution->run->settings->runs_dir,
                 execution->index, spec->encoder->name, spec->preset ? spec->preset : "default",
                 spec->q) < 0)
        return NULL;
    return path;
}

/* A status. Encodes of earlier runs are replaced. */
static int keep(Execution *execution, MeasuredEncode *measured)
{
    const TuneCommand *command = execution->session->command;
    free(execution->path);
    execution->path = final_path(execution);
    if (!execution->path)
        return session_fail(execution->session, -ENOMEM, "out of memory");
    if (!command_check_video(command, execution->run->source->path, execution->path, true))
        return TUNE_USAGE;
    if (measured->path && rename(measured->path, execution->path))
        return command_fail(command, TUNE_USAGE, "cannot write %s: %s", execution->path,
                            strerror(errno));
    return 0;
}

/* One encode and its row. A status. */
static int encode_once(Execution *execution)
{
    MeasuredEncode measured;
    PooledScores pooled;
    measure_encode(execution->measurer, &execution->spec, NULL, &measured);
    const bool ok = !measured.error && !measured_pool(&measured, "vmaf", &pooled);
    execution->vmaf =
        ok ? pooled_score(&pooled, (ScorePool)execution->session->options->pool) : NAN;
    int status = 0;
    if (measure_error_is_final(measured.error))
        status = session_fail(execution->session, measured.error, measured.why.text);
    else if (measured.has_encode)
        status = keep(execution, &measured);
    if (!status && write_row(execution, &measured, measured.has_encode ? execution->path : NULL))
        status = session_fail(execution->session, -EIO, "tune_results.jsonl cannot be written");
    if (!status && measured.error)
        progress_print(execution->session->progress, "vmaf-tune: %s", measured.why.text);
    measured_encode_free(&measured);
    return status;
}

/* The next better quality. False: there is none. */
static bool improve(Execution *execution)
{
    const QualityRange *qualities = &execution->spec.encoder->qualities;
    const int k = quality_index(qualities, execution->spec.q);
    if (k < 1)
        return false;
    execution->spec.q = quality_value(qualities, k - 1);
    return true;
}

/* Encodes a cell, again if it misses the target that it was to reach. A status. */
static int execute_cell(Execution *execution)
{
    const AutoRun *run = execution->run;
    const AutoCell *cell = &run->cells[execution->index];
    const double least = run->settings->search.target - MAX_MISS;
    int status = 0;
    for (int retry = 0; !status; retry++) {
        status = encode_once(execution);
        const bool misses = execution->vmaf < least;
        if (status || !misses || retry == MAX_RETRIES || cell->vmaf < run->settings->search.target)
            break;
        progress_print(execution->session->progress,
                       "vmaf-tune: %s %g has VMAF %.3f, %.3f less than expected: once more",
                       cell->codec, execution->spec.q, execution->vmaf,
                       cell->vmaf - execution->vmaf);
        if (!improve(execution))
            break;
        remove(execution->path);
    }
    free(execution->path);
    execution->path = NULL;
    if (!status && cell->selected && !(execution->vmaf >= least))
        status = command_fail(execution->session->command, TUNE_NO_RESULT,
                              "the result has VMAF %.3f, the target is %g", execution->vmaf,
                              run->settings->search.target);
    return status;
}

static int prepare_cell(Execution *execution, size_t index)
{
    const AutoRun *run = execution->run;
    const AutoCell *cell = &run->cells[index];
    const int status = session_find_encoder(execution->session, cell->codec, &execution->encoder);
    if (status)
        return status;
    execution->index = index;
    execution->spec =
        session_spec(execution->session, &execution->encoder, run->settings->search.preset);
    execution->spec.q = cell->q;
    if (cell->rung.height != run->size.height) {
        execution->spec.width = cell->rung.width;
        execution->spec.height = cell->rung.height;
    }
    const bool all = !run->settings->video_only && !run->source->is_raw;
    execution->spec.streams = all ? ENCODE_WITH_ALL_STREAMS : ENCODE_VIDEO_ONLY;
    return 0;
}

static int execute_cells(Execution *execution)
{
    const AutoRun *run = execution->run;
    int first = 0;
    for (size_t i = 0; i < run->n_cells; i++) {
        const AutoCell *cell = &run->cells[i];
        if (cell->q < 0 || (!cell->selected && !run->settings->executes_all))
            continue;
        int status = prepare_cell(execution, i);
        if (!status)
            status = execute_cell(execution);
        if (status && status != TUNE_NO_RESULT)
            return status;
        first = first ? first : status;
    }
    return first;
}

static FILE *open_results(Session *session, const char *folder)
{
    char *path;
    if (asprintf(&path, "%s/tune_results.jsonl", folder) < 0)
        return NULL;
    int err = vmaf_folder_make(folder);
    err = err == -EEXIST ? 0 : err;
    FILE *file = err ? NULL : fopen(path, "a");
    if (!file)
        command_fail(session->command, TUNE_USAGE, "cannot write %s: %s", path,
                     strerror(err ? -err : errno));
    free(path);
    return file;
}

/* Arguments of the user, and those without which ffmpeg keeps chapters even of a video alone. */
static int add_arguments(const AutoRun *run, const TextList *given, TextList *all)
{
    static char *const no_chapters[] = {(char *)"-map_chapters", (char *)"-1"};
    all->text = malloc((given->n + 2) * sizeof(*all->text));
    if (!all->text)
        return -ENOMEM;
    for (size_t i = 0; i < given->n; i++)
        all->text[all->n++] = given->text[i];
    for (size_t i = 0; i < 2 && run->settings->video_only; i++)
        all->text[all->n++] = no_chapters[i];
    return 0;
}

int auto_execute(Session *session, AutoRun *run)
{
    const char *folder = run->settings->runs_dir;
    SessionOptions options = *session->options;
    Session keeping = *session;
    SessionMeasurer measurer = {0};
    options.encode_dir = folder;
    options.keeps_encodes = true;
    keeping.options = &options;
    Execution execution = {.session = &keeping, .run = run, .vmaf = NAN};
    run->executed = json_array();
    options.extra = (TextList){0};
    if (!run->executed || add_arguments(run, &session->options->extra, &options.extra))
        return session_fail(session, -ENOMEM, "out of memory");
    execution.results = open_results(session, folder);
    int status = execution.results
                     ? session_open_measurer_of(&keeping, run->source, NULL, 0, &measurer)
                     : TUNE_USAGE;
    execution.measurer = measurer.measurer;
    if (!status)
        status = execute_cells(&execution);
    session_close_measurer(&measurer);
    free(options.extra.text);
    if (execution.results && fclose(execution.results) && !status)
        status = session_fail(session, -EIO, "tune_results.jsonl cannot be written");
    return status;
}
