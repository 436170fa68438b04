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

#endif
