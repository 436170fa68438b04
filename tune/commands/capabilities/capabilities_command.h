/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_CAPABILITIES_COMMAND_H
#define TUNE_COMMANDS_CAPABILITIES_COMMAND_H

#include "tune/command_line/command.h"

/* vmaf-tune capabilities: which encoders, backends and models are usable here. */
extern const TuneCommand capabilities_command;

#endif
