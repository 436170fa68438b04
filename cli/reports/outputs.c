/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Files that a run writes: their names, what they may replace, their formats. */
#include "reports_internal.h"

#include "common/messages.h"
#include "run/run.h"
#include "shards/shard_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"
#include "platform/path.h"
#include "platform/text.h"

/* -- names -- */

static const char place_of_name[] = "{}";
enum { PLACE_LENGTH = sizeof(place_of_name) - 1 };

bool report_name_has_place(const char *pattern)
{
    return strstr(pattern, place_of_name) != NULL;
}

/* A dot at the beginning belongs to the name. */
static const char *stem_of(const char *video, size_t *length)
{
    if (!strcmp(video, "-"))
        video = "stdin";
    const char *name = vmaf_path_name(video);
    const char *dot = strrchr(name, '.');
    *length = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    return name;
}

char *report_name_make(const char *pattern, const char *video)
{
    size_t length, places = 0;
    const char *stem = stem_of(video, &length);
    for (const char *at = pattern; (at = strstr(at, place_of_name)); at += PLACE_LENGTH)
        places++;
    char *made = malloc(strlen(pattern) + places * length + 1), *end = made;
    if (!made)
        return NULL;
    for (const char *at; (at = strstr(pattern, place_of_name)); pattern = at + PLACE_LENGTH) {
        end = mempcpy(end, pattern, (size_t)(at - pattern));
        end = mempcpy(end, stem, length);
    }
    strcpy(end, pattern);
    return made;
}

/* -- what they may replace -- */

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

int outputs_guard(OutputGuard *guard, const Options *options, const char *label, Message *why)
{
    const unsigned before = guard->count;
    int err = note_inputs(guard, options, why);
    if (!err)
        err = note_outputs(guard, options, label, why);
    if (err)
        output_guard_forget(guard, before);
    return err;
}

int outputs_check(const Options *options)
{
    OutputGuard guard = {.count = 0};
    Message why;
    int err = outputs_guard(&guard, options, NULL, &why);
    if (!err)
        err = output_guard_trace(&guard, &why);
    output_guard_free(&guard);
    if (err)
        print_error("%s", why.text);
    return err ? STATUS_FAILURE : STATUS_OK;
}

/* -- writing -- */

int output_failed(const char *name, int err)
{
    print_error("problem writing output: %s (%s)", name, strerror(-err));
    return STATUS_FAILURE;
}

/* Numbers as --precision wants them; NULL: as the library prints them. */
const char *output_score_format(const Options *options)
{
    return options->score_format[0] ? options->score_format : NULL;
}

/* The JSON report, with what is known of media files; to be freed. 0; negative errno. */
static int make_json(const Run *run, char **text)
{
    int err = vmaf_output_text(run->vmaf, text, VMAF_OUTPUT_FORMAT_JSON,
                               output_score_format(run->options));
    if (err || !input_is_media(run))
        return err;
    *text = input_extend_report(run, *text);
    return *text ? 0 : -ENOMEM;
}

/* What the library writes by itself, of one video. */
static int write_report(const Output *output, const Run *const runs[], unsigned n)
{
    (void)n;
    const int err = vmaf_write_output_with_format(runs[0]->vmaf, output->path,
                                                  (enum VmafOutputFormat)output->format,
                                                  output_score_format(runs[0]->options));
    return err ? output_failed(output->path, err) : STATUS_OK;
}

/* The report of a video as a text, or `why` there is none. Returns the exit status. */
static int take_report(const Run *run, char **text, Message *why)
{
    *text = NULL;
    if (run->status) {
        *why = run->said;
        return STATUS_OK;
    }
    const int err = make_json(run, text);
    if (!err) {
        (*text)[strlen(*text) - 1] = '\0'; /* the line feed */
        return STATUS_OK;
    }
    free(*text);
    *text = NULL;
    print_error_also_to(why);
    output_failed(run->options->distorted, err);
    print_error_also_to(NULL);
    return STATUS_FAILURE;
}

static int print_result(const Run *run, FILE *out)
{
    char *text;
    Message why = {""};
    const int status = take_report(run, &text, &why);
    fputs("{\"distorted\": ", out);
    json_string_print(out, run->options->distorted);
    fprintf(out, ", \"report\": %s, \"error\": ", text ? text : "null");
    json_string_print(out, text ? NULL : why.text);
    fputs("}", out);
    free(text);
    return status;
}

static int print_results(FILE *out, const Run *const runs[], unsigned n)
{
    int status = STATUS_OK;
    fputs("{\"results\": [", out);
    for (unsigned i = 0; i < n; i++) {
        fputs(i ? ",\n" : "\n", out);
        const int result = print_result(runs[i], out);
        if (result)
            status = result;
    }
    fputs("\n]}\n", out);
    return status;
}

/* One document, on several distorted videos: of each the report, or why there is none. */
static int write_json(const Output *output, const Run *const runs[], unsigned n)
{
    char *text = NULL;
    TextBuffer buffer;
    int status = STATUS_OK, err = 0;
    if (n == 1 && !input_is_media(runs[0]))
        return write_report(output, runs, n);
    if (n == 1) {
        err = make_json(runs[0], &text);
    } else {
        if (text_begin(&buffer))
            status = print_results(buffer.out, runs, n);
        text = text_end(&buffer, 0);
        err = text ? 0 : -ENOMEM;
    }
    if (!err)
        err = text_write(output->path, text);
    free(text);
    return err ? output_failed(output->path, err) : status;
}

/* -- formats -- */

static const OutputKind kinds[] = {
    {VMAF_OUTPUT_FORMAT_XML, ".xml", false, write_report},
    {VMAF_OUTPUT_FORMAT_JSON, ".json", true, write_json},
    {VMAF_OUTPUT_FORMAT_CSV, ".csv", false, write_report},
    {VMAF_OUTPUT_FORMAT_SUB, ".sub", false, write_report},
    {VMAF_OUTPUT_FORMAT_NDJSON, ".ndjson", false, live_report_write},
    {VMAF_OUTPUT_FORMAT_HTML, ".html", true, html_report_write},
};
enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

const OutputKind *output_kind(unsigned format)
{
    for (int i = 0; i < N_KINDS; i++) {
        if (kinds[i].format == format)
            return &kinds[i];
    }
    return NULL;
}

const OutputKind *output_kind_of_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (int i = 0; dot && i < N_KINDS; i++) {
        if (vmaf_ascii_alike(dot, kinds[i].extension))
            return &kinds[i];
    }
    return NULL;
}

bool output_is_wanted(const Options *options, unsigned format)
{
    for (unsigned i = 0; i < options->n_outputs; i++) {
        if (options->outputs[i].format == format)
            return true;
    }
    return false;
}
