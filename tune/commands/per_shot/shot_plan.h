/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_SHOT_PLAN_H
#define TUNE_COMMANDS_SHOT_PLAN_H

/* The plan of all shots, as JSON and for people. */

#include "tune/commands/per_shot/shot_comparison.h"

#include <jansson.h>

/* `made` NULL: it was not executed. A new reference; NULL without memory. */
json_t *shot_plan_record(const ShotTuning *tuning, const ShotPaths *paths,
                         const ShotCommands *commands, const ShotComparison *made);

void shot_plan_print(const ShotTuning *tuning, const ShotComparison *made, FILE *out);

#endif
