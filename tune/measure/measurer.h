/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_MEASURER_H
#define TUNE_MEASURE_MEASURER_H

/*
 * Makes encodes of one source, or of windows of it, and measures them: bitrate, time and scores.
 * What was measured before, by this or another run, comes from the cache.
 */

#include "media/module_interface.h"
#include "tune/encode/encode_run.h"
#include "tune/measure/cache.h"
#include "tune/measure/progress.h"
#include "tune/measure/scorer.h"
#include "tune/measure/shots.h"

/* -- streams -- */

/* What the video stream of an encode is. */

typedef struct StreamFacts {
    size_t frames;
    uint64_t bytes;                 /* of all packets */
    double end;                     /* seconds from the first frame to the last */
    char layout[PIXEL_FORMAT_SIZE]; /* FFmpeg's name of its pixel format */
    VideoFormat format;
} StreamFacts;

/* The average, kbit/s. */
double stream_kbps(const StreamFacts *facts, FrameRate rate);

/* -- encodes that are measured -- */

typedef struct MeasureOptions {
    EncodeSettings encode;
    const char *ffmpeg_version; /* its whole line, for keys */
    ScoreOptions score;
    const char *encode_dir;  /* where encodes are kept; NULL: they are not */
    const char *work_dir;    /* for encodes that are not kept, which nobody else can enter; NULL:
                                nothing is run */
    TuneCache *cache;        /* NULL: none */
    int jobs;                /* encodes at a time */
    int64_t encode_limit_ms; /* without progress; 0: none */
    size_t reference_memory; /* bytes for decoded frames */
    const atomic_bool *stop; /* the user wants to end; NULL: never */
    Progress *progress;      /* NULL: nothing is shown */
} MeasureOptions;

/* What of a source is measured, and where its encodes are made. */
typedef struct MeasuredPart {
    const SampleWindow *windows; /* ascending */
    size_t n_windows;            /* 0: the whole source */
    /* Each window is an encode of its own, with some frames more at both ends, as far as there are
     * any. They are encoded and scored, so that what has a memory knows them, and do not count. */
    bool apart;
    /* Where encodes of whole films are made and stay, until the caller removes it: the cache gets
     * what was measured only. With the extension of the film, dot included. NULL: as others. */
    const char *folder, *extension;
} MeasuredPart;

typedef struct Measurer Measurer;

/*
 * All that is pointed to has to outlive the measurer. 0; -EINVAL, -ENODEV as scorer_check;
 * another negative errno; and why.
 */
int measurer_open(Measurer **measurer, const TuneSource *source, const MeasuredPart *part,
                  const MeasureOptions *options, Message *why);
/* NULL is allowed. */
void measurer_close(Measurer *measurer);

/*
 * Looks at an encode of `part`, of which ffmpeg says that all is well: a full disk cuts files, too.
 * `may_differ`: the number of frames. 0; -EIO: it cannot be read, or has not the frames or not the
 * end that the source demands; another negative errno; and why.
 */
int measure_examine_encode(const TuneSource *source, const MeasuredPart *part, bool may_differ,
                           const char *path, StreamFacts *facts, Message *why);

typedef struct MeasuredEncode {
    EncodeSpec spec;
    int error; /* 0; negative errno, see why: of the encode if has_encode is false, else of scores
                */
    Message why;
    bool has_encode;
    bool is_cached; /* nothing was run */
    EncodeOutcome outcome;
    uint64_t stream_bytes; /* of all packets */
    size_t frames;
    double kbps;
    char packets[SHA256_TEXT_SIZE]; /* hash of the video's packets, of films; else "" */
    bool has_scores;
    EncodeScores scores;
    char *path; /* where the encode is; NULL: it is not there any more. What is kept with a cache
                 * lies in it, else in the folder for work, from which the caller removes it. */
} MeasuredEncode;

/* From any thread. `stop`, unless NULL, ends this encode alone. Free what was measured. */
void measure_encode(Measurer *measurer, const EncodeSpec *spec, const atomic_bool *stop,
                    MeasuredEncode *measured);
void measured_encode_free(MeasuredEncode *measured);

/* Scores of one name pooled. 0; -ENOENT: there is no such score. */
int measured_pool(const MeasuredEncode *measured, const char *name, PooledScores *pooled);

/*
 * The command lines for one encode, as a shell would read them, a line each; free. NULL, and why.
 * `plain`: with that output, for people, who see no reports, what makes the same packets; NULL: as
 * they are run.
 */
char *measure_command_lines(Measurer *measurer, const EncodeSpec *spec, const char *plain,
                            Message *why);

const TuneSource *measurer_source(const Measurer *measurer);
const MeasureOptions *measurer_options(const Measurer *measurer);
/* Frames that are encoded, scored and count. */
size_t measurer_frames(const Measurer *measurer);

#endif
