/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "run_outputs.h"

#include "common/messages.h"
#include "exit_status.h"
#include "report_name.h"
#include "shards/shard_format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"
#include "platform/path.h"

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

/* Where a feature, or that of a model, writes heat maps; NULL: nowhere. */
static const char *heat_maps_folder(const Options *options)
{
    static const char name[] = "heatmaps_path";
    for (unsigned i = 0; i < options->n_features; i++) {
        const FeatureSpec *spec = &options->features[i];
        for (unsigned k = 0; k < spec->n_options; k++)
            if (!strcmp(spec->options[k].name, name))
                return spec->options[k].value;
    }
    for (unsigned i = 0; i < options->n_models; i++) {
        const ModelSpec *spec = &options->models[i];
        for (unsigned k = 0; k < spec->n_overloads; k++)
            if (!strcmp(spec->overloads[k].option, name))
                return spec->overloads[k].value;
    }
    return NULL;
}

/* Each video has files of the same names in it. */
static int note_heat_maps(OutputGuard *guard, const Options *options, const char *label,
                          const char *folder, Message *why)
{
    size_t length = strlen(folder);
    char *place;
    int err = 0;
    while (length > 1 && folder[length - 1] == '/')
        length--;
    if (asprintf(&place, "%.*s (heat maps)", (int)length, folder) < 0)
        return message_set(why, -ENOMEM, "out of memory");
    const GuardedOutput maps = {
        .path = place, .name = "the heat maps", .label = label, .overwrites = true};
    for (unsigned i = 0; i < options->n_distorted && !err; i++)
        err = output_guard_write(guard, &maps, why);
    free(place);
    return err == -EINVAL
               ? message_set(why, err, "heat maps of two videos cannot be in one folder: %s",
                             folder)
               : err;
}

/* A heat map can be scored as raw video. */
static int spare_heat_map(const char *folder, const char *video, Message *why)
{
    static const char begin[] = "cambi_heatmap_scale_";
    VmafFileStatus of_maps, of_video;
    const char *name = vmaf_path_name(video);
    if (strncmp(name, begin, strlen(begin)) != 0)
        return 0;
    char *above = name > video ? strndup(video, (size_t)(name - video)) : strdup(".");
    if (!above)
        return message_set(why, -ENOMEM, "out of memory");
    const bool is_there = !vmaf_file_status_at(above, &of_video) &&
                          !vmaf_file_status_at(folder, &of_maps) &&
                          vmaf_file_is_same(&of_video, &of_maps);
    free(above);
    return is_there ? message_set(why, -EINVAL, "the heat maps would replace a video: %s", video)
                    : 0;
}

static int check_heat_maps(OutputGuard *guard, const Options *options, const char *label,
                           Message *why)
{
    const char *folder = heat_maps_folder(options);
    if (!folder)
        return 0;
    int err = note_heat_maps(guard, options, label, folder, why);
    if (!err && options->reference)
        err = spare_heat_map(folder, options->reference, why);
    for (unsigned i = 0; i < options->n_distorted && !err; i++)
        if (options->all_distorted[i])
            err = spare_heat_map(folder, options->all_distorted[i], why);
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
    return err ? err : check_heat_maps(guard, options, label, why);
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
