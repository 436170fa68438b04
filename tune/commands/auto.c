/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/auto_internal.h"

#include "common/json.h"
#include "tune/commands/commands.h"
#include "tune/rows/row.h"
#include "tune/session/option_rows.h"
#include "tune/session/output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOW_COMPLEXITY_KBPS = 200 };

/* The transfer that encoders get; nothing of SDR. */
static json_t *hdr_of(const AutoRun *run)
{
    json_t *json = json_array();
    if (json && run->is_hdr)
        json_array_append_new(json, json_text_or_null(run->source->transfer));
    return json;
}

static json_t *cell_record(const AutoRun *run, const AutoCell *cell)
{
    json_t *json = json_object();
    int err = json_put_text(json, "codec", cell->codec);
    err |= json_put_integer(json, "rung", cell->rung.height);
    err |= json_put_integer(json, "width", cell->rung.width);
    err |= json_put_text(json, "verdict", cell->is_certain ? "GOSPEL" : "FALL_BACK");
    err |= json_put(json, "crf", json_quality(cell->q < 0 ? NAN : cell->q));
    err |= json_put_number(json, "estimated_vmaf", cell->vmaf);
    err |= json_put_number(json, "estimated_bitrate_kbps", cell->kbps);
    err |= json_put(json, "hdr_args", hdr_of(run));
    err |= json_put_number(json, "sample_clip_seconds",
                           run->is_sampled ? run->settings->search.chunk_seconds : 0);
    err |= json_put_number(json, "effective_predictor_target_vmaf", run->settings->search.target);
    err |= json_put_text(json, "prediction_source", cell_basis_name(cell->basis));
    err |= json_put_text(json, "saliency_intensity", NULL);
    err |= json_put_flag(json, "selected", cell->selected);
    err |= json_put_text(json, "error", *cell->error.text ? cell->error.text : NULL);
    return json_unless(err, json);
}

static json_t *cells_of(const AutoRun *run)
{
    json_t *json = json_array();
    for (size_t i = 0; json && i < run->n_cells; i++)
        json_array_append_new(json, cell_record(run, &run->cells[i]));
    return json;
}

/* -- what was left out -- */

typedef bool CellTest(const AutoRun *run, const AutoCell *cell);

static bool is_certain(const AutoRun *run, const AutoCell *cell)
{
    (void)run;
    return cell->is_certain;
}

static bool is_simple(const AutoRun *run, const AutoCell *cell)
{
    (void)run;
    return cell->kbps < LOW_COMPLEXITY_KBPS;
}

static bool is_met_by_default(const AutoRun *run, const AutoCell *cell)
{
    return cell->baseline >= run->settings->search.target;
}

static bool all_cells(const AutoRun *run, CellTest *test)
{
    for (size_t i = 0; i < run->n_cells; i++)
        if (!test(run, &run->cells[i]))
            return false;
    return run->n_cells > 0;
}

static void name_if(json_t *json, bool holds, const char *name)
{
    if (holds)
        json_array_append_new(json, json_string(name));
}

static json_t *short_circuits(const AutoRun *run)
{
    json_t *json = json_array();
    if (!json)
        return NULL;
    name_if(json, run->n_rungs == 1, "ladder-single-rung");
    name_if(json, run->settings->codec, "codec-pinned");
    name_if(json, all_cells(run, is_certain), "predictor-gospel");
    name_if(json, true, "skip-saliency");
    name_if(json, !run->is_hdr, "sdr-skip");
    name_if(json, run->is_sampled, "sample-clip-propagate");
    name_if(json, all_cells(run, is_simple), "low-complexity");
    name_if(json, all_cells(run, is_met_by_default), "baseline-meets-target");
    name_if(json, !run->is_two_pass, "no-two-pass");
    return json;
}

/* -- all of it -- */

static json_t *escalations_of(const AutoRun *run)
{
    json_t *json = json_array();
    for (size_t i = 0; json && i < run->n_cells; i++)
        if (run->cells[i].is_escalated)
            json_array_append_new(json, json_integer((json_int_t)i));
    return json;
}

static json_t *source_record(const AutoRun *run)
{
    json_t *json = json_object();
    json_put_integer(json, "width", run->size.width);
    json_put_integer(json, "height", run->size.height);
    json_put_number(json, "framerate", run->fps);
    json_put_number(json, "duration_s", run->seconds);
    json_put_flag(json, "is_hdr", run->is_hdr);
    return json;
}

static json_t *codecs_of(const AutoRun *run)
{
    json_t *json = json_array();
    const size_t n = run->n_rungs ? run->n_cells / run->n_rungs : 0;
    for (size_t i = 0; json && i < n; i++)
        json_array_append_new(json, json_text_or_null(run->cells[i].codec));
    return json;
}

static json_t *winner_record(const AutoRun *run)
{
    const AutoSettings *settings = run->settings;
    json_t *json = json_object();
    json_put_text(json, "status", winner_status_name(run->winner.status));
    if (run->winner.status == WINNER_NONE)
        return json;
    const AutoCell *cell = &run->cells[run->winner.cell];
    json_put_integer(json, "cell_index", run->winner.cell);
    json_put_integer(json, "rung", cell->rung.height);
    json_put_text(json, "codec", cell->codec);
    json_put(json, "crf", json_quality(cell->q < 0 ? NAN : cell->q));
    json_put_number(json, "estimated_vmaf", cell->vmaf);
    json_put_number(json, "estimated_bitrate_kbps", cell->kbps);
    json_put_number(json, "quality_margin", cell->vmaf - settings->search.target);
    json_put_number(json, "budget_margin_kbps", settings->budget - cell->kbps);
    return json;
}

static json_t *metadata_of(const AutoRun *run)
{
    const AutoSettings *settings = run->settings;
    json_t *json = json_object();
    int err = json_put_text(json, "src", run->source->path);
    err |= json_put_number(json, "target_vmaf", settings->search.target);
    err |= json_put_number(json, "max_budget_kbps", settings->budget);
    err |= json_put(json, "allow_codecs", codecs_of(run));
    err |= json_put_text(json, "user_pinned_codec", settings->codec);
    err |= json_put(json, "source_meta", source_record(run));
    err |= json_put(json, "short_circuits", short_circuits(run));
    err |= json_put(json, "confidence_aware_escalations", escalations_of(run));
    err |= json_put_number(json, "effective_predictor_target_vmaf", settings->search.target);
    err |= json_put(json, "winner", winner_record(run));
    if (run->executed)
        err |= json_put(json, "executed", json_incref(run->executed));
    return json_unless(err, json);
}

/* A new reference; NULL without memory. */
static json_t *auto_record(const AutoRun *run)
{
    json_t *json = json_object();
    if (json_put(json, "cells", cells_of(run)) || json_put(json, "metadata", metadata_of(run))) {
        json_decref(json);
        return NULL;
    }
    return json;
}

#define AT(member) .target = offsetof(AutoSettings, member)

static const TuneOption rows[] = {
    {"target-vmaf", "X", "the score that is to be reached (93, beside --require as well)",
     NUMBER_AT(search.target, 0, 100)},
    {"max-budget-bitrate", "KBPS", "what it should not exceed (8000)", NUMBER_AT(budget, 1, 1e9)},
    {"allow-codecs", "NAMES", "encoders to choose from (libx264)", NAMES_AT(codecs)},
    {"codec", "NAME", "this encoder and no other", TEXT_AT(codec), .other_name = "encoder"},
    {"preset", "NAME", "as in x264, whatever the encoder (medium)", TEXT_AT(search.preset)},
    {"rungs", "HEIGHTS",
     "heights to choose from (the source's; of 2160 lines and more also 1440, 1080, 720, "
     "540)",
     INTEGERS_AT(heights, 16, 32768)},
    {"execute", NULL, "encode the winner, and measure it", FLAG_AT(executes)},
    {"execute-all", NULL, "encode all cells", FLAG_AT(executes_all)},
    {"runs-dir", "FOLDER", "for these encodes and tune_results.jsonl (runs)", TEXT_AT(runs_dir)},
    {"video-only", NULL, "these encodes have no audio, subtitles and chapters",
     FLAG_AT(video_only)},
    {"output", "FILE", "write the result to a file", TEXT_AT(output), .short_name = 'o',
     .file = TUNE_FILE_TEXT},
};

/* -- the result -- */

static int print(const TuneCommand *command, const AutoRun *run)
{
    return result_print_json(command, run->settings->output, auto_record(run));
}

static int status_of(const TuneCommand *command, const AutoRun *run)
{
    if (run->winner.status == WINNER_NONE)
        return command_fail(command, TUNE_NO_RESULT, "there is no estimate of any cell%s%s",
                            run->n_cells ? ": " : "", run->n_cells ? run->cells[0].error.text : "");
    if (run->winner.status == WINNER_UNMET)
        return command_fail(command, TUNE_NO_RESULT, "nothing reaches VMAF %g",
                            run->settings->search.target);
    return TUNE_OK;
}

/* -- the work -- */

static void describe(AutoRun *run, const TuneSource *source, const SessionOptions *options)
{
    run->source = source;
    run->size = (Rung){(int)source->format.width, (int)source->format.height};
    run->fps = (double)source->rate.numerator / source->rate.denominator;
    run->seconds = source->seconds;
    run->is_two_pass = options->two_pass;
    run->is_hdr =
        !options->force_sdr &&
        (options->force_pq || options->force_hlg ||
         (!strcmp(source->primaries, "bt2020") &&
          (!strcmp(source->transfer, "smpte2084") || !strcmp(source->transfer, "arib-std-b67"))));
}

static int check_heights(const Session *session, const AutoRun *run)
{
    for (size_t i = 0; i < run->settings->heights.n; i++)
        if (run->settings->heights.value[i] > run->size.height ||
            (run->settings->heights.value[i] % 2 &&
             run->settings->heights.value[i] != run->size.height))
            return command_fail(session->command, TUNE_USAGE,
                                "--rungs %d: heights are even, and %d at most",
                                run->settings->heights.value[i], run->size.height);
    return 0;
}

static int estimate(Session *session, AutoRun *run)
{
    Samples samples = {0};
    int status = samples_choose(session, &run->settings->search, run->source, &samples);
    if (!status)
        status = auto_probe(session, run, &samples);
    samples_free(&samples);
    return status;
}

static int work(Session *session, const TuneSource *source, void *cookie)
{
    AutoRun *run = cookie;
    const AutoSettings *settings = run->settings;
    describe(run, source, session->options);
    int status = check_heights(session, run);
    if (!status)
        status = auto_lay_out(run) ? session_fail(session, -ENOMEM, "out of memory") : 0;
    const bool executes = settings->executes || settings->executes_all;
    if (!status && executes) /* FFmpeg always has FFV1: of encodes only the container is known */
        status =
            session_check_streams(session, source, "ffv1", "the encode.mkv", settings->video_only);
    if (!status)
        status = estimate(session, run);
    if (status)
        return status;
    auto_choose(run);
    int executed = 0;
    if (executes && run->winner.status != WINNER_NONE)
        executed = auto_execute(session, run);
    status = print(session->command, run);
    if (executed)
        return executed;
    return status ? status : status_of(session->command, run);
}

static int begin(const TuneCommand *command, SessionOptions *options, void *cookie)
{
    AutoRun *run = cookie;
    if (options->dry_run)
        return command_fail(command, TUNE_USAGE, "there is no --dry-run of it");
    return session_run(command, options, run->settings->search.target, work, run);
}

static int run_command(const TuneCommand *command, int argc, char **argv)
{
    AutoSettings settings = {.search = search_choice(), .budget = 8000, .runs_dir = "runs"};
    AutoRun run = {.settings = &settings};
    const OptionGroup groups[] = {
        {"Auto", rows, sizeof rows / sizeof *rows, &settings},
        sample_option_group(&settings.search),
    };
    settings.search.target = 93;
    const int status = session_command(command, argc, argv, groups, 2, begin, &run);
    free(run.cells);
    json_decref(run.executed);
    return status;
}

const TuneCommand auto_command = {
    .name = "auto",
    .operands = "",
    .summary = "the size, encoder and quality that reach a score most cheaply",
    .examples = "  vmaf-tune auto --src film.mkv --allow-codecs libx265,libsvtav1 --execute\n"
                "  vmaf-tune auto --src film.mkv --rungs 1080,720 --max-budget-bitrate 3000\n",
    .run = run_command,
};
