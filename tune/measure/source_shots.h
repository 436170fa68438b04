/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_SOURCE_SHOTS_H
#define TUNE_MEASURE_SOURCE_SHOTS_H

/* Where a video is cut, and what its frames look like: one pass through all of them. */

#include "tune/engine/shots.h"
#include "tune/measure/progress.h"
#include "tune/measure/source.h"

#include <stdatomic.h>

typedef struct SourceShots {
    Shot *shots;
    size_t n;
    double *luma; /* mean of each frame, of samples in [0, 1] */
    size_t frames;
} SourceShots;

/*
 * `stop` and `progress` may be NULL. 0; -ECANCELED: stopped; another negative errno; and why. Free
 * in either case.
 */
int source_shots_find(const TuneSource *source, const ShotOptions *options, const atomic_bool *stop,
                      Progress *progress, SourceShots *found, Message *why);
void source_shots_free(SourceShots *found);

/* -- shots as the user wants them -- */

typedef struct ShotScan {
    ShotDetectorKind kind;
    double threshold;        /* as in ShotOptions */
    size_t min_frames;       /* of a shot, at least 1; before it has that many, or the detector's
                              * default if that is less, there is no cut */
    bool joins_short;        /* what is shorter nevertheless joins a neighbour */
    double max_seconds;      /* longer ones are cut into equal parts; 0: none */
    const atomic_bool *stop; /* once true it ends; NULL: never */
    Progress *progress;      /* NULL: nothing is shown */
} ShotScan;

/*
 * *shots, in order and without gaps, is to be freed. 0; -ECANCELED; -E2BIG: more than MAX_SHOTS;
 * another negative errno; and why.
 */
int shot_scan(const TuneSource *source, const ShotScan *scan, Shot **shots, size_t *n,
              Message *why);

#endif
