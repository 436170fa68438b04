/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "run_outputs.h"

#include "exit_status.h"
#include "report_name.h"
#include "shards/shard_format.h"
#include "text/say.h"

#include <errno.h>
#include <stdlib.h>

static int note_inputs(OutputGuard *guard, const Options *options, Message *why)
{
    int err = output_guard_read(guard, options->reference, "a video", why);
    for (unsigned i = 0; i < options->n_distorted && !err; i++)
        err = output_guard_read(guard, options->all_distorted[i], "a video", why);
    for (unsigned i = 0; i < options->n_models && !err; i++)
        err = output_guard_read(guard, options->models[i].path, "a model", why);
    for (unsigned i = 0; i < options->n_parts && !err; i++)
        err = output_guard_read(guard, options->parts[i], "a file of records", why);
    return err;
}

static int note_records(OutputGuard *guard, const Options *options, const char *label,
                        const char *path, Message *why)
{
    const GuardedOutput records = {
        .path = path,
        .name = "the records",
        .label = label,
        .content = OUTPUT_MAGIC,
        .magic = SHARD_MAGIC,
        .overwrites = options->overwrites || options->resume, /* which says itself what is wrong */
        .needs_file = true,
    };
    return output_guard_write(guard, &records, why);
}

static int note_report(OutputGuard *guard, const Options *options, const char *label,
                       const char *path, Message *why)
{
    const GuardedOutput report = {
        .path = path, .name = "the report", .label = label, .overwrites = options->overwrites};
    return output_guard_write(guard, &report, why);
}

/* A report on each video. */
static int note_reports(OutputGuard *guard, const Options *options, const char *label,
                        const char *pattern, Message *why)
{
    int err = 0;
    for (unsigned i = 0; i < options->n_distorted && !err; i++) {
        char *path = report_name_make(pattern, options->all_distorted[i]);
        err = path ? note_report(guard, options, label, path, why)
                   : message_set(why, -ENOMEM, "out of memory");
        free(path);
    }
    return err;
}

static int note_outputs(OutputGuard *guard, const Options *options, const char *label, Message *why)
{
    int err = 0;
    if (options->keep_records)
        err = note_records(guard, options, label, options->keep_records, why);
    if (options->resume && !err)
        err = note_records(guard, options, label, options->resume, why);
    for (unsigned i = 0; i < options->n_outputs && !err; i++) {
        const char *path = options->outputs[i].path;
        if (options->shard.is_given)
            err = note_records(guard, options, label, path, why);
        else if (options->n_distorted > 1 && report_name_has_place(path))
            err = note_reports(guard, options, label, path, why);
        else
            err = note_report(guard, options, label, path, why);
    }
    if (options->capabilities && !err)
        err = note_report(guard, options, label, options->capabilities, why);
    return err;
}

int run_outputs_guard(OutputGuard *guard, const Options *options, const char *label, Message *why)
{
    const unsigned before = guard->count;
    int err = note_inputs(guard, options, why);
    if (!err)
        err = note_outputs(guard, options, label, why);
    if (err)
        output_guard_forget(guard, before);
    return err;
}

int run_outputs_check(const Options *options)
{
    OutputGuard guard = {.count = 0};
    Message why;
    int err = run_outputs_guard(&guard, options, NULL, &why);
    if (!err)
        err = output_guard_trace(&guard, &why);
    output_guard_free(&guard);
    if (err)
        say("%s", why.text);
    return err ? STATUS_FAILURE : STATUS_OK;
}
