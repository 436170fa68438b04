/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/table.h"

#include "tune/commands/bd_rate/bd_rate_command.h"
#include "tune/commands/benchmark/benchmark_command.h"
#include "tune/commands/bisect/bisect_command.h"
#include "tune/commands/per_shot/per_shot_command.h"
#include "tune/commands/recommend/recommend_command.h"
#include "tune/commands/report/report_command.h"

/* All subcommands: each is a folder of tune/commands. */
static const TuneCommand *const commands[] = {
    &bisect_command,
    &per_shot_command,
    &recommend_command,
    &bd_rate_command,
    &benchmark_command,
    &report_command,
    NULL,
};

const TuneCommand *command_at(size_t index)
{
    return commands[index];
}
