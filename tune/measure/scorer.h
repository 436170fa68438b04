/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_SCORER_H
#define TUNE_MEASURE_SCORER_H

/* Compares encodes with their reference, in this process or by another program. */

#include "tune/measure/reference.h"
#include "tune/measure/score_statistics.h"

#include <stdatomic.h>

/* Scores of all frames of an encode, of every model and feature. */
typedef struct ScoreSeries {
    char *name;     /* as in reports: "vmaf", "integer_adm2", ... */
    double *values; /* of each frame */
} ScoreSeries;

typedef struct EncodeScores {
    size_t frames;
    ScoreSeries *series;
    size_t n_series;
    char *backend; /* that computed them: "cpu", "cuda", ... */
    char *device;  /* its name, or "" */
    double ms;     /* wall time of decoding and scoring */
} EncodeScores;

void encode_scores_free(EncodeScores *scores);

/* By its name, with or without the prefix "integer_"; NULL if there is none. */
const ScoreSeries *encode_scores_find(const EncodeScores *scores, const char *name);

/* A further series, of zeros, as long as the others; NULL without memory. */
ScoreSeries *encode_scores_add(EncodeScores *scores, const char *name);

enum { SCORER_MAX_FEATURES = 16, ALL_PLANES = 7 };

/* Another program that computes scores, with the command line of `vmaf`. */
typedef struct ScoreProgram {
    const char *path;    /* searched in PATH unless it has a slash */
    const char *version; /* its first words for --version: part of keys */
    int64_t limit_ms;    /* without a word of it, then it is ended; 0: none */
} ScoreProgram;

typedef struct ScoreOptions {
    const char *model;                         /* "vmaf_v0.6.1", or "version=..." or "path=..." */
    const char *features[SCORER_MAX_FEATURES]; /* further ones: "name" or "name=option=value..." */
    size_t n_features;
    const char *backend; /* "auto", "cpu", or a name that is then obligatory */
    int threads;         /* that score; 0: as many as there are processors */
    bool allows_frame_mismatch;
    bool no_film_grain;          /* the decoder of encodes makes none */
    const ScoreProgram *program; /* instead of this one; NULL: none */
} ScoreOptions;

typedef struct ScoreControl {
    const atomic_bool *stop;                          /* once true it ends; NULL: never */
    void (*on_progress)(void *cookie, size_t frames); /* scored so far; may be NULL */
    void *cookie;
} ScoreControl;

/*
 * Checks options without a video: 0; -EINVAL: there is no such model or feature; -ENODEV: the
 * backend that was named is not available; and why. `planes` receives what is looked at.
 */
int scorer_check(const ScoreOptions *options, const VideoFormat *format, unsigned *planes,
                 Message *why);

/*
 * 0; -ECANCELED: stopped; -ENODEV: the backend that was named is not available or was lost; -EIO:
 * the encode is damaged; -ERANGE: it has not as many frames as the reference; another negative
 * errno; and why. From any thread. Free the scores if it succeeds.
 */
int score_encode(TuneReference *reference, const char *encode, const ScoreOptions *options,
                 const ScoreControl *control, EncodeScores *scores, Message *why);

/* The same options for one of `jobs` comparisons at a time, which share the processors. */
ScoreOptions score_share(const ScoreOptions *options, int jobs);

/* A device is named, so that comparisons would only get in each other's way there. */
bool score_needs_device(const ScoreOptions *options);

/* A comparison, and what takes the frames of the reference, each with that of the encode. */
typedef struct ScorePairs {
    TuneReference *reference;
    const char *encode;
    const ScoreOptions *options;
    const ScoreControl *control;
    /* Takes both over. 0; negative errno and why. */
    int (*take)(void *cookie, VmafPicture *reference, VmafPicture *distorted, size_t index,
                Message *why);
    /* Behind the last pair, or after an error: lets all pictures go. An error and why. */
    int (*finish)(void *cookie, int err, size_t frames, Message *why);
    void *cookie;
} ScorePairs;

/* As score_encode. */
int score_pairs(const ScorePairs *pairs, Message *why);

/* -- another program -- */

/*
 * Scores by another program, for comparisons: frames of both videos are written to Y4M files beside
 * the encode, which takes as much room as that, and the program is given them and reports as JSON.
 */

enum { SCORE_VERSION_SIZE = 128 };

/* What the program calls itself. 0; -ECANCELED; -ENOENT, -EINVAL and others; and why. */
int score_program_version(const char *program, const atomic_bool *stop,
                          char version[SCORE_VERSION_SIZE], Message *why);

/* As score_encode, with options whose program is not NULL. The rest of `pairs` is set here. */
int score_by_program(ScorePairs pairs, EncodeScores *scores, Message *why);

#endif
