/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf merge and vmaf rescore: runs that are finished from stored records. */
#include "shards_internal.h"

#include "common/json.h"
#include "common/messages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/time.h"

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
    run->ended_first = shard_end_ended_first(last_end(set));
    shard_header_take_notes(last_end(set), "notes", &run->notes);
}

static int start_clock(Run *run, const json_t *header, unsigned passed_over)
{
    frame_clock_start(&run->reference->clock, input_frame_rate(&run->reference->reader.format),
                      passed_over);
    bool can_apply;
    const enum AlignMode mode = shard_header_align(header, &can_apply);
    return line_up_start(&run->line_up, mode, can_apply);
}

/* -- the records -- */

int stored_records_format(const Run *run, const char *problem, Message *why)
{
    const VideoFormat *format = &run->reference->reader.format;
    const int err = vmaf_records_format(run->vmaf, format->pixel_format, run_depth(run),
                                        format->width, format->height);
    return err ? message_set(why, err, "%s: %s", problem, strerror(-err)) : 0;
}

int stored_records_layout(const Run *run, const ShardReader *reader, Message *why)
{
    char *missing = NULL;
    const char *path = shard_reader_path(reader);
    char *layout = json_dumps(json_object_get(shard_reader_header(reader), "layout"), JSON_COMPACT);
    int err = layout ? vmaf_read_records_from(run->vmaf, layout, &missing) : -ENOMEM;
    if (err == -ENOENT)
        err = message_set(why, -EINVAL, "%s has no records of %s: that takes a run with the videos",
                          path, missing ? missing : "what is wanted");
    else if (err)
        (void)message_set(why, err, "%s: its records cannot be used: %s", path, strerror(-err));
    free(missing);
    free(layout);
    return err;
}

int stored_records_use(Run *run, const char *path, const ShardRow *row, size_t bytes, Message *why)
{
    const VmafStoredFrame frame = {sizeof(frame), row->index, row->record, row->record ? bytes : 0};
    const int err = vmaf_read_record(run->vmaf, &frame);
    if (err)
        return message_set(why, err, "%s: frame %u cannot be used: %s", path, (unsigned)row->index,
                           strerror(-err));
    frame_clock_add(&run->reference->clock, row->index, row->time);
    if (row->reference && run->line_up.mode != ALIGN_OFF &&
        line_up_add(&run->line_up, row->reference, row->distorted) && run_report_line_up(run))
        return message_set(why, -EINVAL, "%s: frames do not line up", path);
    run->frames = row->index + 1;
    return 0;
}

static int read_part(Run *run, const ShardPart *part, Message *why)
{
    const size_t bytes = shard_reader_shape(part->reader).record_bytes;
    ShardRow row;
    int more = stored_records_layout(run, part->reader, why);
    while (!more && (more = shard_reader_next(part->reader, &row, why)) > 0)
        more = stored_records_use(run, shard_reader_path(part->reader), &row, bytes, why);
    shard_reader_rest(part->reader);
    return more;
}

static int read_parts(Run *run, const ShardSet *set, Message *why)
{
    int err = stored_records_format(run, "the records cannot be used", why);
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
        return shard_rejected(&why, err);
    if (run_end_line_up(run))
        return STATUS_READ;
    take_end(run, set);
    err = vmaf_read_pictures(run->vmaf, NULL, NULL, 0);
    if (err) {
        print_error("problem flushing context%s", if_out_of_memory(err));
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
    run->started = vmaf_steady_ns();
    int status = start_clock(run, set->header, passed_over);
    if (!status)
        status = run_prepare(run);
    if (!status)
        status = use_records(run, set);
    if (!status)
        status = write_lines(run);
    return status ? status : run_finish(run);
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

/*
 * Finishes the stored records of a run as if it had just read its videos: scores, reports, what
 * --require demands. The options have models and features, of the run or others. Nothing is written
 * before all records were used.
 */
static int stored_run(const Options *options, const ShardSet *set, bool has_other_models)
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
    print_error_also_to(&run.said);
    if (!err)
        err = take_options(options, set, &stored, &whole, &passed_over, &why);
    if (err) {
        status = shard_rejected(&why, err);
    } else {
        run.options = &whole;
        take_notes(&run, set->header, has_other_models);
        status = all_steps(&run, set, passed_over);
    }
    print_error_also_to(NULL);
    run_stop(&run);
    run_close(&run);
    run_close_reference(&reference);
    free(stored.reference.report);
    free(stored.distorted.report);
    return status;
}

/* -- features that are stored -- */

static void put_value(FILE *out, const json_t *value)
{
    char real[DOUBLE_TEXT_SIZE];
    if (json_is_boolean(value))
        fputs(json_is_true(value) ? "true" : "false", out);
    else if (json_is_integer(value))
        fprintf(out, "%lld", (long long)json_integer_value(value));
    else if (json_is_string(value))
        fputs(json_string_value(value), out);
    if (!json_is_real(value))
        return;
    double_text(real, json_real_value(value), 6);
    fputs(real, out);
}

/* Such an option is not given: a default need not be in the range of the option. */
static bool is_default(const json_t *value, const VmafOptionInfo *option)
{
    if (json_is_boolean(value))
        return json_is_true(value) == (option->default_value != 0);
    if (json_is_number(value))
        return json_number_value(value) == option->default_value;
    return json_is_null(value) || (json_is_string(value) && option->default_string &&
                                   !strcmp(json_string_value(value), option->default_string));
}

/* As --feature takes it, to be freed, and what it should be taken apart to; NULL: out of memory, or
 * it is none. */
static char *feature_text(const json_t *record, unsigned *n_options)
{
    const char *name = json_text_of(record, "feature");
    const json_t *options = json_object_get(record, "options");
    TextBuffer buffer;
    VmafOptionInfo option;
    FILE *out = name ? text_begin(&buffer) : NULL;
    if (!out)
        return NULL;
    fputs(name, out);
    *n_options = 0;
    for (unsigned i = 0; catalogue_next_option(name, &i, &option);) {
        const json_t *value = json_object_get(options, option.name);
        if (!value || is_default(value, &option))
            continue;
        fprintf(out, "%c%s=", (*n_options)++ ? ':' : '=', option.name);
        put_value(out, value);
    }
    return text_end(&buffer, 0);
}

static bool has(const Options *options, const FeatureSpec *wanted)
{
    for (unsigned i = 0; i < options->n_features; i++) {
        if (feature_spec_same_keys(&options->features[i], wanted))
            return true;
    }
    return false;
}

static int add_feature(Options *options, const json_t *record, const char *path, Message *why)
{
    FeatureSpec *spec = &options->features[options->n_features];
    if (options->n_features == MAX_FEATURES)
        return message_set(why, -EINVAL, "%s: --all: at most %d features", path, MAX_FEATURES);
    unsigned n_options;
    char *text = feature_text(record, &n_options);
    int err = text ? feature_spec_parse(spec, text, why) : -ENOMEM;
    free(text);
    if (!err && spec->n_options != n_options) {
        feature_spec_free(spec);
        err = -EBADMSG;
    }
    if (err)
        return message_set(why, err, "%s: its layout is wrong", path);
    if (!catalogue_has_extractor(spec->name) || has(options, spec))
        feature_spec_free(spec);
    else
        options->n_features++;
    return 0;
}

static int add_all_features(Options *options, const ShardReader *reader, Message *why)
{
    const json_t *layout = json_object_get(shard_reader_header(reader), "layout");
    const json_t *records = json_object_get(layout, "records");
    int err = 0;
    for (size_t i = 0; i < json_array_size(records) && !err; i++)
        err = add_feature(options, json_array_get(records, i), shard_reader_path(reader), why);
    return err;
}

/* -- the commands -- */

/* Others are scored, but those of the run are part of what a file says. */
static int choose_others(Options *options, const ShardSet *set, Message *why)
{
    Options *of_run = calloc(1, sizeof(*of_run));
    if (!of_run)
        return message_set(why, -ENOMEM, "out of memory");
    const int err = shard_header_take_choice(set->header, of_run, set->path, why);
    command_line_free(of_run);
    free(of_run);
    if (err || !options->all_features)
        return err;
    return add_all_features(options, set->parts[0].reader, why);
}

static int score_parts(Options *options, bool has_other_models)
{
    ShardSet set;
    Message why;
    int status = outputs_check(options);
    if (status)
        return status;
    int err = shard_set_open(&set, options->parts, options->n_parts, &why);
    if (!err)
        err = has_other_models ? choose_others(options, &set, &why)
                               : shard_header_take_choice(set.header, options, set.path, &why);
    status = err ? shard_rejected(&why, err) : stored_run(options, &set, has_other_models);
    shard_set_close(&set);
    return status;
}

int merge(int argc, char **argv)
{
    Options options;
    int status;
    if (command_line_parse_parts(&options, IN_MERGE, argc, argv, &status))
        status = options.info ? shard_info_print(options.parts, options.n_parts)
                              : score_parts(&options, false);
    command_line_free(&options);
    return status;
}

int rescore(int argc, char **argv)
{
    Options options;
    int status;
    if (command_line_parse_parts(&options, IN_RESCORE, argc, argv, &status))
        status = score_parts(&options, true);
    command_line_free(&options);
    return status;
}
