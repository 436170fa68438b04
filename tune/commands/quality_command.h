/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_QUALITY_COMMAND_H
#define TUNE_COMMANDS_QUALITY_COMMAND_H

/* encode, search and sample, and other names of them. */

#include "tune/session/quality_search.h"

typedef enum QualityKind { ENCODES, SEARCHES, SAMPLES } QualityKind;

typedef enum QualityFormat {
    QUALITY_TEXT,
    QUALITY_JSON,
    QUALITY_LINES, /* a document in a line for each encode, and one for the answer */
} QualityFormat;

/* What a command is called with. */
typedef struct QualitySettings {
    QualityChoice quality;
    QualityKind kind;
    QualityFormat format;
    const char *output, *report;
    const char *from; /* a result that says how to encode */
    bool overwrites, video_only, json, per_shot;
    /* What other names have beside: */
    bool makes_output; /* named after the source, if none is given */
    TextList svt;
    const char *audio_codec;
    char audio[128]; /* the same as --audio */
} QualitySettings;

/* Parses, with further options, and runs. A status. */
int quality_command_run(const TuneCommand *command, QualitySettings *settings,
                        const OptionGroup *more, int argc, char **argv);

#endif
