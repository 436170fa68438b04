/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "command_table.h"

#include "batch/batch.h"
#include "common/messages.h"
#include "exit_status.h"
#include "probe.h"
#include "shards/merge.h"
#include "shards/rescore.h"

#include <stddef.h>
#include <string.h>

static const Command table[] = {
    {"probe", "FILE [--json]", "print what is in a file", .flag = "json",
     .flag_help = "print it as JSON", .run = probe},
    {"merge", "PART... -o REPORT [options], or merge PART... --info",
     "make the reports of a run of its shards", .takes_options = true, .flag = "info",
     .flag_help = "print what is in the files", .run = merge},
    {"rescore", "RECORDS... -o REPORT [options]", "score stored records with other models",
     .takes_options = true, .flag = "all", .flag_help = "every feature that is stored",
     .run = rescore},
    {"batch", "LIST [--jobs N] [options]", "score the pairs of a list", .takes_options = true,
     .run = batch},
};
enum { TABLE_SIZE = sizeof(table) / sizeof(table[0]) };

const Command *command_row(unsigned index)
{
    return index < TABLE_SIZE ? &table[index] : NULL;
}

const Command *command_find(const char *word)
{
    for (int i = 0; i < TABLE_SIZE; i++) {
        if (!strcmp(table[i].name, word))
            return &table[i];
    }
    return NULL;
}

int command_say_usage(const char *name)
{
    say("Usage: vmaf %s %s", name, command_find(name)->arguments);
    return STATUS_USAGE;
}
