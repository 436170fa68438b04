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

/* What was found, as an older name has it. A new reference; NULL without memory. */
typedef json_t *QualityRecord(const QualitySearch *search);
/* The same for people. */
typedef void QualityText(const QualitySearch *search, const FilmOutput *output, FILE *out);

/* What a command is called with. */
typedef struct QualitySettings {
    QualityChoice quality;
    QualityKind kind;
    QualityFormat format;
    const char *output, *report;
    const char *from; /* a result that says how to encode */
    json_t *profile;  /* what that says: see profile_follow */
    bool overwrites, video_only, json, per_shot;
    bool is_auto; /* chooses from these: */
    AutoChoice choice;
    /* What other names have beside: */
    QualityRecord *record; /* instead of quality_record, and alone in the file of the result */
    QualityText *print;    /* NULL: quality_print */
    bool recommends;       /* rows of a corpus, by that bitrate unless it is NAN */
    double kbps;
    bool needs_profile;
    double tolerance;  /* between what fast expects and finds; INFINITY: any */
    bool makes_output; /* named after the source, if none is given */
    TextList svt;
    const char *audio_codec;
    char audio[128]; /* the same as --audio */
    const char *runs_dir;
    bool executes, executes_all; /* what auto has chosen */
} QualitySettings;

/* Parses, with further options, and runs. A status. */
int quality_command_run(const TuneCommand *command, QualitySettings *settings,
                        const OptionGroup *more, int argc, char **argv);

/* search --from ROWS, and recommend: chooses among rows of a corpus, and encodes nothing. A status.
 */
int rows_search(const TuneCommand *command, const QualitySettings *settings,
                const SessionOptions *options, double target);
/* Moves a video to its place, and through links there. A status: it may be the source, or another
 * file that is not to be overwritten. */
int place_video(const QualitySearch *search, const char *from, const char *to, bool overwrites);

/* Reads the result to encode by, takes over what it says, and has its target as a gate. It has
 * encoder and quality, and what is known of: preset, two_pass, threads; extra_params; src,
 * src_sha256, stream, start_number, errors, start, length; target_vmaf, vmaf_model, pool. A status.
 */
int profile_follow(const TuneCommand *command, QualitySettings *settings, SessionOptions *options);
/* Tells that it was found for another video, by its content, or by its name if that is all there
 * is.
 */
void profile_compare(const Session *session, const TuneSource *source,
                     const QualitySettings *settings);

/* Sets the encoder and size that reach the goal at the lowest bitrate, by what samples say. A
 * status. */
int auto_choose(Session *session, const TuneSource *source, QualitySettings *settings);
/* The same, in doubt by what the whole film says; prints it, and encodes that if it is wanted. */
int auto_run(Session *session, const TuneSource *source, const QualitySettings *settings);

/* Formats of older names. */
QualityRecord bisect_record, fast_record, recommend_record;
QualityText recommend_print;

/* Adds predicate, margin and status to a row: what was wanted of VMAF or, unless that is NAN, of
 * the bitrate, which has this value, and whether it is met. 0; -ENOMEM. */
int recommend_put(json_t *row, double target, double kbps, double value, bool met);

/* What samples say of the answer of fast, else of its last encode of all of it, and what that has.
 */
typedef struct FastEstimate {
    double vmaf, kbps;           /* NAN: nothing was found */
    double film_vmaf, film_kbps; /* NAN: nothing was verified */
    double gap;                  /* between the scores */
} FastEstimate;

FastEstimate fast_estimate(const QualitySearch *search);

#endif
