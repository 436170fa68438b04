/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Runs of one or several distorted videos that share the frames of a reference. */
#include "run.h"

#include "common/messages.h"
#include "shards/shards.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One of the distorted videos. */
typedef struct Member {
    Run run;
    Options *options;         /* of its own: with its video and reports; NULL: those of all */
    char *paths[MAX_OUTPUTS]; /* of outputs of its own; NULL: it is about all videos */
    bool active;              /* there may be more frames */
    bool reads_again;         /* its video can be read once more, from its beginning */
    bool sent;                /* a report of it cannot be taken back */
    unsigned place;           /* in the group */
} Member;

/* Runs that take the same frames of their reference; a single one, too. */
typedef struct RunGroup {
    const Options *options;
    const RunHost *host;
    Reference reference;
    Member *members;
    unsigned n_members;
    const Run *runs[MAX_DISTORTED]; /* of the members */
    VmafGroup *vmaf;                /* of several */
    unsigned n_in_group;
    Progress progress;
    unsigned first, frames; /* index of the first pair that is read, and of the next one */
} RunGroup;

/* Messages on one video are collected through the whole run, on several step by step. */
static bool has_several(const RunGroup *group)
{
    return group->options->n_distorted > 1;
}

/* Pairs that were scored by this process. */
static unsigned long long frames_done(const RunGroup *group)
{
    const unsigned before = group->members[0].run.progress_from;
    return group->frames > before ? group->frames - before : 0;
}

/* What is said until end_step is about the member. */
static void begin_step(RunGroup *group, Member *member)
{
    progress_end(&group->progress, frames_done(group));
    member->run.said.text[0] = '\0';
    print_error_also_to(&member->run.said);
}

/* The same, but what was said of a single video before still belongs to it. */
static void continue_step(RunGroup *group, Member *member)
{
    if (has_several(group))
        begin_step(group, member);
}

static bool was_sent(const Member *member)
{
    return member->sent || live_report_is_sent(member->run.live);
}

/* Closes what a member has that does not go on, so that nobody waits for it to read a pipe. */
static void drop(Member *member)
{
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

static void end_step(const RunGroup *group, Member *member, int status)
{
    if (has_several(group))
        print_error_also_to(NULL);
    if (!status)
        return;
    member->run.status = status;
    member->active = false;
    if (has_several(group))
        drop(member);
}

/* -- before the first frame -- */

/* The outputs of the options, with the member's names. */
static int name_outputs(Member *member)
{
    for (unsigned i = 0; i < member->options->n_outputs; i++) {
        Output *output = &member->options->outputs[i];
        if (!report_name_has_place(output->path))
            continue;
        member->paths[i] = report_name_make(output->path, member->options->distorted);
        if (!member->paths[i])
            return -ENOMEM;
        output->path = member->paths[i];
    }
    return 0;
}

static int create_member(RunGroup *group, Member *member, const char *distorted)
{
    const Options *options = group->options;
    member->run = (Run){.options = options, .host = group->host, .reference = &group->reference};
    if (!has_several(group))
        return 0;
    member->options = malloc(sizeof(*member->options));
    if (!member->options)
        return -ENOMEM;
    *member->options = *options;
    member->options->distorted = distorted;
    member->run.options = member->options;
    return name_outputs(member);
}

static int create_members(RunGroup *group)
{
    const Options *options = group->options;
    group->members = calloc(options->n_distorted, sizeof(*group->members));
    int err = group->members ? 0 : -ENOMEM;
    for (unsigned i = 0; i < options->n_distorted && !err; i++) {
        group->n_members++;
        group->runs[i] = &group->members[i].run;
        err = create_member(group, &group->members[i], options->all_distorted[i]);
    }
    if (!err)
        return STATUS_OK;
    print_error("out of memory");
    return STATUS_FAILURE;
}

static int open_reference(RunGroup *group)
{
    Run *run = &group->members[0].run;
    VideoReader *reader = &group->reference.reader;
    int status = run_open(reader, &group->reference.open, group->options->reference);
    if (!status)
        status = run_start_input(run, reader, "reference");
    if (!status && group->options->raw)
        status = run_check_raw(group->options, reader, group->options->skip_reference);
    return status;
}

/* All pictures of a pair have one depth, and there is one reference for all. */
static int compare_depths(const RunGroup *group, const Member *member)
{
    for (const Member *other = group->members; other < member; other++) {
        if (!other->active || run_depth(&other->run) == run_depth(&member->run))
            continue;
        print_error("%s: the reference would be scored at %u bits for it, but at %u bits for %s: "
                    "that takes a run of its own",
                    member->options->distorted, run_depth(&member->run), run_depth(&other->run),
                    other->options->distorted);
        return STATUS_FAILURE;
    }
    return STATUS_OK;
}

/* What one reference of RGB becomes has to be the same for all. */
static int compare_matrices(const RunGroup *group, const Member *member)
{
    const VideoReader *reference = &group->reference.reader;
    const char *matrix = match_rgb_matrix(&member->run.distorted);
    if (!reference->media || !video_reader_properties(reference)->is_rgb)
        return STATUS_OK;
    for (const Member *other = group->members; other < member; other++) {
        if (!other->active || match_rgb_matrix(&other->run.distorted) == matrix)
            continue;
        print_error(
            "%s: the reference is RGB, and its matrix is not that of %s: that takes a run of its "
            "own",
            member->options->distorted, other->options->distorted);
        return STATUS_FAILURE;
    }
    return STATUS_OK;
}

static int open_distorted(const RunGroup *group, Member *member)
{
    Run *run = &member->run;
    int status = run_open(&run->distorted, &run->distorted_open, run->options->distorted);
    member->reads_again = status || run->distorted.input.source.is_file;
    if (!status)
        status = run_start_input(run, &run->distorted, "distorted");
    if (!status && group->options->raw)
        status = run_check_raw(group->options, &run->distorted, group->options->skip_distorted);
    if (!status)
        status = run_compare_formats(run);
    if (!status)
        status = compare_depths(group, member);
    if (!status)
        status = compare_matrices(group, member);
    return status;
}

static Run *first_active(const RunGroup *group)
{
    for (unsigned i = 0; i < group->n_members; i++) {
        if (group->members[i].active)
            return &group->members[i].run;
    }
    return NULL;
}

/* What is wrong with the reference is so for all; who is left goes on. */
static int open_several(RunGroup *group)
{
    const int status = open_reference(group);
    if (status)
        return status;
    for (unsigned i = 0; i < group->n_members; i++) {
        Member *member = &group->members[i];
        begin_step(group, member);
        member->active = true;
        end_step(group, member, open_distorted(group, member));
    }
    const Run *first = first_active(group); /* the last one may have been rejected */
    if (first)
        group->reference.reader.conversion.rgb_matrix = match_rgb_matrix(&first->distorted);
    return STATUS_OK;
}

static int open_one(RunGroup *group)
{
    Member *member = &group->members[0];
    const int status = run_open_pair(&member->run);
    member->active = !status;
    member->reads_again = member->run.distorted.input.source.is_file;
    return status;
}

static int join_vmaf_group(RunGroup *group, Member *member)
{
    const VmafGroupConfiguration cfg = {sizeof(cfg), member->run.n_threads};
    int err = group->vmaf ? 0 : vmaf_group_create(&group->vmaf, &cfg);
    if (!err)
        err = vmaf_group_add(group->vmaf, member->run.vmaf);
    member->place = group->n_in_group++;
    if (!err)
        return STATUS_OK;
    print_error("problem initialising: %s", strerror(-err));
    return STATUS_FAILURE;
}

/* What fails here fails for all. */
static int prepare_members(RunGroup *group)
{
    int status = STATUS_OK;
    for (unsigned i = 0; i < group->n_members && !status; i++) {
        Member *member = &group->members[i];
        if (!member->active)
            continue;
        status = run_prepare(&member->run);
        if (!status)
            status = live_report_start(&member->run);
        if (!status && has_several(group))
            status = join_vmaf_group(group, member);
    }
    return status;
}

/* Decides where reading begins. */
static int find_start(RunGroup *group)
{
    int status = STATUS_OK;
    for (unsigned i = 0; i < group->n_members && !status; i++) {
        Run *run = &group->members[i].run;
        if (!group->members[i].active)
            continue;
        status = run_start_line_up(run);
        device_input_decide(run);
        if (!status)
            status = records_find_part(run);
    }
    return status;
}

static int start_reading(RunGroup *group)
{
    int status = STATUS_OK;
    for (unsigned i = 0; i < group->n_members && !status; i++) {
        Run *run = &group->members[i].run;
        if (!group->members[i].active)
            continue;
        if (!group->reference.ahead)
            status = run_read_reference(run);
        if (!status)
            status = run_read_distorted(run);
        if (!status)
            status = records_start(run);
    }
    group->first = group->frames = group->members[0].run.frames;
    return status;
}

/* -- a backend whose scores are wrong -- */

static const char *distrusted_by_any(const RunGroup *group)
{
    for (unsigned i = 0; i < group->n_members; i++) {
        if (*group->runs[i]->distrusted)
            return group->runs[i]->distrusted;
    }
    return NULL;
}

/* A pipe whose video was rejected has lost bytes, too, and may never be opened by anyone again. */
static bool all_read_again(const RunGroup *group)
{
    bool do_all = group->reference.reader.input.source.is_file;
    for (unsigned i = 0; i < group->n_members; i++)
        do_all &= group->members[i].reads_again;
    return do_all;
}

static bool any_was_sent(const RunGroup *group)
{
    for (unsigned i = 0; i < group->n_members; i++) {
        if (was_sent(&group->members[i]))
            return true;
    }
    return false;
}

static bool starts_again(const RunGroup *group)
{
    return distrusted_by_any(group) && all_read_again(group) && !any_was_sent(group);
}

/* -- progress -- */

static void count_shares(void *cookie, ProgressShares *shares)
{
    RunGroup *group = cookie;
    for (unsigned i = 0; i < group->n_members; i++)
        run_count_shares(&group->members[i].run, shares);
}

static void start_progress(RunGroup *group)
{
    unsigned long long most = 0;
    bool is_estimate = false;
    for (unsigned i = 0; i < group->n_members; i++) {
        const Member *member = &group->members[i];
        const unsigned long long frames = member->active ? run_expected_frames(&member->run) : 0;
        if (frames > most)
            most = frames;
        is_estimate |=
            member->active && input_is_media(&member->run) && !records_is_shard(&member->run);
    }
    progress_start(&group->progress, stderr, group->host->terminal && !group->options->quiet, most,
                   is_estimate);
    progress_ask(&group->progress, count_shares, group);
}

/* -- frames -- */

/* Until a wait for a frame looks for frames that will never come back. */
enum { WAIT_MS = 250 };

Taken run_take_frame(Run *run, ReadAhead *ahead)
{
    Taken taken;
    do {
        taken.status = read_ahead_next(ahead, WAIT_MS, &taken.picture, &taken.why);
        if (taken.status == -EAGAIN)
            run_replace_lost_frames(run);
    } while (taken.status == -EAGAIN && !run_is_stopped(run));
    taken.time = taken.status > 0 ? read_ahead_time(ahead) : 0;
    return taken;
}

/* What a run of one video needs before its first pair: lines of what an interrupted run has left,
 * and neighbours. */
static int catch_up(Run *run)
{
    if (run->frames && !live_report_advance(run->live, run->frames))
        return live_report_failed(run->live);
    return records_have_all(run) ? STATUS_OK : records_read_lead_in(run);
}

/* A shard was promised the frames that it ends before. */
static int end_reading(Run *run, const Taken *reference, const Taken *distorted)
{
    const int status = run_finish_reading(run, reference, distorted);
    if (status || !records_is_shard(run))
        return status;
    print_error(
        "the shard ends at frame %u, not %u: the videos have fewer frames than they say; give "
        "their number with --frames",
        run->frames, records_end(run));
    return STATUS_READ;
}

static int stop_reading(void)
{
    print_error("interrupted");
    return STATUS_FAILURE;
}

/* Looks at a pair before it is scored. False: the member does not go on, and *status says why. */
static bool look_at_pair(RunGroup *group, Member *member, const Taken *reference,
                         const Taken *distorted, int *status)
{
    Run *run = &member->run;
    const bool is_stopped = run_is_stopped(run);
    if (is_stopped || reference->status <= 0 || distorted->status <= 0) {
        begin_step(group, member);
        *status = is_stopped ? stop_reading() : end_reading(run, reference, distorted);
        return false;
    }
    if (run_look_at_pair(run, reference, distorted)) {
        begin_step(group, member);
        *status = run_report_line_up(run);
        if (*status)
            return false;
        end_step(group, member, STATUS_OK);
    }
    html_report_see(run, &reference->picture, &distorted->picture);
    const int err = records_expect(run, reference, distorted);
    if (!err)
        return true;
    begin_step(group, member);
    *status = run_scoring_failed(run, err);
    return false;
}

/* Takes a picture of each video that has one. */
static void take_distorted(RunGroup *group, const Taken *reference, VmafPicture dist[])
{
    for (unsigned i = 0; i < group->n_members; i++) {
        Member *member = &group->members[i];
        int status = STATUS_OK;
        if (!member->active)
            continue;
        Taken distorted = run_take_frame(&member->run, member->run.distorted_ahead);
        if (look_at_pair(group, member, reference, &distorted, &status)) {
            dist[member->place] = distorted.picture;
            continue;
        }
        run_release_frame(&distorted);
        member->active = false;
        end_step(group, member, status);
    }
}

/* Submits the pairs. The pictures are the library's afterwards, but those with an error. */
static void submit_pairs(RunGroup *group, Taken *reference, VmafPicture dist[], int errors[])
{
    VmafPicture *picture = &reference->picture;
    const int err =
        group->vmaf ? vmaf_group_read_pictures(group->vmaf, picture, dist, errors, group->frames)
                    : vmaf_read_pictures(group->members[0].run.vmaf, picture, dist, group->frames);
    const unsigned n = !group->vmaf ? 1 : err ? group->n_in_group : 0;
    for (unsigned i = 0; i < n; i++)
        errors[i] = err;
    if (err)
        run_release_frame(reference);
}

/* A pair was scored, or not. */
static void account_for_pair(RunGroup *group, Member *member, VmafPicture *dist, int err,
                             bool *warns)
{
    Run *run = &member->run;
    int status = STATUS_OK;
    if (err) {
        vmaf_picture_unref(dist);
        begin_step(group, member);
        end_step(group, member, run_scoring_failed(run, err));
        return;
    }
    run->frames++;
    if (group->frames == group->first) {
        continue_step(group, member);
        status =
            backend_choice_check(run->options, run->vmaf, &run->reference->reader.format, *warns);
        *warns = *warns && status;
    }
    if (!status && !live_report_advance(run->live, run->frames)) {
        begin_step(group, member);
        status = live_report_failed(run->live);
    }
    end_step(group, member, status);
}

static void read_pairs(RunGroup *group)
{
    const Run *run = &group->members[0].run;
    const unsigned limit = records_is_shard(run) ? records_end(run) : group->options->frame_count;
    Run *first;
    while ((!limit || group->frames < limit) && (first = first_active(group))) {
        VmafPicture dist[MAX_DISTORTED] = {0};
        int errors[MAX_DISTORTED];
        bool warns = true;
        Taken reference = run_take_frame(first, group->reference.ahead);
        if (reference.status > 0)
            frame_clock_add(&group->reference.clock, group->frames, reference.time);
        take_distorted(group, &reference, dist);
        if (!first_active(group)) {
            run_release_frame(&reference);
            break;
        }
        submit_pairs(group, &reference, dist, errors);
        for (unsigned i = 0; i < group->n_members; i++) {
            Member *member = &group->members[i];
            if (member->active)
                account_for_pair(group, member, &dist[member->place], errors[member->place],
                                 &warns);
        }
        if (starts_again(group))
            break;
        group->frames++;
        progress_update(&group->progress, frames_done(group));
    }
}

/* -- results of several videos -- */

static void flush_members(RunGroup *group)
{
    for (unsigned i = 0; i < group->n_members; i++) {
        Member *member = &group->members[i];
        if (member->run.status)
            continue;
        begin_step(group, member);
        end_step(group, member, run_flush(&member->run, STATUS_OK));
    }
    progress_end(&group->progress, frames_done(group));
}

static void show_scores(RunGroup *group)
{
    const Options *options = group->options;
    for (unsigned i = 0; i < group->n_members; i++) {
        Member *member = &group->members[i];
        if (member->run.status)
            continue;
        if (group->host->terminal && (!options->quiet || !options->n_outputs))
            print_error("%s:", member->options->distorted);
        begin_step(group, member);
        end_step(group, member, run_pool_scores(&member->run));
    }
}

/* Output number `index` of each video that has scores. */
static int write_each(const RunGroup *group, unsigned index)
{
    int status = STATUS_OK;
    for (unsigned i = 0; i < group->n_members; i++) {
        const Run *run = group->runs[i];
        const int written =
            run->status ? STATUS_OK : run_write_output(run, &run->options->outputs[index]);
        if (written)
            status = written;
    }
    return status;
}

static int write_outputs(const RunGroup *group)
{
    const Options *options = group->options;
    int status = STATUS_OK;
    for (unsigned i = 0; i < options->n_outputs; i++) {
        const Output *output = &options->outputs[i];
        const int written =
            report_name_has_place(output->path)
                ? write_each(group, i)
                : output_kind(output->format)->write(output, group->runs, group->n_members);
        if (written > status)
            status = written;
    }
    return status;
}

static int judge_gates(const RunGroup *group)
{
    int status = STATUS_OK;
    for (unsigned i = 0; i < group->n_members; i++) {
        const int judged = group->runs[i]->status ? STATUS_OK : run_judge_gates(group->runs[i]);
        status = judged > status ? judged : status;
    }
    return status;
}

/* -- the whole -- */

static int score_several(RunGroup *group)
{
    read_pairs(group);
    if (starts_again(group))
        return STATUS_READ;
    flush_members(group);
    if (starts_again(group))
        return STATUS_READ;
    show_scores(group);
    const int written = write_outputs(group);
    summary_print(group->runs, group->n_members);
    const int judged = judge_gates(group);
    return judged > written ? judged : written;
}

/* A shard has no scores. */
static int score_one(RunGroup *group, int status)
{
    Run *run = &group->members[0].run;
    if (!status)
        status = catch_up(run);
    if (!status && !records_have_all(run)) {
        read_pairs(group);
        status = run->status;
    }
    progress_end(&group->progress, frames_done(group));
    if (!status)
        begin_step(group, &group->members[0]);
    status = run_flush(run, status);
    return status || group->options->shard.is_given ? status : run_finish(run);
}

static int score(RunGroup *group)
{
    int status = find_start(group);
    start_progress(group);
    if (!status)
        status = start_reading(group);
    if (!has_several(group))
        return score_one(group, status);
    return status ? status : score_several(group);
}

static int run_group(RunGroup *group)
{
    int status = create_members(group);
    if (!status && !has_several(group))
        print_error_also_to(&group->members[0].run.said);
    if (!status)
        status = has_several(group) ? open_several(group) : open_one(group);
    if (!status)
        status = prepare_members(group);
    if (!status)
        status = score(group);
    for (unsigned i = 0; i < group->n_members; i++) {
        if (group->runs[i]->status > status)
            status = group->runs[i]->status;
    }
    print_error_also_to(NULL);
    return status;
}

/* What libvmaf accepts, although nothing comes of it. */
static void warn_of_idle_options(const Options *options)
{
    if (options->quiet)
        return;
    if (options->format_given && !options->n_outputs)
        print_error("warning: there is a format, but no report: name a file for it with -o");
    if (options->no_prediction && !options->n_features && !options->n_models)
        print_error("warning: nothing is computed: -n goes with --feature");
}

/* Ends reports that are written while frames are scored. A driver that works or hangs may not be
 * ended in order. True: nothing of the run is left. */
static bool leave_drivers(RunGroup *group, int status)
{
    for (unsigned i = 0; i < group->n_members; i++) {
        Member *member = &group->members[i];
        Run *run = &member->run;
        member->sent = was_sent(member);
        run_end_live(run);
        if (!backend_choice_is_busy(run->vmaf))
            continue;
        if (!group->host->driver_hangs) {
            fflush(NULL);
            _Exit(status);
        }
        atomic_store(group->host->driver_hangs, true);
        if (backend_choice_hangs(run->vmaf)) {
            run_abandon(run);
            return true;
        }
    }
    return false;
}

static void close_group(RunGroup *group)
{
    read_ahead_stop(group->reference.ahead);
    for (unsigned i = 0; i < group->n_members; i++)
        run_stop(&group->members[i].run);
    if (group->vmaf)
        vmaf_group_close(group->vmaf);
    for (unsigned i = 0; i < group->n_members; i++) {
        run_close(&group->members[i].run);
        for (unsigned k = 0; k < MAX_OUTPUTS; k++)
            free(group->members[i].paths[k]);
        free(group->members[i].options);
    }
    run_close_reference(&group->reference);
    free(group->members);
}

/* Wrong scores can only be corrected by scoring all frames again, which is impossible with pipes.
 * *distrusted receives the backend without which that is to be done, or "". */
static void decide_what_follows(const RunGroup *group, Options *options,
                                char distrusted[BACKEND_NAME_SIZE])
{
    const char *backend = distrusted_by_any(group);
    *distrusted = '\0';
    if (!backend)
        return;
    if (starts_again(group)) {
        strcpy(distrusted, backend);
        print_error("vmaf: starting again without backend %s", distrusted);
        device_input_give_up(group->runs[0], options);
    } else if (any_was_sent(group)) {
        print_error(
            "vmaf: there are no scores: what was written of the report%s cannot be taken back",
            has_several(group) ? "s" : "");
    } else {
        print_error("vmaf: there are no scores: the videos are no files that could be read again");
    }
}

static int run_once(Options *options, const RunHost *host, char distrusted[BACKEND_NAME_SIZE],
                    RunOutcome *outcome)
{
    RunGroup group = {.options = options, .host = host};
    const int status = run_group(&group);
    *distrusted = '\0';
    if (outcome)
        *outcome = group.members
                       ? (RunOutcome){run_pooled_metrics(group.runs[0]), group.runs[0]->said}
                       : (RunOutcome){NULL, {"out of memory"}};
    if (leave_drivers(&group, status))
        return status;
    decide_what_follows(&group, options, distrusted);
    close_group(&group);
    return status;
}

int run(const Options *options, const RunHost *host, RunOutcome *outcome)
{
    Options without = *options;
    char distrusted[BACKEND_NAME_SIZE];
    if (host->terminal && !options->quiet)
        print_error("VMAF version %s", vmaf_version());
    warn_of_idle_options(options);
    int status;
    do { /* each time there is one backend less */
        status = run_once(&without, host, distrusted, outcome);
    } while (*distrusted && backend_choice_distrust(&without, distrusted));
    return status;
}
