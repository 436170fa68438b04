/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_PER_SHOT_INTERNAL_H
#define TUNE_COMMANDS_PER_SHOT_INTERNAL_H

/* vmaf-tune tune-per-shot: the quality of every shot of a source, and a video of them. Functions
 * that return a status have printed what is wrong to stderr; TUNE_OK is 0. */

#include "tune/encoders/arguments.h"
#include "tune/engine/shots.h"
#include "tune/session/session.h"

#include <jansson.h>

typedef enum ShotMark {
    SHOT_REACHED,       /* its search has found an answer */
    SHOT_UNREACHABLE,   /* not even the best quality reaches the target: that is taken */
    SHOT_EXHAUSTED,     /* no encode that was allowed reaches it: the same */
    SHOT_NON_MONOTONIC, /* the search gave up: the best answer until then, else the same */
} ShotMark;

typedef struct TunedShot {
    Shot shot;
    SampleWindow window;
    MeasuredEncode *encodes; /* of this shot; failed ones as well */
    size_t n_encodes;
    size_t chosen; /* of them */
    ShotMark mark;
    int n_iterations;
    bool converged;
} TunedShot;

typedef struct ShotTuning {
    Session *session;
    const TuneSource *source;
    SearchPlan plan;  /* of each shot, but for what is learned from others */
    bool is_lagrange; /* the fewest bits for the mean over all frames */
    double floor;     /* then no shot's mean is further below the target, where one can be better */
    TunedShot *shots;
    size_t n;
    /* What all encodes have in common: see shot_tuning_prepare. */
    MeasureOptions options;
    HdrTags hdr;
    char model[256];
    bool is_calibrated;
    int whole_threads;                /* of an encoder of the whole video; above 0 */
    const struct ShotPaths *segments; /* where they are made */
    /* The first failure of several workers, which all end. */
    atomic_bool has_failed;
    int status;
} ShotTuning;

/* Takes the shots over as those that are to be tuned. 0; a status. */
int shot_tuning_set(ShotTuning *tuning, const Shot *shots, size_t n);
void shot_tuning_free(ShotTuning *tuning);

/* Finds out how everything is measured. 0; a status. */
int shot_tuning_prepare(ShotTuning *tuning);

/* How one encode of the whole video is made and measured, which has the processors that workers
 * share else. */
ShotTuning shot_tuning_of_whole(const ShotTuning *tuning);

/*
 * Works on all shots, as many at a time as the session has jobs, each worker on every n-th one, so
 * that what a shot learns of the one before does not depend on time. 0; the status of the first
 * that failed.
 */
int shot_tuning_each(ShotTuning *tuning, int (*work)(ShotTuning *tuning, TunedShot *shot));

/* How many of them work, which is also how far the shot is away that a worker had before. */
size_t shot_workers(const ShotTuning *tuning);

/* Prints an error, unless another worker did. A status. */
int shot_fail(ShotTuning *tuning, int error, const char *what);

/* Tells if an encode reaches each of the conditions, and all of them; without scores, none. */
bool shot_gates_hold(const TuneGates *gates, const MeasuredEncode *encode,
                     bool holds[SEARCH_MAX_GATES]);

/*
 * The dearest encode that misses a condition: what does not hold there decided that no cheaper one
 * was chosen. n_encodes: there is none.
 */
size_t shot_refuted(const TunedShot *shot, const TuneGates *gates, bool holds[SEARCH_MAX_GATES]);

/* Searches one shot as `plan` says, and chooses its encode: of all that were measured, the cheapest
 * that reaches what is asked for, else the best quality. */
int tuned_shot_search(ShotTuning *tuning, const SearchPlan *plan, TunedShot *shot);
/* Measures it at a quality, and chooses that. */
int tuned_shot_measure(ShotTuning *tuning, double q, TunedShot *shot);
void tuned_shot_free(TunedShot *shot);

/* Searches all shots, and with is_lagrange chooses among their encodes. */
int shot_tuning_run(ShotTuning *tuning);

const MeasuredEncode *tuned_shot_chosen(const TunedShot *shot);

/* "ok", "unreachable", ... */
const char *shot_mark_name(ShotMark mark);

/* Mean VMAF over the frames of an encode; NAN if it has no scores. */
double shot_mean_vmaf(const MeasuredEncode *encode);

/* What the chosen encodes are together. */
typedef struct ShotTotals {
    size_t frames, missed; /* shots that do not reach the target */
    uint64_t bytes;
    double kbps, vmaf; /* over all frames */
    double least;      /* mean VMAF of a shot */
} ShotTotals;

ShotTotals shot_totals(const ShotTuning *tuning);
/* The 1 % of VMAF over the frames of all chosen encodes; NAN without scores or memory. */
double shot_expected_p1(const ShotTuning *tuning);
/* Mean VMAF, in an encode of the whole video, of the shot that has the least; NAN without scores.
 */
double shot_least_vmaf(const ShotTuning *tuning, const MeasuredEncode *whole);

/* -- what is run to make a video of the shots: an encode for each, and one that joins them -- */

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

/* `video_only`: nothing else of the source is copied. 0; -ENOMEM, -EINVAL and why. Free in either
 * case. */
int shot_commands_make(ShotCommands *commands, const ShotTuning *tuning, const ShotPaths *paths,
                       bool video_only, Message *why);
void shot_commands_free(ShotCommands *commands);

/* A script for a POSIX shell that does the same; free. NULL without memory. */
char *shot_script(const ShotCommands *commands, const ShotPaths *paths);

/* -- the video that was planned, and what became of it -- */

typedef struct ShotResult {
    size_t frames;
    uint64_t bytes;               /* of the video */
    double kbps, vmaf, p1;        /* the mean and the 1 % of VMAF */
    double least;                 /* mean VMAF of a shot */
    double expected;              /* VMAF of the shots together */
    bool holds[SEARCH_MAX_GATES]; /* each of the plan's conditions */
} ShotResult;

/* What an encode of the whole video is. */
ShotResult shot_result_of(const ShotTuning *tuning, const MeasuredEncode *encode);

/* Checks that the output may be written: 0; a status. */
int shot_check_output(const ShotTuning *tuning, const char *output, bool overwrites);

/* -- all shots in one encode -- */

typedef struct ShotZones {
    double base;            /* quality outside of zones, of which there is nothing */
    char *text;             /* "zones=0,99,crf=21/..." */
    const char **arguments; /* of the user, then the option and the text */
    size_t n;
} ShotZones;

/* Rejects encoders that take none. 0; a status. */
int shot_zones_check(const ShotTuning *tuning);
/*
 * Encodes and scores the whole video with zones for the shots, all one step better if the plan
 * reaches what was asked for and that encode does not, in at most three encodes. 0; a status. Free
 * zones and `whole` in either case.
 */
int shot_zones_measure(ShotTuning *tuning, ShotZones *zones, TunedShot *whole, ShotResult *result);
/* Encodes of `whole` have the zones, which have to stay. */
void shot_zones_apply(const ShotZones *zones, ShotTuning *whole);
void shot_zones_free(ShotZones *zones);
/* The options of ffmpeg, as a shell reads them, for an encode of the whole video with zones, which
 * may be NULL; free. NULL without memory. */
char *shot_zones_arguments(const ShotTuning *tuning, const ShotZones *zones, double q);

/* What the shots have on average over all frames. */
double shot_middle_quality(const ShotTuning *tuning);

/* -- whether it pays -- */

typedef struct ShotDelivery {
    bool video_only;
    bool by_zones; /* in one encode, not in segments */
    bool compares; /* with a single quality, which may replace it */
    bool executes; /* the video is made; false, by zones alone: only measured */
} ShotDelivery;

/*
 * A quality for each shot is compared with one quality for the whole video. Shots do not always
 * pay: false cuts cost keyframes, and a target that every shot has to reach costs bits that the
 * whole video would not need.
 */
typedef struct ShotComparison {
    ShotResult shots; /* the video of all shots */
    ShotZones zones;  /* by zones: */
    TunedShot zoned;  /* that video */
    bool is_compared; /* that was asked for, and there is more than one shot */
    /* All of the video at the cheapest quality that was measured whose mean and 1 % of VMAF are
     * both at least those of `shots`, and that holds the conditions that these hold; a mark other
     * than SHOT_REACHED: there is none. */
    TunedShot single;
    TuneGates gates;         /* what it has to reach */
    bool single_is_kept;     /* it needs no more bits */
    ShotCommands commands;   /* that make what is kept, if that is one encode */
    ShotResult whole_result; /* of that */
    const ShotResult *result;
} ShotComparison;

/* Makes the video of the shots, and replaces it if a single quality is as good and no dearer. 0; a
 * status. Free in either case. */
int shot_comparison_make(ShotTuning *tuning, const ShotPaths *paths, const ShotCommands *commands,
                         const ShotDelivery *delivery, ShotComparison *comparison);
void shot_comparison_free(ShotComparison *comparison);

#endif
