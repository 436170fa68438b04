/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_CORPUS_COMMAND_H
#define TUNE_COMMANDS_CORPUS_COMMAND_H

#include "tune/command_line/command.h"

/* vmaf-tune corpus: rows of encodes of many sources, encoders, presets and qualities. */
extern const TuneCommand corpus_command;

#endif
