/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_TABLE_H
#define TUNE_COMMANDS_TABLE_H

#include "tune/command_line/command.h"

/* Subcommand number `index`, in the order of help; NULL behind the last one. */
const TuneCommand *command_at(size_t index);

#endif
