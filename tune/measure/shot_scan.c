/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/shot_scan.h"

#include "tune/measure/source_shots.h"

#include <errno.h>
#include <stdlib.h>

/* Cuts long ones. Takes `found` over. */
static int fit_shots(const TuneSource *source, const ShotScan *scan, SourceShots *found,
                     Shot **shots, size_t *n)
{
    const double rate = (double)source->rate.numerator / source->rate.denominator;
    *shots = found->shots;
    *n = found->n;
    found->shots = NULL;
    if (!(scan->max_seconds > 0))
        return 0;
    Shot *whole = *shots;
    const int parts = shots_split(whole, *n, scan->max_seconds * rate, shots);
    free(whole);
    if (parts < 0)
        *shots = NULL;
    *n = parts < 0 ? 0 : (size_t)parts;
    return parts < 0 ? parts : 0;
}

int shot_scan(const TuneSource *source, const ShotScan *scan, Shot **shots, size_t *n, Message *why)
{
    const bool joins_later = scan->joins_short && scan->min_frames > SHOT_DEFAULT_MIN_FRAMES;
    const ShotOptions options = {
        .kind = scan->kind,
        .threshold = scan->threshold,
        .min_frames = joins_later ? SHOT_DEFAULT_MIN_FRAMES : scan->min_frames,
        .join_below = scan->joins_short ? scan->min_frames : 0,
    };
    SourceShots found;
    *shots = NULL;
    *n = 0;
    int err = source_shots_find(source, &options, scan->stop, scan->progress, &found, why);
    if (!err && fit_shots(source, scan, &found, shots, n))
        err = message_set(why, -ENOMEM, "out of memory");
    if (!err && *n > MAX_SHOTS)
        err = message_set(why, -E2BIG, "there are more than %d shots", MAX_SHOTS);
    source_shots_free(&found);
    return err;
}
