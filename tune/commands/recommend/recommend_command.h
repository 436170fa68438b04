/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_RECOMMEND_RECOMMEND_COMMAND_H
#define TUNE_COMMANDS_RECOMMEND_RECOMMEND_COMMAND_H

#include "tune/command_line/command.h"

/* vmaf-tune recommend: which quality to encode with. */
extern const TuneCommand recommend_command;

#endif
