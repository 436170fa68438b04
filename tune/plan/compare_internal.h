/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_PLAN_COMPARE_INTERNAL_H
#define TUNE_PLAN_COMPARE_INTERNAL_H

/* Encoders that are compared on one video, and what each of them needs for some targets. */

#include "tune/search/search_plan.h"

/* One of those that are compared: an encoder, of which there may be several ffmpegs. */
typedef struct Contender {
    const char *token;  /* as the user calls it: "libx264", "libx264@new", "libx264:preset=slow" */
    char *name;         /* of the encoder */
    const char *preset; /* its own; NULL: that of all */
    const char *ffmpeg; /* program; NULL: the session's */
    FfmpegDescription described; /* of that program */
    SessionEncoder encoder;
    bool is_usable;
    Message why; /* it is not */
    SearchGroup group;
    double *speeds; /* frames a second alone, for each target; NAN: not known; NULL: for none */
} Contender;

typedef struct Comparison {
    Contender *contenders;
    size_t n;
    const double *targets;
    size_t n_targets;
    const char *preset;
    const TuneSource *video;
    const SessionOptions *options;
    const SessionMeasurer *measurer;
    const TuneGates *gates; /* the first has the targets */
    double wall_ms;
    double source_kbps; /* of the frames that are measured; NAN: not known */
    bool has_deltas;    /* enough points for Bjontegaard deltas */
    size_t baseline;    /* the contender that deltas are told against */
} Comparison;

/* What the video of the source takes in the frames that are measured, kbit/s; NAN: not known. */
double compare_source_kbps(const TuneSource *source, const SessionMeasurer *measurer);

/*
 * Finds the speed of each answer: of its own encode if all of them were made now and one by one,
 * else, if it may be made, of another one of a sample, which nothing else here disturbs. 0;
 * -ECANCELED.
 */
int compare_measure_speeds(const Session *session, const Comparison *comparison, bool may_encode);

/* A document: target by target a row for each contender, those that reach it in order of bitrate,
 * then those that do not. NULL without memory. */
json_t *compare_record(const Comparison *comparison);
/* The same as tables. 0; -ENOMEM. */
int compare_print_csv(const json_t *document, FILE *out);
int compare_print_markdown(const json_t *document, const TuneGate *main, FILE *out);

#endif
