/* SPDX-License-Identifier: BSD-2-Clause-Patent */

#include "common/messages.h"
#include "libvmaf/picture.h"
#include "platform/child.h"
#include "platform/file.h"
#include "platform/process.h"
#include "tune/encoders/arguments.h"
#include "tune/encoders/scratch_folder.h"
#include "tune/engine/shots.h"
#include "tune/measure/reference.h"
#include "tune/measure/scorer.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- pictures in Y4M files -- */

typedef struct Y4mWriter {
    FILE *file;
    const char *path;
    FrameRate rate;
    size_t frames;
    unsigned char *row; /* of a deep picture, as bytes */
} Y4mWriter;

static int cannot_write(const Y4mWriter *writer, int err, Message *why)
{
    return message_set(why, err, "cannot write %.300s: %s", writer->path, strerror(-err));
}

/* 0; negative errno and why. Close it in either case. */
static int y4m_writer_open(Y4mWriter *writer, const char *path, FrameRate rate, Message *why)
{
    *writer = (Y4mWriter){.path = path, .rate = rate, .file = fopen(path, "wb")};
    return writer->file ? 0 : cannot_write(writer, -errno, why);
}

static void write_header(Y4mWriter *writer, const VmafPicture *picture)
{
    static const char *const shallow[] = {"", "420jpeg", "422", "444", "mono"};
    static const char *const deep[] = {"", "420p", "422p", "444p", "mono"};
    const unsigned depth = picture->bpc;
    fprintf(writer->file, "YUV4MPEG2 W%u H%u F%d:%d Ip A0:0 C%s", picture->w[0], picture->h[0],
            writer->rate.numerator, writer->rate.denominator,
            (depth > 8 ? deep : shallow)[picture->pix_fmt]);
    if (depth > 8)
        fprintf(writer->file, "%u", depth);
    fputc('\n', writer->file);
}

/* Words of any machine become those of the format: the low byte first. */
static const void *as_bytes(Y4mWriter *writer, const uint16_t *words, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        writer->row[2 * i] = (unsigned char)(words[i] & 0xff);
        writer->row[2 * i + 1] = (unsigned char)(words[i] >> 8);
    }
    return writer->row;
}

static void write_plane(Y4mWriter *writer, const VmafPicture *picture, int plane)
{
    const char *row = picture->data[plane];
    const unsigned width = picture->w[plane];
    for (unsigned y = 0; y < picture->h[plane]; y++, row += picture->stride[plane])
        if (picture->bpc > 8)
            fwrite(as_bytes(writer, (const uint16_t *)(const void *)row, width), 2, width,
                   writer->file);
        else
            fwrite(row, 1, width, writer->file);
}

/* All pictures have to look alike. 0; negative errno and why. */
static int y4m_writer_add(Y4mWriter *writer, const VmafPicture *picture, Message *why)
{
    if (!writer->row && !(writer->row = malloc(2 * (size_t)picture->w[0])))
        return message_set(why, -ENOMEM, "out of memory");
    if (!writer->frames)
        write_header(writer, picture);
    fputs("FRAME\n", writer->file);
    for (int plane = 0; plane < 3; plane++)
        if (picture->data[plane])
            write_plane(writer, picture, plane);
    writer->frames++;
    return ferror(writer->file) ? cannot_write(writer, -(errno ? errno : EIO), why) : 0;
}

/* 0; negative errno and why: not all could be written. */
static int y4m_writer_close(Y4mWriter *writer, Message *why)
{
    int err = 0;
    if (writer->file && (ferror(writer->file) || fflush(writer->file)))
        err = -(errno ? errno : EIO);
    if (writer->file && fclose(writer->file) && !err)
        err = -(errno ? errno : EIO);
    if (err)
        cannot_write(writer, err, why);
    free(writer->row);
    *writer = (Y4mWriter){0};
    return err;
}

enum { MAX_REPORT = 1 << 30, VERSION_LIMIT_MS = 30000, STATUS_NO_BACKEND = 100 };

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

static int judge(const ScoreOptions *options, VmafChildResult *result, Message *why)
{
    const char *program = options->program->path, *said = last_line(result->error_tail);
    char name[32];
    switch (result->ending) {
    case VMAF_CHILD_EXITED:
        if (!result->number)
            return 0;
        if (result->number == STATUS_NO_BACKEND && score_needs_device(options))
            return message_set(why, -ENODEV, "--backend %s is not available: %.300s",
                               options->backend, said);
        return message_set(why, -EIO, "%.100s failed with status %d: %.300s", program,
                           result->number, said);
    case VMAF_CHILD_SIGNALLED:
        vmaf_signal_name(name, sizeof name, result->number);
        return message_set(why, -EIO, "%.100s was ended by %s", program, name);
    case VMAF_CHILD_LATE:
        return message_set(why, -ETIMEDOUT, "%.100s said nothing for %.1f s, so it was ended",
                           program, (double)options->program->limit_ms / 1000);
    case VMAF_CHILD_STOPPED:
        return message_set(why, -ECANCELED, "interrupted");
    case VMAF_CHILD_UNKNOWN:
        break;
    }
    return 0;
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
    const int err = vmaf_child_run(&run, &result);
    if (err)
        return cannot_run(program, err, why);
    const bool is_stopped = result.ending == VMAF_CHILD_STOPPED;
    /* Some say it to standard error. */
    const char *said = result.output_size ? result.output : result.error_tail;
    snprintf(version, SCORE_VERSION_SIZE, "%.*s", (int)strcspn(said, "\r\n"), said);
    const bool is_known = result.ending == VMAF_CHILD_EXITED && !result.number && *version;
    vmaf_child_result_free(&result);
    if (is_stopped)
        return message_set(why, -ECANCELED, "interrupted");
    return is_known
               ? 0
               : message_set(why, -EINVAL, "%.200s does not tell its version (--version)", program);
}

/* -- what it is given -- */

typedef struct ProgramFiles {
    ScratchFolder folder;
    char *reference, *distorted, *report;
} ProgramFiles;

static char *file_in(const char *folder, const char *name)
{
    char *path;
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

static int make_files(ProgramFiles *files, const char *encode, Message *why)
{
    *files = (ProgramFiles){0};
    const int err = scratch_folder_make(&files->folder, encode);
    if (err)
        return message_set(why, err, "no folder can be made beside %.300s: %s", encode,
                           strerror(-err));
    files->reference = file_in(files->folder.path, "reference.y4m");
    files->distorted = file_in(files->folder.path, "distorted.y4m");
    files->report = file_in(files->folder.path, "report.json");
    return files->reference && files->distorted && files->report
               ? 0
               : message_set(why, -ENOMEM, "out of memory");
}

static void remove_files(ProgramFiles *files)
{
    scratch_folder_remove(&files->folder);
    free(files->reference);
    free(files->distorted);
    free(files->report);
}

static int write_pairs(FramePairs *pairs, Y4mWriter writers[2], const ScoreControl *control,
                       Message *why)
{
    VmafPicture reference, distorted;
    for (;;) {
        if (control->stop && atomic_load(control->stop))
            return message_set(why, -ECANCELED, "interrupted");
        const int got = frame_pairs_next(pairs, &reference, &distorted, why);
        if (got <= 0)
            return got;
        int err = y4m_writer_add(&writers[0], &reference, why);
        if (!err)
            err = y4m_writer_add(&writers[1], &distorted, why);
        vmaf_picture_unref(&reference);
        vmaf_picture_unref(&distorted);
        if (err)
            return err;
        if (control->on_progress)
            control->on_progress(control->cookie, pairs->taken);
    }
}

static int write_videos(const ProgramFiles *files, TuneReference *reference, const char *encode,
                        const ScoreOptions *options, const ScoreControl *control, size_t *frames,
                        Message *why)
{
    static const FrameRate rate = {25, 1}; /* scores do not depend on it */
    Y4mWriter writers[2] = {{0}};
    FramePairs pairs;
    int err = frame_pairs_open(&pairs, reference, encode, ALL_PLANES,
                               options->allows_frame_mismatch, options->no_film_grain, why);
    if (!err)
        err = y4m_writer_open(&writers[0], files->reference, rate, why);
    if (!err)
        err = y4m_writer_open(&writers[1], files->distorted, rate, why);
    if (!err)
        err = write_pairs(&pairs, writers, control, why);
    if (!err && !pairs.taken)
        err = message_set(why, -ENODATA, "%s: there are no frames", encode);
    *frames = pairs.taken;
    frame_pairs_stop(&pairs);
    frame_pairs_close(&pairs);
    for (int i = 0; i < 2; i++) {
        Message not_written;
        const int closed = y4m_writer_close(&writers[i], &not_written);
        if (closed && !err) {
            err = closed;
            *why = not_written;
        }
    }
    return err;
}

static void fill_command(const ProgramFiles *files, const ScoreOptions *options,
                         ArgumentList *command)
{
    const char *model = options->model;
    arguments_add(command, options->program->path);
    arguments_option(command, "--reference", "%s", files->reference);
    arguments_option(command, "--distorted", "%s", files->distorted);
    arguments_add(command, "--model");
    if (strchr(model, '='))
        arguments_add(command, model);
    else
        arguments_print(command, "version=%s", model);
    for (size_t i = 0; i < options->n_features; i++) {
        arguments_option(command, "--feature", "%s", options->features[i]);
    }
    arguments_option(command, "--threads", "%d", options->threads > 0 ? options->threads : 1);
    if (options->backend && strcmp(options->backend, "auto"))
        arguments_option(command, "--backend", "%s", options->backend);
    arguments_add(command, "--json");
    arguments_option(command, "--output", "%s", files->report);
}

static int run_program(const ProgramFiles *files, const ScoreOptions *options,
                       const ScoreControl *control, Message *why)
{
    ArgumentList command = {0};
    VmafChildResult result;
    fill_command(files, options, &command);
    const VmafChildRun run = {.program = options->program->path,
                              .arguments = (const char *const *)command.items,
                              .limit_ms = options->program->limit_ms,
                              .stop = control->stop};
    int err = command.error ? message_set(why, command.error, "out of memory") : 0;
    if (!err) {
        err = vmaf_child_run(&run, &result);
        if (err) {
            cannot_run(options->program->path, err, why);
        } else {
            err = judge(options, &result, why);
            vmaf_child_result_free(&result);
        }
    }
    arguments_free(&command);
    return err;
}

/* -- what it reports -- */

static int add_series(EncodeScores *scores, const char *name)
{
    ScoreSeries *series = &scores->series[scores->n_series];
    series->name = strdup(name);
    series->values = calloc(scores->frames, sizeof(*series->values));
    scores->n_series++;
    return series->name && series->values ? 0 : -ENOMEM;
}

/* Each metric of the first frame is a series; every frame has to have all of them. */
static int take_frames(EncodeScores *scores, const json_t *frames)
{
    const json_t *first = json_object_get(json_array_get(frames, 0), "metrics");
    const char *name;
    json_t *value;
    scores->series = calloc(json_object_size(first) + 1, sizeof(*scores->series));
    int err = scores->series ? 0 : -ENOMEM;
    json_object_foreach((json_t *)first, name, value)
    {
        if (!err)
            err = add_series(scores, name);
    }
    for (size_t i = 0; i < scores->frames && !err; i++) {
        const json_t *metrics = json_object_get(json_array_get(frames, i), "metrics");
        for (size_t k = 0; k < scores->n_series; k++) {
            const json_t *number = json_object_get(metrics, scores->series[k].name);
            if (!json_is_number(number))
                return -EINVAL;
            scores->series[k].values[i] = json_number_value(number);
        }
    }
    return err;
}

static int read_report(const ProgramFiles *files, const ScoreOptions *options, size_t frames,
                       EncodeScores *scores, Message *why)
{
    const char *program = options->program->path;
    char *text = NULL;
    size_t size;
    *scores = (EncodeScores){.frames = frames};
    int err = vmaf_file_load(files->report, MAX_REPORT, &text, &size);
    if (err)
        return message_set(why, -EIO, "%.200s left no report: %s", program, strerror(-err));
    json_t *json = json_loadb(text, size, 0, NULL);
    free(text);
    const json_t *list = json_object_get(json, "frames");
    const json_t *backend = json_object_get(json, "backend_used");
    err = json_array_size(list) == frames ? take_frames(scores, list) : -EINVAL;
    /* It is not said where only the processor was asked. */
    scores->backend = strdup(json_is_string(backend) ? json_string_value(backend) : "cpu");
    scores->device = strdup("");
    if (!err && (!scores->backend || !scores->device))
        err = -ENOMEM;
    if (!err && !encode_scores_find(scores, "vmaf"))
        err = -EINVAL;
    json_decref(json);
    if (!err)
        return 0;
    encode_scores_free(scores);
    return err == -ENOMEM
               ? message_set(why, err, "out of memory")
               : message_set(why, -EIO, "%.200s: its report has not the scores of %zu frames",
                             program, frames);
}

int score_by_program(TuneReference *reference, const char *encode, const ScoreOptions *options,
                     const ScoreControl *control, EncodeScores *scores, Message *why)
{
    ProgramFiles files;
    size_t frames = 0;
    int err = make_files(&files, encode, why);
    if (!err)
        err = write_videos(&files, reference, encode, options, control, &frames, why);
    if (!err)
        err = run_program(&files, options, control, why);
    if (!err)
        err = read_report(&files, options, frames, scores, why);
    remove_files(&files);
    return err;
}
