/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_PER_SHOT_COMMAND_H
#define TUNE_COMMANDS_PER_SHOT_COMMAND_H

#include "tune/command_line/command.h"

extern const TuneCommand per_shot_command;

#endif
