/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "shards/stored_run.h"

#include "auto_model.h"
#include "common/messages.h"
#include "exit_status.h"
#include "run_scores.h"
#include "run_single.h"
#include "run_steps.h"
#include "shards/json_text.h"

#include "libvmaf/libvmaf_ext.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/time.h"

int stored_run_refuse(const Message *why, int err)
{
    say("%s", why->text);
    return err == -ENOMEM ? STATUS_FAILURE : STATUS_READ;
}

/* -- the run, as far as it is not in the records -- */

static int take_videos(Run *run, StoredInput *stored, const ShardSet *set, Message *why)
{
    int err = shard_header_take_video(set->header, "reference", &stored->reference, set->path, why);
    if (!err)
        err = shard_header_take_video(set->header, "distorted", &stored->distorted, set->path, why);
    run->stored = stored;
    run->reference->reader.format = stored->reference.format;
    run->distorted.format = stored->distorted.format;
    return err;
}

/* Notes on the videos, and on the model that was chosen for them. */
static void take_notes(Run *run, const json_t *header, bool has_other_models)
{
    static const char of_auto[] = "--model auto:";
    Notes stored = {.count = 0};
    shard_header_take_notes(header, "notes_reference", &stored);
    for (unsigned i = 0; i < stored.count; i++) {
        if (!has_other_models || strncmp(stored.text[i], of_auto, strlen(of_auto)) != 0)
            notes_add(&run->reference->notes, "%s", stored.text[i]);
    }
    notes_free(&stored);
    for (unsigned i = 0; i < run->options->n_models; i++) {
        if (run->options->models[i].is_auto) {
            auto_model_note(&run->reference->reader.format, &run->reference->notes);
            break;
        }
    }
    shard_header_take_notes(header, "notes", &run->notes);
}

/* The last block of the last part: the videos' end was seen by all, and said by each. */
static const json_t *last_end(const ShardSet *set)
{
    return shard_reader_end(set->parts[set->count - 1].reader);
}

static void take_end(Run *run, const ShardSet *set)
{
    const char *role = json_string_value(json_object_get(last_end(set), "ended_first"));
    if (role)
        run->ended_first = strcmp(role, "reference") ? "distorted" : "reference";
    shard_header_take_notes(last_end(set), "notes", &run->notes);
}

static int start_clock(Run *run, const json_t *header, unsigned passed_over)
{
    const VideoFormat *format = &run->reference->reader.format;
    frame_clock_start(&run->reference->clock,
                      format->rate_den ? format->rate_num / (double)format->rate_den : 0,
                      passed_over);
    bool can_apply;
    const enum AlignMode mode = shard_header_align(header, &can_apply);
    return line_up_start(&run->line_up, mode, can_apply);
}

static int create_context(Run *run)
{
    const Options *options = run->options;
    const unsigned threads = options->threads_given ? options->threads : run->host->n_processors;
    run->n_threads = threads > 1 ? threads : 0;
    const VmafConfiguration config = {
        .log_level = options->quiet ? VMAF_LOG_LEVEL_ERROR : VMAF_LOG_LEVEL_INFO,
        .n_threads = run->n_threads,
        .n_subsample = options->subsample,
        .gpumask = UINT64_MAX, /* there are no pixels */
    };
    const int err = vmaf_init(&run->vmaf, config);
    if (err) {
        say("problem initialising with %u threads: %s", threads, strerror(-err));
        return STATUS_FAILURE;
    }
    vmaf_report_statistics(run->vmaf, options->statistics);
    return STATUS_OK;
}

/* -- the records -- */

static int state_format(Run *run, Message *why)
{
    const VideoFormat *format = &run->reference->reader.format;
    const int err = vmaf_records_format(run->vmaf, format->pixel_format, run_depth(run),
                                        format->width, format->height);
    return err ? message_set(why, err, "the records cannot be used: %s", strerror(-err)) : 0;
}

int stored_run_read_from(VmafContext *vmaf, const ShardReader *reader, Message *why)
{
    char *missing = NULL;
    const char *path = shard_reader_path(reader);
    char *layout = json_dumps(json_object_get(shard_reader_header(reader), "layout"), JSON_COMPACT);
    int err = layout ? vmaf_read_records_from(vmaf, layout, &missing) : -ENOMEM;
    if (err == -ENOENT)
        err = message_set(why, -EINVAL, "%s has no records of %s: that takes a run with the videos",
                          path, missing ? missing : "what is wanted");
    else if (err)
        (void)message_set(why, err, "%s: its records cannot be used: %s", path, strerror(-err));
    free(missing);
    free(layout);
    return err;
}

static int read_row(Run *run, const ShardPart *part, const ShardRow *row, size_t bytes,
                    Message *why)
{
    const VmafStoredFrame frame = {sizeof(frame), row->index, row->record, row->record ? bytes : 0};
    const int err = vmaf_read_record(run->vmaf, &frame);
    if (err)
        return message_set(why, err, "%s: frame %u cannot be used: %s",
                           shard_reader_path(part->reader), (unsigned)row->index, strerror(-err));
    frame_clock_add(&run->reference->clock, row->index, row->time);
    run->frames = row->index + 1;
    if (!row->reference || run->line_up.mode == ALIGN_OFF ||
        !line_up_add_signatures(&run->line_up, row->reference, row->distorted) ||
        !run_tell_line_up(run))
        return 0;
    return message_set(why, -EINVAL, "%s: frames do not line up", shard_reader_path(part->reader));
}

static int read_part(Run *run, const ShardPart *part, Message *why)
{
    const size_t bytes = shard_reader_shape(part->reader).record_bytes;
    ShardRow row;
    int more = stored_run_read_from(run->vmaf, part->reader, why);
    while (!more && (more = shard_reader_next(part->reader, &row, why)) > 0)
        more = read_row(run, part, &row, bytes, why);
    shard_reader_rest(part->reader);
    return more;
}

static int read_parts(Run *run, const ShardSet *set, Message *why)
{
    int err = state_format(run, why);
    for (unsigned i = 0; i < set->count && !err; i++) {
        if (set->parts[i].about.begin != set->parts[i].about.end)
            err = read_part(run, &set->parts[i], why);
    }
    if (!err && run->frames != set->pairs)
        err = message_set(why, -EBADMSG, "files of records were changed while they were read");
    return err;
}

static int use_records(Run *run, const ShardSet *set)
{
    Message why;
    int err = read_parts(run, set, &why);
    if (err)
        return stored_run_refuse(&why, err);
    if (run_end_line_up(run))
        return STATUS_READ;
    take_end(run, set);
    err = vmaf_read_pictures(run->vmaf, NULL, NULL, 0);
    if (err) {
        say("problem flushing context%s", if_out_of_memory(err));
        return STATUS_READ;
    }
    run->seconds = (double)(vmaf_steady_ns() - run->started) * 1e-9;
    return STATUS_OK;
}

/* -- scores and reports -- */

static int write_lines(Run *run)
{
    const int status = live_report_start(run);
    if (status)
        return status;
    const bool goes_on = !run->live || live_report_advance(run->live, run->frames);
    live_report_finish(run->live);
    return goes_on ? STATUS_OK : live_report_failed(run->live);
}

static int all_steps(Run *run, const ShardSet *set, unsigned passed_over)
{
    static int (*const before[])(Run *) = {
        create_context, run_load_models, run_load_features, gates_check, run_check_output,
    };
    static int (*const after[])(Run *) = {
        write_lines, run_pool_scores, run_write_reports, run_show_summary, run_judge_gates,
    };
    run->started = vmaf_steady_ns();
    int status = start_clock(run, set->header, passed_over);
    if (!status)
        status = run_do_steps(run, before, sizeof(before) / sizeof(before[0]));
    if (!status)
        status = use_records(run, set);
    return status ? status : run_do_steps(run, after, sizeof(after) / sizeof(after[0]));
}

/* Options as reports see them. */
static int take_options(const Options *options, const ShardSet *set, const StoredInput *stored,
                        Options *whole, unsigned *passed_over, Message *why)
{
    *whole = *options;
    whole->reference = stored->reference.name;
    whole->distorted = whole->all_distorted[0] = stored->distorted.name;
    return shard_header_take_frames(set->header, whole, passed_over, set->path, why);
}

int stored_run(const Options *options, const ShardSet *set, bool has_other_models)
{
    Message why;
    StoredInput stored = {.reference = {.report = NULL}};
    Reference reference = {.open = false};
    Options whole;
    unsigned passed_over;
    const RunHost host = run_host_alone();
    Run run = {.options = options, .host = &host, .reference = &reference};
    int err = take_videos(&run, &stored, set, &why);
    int status = STATUS_READ;
    run.said = &run.words;
    say_also_to(&run.words);
    if (!err)
        err = take_options(options, set, &stored, &whole, &passed_over, &why);
    if (err) {
        status = stored_run_refuse(&why, err);
    } else {
        run.options = &whole;
        take_notes(&run, set->header, has_other_models);
        status = all_steps(&run, set, passed_over);
    }
    say_also_to(NULL);
    run_stop(&run);
    run_close(&run);
    notes_free(&reference.notes);
    frame_clock_free(&reference.clock);
    free(stored.reference.report);
    free(stored.distorted.report);
    return status;
}
