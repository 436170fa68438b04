/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMAND_QUALITY_COMMAND_H
#define TUNE_COMMAND_QUALITY_COMMAND_H

/* encode, search and sample, and other names of them. */

#include "tune/search/quality_search.h"

/* What becomes of the search: a video, nothing, a measurement, or a choice of size and encoder. */
typedef enum QualityKind { ENCODES, SEARCHES, SAMPLES, CHOOSES } QualityKind;

typedef enum QualityFormat {
    QUALITY_TEXT,
    QUALITY_JSON,
    QUALITY_LINES, /* a document in a line for each encode, and one for the answer */
} QualityFormat;

/* Sizes and encoders to choose from. */
typedef struct AutoChoice {
    TextList codecs;     /* beside one that is given; none: libx264 */
    IntegerList heights; /* none: by the source */
    double budget;       /* kbit/s */
} AutoChoice;

typedef struct QualitySettings QualitySettings;

/* Prints what was found as a name of its own has it. A status, that of the command. */
typedef int QualityPrint(const QualitySearch *search, const QualitySettings *settings,
                         const FilmOutput *output);

/* What a command is called with. */
struct QualitySettings {
    QualityChoice quality;
    QualityKind kind;
    QualityFormat format;
    const char *output, *report;
    const char *from; /* a result that says how to encode */
    json_t *profile;  /* what that says: see profile_load */
    bool overwrites, video_only, json, per_shot;
    bool is_auto; /* chooses from these: */
    AutoChoice choice;
    /* What other names have beside: */
    QualityPrint *print; /* NULL: as `format` says */
    bool needs_profile;
    bool delivers_missed; /* what misses the goal, too */
    double tolerance;     /* between samples and film; 0: nobody looks */
    bool makes_output;    /* named after the source, if none is given */
    TextList svt;
    const char *audio_codec;
    char audio[128]; /* the same as --audio */
    const char *runs_dir;
    bool executes, executes_all; /* what auto has chosen */
};

/* Parses, with further options, and runs. A status. */
int quality_command_run(const TuneCommand *command, QualitySettings *settings,
                        const OptionGroup *more, int argc, char **argv);

/* search --from ROWS: chooses among rows of a corpus, and encodes nothing. A status. */
int rows_search(const TuneCommand *command, const QualitySettings *settings,
                const SessionOptions *options, double target);
/* Moves a video to its place, and through links there. A status: it may be the source, or another
 * file that is not to be overwritten. */
int place_video(const QualitySearch *search, const char *from, const char *to, bool overwrites);

/* Sets the encoder and size that reach the goal at the lowest bitrate, by what samples say. A
 * status. */
int auto_choose(Session *session, const TuneSource *source, QualitySettings *settings);
/* The same, in doubt by what the whole film says; prints it, and encodes that if it is wanted. */
int auto_run(Session *session, const TuneSource *source, const QualitySettings *settings);

/* Formats of older names. */
QualityPrint print_profile_encode;
QualityPrint print_bisect;
QualityPrint print_fast;

#endif
