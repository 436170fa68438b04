/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_BENCHMARK_BENCHMARK_COMMAND_H
#define TUNE_COMMANDS_BENCHMARK_BENCHMARK_COMMAND_H

#include "tune/command_line/command.h"

/* vmaf-tune benchmark: encoders of a corpus side by side. */
extern const TuneCommand benchmark_command;

#endif
