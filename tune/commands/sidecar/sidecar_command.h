/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_SIDECAR_COMMAND_H
#define TUNE_COMMANDS_SIDECAR_COMMAND_H

#include "tune/command_line/command.h"

extern const TuneCommand sidecar_command;

#endif
