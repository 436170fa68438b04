/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "run.h"

#include "backend_choice.h"
#include "common/messages.h"
#include "device_input.h"
#include "exit_status.h"
#include "html_report.h"
#include "input_steps.h"
#include "open_devices.h"
#include "run_scores.h"
#include "run_several.h"
#include "run_single.h"
#include "run_steps.h"
#include "shards/records.h"

#include "libvmaf/libvmaf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int open_inputs(Run *run)
{
    const int status = run_open_reference(run);
    return status ? status : run_open_distorted(run);
}

static int start_readers(Run *run)
{
    const Options *options = run->options;
    int status = run_start_input(run, &run->reference->reader, "reference");
    if (!status)
        status = run_start_input(run, &run->distorted, "distorted");
    if (!status && options->raw)
        status = run_check_raw(options, &run->reference->reader, options->skip_reference);
    if (!status && options->raw)
        status = run_check_raw(options, &run->distorted, options->skip_distorted);
    return status ? status : run_compare_formats(run);
}

/* Where reading begins. */
static int prepare_reading(Run *run)
{
    const int status = run_start_line_up(run);
    device_input_decide(run);
    return status ? status : records_find_part(run);
}

static int start_reading(Run *run)
{
    int status = run_read_reference(run, run_depth(run));
    if (!status)
        status = run_read_distorted(run, run_depth(run));
    return status ? status : records_start(run);
}

/* By this process. */
static unsigned long long frames_done(const Run *run)
{
    return run->frames > run->progress_from ? run->frames - run->progress_from : 0;
}

/* What is said from now on is about what comes. */
static void begin_words(Run *run, Progress *progress)
{
    progress_end(progress, frames_done(run));
    run->words.text[0] = '\0';
}

/* Neither file has given a picture that could be scored with the other's. */
static int finish_reading(Run *run, Progress *progress, Taken *reference, Taken *distorted)
{
    begin_words(run, progress);
    const int status = run_finish_reading(run, reference, distorted);
    run_release_frame(reference);
    run_release_frame(distorted);
    return status;
}

static int fail_before(Run *run, const Taken *reference, const Taken *distorted)
{
    const int status = run_finish_reading(run, reference, distorted);
    return status ? status : STATUS_READ;
}

/* Pairs before those that are scored, whose neighbours they are. The end of the videos is an error,
 * as they have been longer. */
static int read_lead_in(Run *run)
{
    int err = 0, status = STATUS_OK;
    for (unsigned left = records_lead_in(run); left && !err && !status; left--) {
        Taken reference = run_take_frame(run, run->reference->ahead);
        Taken distorted = run_take_frame(run, run->distorted_ahead);
        const bool are_there = reference.status > 0 && distorted.status > 0;
        err = are_there ? vmaf_read_context(run->vmaf, &reference.picture, &distorted.picture) : 0;
        if (err)
            status = run_scoring_failed(run, err);
        else if (!are_there)
            status = fail_before(run, &reference, &distorted);
        if (err || !are_there) {
            run_release_frame(&reference);
            run_release_frame(&distorted);
        }
    }
    return status;
}

static int stop(Run *run, Progress *progress, Taken *reference, Taken *distorted)
{
    begin_words(run, progress);
    run_release_frame(reference);
    run_release_frame(distorted);
    return run_stopped();
}

/* The pictures are the library's afterwards, unless it fails. */
static int score_pair(Run *run, Progress *progress, Taken *reference, Taken *distorted)
{
    if (run_look_at_pair(run, reference, distorted)) {
        begin_words(run, progress);
        const int status = run_tell_line_up(run);
        if (status)
            return status;
    }
    html_report_see(run, &reference->picture, &distorted->picture);
    frame_clock_add(&run->reference->clock, run->frames, reference->time);
    int err = records_expect(run, reference, distorted);
    if (!err)
        err = vmaf_read_pictures(run->vmaf, &reference->picture, &distorted->picture, run->frames);
    if (!err)
        return STATUS_OK;
    begin_words(run, progress);
    return run_scoring_failed(run, err);
}

/* A shard was promised the frames that it ends before. */
static int end_reading(Run *run, Progress *progress, Taken *reference, Taken *distorted)
{
    const int status = finish_reading(run, progress, reference, distorted);
    if (status || !records_is_shard(run))
        return status;
    say("the shard ends at frame %u, not %u: the videos have fewer frames than they say; give "
        "their number with --frames",
        run->frames, records_end(run));
    return STATUS_READ;
}

static int read_pairs(Run *run, Progress *progress)
{
    const unsigned limit = records_is_shard(run) ? records_end(run) : run->options->frame_count,
                   first = run->frames;
    for (; !limit || run->frames < limit; run->frames++) {
        Taken reference = run_take_frame(run, run->reference->ahead);
        Taken distorted = run_take_frame(run, run->distorted_ahead);
        if (run_host_stops(run->host))
            return stop(run, progress, &reference, &distorted);
        if (reference.status <= 0 || distorted.status <= 0)
            return end_reading(run, progress, &reference, &distorted);
        int status = score_pair(run, progress, &reference, &distorted);
        if (status) {
            run_release_frame(&reference);
            run_release_frame(&distorted);
            return status;
        }
        if (run->frames == first)
            status =
                backend_choice_check(run->options, run->vmaf, &run->reference->reader.format, true);
        if (status)
            return status;
        if (!live_report_advance(run->live, run->frames + 1)) {
            begin_words(run, progress);
            return live_report_failed(run->live);
        }
        progress_update(progress, frames_done(run) + 1);
    }
    return STATUS_OK;
}

static int read_frames(Run *run, Progress *progress)
{
    int status = prepare_reading(run);
    progress_start(progress, stderr, run->host->terminal && !run->options->quiet,
                   run_expected_frames(run), input_is_media(run) && !records_is_shard(run));
    progress_ask(progress, run_count_shares, run);
    if (!status)
        status = start_reading(run);
    if (!status && run->frames && !live_report_advance(run->live, run->frames))
        return live_report_failed(run->live); /* lines of what an interrupted run has left */
    if (status || records_have_all(run))
        return status;
    status = read_lead_in(run);
    return status ? status : read_pairs(run, progress);
}

static int score_frames(Run *run)
{
    Progress progress;
    int status = read_frames(run, &progress), err = 0;
    progress_end(&progress, frames_done(run));
    if (status == STATUS_OK) {
        begin_words(run, &progress);
        status = run_end_line_up(run);
    }
    if (status == STATUS_OK)
        status = run_flush(run, &err);
    run_say_flush_failed(run, status, err);
    return status;
}

static int run_steps(Run *run)
{
    static int (*const all[])(Run *) = {
        open_inputs,       start_readers,   run_create_context, run_load_models,
        run_load_features, records_prepare, gates_check,        run_check_output,
        live_report_start, score_frames,    run_pool_scores,    run_write_reports,
        run_show_summary,  run_judge_gates,
    };
    /* A shard has no scores. */
    static int (*const of_shard[])(Run *) = {
        open_inputs,       start_readers,   run_create_context, run_load_models,
        run_load_features, records_prepare, run_check_output,   score_frames,
    };
    return run->options->shard.is_given
               ? run_do_steps(run, of_shard, sizeof(of_shard) / sizeof(of_shard[0]))
               : run_do_steps(run, all, sizeof(all) / sizeof(all[0]));
}

/* What libvmaf accepts, although nothing comes of it. */
static void warn_of_idle_options(const Options *options)
{
    if (options->quiet)
        return;
    if (options->format_given && !options->n_outputs)
        say("warning: there is a format, but no report: name a file for it with -o");
    if (options->no_prediction && !options->n_features && !options->n_models)
        say("warning: nothing is computed: -n goes with --feature");
}

/* Wrong scores can only be corrected by scoring all frames again, which is impossible with
 * pipes. */
static bool can_start_again(const Run *run, bool sent)
{
    const bool files = run_can_read_again(run);
    if (files && !sent)
        say("vmaf: starting again without backend %s", run->distrusted);
    else if (sent)
        say("vmaf: there are no scores: what was written of the report cannot be taken back");
    else
        say("vmaf: there are no scores: the videos are no files that could be read again");
    return files && !sent;
}

static void close_run(Run *run)
{
    Reference *reference = run->reference;
    read_ahead_stop(reference->ahead);
    run_stop(run);
    run_close(run);
    read_ahead_destroy(reference->ahead);
    if (reference->open)
        video_reader_close(&reference->reader);
    autocrop_destroy(reference->autocrop);
    notes_free(&reference->notes);
    frame_clock_free(&reference->clock);
}

/* A driver that works or hangs may not be ended in order. True: nothing of the run is left. */
static bool leave_driver(Run *run, int status)
{
    if (!run->host->driver_hangs) {
        fflush(NULL);
        _Exit(status);
    }
    atomic_store(run->host->driver_hangs, true);
    if (!backend_choice_hangs(run->vmaf))
        return false;
    open_devices_keep(run->host->devices, run->vmaf);
    run_abandon(run);
    return true;
}

/* *distrusted receives the backend without which the run is to be started again, or "". */
static int run_once(Options *options, const RunHost *host, char distrusted[BACKEND_NAME_SIZE],
                    RunOutcome *outcome)
{
    Reference reference = {.open = false};
    Run state = {.options = options, .host = host, .reference = &reference};
    state.said = &state.words;
    say_also_to(&state.words);
    int status = run_steps(&state);
    say_also_to(NULL);
    const bool sent = live_report_is_sent(state.live);
    run_end_live(&state);
    if (outcome)
        *outcome = (RunOutcome){run_pooled_metrics(&state), state.words};
    *distrusted = '\0';
    if (backend_choice_is_busy(state.vmaf) && leave_driver(&state, status))
        return status;
    if (*state.distrusted && can_start_again(&state, sent)) {
        strcpy(distrusted, state.distrusted);
        device_input_give_up(&state, options);
    }
    close_run(&state);
    return status;
}

int run(const Options *options, const RunHost *host, RunOutcome *outcome)
{
    Options without = *options;
    char distrusted[BACKEND_NAME_SIZE];
    if (host->terminal && !options->quiet)
        say("VMAF version %s", vmaf_version());
    warn_of_idle_options(options);
    int status;
    do { /* each time there is one backend less */
        status = options->n_distorted > 1 ? run_several(&without, host, distrusted)
                                          : run_once(&without, host, distrusted, outcome);
    } while (*distrusted && backend_choice_distrust(&without, distrusted));
    return status;
}
