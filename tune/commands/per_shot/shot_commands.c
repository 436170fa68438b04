/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/per_shot/shot_commands.h"

#include "platform/path.h"
#include "tune/encoders/encode_request.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- paths -- */

int shot_paths_make(ShotPaths *paths, const char *output, const char *folder)
{
    const int length = (int)(vmaf_path_name(output) - output);
    *paths = (ShotPaths){.output = output, .is_named = folder != NULL};
    if (folder)
        paths->folder = strdup(folder);
    else if (asprintf(&paths->folder, "%.*ssegments", length, output) < 0)
        paths->folder = NULL;
    if (!paths->folder || asprintf(&paths->list, "%s/concat.txt", paths->folder) < 0)
        paths->list = NULL;
    return paths->list ? 0 : -ENOMEM;
}

void shot_paths_free(ShotPaths *paths)
{
    free(paths->folder);
    free(paths->list);
    *paths = (ShotPaths){0};
}

char *shot_segment_path(const ShotPaths *paths, size_t shot)
{
    char *path;
    return asprintf(&path, "%s/shot_%04zu.mkv", paths->folder, shot) < 0 ? NULL : path;
}

/* -- segments -- */

EncodeRequest shot_request(const ShotTuning *tuning, size_t i, const char *path)
{
    const TunedShot *shot = &tuning->shots[i];
    const MeasuredPart part = {&shot->window, 1};
    EncodeSpec spec = tuning->plan.spec;
    spec.q = shot->n_encodes ? tuned_shot_chosen(shot)->spec.q : spec.encoder->default_q;
    return measure_request(tuning->source, &part, &tuning->options, &spec, path);
}

static int add_passes(ShotCommands *commands, const ShotTuning *tuning, size_t i, const char *path,
                      Message *why)
{
    const TunedShot *shot = &tuning->shots[i];
    const EncodeRequest request = shot_request(tuning, i, path);
    const int passes = encode_passes(&request);
    char *log;
    if (asprintf(&log, "%s.pass", path) < 0)
        return message_set(why, -ENOMEM, "out of memory");
    int err = 0;
    for (int number = 1; number <= passes && !err; number++) {
        const EncodePass pass = {
            .number = passes > 1 ? number : 0,
            .log = log,
            .kbps = shot->n_encodes ? tuned_shot_chosen(shot)->outcome.anchor_kbps : 0,
        };
        err = encode_command(&request, &pass, &commands->segments[commands->n_segments], why);
        commands->n_segments += !err;
    }
    free(log);
    return err;
}

static int add_segments(ShotCommands *commands, const ShotTuning *tuning, const ShotPaths *paths,
                        Message *why)
{
    int err = 0;
    commands->segments = calloc(2 * tuning->n, sizeof(*commands->segments));
    if (!commands->segments)
        return message_set(why, -ENOMEM, "out of memory");
    for (size_t i = 0; i < tuning->n && !err; i++) {
        char *path = shot_segment_path(paths, i);
        err = path ? add_passes(commands, tuning, i, path, why)
                   : message_set(why, -ENOMEM, "out of memory");
        free(path);
    }
    return err;
}

/* -- joining -- */

/* Since the container begins; frames that keep their times have them in milliseconds. */
static long long microseconds_at(const TuneSource *source, size_t frame)
{
    const FrameRate rate = source->rate;
    if (source->is_variable)
        return 1000 *
               llround(1e3 * (source->first_frame_time + source_times_at(&source->times, frame)));
    return llround(1e6 * source->first_frame_time +
                   (double)frame * 1e6 * rate.denominator / rate.numerator);
}

/* Durations are said, since those of files are rounded, and errors would add up. */
static char *list_text(const ShotTuning *tuning)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (size_t i = 0; i < tuning->n; i++) {
        const Shot *shot = &tuning->shots[i].shot;
        const long long us = microseconds_at(tuning->source, shot->end) -
                             microseconds_at(tuning->source, shot->first);
        fprintf(out, "file 'shot_%04zu.mkv'\nduration %lld.%06lld\n", i, us / 1000000,
                us % 1000000);
    }
    if (fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}

static void add_all(ArgumentList *list, const char *const *arguments)
{
    for (; *arguments; arguments++)
        arguments_add(list, *arguments);
}

static const char *const quiet_start[] = {"-y",        "-nostdin", "-hide_banner",
                                          "-loglevel", "error",    NULL};

void shot_join_command(const ShotTuning *tuning, const ShotPaths *paths, const char *output,
                       bool video_only, ArgumentList *command)
{
    static const char *const concat[] = {"-f", "concat", "-safe", "0", "-i", NULL};
    static const char *const others[] = {"-map_metadata", "1", "-map_chapters", "1", NULL};
    static const char *const copy[] = {"-c:v", "copy", NULL};
    const TuneSource *source = tuning->source;
    const bool takes_others = !video_only && !source->is_raw;
    arguments_add(command, tuning->options.ffmpeg);
    add_all(command, quiet_start);
    const long long offset = microseconds_at(source, 0);
    if (takes_others && offset) {
        arguments_add(command, "-itsoffset");
        arguments_seconds(command, (double)offset / 1e6);
    }
    add_all(command, concat);
    arguments_add_path(command, paths->list);
    if (takes_others) {
        const EncodeSource input = measure_encode_source(source);
        encode_add_source(&input, command);
    }
    arguments_add(command, "-map");
    arguments_add(command, "0:v:0");
    if (takes_others) {
        other_streams_keep(&source->others, 1, output, command);
        add_all(command, others);
    }
    add_all(command, copy);
    arguments_add_path(command, output);
}

int shot_commands_make(ShotCommands *commands, const ShotTuning *tuning, const ShotPaths *paths,
                       bool video_only, Message *why)
{
    *commands = (ShotCommands){0};
    const int err = add_segments(commands, tuning, paths, why);
    if (err)
        return err;
    shot_join_command(tuning, paths, paths->output, video_only, &commands->join);
    commands->list_text = list_text(tuning);
    return commands->list_text && !commands->join.error
               ? 0
               : message_set(why, -ENOMEM, "out of memory");
}

void shot_commands_free(ShotCommands *commands)
{
    for (size_t i = 0; i < commands->n_segments; i++)
        arguments_free(&commands->segments[i]);
    free(commands->segments);
    arguments_free(&commands->join);
    free(commands->list_text);
    *commands = (ShotCommands){0};
}

/* -- the script -- */

/* A command; what it says on standard output is for programs. */
static int print_command(const ArgumentList *command, const char *behind, FILE *out)
{
    char *line = arguments_quoted_line(command);
    if (!line)
        return -ENOMEM;
    fprintf(out, "%s%s\n", line, behind);
    free(line);
    return 0;
}

static int print_words(const char *program, const char *option, const char *path,
                       const char *behind, FILE *out)
{
    ArgumentList words = {0};
    arguments_add(&words, program);
    if (option)
        arguments_add(&words, option);
    arguments_print(&words, "%s%s", path[0] == '-' ? "./" : "", path);
    const int err = print_command(&words, behind, out);
    arguments_free(&words);
    return err;
}

char *shot_script(const ShotCommands *commands, const ShotPaths *paths)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("#!/bin/sh\n# An encode for each shot, and all of them joined.\nset -eu\n", out);
    int err = print_words("mkdir", "-p", paths->folder, "", out);
    for (size_t i = 0; i < commands->n_segments && !err; i++)
        err = print_command(&commands->segments[i], " >/dev/null", out);
    if (!err)
        err = print_words("tee", NULL, paths->list, " >/dev/null <<'END'", out);
    fprintf(out, "%sEND\n", commands->list_text);
    if (!err)
        err = print_command(&commands->join, "", out);
    if (fclose(out) || err) {
        free(text);
        return NULL;
    }
    return text;
}
