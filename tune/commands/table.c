/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/table.h"

/* All subcommands: each is a folder of tune/commands. */
static const TuneCommand *const commands[] = {
    NULL,
};

const TuneCommand *command_at(size_t index)
{
    return commands[index];
}
