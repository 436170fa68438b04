/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/table.h"

#include "tune/commands/auto/auto_command.h"
#include "tune/commands/bd_rate/bd_rate_command.h"
#include "tune/commands/benchmark/benchmark_command.h"
#include "tune/commands/bisect/bisect_command.h"
#include "tune/commands/capabilities/capabilities_command.h"
#include "tune/commands/compare/compare_command.h"
#include "tune/commands/corpus/corpus_command.h"
#include "tune/commands/encode_profile/encode_profile_command.h"
#include "tune/commands/fast/fast_command.h"
#include "tune/commands/ladder/ladder_command.h"
#include "tune/commands/per_shot/per_shot_command.h"
#include "tune/commands/predict/predict_command.h"
#include "tune/commands/recommend/recommend_command.h"
#include "tune/commands/report/report_command.h"
#include "tune/commands/sidecar/sidecar_command.h"

/* All subcommands: each is a folder of tune/commands. */
static const TuneCommand *const commands[] = {
    &bisect_command,    &fast_command,           &compare_command,      &corpus_command,
    &recommend_command, &ladder_command,         &per_shot_command,     &predict_command,
    &auto_command,      &encode_profile_command, &bd_rate_command,      &benchmark_command,
    &report_command,    &sidecar_command,        &capabilities_command, NULL,
};

const TuneCommand *command_at(size_t index)
{
    return commands[index];
}
