/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_SHOT_COMPARISON_H
#define TUNE_COMMANDS_SHOT_COMPARISON_H

/*
 * Compares a quality for each shot with one quality for the whole video. Shots do not always pay:
 * false cuts cost keyframes, and a target that every shot has to reach costs bits that the whole
 * video would not need.
 */

#include "tune/commands/per_shot/shot_execution.h"

typedef struct ShotComparison {
    ShotResult shots; /* the video of all shots */
    bool is_compared; /* there is more than one shot */
    /* All of the video at the cheapest quality whose mean and 1 % of VMAF are both at least those
     * of `shots`; a mark other than SHOT_REACHED: there is none. */
    TunedShot single;
    ShotResult single_result;
    bool single_is_kept;   /* it needs no more bits */
    ShotCommands commands; /* that make it */
    const ShotResult *result;
} ShotComparison;

/* Makes the video of the shots, and replaces it if a single quality is as good and no dearer. 0; a
 * status. Free in either case. */
int shot_comparison_make(ShotTuning *tuning, const ShotPaths *paths, const ShotCommands *commands,
                         bool video_only, ShotComparison *comparison);
void shot_comparison_free(ShotComparison *comparison);

#endif
