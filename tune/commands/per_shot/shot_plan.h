/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_SHOT_PLAN_H
#define TUNE_COMMANDS_SHOT_PLAN_H

/* The plan of all shots, as JSON and for people. */

#include "tune/commands/per_shot/shot_execution.h"

#include <jansson.h>

/* `result` NULL: it was not executed. A new reference; NULL without memory. */
json_t *shot_plan_record(const ShotTuning *tuning, const ShotPaths *paths,
                         const ShotCommands *commands, const ShotResult *result);

void shot_plan_print(const ShotTuning *tuning, const ShotResult *result, FILE *out);

#endif
