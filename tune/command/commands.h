/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMAND_COMMANDS_H
#define TUNE_COMMAND_COMMANDS_H

/* All subcommands of vmaf-tune: each is a file of this folder, or a few. */

#include "tune/options/command.h"

extern const TuneCommand compare_command;
extern const TuneCommand corpus_command;
extern const TuneCommand ladder_command;
extern const TuneCommand shots_command;
extern const TuneCommand per_shot_command;
extern const TuneCommand bd_rate_command;
extern const TuneCommand report_command;
extern const TuneCommand capabilities_command;

/* encode, search and sample, and other names of them; NULL behind the last one. */
const TuneCommand *alias_command(size_t index);

#endif
