/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_PLAN_PER_SHOT_INTERNAL_H
#define TUNE_PLAN_PER_SHOT_INTERNAL_H

/* vmaf-tune shots: the quality of every shot of a source, and a video of them. Functions that
 * return a status have printed what is wrong to stderr; TUNE_OK is 0. */

#include "tune/encode/arguments.h"
#include "tune/measure/session.h"
#include "tune/search/search_plan.h"

#include <jansson.h>

typedef struct ShotSettings {
    SearchChoice search;
    TextList targets;
    int objective; /* -1: not said; 0: each shot reaches all conditions; 1: equal slope */
    double floor;  /* by equal slope: no shot's mean is further below that which is aimed at */
    ShotOptions shots;
    double max_seconds;
    int min_frames, total_frames, bit_depth;
    const char *output, *segment_dir, *plan, *script, *zones;
    int format; /* 0: JSON, 1: text */
    bool execute, video_only, overwrites, compares;
    int workers, threads; /* of shots at a time; of the encoder of each */
} ShotSettings;

typedef enum ShotMark {
    SHOT_REACHED,       /* its search has found an answer */
    SHOT_UNREACHABLE,   /* not even the best quality reaches the target: that is taken */
    SHOT_EXHAUSTED,     /* no encode that was allowed reaches it: the same */
    SHOT_NON_MONOTONIC, /* the search gave up: the best answer until then, else the same */
} ShotMark;

/* A shot, or all of the video. */
typedef struct TunedShot {
    Shot shot;
    MeasuredEncode *encodes; /* failed ones as well */
    size_t n_encodes;
    size_t chosen;       /* of them */
    size_t equal, slope; /* what it would be if each reached the conditions; by equal slope */
    ShotMark mark;
    int n_iterations;
    bool converged;
    CurvePrior learned[SEARCH_MAX_GATES]; /* what its search teaches the next one */
} TunedShot;

/* What the video is made of: an encode of each shot, or one of all. */
typedef struct ShotVersion {
    TunedShot *shots;
    size_t n;
    const MeasureOptions *options;
} ShotVersion;

typedef struct ShotTuning {
    Session *session;
    const TuneSource *source;
    const ShotSettings *settings;
    SearchPlan plan;        /* of each shot, but for what is learned from others */
    SessionMeasurer whole;  /* of all of the video */
    MeasureOptions options; /* of shots, which share the processors */
    TunedShot *shots;
    size_t n;
    bool is_lagrange;        /* the fewest bits for all conditions together, by equal slope */
    size_t goal;             /* the condition whose mean slopes are of */
    bool is_reached;         /* all conditions are, as far as shots promise that */
    MeasuredEncode expected; /* what the chosen encodes are together */
    double differences[SEARCH_MAX_GATES]; /* of what the video of shots had from that */
    int shift;                            /* zones are so many steps better than shots */
    char *folder;                         /* of segments, in commands and scripts */
    /* What is made now, and the folder of its segments. */
    const ShotVersion *making;
    const char *segments;
    ProgressTask *scoring;
    /* The first failure of several workers, which all end. */
    atomic_bool has_failed;
    int status;
} ShotTuning;

/* -- choosing: shot_tuning.c -- */

/* Searches all shots, and chooses an encode of each. A status. */
int shot_tuning_run(ShotTuning *tuning);
/* Chooses again, now that the video of shots is known, which misses a condition. *changed false:
 * there is no other choice. A status. */
int shot_tuning_correct(ShotTuning *tuning, const MeasuredEncode *made, bool *changed);
void shot_tuning_free(ShotTuning *tuning);

/* Works on all shots, several at a time, each worker on every n-th one, so that what a shot learns
 * of the one before does not depend on time. A status: of the first that failed. */
int shot_each(ShotTuning *tuning, int (*work)(ShotTuning *tuning, TunedShot *shot));
/* How many of them work. */
size_t shot_workers(const ShotTuning *tuning);
/* Prints an error, unless another worker did. A status. */
int shot_fail(ShotTuning *tuning, int error, const char *what);

/* Close it in either case. */
int shot_open_measurer(ShotTuning *tuning, const MeasureOptions *options, const TunedShot *shot,
                       Measurer **measurer);
/* Chooses, of all that a search measures, the cheapest that reaches what is asked for, else the
 * best quality. A status. */
int shot_search(ShotTuning *tuning, Measurer *measurer, const SearchPlan *plan, TunedShot *shot);
/* Chooses that quality. A status. */
int shot_choose(ShotTuning *tuning, Measurer *measurer, double q, TunedShot *shot);
void tuned_shot_free(TunedShot *shot);

const MeasuredEncode *shot_chosen(const TunedShot *shot);
/* The conditions that an encode misses, a bit each; without scores, all. */
unsigned shot_misses(const TuneGates *gates, const MeasuredEncode *encode);
/* The cheapest encode that holds all conditions, or the dearest that misses one, which decided that
 * no cheaper one was chosen. n_encodes: there is none. */
size_t shot_edge(const TunedShot *shot, const TuneGates *gates, bool holds);
/* The mean and the 1 % over frames; NAN without such scores. */
double shot_mean(const MeasuredEncode *encode, const char *name);
double shot_p1(const MeasuredEncode *encode, const char *name);
/* Mean VMAF, in an encode of the whole video, of the shot that has the least. */
double shot_least_vmaf(const ShotTuning *tuning, const MeasuredEncode *whole);
/* What the shots have on average over all frames. */
double shot_middle_quality(const ShotTuning *tuning);

/* -- the video: shot_delivery.c -- */

/* Rejects encoders that take none. A status. */
int shot_zones_check(const ShotTuning *tuning);

/*
 * A quality for each shot is compared with one quality for the whole video. Shots do not always
 * pay: false cuts cost keyframes, and a target that every shot has to reach costs bits that the
 * whole video would not need.
 */
typedef struct ShotMade {
    MeasuredEncode joined; /* the segments */
    /* With zones: all of the video, in one encode. */
    TunedShot zoned;
    char *zones;        /* "zones=0,99,crf=21/..." */
    const char **extra; /* arguments of the user, then the option and the text */
    MeasureOptions zoned_options;
    const MeasuredEncode *shots; /* the video of shots: one of these */
    size_t n_videos;             /* that were made of shots until it held all conditions */
    unsigned misses;             /* the conditions that it does not hold */
    /*
     * All of the video at the cheapest quality that was measured whose mean and 1 % are both at
     * least those of `shots`, and that holds the conditions that these hold; or, if they miss any,
     * all conditions. A mark other than SHOT_REACHED: there is none.
     */
    TunedShot single;
    TuneGates gates; /* what it has to reach */
    bool is_compared, single_is_kept;
    const MeasuredEncode *result; /* what is kept */
} ShotMade;

/* Makes and measures the video, and puts it in its place if it is wanted. A status. Free in either
 * case. */
int shot_deliver(ShotTuning *tuning, ShotMade *made);
void shot_made_free(ShotMade *made);
/* The options of ffmpeg, as a line for a shell, for the encode of the whole video that was kept;
 * free. NULL without memory. */
char *shot_zones_arguments(const ShotTuning *tuning, const ShotMade *made);

/* What is run to make it. */
typedef struct ShotCommands {
    ArgumentList *items; /* all passes of all encodes, then what joins them */
    size_t n;
    char *list; /* what is in the list of segments */
} ShotCommands;

/* The commands of what was kept; `made` NULL: of shots. A status. Free in either case. */
int shot_commands_make(const ShotTuning *tuning, const ShotMade *made, ShotCommands *commands);
void shot_commands_free(ShotCommands *commands);
/* A script for a POSIX shell that does the same; free. NULL without memory. */
char *shot_script(const ShotTuning *tuning, const ShotCommands *commands);

/* -- the plan: shot_report.c; `made` NULL: nothing was -- */

/* A new reference; NULL without memory. */
json_t *shot_plan_record(const ShotTuning *tuning, const ShotCommands *commands,
                         const ShotMade *made);
/* For people; free. NULL without memory. */
char *shot_plan_text(const ShotTuning *tuning, const ShotMade *made);
/* "ok", "unreachable", ... */
const char *shot_mark_name(ShotMark mark);
size_t shots_missed(const ShotTuning *tuning);

#endif
