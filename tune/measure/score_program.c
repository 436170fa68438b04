/* SPDX-License-Identifier: BSD-2-Clause-Patent */

#include "tune/measure/scorer.h"

#include "media/y4m.h"
#include "platform/child.h"
#include "platform/machine.h"
#include "platform/process.h"
#include "tune/encode/arguments.h"
#include "tune/encode/scratch_folder.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- pictures in Y4M files -- */

typedef struct Y4mWriter {
    FILE *file; /* NULL: it is not begun */
    char *path;
} Y4mWriter;

static int cannot_write(const Y4mWriter *writer, Message *why)
{
    const int err = -(errno ? errno : EIO);
    return message_set(why, err, "cannot write %.300s: %s", writer->path, strerror(-err));
}

/* All pictures have to look alike. */
static int write_picture(Y4mWriter *writer, const VmafPicture *picture, bool is_first, Message *why)
{
    const size_t sample = picture->bpc > 8 ? 2 : 1;
    char bytes[2 * VIDEO_MAX_SIDE];
    if (is_first) {
        const VideoFormat format = {
            .pixel_format = picture->pix_fmt,
            .width = picture->w[0],
            .height = picture->h[0],
            .bit_depth = picture->bpc,
            .rate_num = 25, /* scores do not depend on it */
            .rate_den = 1,
        };
        char header[Y4M_SHORT_HEADER];
        y4m_print_header(header, &format, false);
        writer->file = fopen(writer->path, "wb");
        if (!writer->file)
            return cannot_write(writer, why);
        fputs(header, writer->file);
    }
    fputs("FRAME\n", writer->file);
    for (int plane = 0; plane < 3; plane++) {
        const char *row = picture->data[plane];
        const size_t size = sample * picture->w[plane];
        for (unsigned y = 0; row && y < picture->h[plane]; y++, row += picture->stride[plane]) {
            memcpy(bytes, row, size);
            vmaf_swap_for_files(bytes, size, sample);
            fwrite(bytes, 1, size, writer->file);
        }
    }
    return ferror(writer->file) ? cannot_write(writer, why) : 0;
}

enum { VERSION_LIMIT_MS = 30000, STATUS_NO_BACKEND = 100 };

/* -- running it -- */

/* The last line that a program has said, without what ends it. */
static const char *last_line(char *text)
{
    size_t length = strlen(text);
    while (length && (text[length - 1] == '\n' || text[length - 1] == '\r'))
        text[--length] = '\0';
    const char *end = strrchr(text, '\n');
    return end ? end + 1 : text;
}

/* 0 if it has done its work; negative errno and why. */
static int judge(const ScoreOptions *options, VmafChildResult *result, Message *why)
{
    const char *program = options->program->path, *said = last_line(result->error_tail);
    const double limit = (double)options->program->limit_ms / 1000;
    char name[32];
    if (result->ending == VMAF_CHILD_STOPPED)
        return message_set(why, -ECANCELED, "interrupted");
    if (result->ending == VMAF_CHILD_LATE)
        return message_set(why, -ETIMEDOUT, "%.100s said nothing for %.1f s, so it was ended",
                           program, limit);
    if (result->ending == VMAF_CHILD_SIGNALLED) {
        vmaf_signal_name(name, sizeof name, result->number);
        return message_set(why, -EIO, "%.100s was ended by %s", program, name);
    }
    if (result->ending == VMAF_CHILD_UNKNOWN || !result->number)
        return 0;
    if (result->number == STATUS_NO_BACKEND && score_needs_device(options))
        return message_set(why, -ENODEV, "--backend %s is not available: %.300s", options->backend,
                           said);
    return message_set(why, -EIO, "%.100s failed with status %d: %.300s", program, result->number,
                       said);
}

static int cannot_run(const char *program, int err, Message *why)
{
    return message_set(why, err, "%.200s cannot be run: %s", program, strerror(-err));
}

int score_program_version(const char *program, const atomic_bool *stop,
                          char version[SCORE_VERSION_SIZE], Message *why)
{
    const char *const arguments[] = {program, "--version", NULL};
    const VmafChildRun run = {.program = program,
                              .arguments = arguments,
                              .limit_ms = VERSION_LIMIT_MS,
                              .stop = stop,
                              .output_max = SCORE_VERSION_SIZE};
    VmafChildResult result;
    int err = vmaf_child_run(&run, &result);
    if (err)
        return cannot_run(program, err, why);
    /* Some say it to standard error. */
    const char *said = result.output_size ? result.output : result.error_tail;
    snprintf(version, SCORE_VERSION_SIZE, "%.*s", (int)strcspn(said, "\r\n"), said);
    if (result.ending == VMAF_CHILD_STOPPED)
        err = message_set(why, -ECANCELED, "interrupted");
    else if (result.ending != VMAF_CHILD_EXITED || result.number || !*version)
        err = message_set(why, -EINVAL, "%.200s does not tell its version (--version)", program);
    vmaf_child_result_free(&result);
    return err;
}

/* -- what it is given, and reports -- */

/* One comparison: the reference, and the encode. */
typedef struct ProgramRun {
    const ScoreOptions *options;
    ScratchFolder folder;
    Y4mWriter videos[2];
    char *report;
    size_t frames;
} ProgramRun;

static int make_files(ProgramRun *run, const char *encode, Message *why)
{
    const int err = scratch_folder_make(&run->folder, encode);
    if (err)
        return message_set(why, err, "no folder can be made beside %.300s: %s", encode,
                           strerror(-err));
    run->videos[0].path = text_printed("%s/reference.y4m", run->folder.path);
    run->videos[1].path = text_printed("%s/distorted.y4m", run->folder.path);
    run->report = text_printed("%s/report.json", run->folder.path);
    return run->videos[0].path && run->videos[1].path && run->report
               ? 0
               : message_set(why, -ENOMEM, "out of memory");
}

static int write_pair(void *cookie, VmafPicture *reference, VmafPicture *distorted, size_t index,
                      Message *why)
{
    ProgramRun *run = cookie;
    int err = write_picture(&run->videos[0], reference, index == 0, why);
    if (!err)
        err = write_picture(&run->videos[1], distorted, index == 0, why);
    vmaf_picture_unref(reference);
    vmaf_picture_unref(distorted);
    return err;
}

static int end_videos(void *cookie, int err, size_t frames, Message *why)
{
    ProgramRun *run = cookie;
    run->frames = frames;
    for (int i = 0; i < 2; i++)
        if (run->videos[i].file && fclose(run->videos[i].file) && !err)
            err = cannot_write(&run->videos[i], why);
    return err;
}

static void fill_command(const ProgramRun *run, ArgumentList *command)
{
    const ScoreOptions *options = run->options;
    const char *model = options->model, *backend = options->backend;
    arguments_add(command, options->program->path);
    arguments_option(command, "--reference", "%s", run->videos[0].path);
    arguments_option(command, "--distorted", "%s", run->videos[1].path);
    arguments_option(command, "--model", "%s%s", strchr(model, '=') ? "" : "version=", model);
    for (size_t i = 0; i < options->n_features; i++)
        arguments_option(command, "--feature", "%s", options->features[i]);
    arguments_option(command, "--threads", "%d", options->threads > 0 ? options->threads : 1);
    if (backend && strcmp(backend, "auto"))
        arguments_option(command, "--backend", "%s", backend);
    arguments_add(command, "--json");
    arguments_option(command, "--output", "%s", run->report);
}

static int run_program(const ProgramRun *run, const ScoreControl *control, Message *why)
{
    const ScoreProgram *program = run->options->program;
    ArgumentList command = {0};
    VmafChildResult result;
    fill_command(run, &command);
    const VmafChildRun child = {.program = program->path,
                                .arguments = (const char *const *)command.items,
                                .limit_ms = program->limit_ms,
                                .stop = control->stop};
    int err = command.error ? command.error : vmaf_child_run(&child, &result);
    if (err) {
        cannot_run(program->path, err, why);
    } else {
        err = judge(run->options, &result, why);
        vmaf_child_result_free(&result);
    }
    arguments_free(&command);
    return err;
}

/* Each metric of the first frame is a series; every frame has to have all of them. */
static int take_frames(EncodeScores *scores, const json_t *frames)
{
    json_t *first = json_object_get(json_array_get(frames, 0), "metrics"), *value;
    const char *name;
    if (json_array_size(frames) != scores->frames)
        return -EINVAL;
    json_object_foreach(first, name, value)
    {
        const ScoreSeries *series = encode_scores_add(scores, name);
        if (!series)
            return -ENOMEM;
        for (size_t i = 0; i < scores->frames; i++) {
            const json_t *metrics = json_object_get(json_array_get(frames, i), "metrics");
            value = json_object_get(metrics, name);
            if (!json_is_number(value))
                return -EINVAL;
            series->values[i] = json_number_value(value);
        }
    }
    return encode_scores_find(scores, "vmaf") ? 0 : -EINVAL;
}

static int read_report(const ProgramRun *run, EncodeScores *scores, Message *why)
{
    const char *program = run->options->program->path;
    json_error_t error;
    json_t *json = json_load_file(run->report, 0, &error);
    if (!json)
        return message_set(why, -EIO, "%.200s left no report: %s", program, error.text);
    const json_t *backend = json_object_get(json, "backend_used");
    *scores = (EncodeScores){
        .frames = run->frames,
        /* It is not said where only the processor was asked. */
        .backend = strdup(json_is_string(backend) ? json_string_value(backend) : "cpu"),
        .device = strdup(""),
    };
    int err = take_frames(scores, json_object_get(json, "frames"));
    if (!err && (!scores->backend || !scores->device))
        err = -ENOMEM;
    json_decref(json);
    if (!err)
        return 0;
    encode_scores_free(scores);
    return err == -ENOMEM
               ? message_set(why, err, "out of memory")
               : message_set(why, -EIO, "%.200s: its report has not the scores of %zu frames",
                             program, run->frames);
}

int score_by_program(ScorePairs pairs, EncodeScores *scores, Message *why)
{
    ProgramRun run = {.options = pairs.options};
    pairs.take = write_pair;
    pairs.finish = end_videos;
    pairs.cookie = &run;
    int err = make_files(&run, pairs.encode, why);
    if (!err)
        err = score_pairs(&pairs, why);
    if (!err)
        err = run_program(&run, pairs.control, why);
    if (!err)
        err = read_report(&run, scores, why);
    scratch_folder_remove(&run.folder);
    free(run.videos[0].path);
    free(run.videos[1].path);
    free(run.report);
    return err;
}
