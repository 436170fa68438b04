/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_INPUT_OPTIONS_H
#define CLI_INPUT_OPTIONS_H

/* What the command line says of the frames of media files. */

#include "media/match.h"

/* The sizes that models are made for. */
enum {
    MODEL_HD_WIDTH = 1920,
    MODEL_HD_HEIGHT = 1080,
    MODEL_4K_WIDTH = 3840,
    MODEL_4K_HEIGHT = 2160,
};

/* Where both files begin. */
typedef struct StartOption {
    bool is_given, is_time;
    unsigned frame;
    double seconds;
} StartOption;

typedef struct InputOptions {
    MatchOptions match;
    bool scales_to_model; /* match.width and height follow the models */
    bool is_media;        /* an option that only media files have: Y4M is read as one */
    const char *hwaccel;  /* NULL: none */
    bool stream_given, reference_stream_given, distorted_stream_given;
    unsigned stream, reference_stream, distorted_stream; /* of both files, or of one */
    unsigned first_picture; /* of sequences; 0: the lowest number there is */
    bool ignores_errors;
    StartOption start;
    double duration; /* 0: to the end */
    bool frames_given;
    bool pairs_by_time;
    bool finds_borders;
} InputOptions;

/* Takes the argument of the option of that name. 0; -EINVAL, and *expected says what it should
 * be. */
int input_options_take(InputOptions *options, const char *name, const char *value,
                       const char **expected);

/* The video stream of one of the files; -1: as ffmpeg chooses. */
int input_options_stream(const InputOptions *options, bool is_distorted);

#endif
