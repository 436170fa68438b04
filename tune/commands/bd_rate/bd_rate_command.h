/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_BD_RATE_BD_RATE_COMMAND_H
#define TUNE_COMMANDS_BD_RATE_BD_RATE_COMMAND_H

#include "tune/command_line/command.h"

/* vmaf-tune bd-rate: how much less an encoder needs than another. */
extern const TuneCommand bd_rate_command;

#endif
