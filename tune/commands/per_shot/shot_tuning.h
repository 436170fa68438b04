/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_SHOT_TUNING_H
#define TUNE_COMMANDS_SHOT_TUNING_H

/* Finds the quality of every shot of a source. Functions that return a status have said what is
 * wrong on stderr; TUNE_OK is 0. */

#include "tune/commands/session/session.h"
#include "tune/engine/shots.h"

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
    TunedShot *shots;
    size_t n;
    /* What all encodes have in common; has_options: it is known. */
    bool has_options;
    MeasureOptions options;
    HdrTags hdr;
    char model[256];
    bool is_calibrated;
} ShotTuning;

/* Takes the shots over as those that are to be tuned. 0; a status. */
int shot_tuning_set(ShotTuning *tuning, const Shot *shots, size_t n);
void shot_tuning_free(ShotTuning *tuning);

/* Begins to measure one shot. Close the measurer in either case. */
int shot_tuning_measurer(ShotTuning *tuning, const TunedShot *shot, SessionMeasurer *measurer);

/* Searches one shot as `plan` says, and chooses its encode: the answer, else the best quality. */
int tuned_shot_search(ShotTuning *tuning, const SearchPlan *plan, TunedShot *shot);
void tuned_shot_free(TunedShot *shot);

/* Searches all shots, and with is_lagrange chooses among their encodes. */
int shot_tuning_run(ShotTuning *tuning);

/* The second half of it: tune/commands/per_shot/shot_allocation.c. */
int shot_tuning_allocate(ShotTuning *tuning);

/* Takes an encode over. 0; -ENOMEM, and it is freed. */
int tuned_shot_keep(TunedShot *shot, MeasuredEncode *encode);
const MeasuredEncode *tuned_shot_chosen(const TunedShot *shot);
/* The encode of that quality that has scores; n_encodes: there is none. */
size_t tuned_shot_find(const TunedShot *shot, int q);

/* "ok", "unreachable", ... */
const char *shot_mark_name(ShotMark mark);

/* Mean VMAF over the frames of an encode; NAN if it has no scores. */
double shot_mean_vmaf(const MeasuredEncode *encode);

/* What the chosen encodes are together. */
typedef struct ShotTotals {
    size_t frames, missed; /* shots that do not reach the target */
    uint64_t bytes;
    double kbps, vmaf; /* over all frames */
} ShotTotals;

ShotTotals shot_totals(const ShotTuning *tuning);

#endif
