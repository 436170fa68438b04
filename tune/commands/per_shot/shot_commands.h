/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_SHOT_COMMANDS_H
#define TUNE_COMMANDS_SHOT_COMMANDS_H

/* What is run to make a video of its shots: an encode for each, and one that joins them. */

#include "tune/commands/per_shot/shot_tuning.h"
#include "tune/encoders/arguments.h"

typedef struct ShotPaths {
    const char *output;
    char *folder; /* of segments; --execute makes one of its own, in it if it is named */
    bool is_named;
    char *list; /* of the concat demuxer */
} ShotPaths;

typedef struct ShotCommands {
    ArgumentList *segments; /* of all passes of all shots */
    size_t n_segments;
    ArgumentList join;
    char *list_text; /* what is in the list of segments */
} ShotCommands;

/* `folder` NULL: segments, beside the output. 0; -ENOMEM. */
int shot_paths_make(ShotPaths *paths, const char *output, const char *folder);
void shot_paths_free(ShotPaths *paths);

/* The file of a shot; free. NULL without memory. */
char *shot_segment_path(const ShotPaths *paths, size_t shot);

/* The request for a shot's chosen encode, or for the encoder's default quality before one is
 * chosen. It refers to `path`. */
EncodeRequest shot_request(const ShotTuning *tuning, size_t shot, const char *path);

/* `video_only`: nothing else of the source is copied. 0; -ENOMEM, -EINVAL and why. Free in either
 * case. */
int shot_commands_make(ShotCommands *commands, const ShotTuning *tuning, const ShotPaths *paths,
                       bool video_only, Message *why);
void shot_commands_free(ShotCommands *commands);

/* The command that joins the segments, to another file than paths->output. */
void shot_join_command(const ShotTuning *tuning, const ShotPaths *paths, const char *output,
                       bool video_only, ArgumentList *command);

/* A script for a POSIX shell that does the same; free. NULL without memory. */
char *shot_script(const ShotCommands *commands, const ShotPaths *paths);

#endif
