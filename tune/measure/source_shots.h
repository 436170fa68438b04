/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_SOURCE_SHOTS_H
#define TUNE_MEASURE_SOURCE_SHOTS_H

/* The shots of a source. */

#include "tune/engine/shots.h"
#include "tune/measure/source.h"

#include <stdatomic.h>

/*
 * Decodes the luma of the whole source. The shots are the detector's, which is to be freed in
 * either case. 0; -ECANCELED: *stop, which may be NULL; -E2BIG: there are too many; another
 * negative errno; and why.
 */
int source_find_shots(const TuneSource *source, const ShotOptions *options, const atomic_bool *stop,
                      ShotDetector *detector, const Shot **shots, size_t *n, Message *why);

typedef struct ShotStatistics {
    size_t n;
    double mean_seconds, deviation_seconds; /* of the lengths; the deviation of the population */
} ShotStatistics;

ShotStatistics shot_statistics(const Shot *shots, size_t n, FrameRate rate);

#endif
