/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_SOURCE_SHOTS_H
#define TUNE_MEASURE_SOURCE_SHOTS_H

/* Where a video is cut: one pass through all of its frames. */

#include "tune/measure/progress.h"
#include "tune/measure/shots.h"
#include "tune/measure/source.h"

#include <stdatomic.h>

typedef struct SourceShots {
    Shot *shots; /* in order and without gaps */
    size_t n;
} SourceShots;

/*
 * `stop` and `progress` may be NULL. 0; -ECANCELED: stopped; -E2BIG: more than MAX_SHOTS; another
 * negative errno; and why. Free in either case.
 */
int source_shots_find(const TuneSource *source, const ShotOptions *options, const atomic_bool *stop,
                      Progress *progress, SourceShots *found, Message *why);
void source_shots_free(SourceShots *found);

#endif
