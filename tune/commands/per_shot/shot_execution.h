/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_SHOT_EXECUTION_H
#define TUNE_COMMANDS_SHOT_EXECUTION_H

/* Makes the video that was planned, and looks at what became of it. */

#include "tune/commands/per_shot/shot_commands.h"

typedef struct ShotResult {
    size_t frames;
    uint64_t bytes;        /* of the video */
    double kbps, vmaf, p1; /* the mean and the 1 % of VMAF */
    double expected;       /* VMAF of the shots together */
} ShotResult;

/* Encodes that are in the cache are not made again. The video has as many frames as the source.
 * 0; a status. */
int shot_execute(const ShotTuning *tuning, const ShotPaths *paths, const ShotCommands *commands,
                 bool video_only, ShotResult *result);

/* Checks that the output may be written: 0; a status. */
int shot_check_output(const ShotTuning *tuning, const char *output, bool overwrites);

#endif
