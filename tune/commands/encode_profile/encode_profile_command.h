/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_ENCODE_PROFILE_COMMAND_H
#define TUNE_COMMANDS_ENCODE_PROFILE_COMMAND_H

#include "tune/command_line/command.h"

/* vmaf-tune encode-profile: encodes a video as a result of another subcommand says. */
extern const TuneCommand encode_profile_command;

#endif
