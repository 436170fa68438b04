/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "run_several.h"

#include "backend_choice.h"
#include "common/messages.h"
#include "device_input.h"
#include "exit_status.h"
#include "html_report.h"
#include "input_steps.h"
#include "output.h"
#include "report_name.h"
#include "run_scores.h"
#include "run_steps.h"
#include "summary.h"

#include "libvmaf/libvmaf_ext.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One of the distorted videos. */
typedef struct Member {
    Options options;          /* with its video and report */
    char *paths[MAX_OUTPUTS]; /* of outputs of its own; NULL: it is about all videos */
    Run run;
    int status;
    bool active; /* there may be more frames */
    bool is_file;
    bool sent;        /* a report of it cannot be taken back */
    unsigned place;   /* in the group */
    Message messages; /* what was said about it since the last step began that could fail */
} Member;

typedef struct Ladder {
    const Options *options;
    const RunHost *host;
    Reference reference;
    Member *members;
    unsigned n_members;
    VmafGroup *group;
    unsigned n_in_group;
    Progress progress;
    unsigned frames;
} Ladder;

/* What is said until end_step is about the member. */
static void begin_step(Ladder *ladder, Member *member)
{
    progress_end(&ladder->progress, ladder->frames);
    member->messages.text[0] = '\0';
    say_also_to(&member->messages);
}

static bool was_sent(const Member *member)
{
    return member->sent || live_report_is_sent(member->run.live);
}

/* Closes what a member has that does not go on, so that nobody waits for it to read a pipe. */
static void drop(Member *member)
{
    member->active = false;
    member->sent = was_sent(member);
    if (backend_choice_is_busy(member->run.vmaf))
        return; /* the program ends without that */
    run_stop(&member->run);
    run_close(&member->run);
    member->run.vmaf = NULL;
    member->run.n_models = 0;
    member->run.distorted_ahead = NULL;
    member->run.distorted_open = false;
}

static void end_step(Member *member, int status)
{
    say_also_to(NULL);
    if (!status)
        return;
    member->status = status;
    drop(member);
}

/* -- before the first frame -- */

/* The outputs of the options, with the member's names. */
static int name_outputs(Member *member)
{
    for (unsigned i = 0; i < member->options.n_outputs; i++) {
        Output *output = &member->options.outputs[i];
        if (!report_name_has_place(output->path))
            continue;
        member->paths[i] = report_name_make(output->path, member->options.distorted);
        if (!member->paths[i])
            return -ENOMEM;
        output->path = member->paths[i];
    }
    return 0;
}

static int create_members(Ladder *ladder)
{
    const Options *options = ladder->options;
    ladder->members = calloc(options->n_distorted, sizeof(*ladder->members));
    int err = ladder->members ? 0 : -ENOMEM;
    for (unsigned i = 0; i < options->n_distorted && !err; i++) {
        Member *member = &ladder->members[i];
        ladder->n_members++;
        member->options = *options;
        member->options.distorted = options->all_distorted[i];
        member->run = (Run){.options = &member->options,
                            .host = ladder->host,
                            .reference = &ladder->reference,
                            .said = &member->messages};
        err = name_outputs(member);
    }
    if (!err)
        return STATUS_OK;
    say("out of memory");
    return STATUS_FAILURE;
}

static int open_reference(Ladder *ladder)
{
    Run *run = &ladder->members[0].run;
    VideoReader *reader = &ladder->reference.reader;
    int status = run_open_reference(run);
    if (!status)
        status = run_start_input(run, reader, "reference");
    if (!status && ladder->options->raw)
        status = run_check_raw(ladder->options, reader, ladder->options->skip_reference);
    return status;
}

/* All pictures of a pair have one depth, and there is one reference for all. */
static int compare_depths(const Ladder *ladder, const Member *member)
{
    for (const Member *other = ladder->members; other < member; other++) {
        if (!other->active || run_depth(&other->run) == run_depth(&member->run))
            continue;
        say("%s: the reference would be scored at %u bits for it, but at %u bits for %s: "
            "that takes a run of its own",
            member->options.distorted, run_depth(&member->run), run_depth(&other->run),
            other->options.distorted);
        return STATUS_FAILURE;
    }
    return STATUS_OK;
}

/* What one reference of RGB becomes has to be the same for all. */
static int compare_matrices(const Ladder *ladder, const Member *member)
{
    const VideoReader *reference = &ladder->reference.reader;
    const char *matrix = match_rgb_matrix(&member->run.distorted);
    if (!reference->media || !video_reader_properties(reference)->is_rgb)
        return STATUS_OK;
    for (const Member *other = ladder->members; other < member; other++) {
        if (!other->active || match_rgb_matrix(&other->run.distorted) == matrix)
            continue;
        say("%s: the reference is RGB, and its matrix is not that of %s: that takes a run of its "
            "own",
            member->options.distorted, other->options.distorted);
        return STATUS_FAILURE;
    }
    return STATUS_OK;
}

static int open_distorted(const Ladder *ladder, Member *member)
{
    Run *run = &member->run;
    int status = run_open_distorted(run);
    if (!status)
        status = run_start_input(run, &run->distorted, "distorted");
    if (!status && ladder->options->raw)
        status = run_check_raw(ladder->options, &run->distorted, ladder->options->skip_distorted);
    if (!status)
        status = run_compare_formats(run);
    if (!status)
        status = compare_depths(ladder, member);
    if (!status)
        status = compare_matrices(ladder, member);
    member->is_file = run->distorted.input.source.is_file;
    return status;
}

static Run *first_active(const Ladder *ladder)
{
    for (unsigned i = 0; i < ladder->n_members; i++) {
        if (ladder->members[i].active)
            return &ladder->members[i].run;
    }
    return NULL;
}

static void open_members(Ladder *ladder)
{
    for (unsigned i = 0; i < ladder->n_members; i++) {
        Member *member = &ladder->members[i];
        begin_step(ladder, member);
        const int status = open_distorted(ladder, member);
        member->active = !status;
        end_step(member, status);
    }
    const Run *first = first_active(ladder); /* the last one may have been refused */
    if (first)
        ladder->reference.reader.conversion.rgb_matrix = match_rgb_matrix(&first->distorted);
}

static int prepare_member(Run *run)
{
    int (*const steps[])(Run *) = {run_create_context, run_load_models,  run_load_features,
                                   gates_check,        run_check_output, live_report_start};
    int status = STATUS_OK;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !status; i++)
        status = steps[i](run);
    return status;
}

/* What fails here fails for all. */
static int prepare_members(Ladder *ladder)
{
    int status = STATUS_OK, err = 0;
    for (unsigned i = 0; i < ladder->n_members && !status && !err; i++) {
        Member *member = &ladder->members[i];
        if (!member->active)
            continue;
        status = prepare_member(&member->run);
        const VmafGroupConfiguration cfg = {sizeof(cfg), member->run.n_threads};
        if (!status && !ladder->group)
            err = vmaf_group_create(&ladder->group, &cfg);
        if (!status && !err)
            err = vmaf_group_add(ladder->group, member->run.vmaf);
        member->place = ladder->n_in_group++;
    }
    if (err) {
        say("problem initialising: %s", strerror(-err));
        status = STATUS_FAILURE;
    }
    return status;
}

static int start_reading(Ladder *ladder)
{
    int status = STATUS_OK;
    for (unsigned i = 0; i < ladder->n_members && !status; i++) {
        Run *run = &ladder->members[i].run;
        if (!ladder->members[i].active)
            continue;
        status = run_start_line_up(run);
        device_input_decide(run);
        if (!status && !ladder->reference.ahead)
            status = run_read_reference(run, run_depth(run));
        if (!status)
            status = run_read_distorted(run, run_depth(run));
    }
    return status;
}

/* -- frames -- */

static unsigned long long expected_frames(const Ladder *ladder)
{
    unsigned long long most = 0;
    for (unsigned i = 0; i < ladder->n_members; i++) {
        const Member *member = &ladder->members[i];
        const unsigned long long frames = member->active ? run_expected_frames(&member->run) : 0;
        if (frames > most)
            most = frames;
    }
    return most;
}

static bool any_is_media(const Ladder *ladder)
{
    for (unsigned i = 0; i < ladder->n_members; i++) {
        if (ladder->members[i].active && input_is_media(&ladder->members[i].run))
            return true;
    }
    return false;
}

static void count_shares(void *cookie, ProgressShares *shares)
{
    Ladder *ladder = cookie;
    for (unsigned i = 0; i < ladder->n_members; i++)
        run_count_shares(&ladder->members[i].run, shares);
}

/* If it fails, it has begun a step that fails. */
static int line_up(Ladder *ladder, Member *member, const Taken *reference, const Taken *distorted)
{
    LineUp *line_up = &member->run.line_up;
    if (!line_up_add(line_up, &reference->picture, &distorted->picture))
        return STATUS_OK;
    begin_step(ladder, member);
    const int status = run_tell_line_up(&member->run);
    if (!status)
        end_step(member, status);
    return status;
}

/* Takes a picture of each video that has one. */
static void take_distorted(Ladder *ladder, const Taken *reference, VmafPicture dist[])
{
    for (unsigned i = 0; i < ladder->n_members; i++) {
        Member *member = &ladder->members[i];
        if (!member->active)
            continue;
        Taken distorted = run_take_frame(&member->run, member->run.distorted_ahead);
        const bool both = reference->status > 0 && distorted.status > 0;
        int status = both ? line_up(ladder, member, reference, &distorted) : STATUS_OK;
        if (both && !status) {
            html_report_see(&member->run, &reference->picture, &distorted.picture);
            dist[member->place] = distorted.picture;
            continue;
        }
        if (!both) {
            begin_step(ladder, member);
            status = run_finish_reading(&member->run, reference, &distorted);
        }
        run_release_frame(&distorted);
        member->active = false;
        end_step(member, status);
    }
}

/* After the first frame. False: the member has failed. */
static bool check_backend(Ladder *ladder, Member *member, bool warns)
{
    if (ladder->frames)
        return true;
    const int status = backend_choice_check(&member->options, member->run.vmaf,
                                            &ladder->reference.reader.format, warns);
    if (!status)
        return true;
    begin_step(ladder, member);
    end_step(member, status);
    return false;
}

static void account_for_frame(Ladder *ladder, VmafPicture dist[], const int errors[])
{
    bool warns = true;
    for (unsigned i = 0; i < ladder->n_members; i++) {
        Member *member = &ladder->members[i];
        if (!member->active)
            continue;
        const int err = errors[member->place];
        if (err) {
            vmaf_picture_unref(&dist[member->place]);
            begin_step(ladder, member);
            end_step(member, run_scoring_failed(&member->run, err));
            continue;
        }
        member->run.frames++;
        if (!check_backend(ladder, member, warns))
            continue;
        warns = false;
        if (!live_report_advance(member->run.live, member->run.frames)) {
            begin_step(ladder, member);
            end_step(member, live_report_failed(member->run.live));
        }
    }
}

static const char *distrusted_by_any(const Ladder *ladder)
{
    for (unsigned i = 0; i < ladder->n_members; i++) {
        if (*ladder->members[i].run.distrusted)
            return ladder->members[i].run.distrusted;
    }
    return NULL;
}

static bool all_are_files(const Ladder *ladder)
{
    bool files = ladder->reference.reader.input.source.is_file;
    for (unsigned i = 0; i < ladder->n_members; i++)
        files &= ladder->members[i].is_file || ladder->members[i].status;
    return files;
}

static bool any_was_sent(const Ladder *ladder)
{
    for (unsigned i = 0; i < ladder->n_members; i++) {
        if (was_sent(&ladder->members[i]))
            return true;
    }
    return false;
}

static bool starts_again(const Ladder *ladder)
{
    return distrusted_by_any(ladder) && all_are_files(ladder) && !any_was_sent(ladder);
}

static void read_frames(Ladder *ladder)
{
    const unsigned limit = ladder->options->frame_count;
    Run *first;
    while ((!limit || ladder->frames < limit) && (first = first_active(ladder))) {
        VmafPicture dist[MAX_DISTORTED] = {0};
        int errors[MAX_DISTORTED];
        Taken reference = run_take_frame(first, ladder->reference.ahead);
        if (reference.status > 0)
            frame_clock_add(&ladder->reference.clock, ladder->frames, reference.time);
        take_distorted(ladder, &reference, dist);
        if (!first_active(ladder)) {
            run_release_frame(&reference);
            break;
        }
        const int err = vmaf_group_read_pictures(ladder->group, &reference.picture, dist, errors,
                                                 ladder->frames);
        if (err) {
            for (unsigned i = 0; i < ladder->n_in_group; i++)
                errors[i] = err;
            run_release_frame(&reference);
        }
        account_for_frame(ladder, dist, errors);
        if (starts_again(ladder))
            break;
        ladder->frames++;
        progress_update(&ladder->progress, ladder->frames);
    }
}

static void flush_members(Ladder *ladder)
{
    for (unsigned i = 0; i < ladder->n_members; i++) {
        Member *member = &ladder->members[i];
        if (member->status)
            continue;
        int err = 0;
        begin_step(ladder, member);
        int status = run_end_line_up(&member->run);
        if (!status)
            status = run_flush(&member->run, &err);
        run_say_flush_failed(&member->run, status, err);
        end_step(member, status);
    }
    progress_end(&ladder->progress, ladder->frames);
}

/* -- results -- */

static void show_scores(Ladder *ladder)
{
    const Options *options = ladder->options;
    for (unsigned i = 0; i < ladder->n_members; i++) {
        Member *member = &ladder->members[i];
        if (member->status)
            continue;
        if (ladder->host->terminal && (!options->quiet || !options->n_outputs))
            say("%s:", member->options.distorted);
        begin_step(ladder, member);
        end_step(member, run_pool_scores(&member->run));
    }
}

static void list_videos(const Ladder *ladder, ScoredVideo videos[])
{
    for (unsigned i = 0; i < ladder->n_members; i++) {
        const Member *member = &ladder->members[i];
        videos[i] = (ScoredVideo){.run = &member->run,
                                  .error = member->status ? member->messages.text : NULL};
    }
}

/* A file about all videos. */
static int write_combined(const Ladder *ladder, const Output *output)
{
    ScoredVideo videos[MAX_DISTORTED];
    list_videos(ladder, videos);
    return output_kind(output->format)->write_all(output, videos, ladder->n_members);
}

/* Output number `index` of each video that has scores. */
static int write_each(const Ladder *ladder, unsigned index)
{
    int status = STATUS_OK;
    for (unsigned i = 0; i < ladder->n_members; i++) {
        const Member *member = &ladder->members[i];
        const int written = member->status
                                ? STATUS_OK
                                : run_write_output(&member->run, &member->options.outputs[index]);
        if (written)
            status = written;
    }
    return status;
}

static int write_outputs(Ladder *ladder)
{
    const Options *options = ladder->options;
    int status = STATUS_OK;
    for (unsigned i = 0; i < options->n_outputs; i++) {
        const Output *output = &options->outputs[i];
        const int written = report_name_has_place(output->path) ? write_each(ladder, i)
                                                                : write_combined(ladder, output);
        if (written > status)
            status = written;
    }
    return status;
}

static void show_summary(const Ladder *ladder)
{
    ScoredVideo videos[MAX_DISTORTED];
    list_videos(ladder, videos);
    summary_print(videos, ladder->n_members);
}

static int judge_gates(const Ladder *ladder)
{
    int status = STATUS_OK;
    for (unsigned i = 0; i < ladder->n_members; i++) {
        const Member *member = &ladder->members[i];
        const int judged = member->status ? STATUS_OK : gates_judge(&member->run);
        status = judged > status ? judged : status;
    }
    return status;
}

static int worst_status(const Ladder *ladder, int worst)
{
    for (unsigned i = 0; i < ladder->n_members; i++) {
        if (ladder->members[i].status > worst)
            worst = ladder->members[i].status;
    }
    return worst;
}

static int score(Ladder *ladder)
{
    progress_start(&ladder->progress, stderr, ladder->host->terminal && !ladder->options->quiet,
                   expected_frames(ladder), any_is_media(ladder));
    progress_ask(&ladder->progress, count_shares, ladder);
    const int status = start_reading(ladder);
    if (status)
        return status;
    read_frames(ladder);
    if (starts_again(ladder))
        return STATUS_READ;
    flush_members(ladder);
    if (starts_again(ladder))
        return STATUS_READ;
    show_scores(ladder);
    const int written = write_outputs(ladder);
    show_summary(ladder);
    const int judged = judge_gates(ladder);
    return judged > written ? judged : written;
}

static int run_ladder(Ladder *ladder)
{
    int status = create_members(ladder);
    if (!status)
        status = open_reference(ladder);
    if (status)
        return status;
    open_members(ladder);
    status = prepare_members(ladder);
    if (!status)
        status = score(ladder);
    return worst_status(ladder, status);
}

/* Ends the program at once if a driver may not be ended in order. */
static void leave_if_busy(const Ladder *ladder, int status)
{
    for (unsigned i = 0; i < ladder->n_members; i++) {
        Member *member = &ladder->members[i];
        member->sent = was_sent(member);
        run_end_live(&member->run);
        if (backend_choice_is_busy(ladder->members[i].run.vmaf)) {
            fflush(NULL);
            _Exit(status);
        }
    }
}

static void close_ladder(Ladder *ladder)
{
    read_ahead_stop(ladder->reference.ahead);
    for (unsigned i = 0; i < ladder->n_members; i++)
        run_stop(&ladder->members[i].run);
    if (ladder->group)
        vmaf_group_close(ladder->group);
    for (unsigned i = 0; i < ladder->n_members; i++) {
        run_close(&ladder->members[i].run);
        for (unsigned k = 0; k < MAX_OUTPUTS; k++)
            free(ladder->members[i].paths[k]);
    }
    read_ahead_destroy(ladder->reference.ahead);
    if (ladder->reference.open)
        video_reader_close(&ladder->reference.reader);
    autocrop_destroy(ladder->reference.autocrop);
    notes_free(&ladder->reference.notes);
    frame_clock_free(&ladder->reference.clock);
    free(ladder->members);
}

int run_several(const Options *options, const RunHost *host, char distrusted[BACKEND_NAME_SIZE])
{
    Ladder ladder = {.options = options, .host = host};
    const int status = run_ladder(&ladder);
    leave_if_busy(&ladder, status);
    *distrusted = '\0';
    if (starts_again(&ladder)) {
        strcpy(distrusted, distrusted_by_any(&ladder));
        say("vmaf: starting again without backend %s", distrusted);
    } else if (distrusted_by_any(&ladder)) {
        say("vmaf: there are no scores: %s",
            any_was_sent(&ladder) ? "what was written of the reports cannot be taken back"
                                  : "the videos are no files that could be read again");
    }
    close_ladder(&ladder);
    return status;
}
