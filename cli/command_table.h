/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_COMMAND_TABLE_H
#define CLI_COMMAND_TABLE_H

#include <stdbool.h>

/* What the program does if its first word is `name`. Dispatch, usage, help and completions come
 * from one table of these. */
typedef struct Command {
    const char *name;
    const char *arguments;        /* what stands behind the name, for people */
    const char *summary;          /* for shells */
    bool takes_options;           /* those of the program */
    const char *flag, *flag_help; /* an option of its own, without dashes; NULL: there is none */
    /* Gets the words behind the name, and returns the exit status. */
    int (*run)(int argc, char **argv);
} Command;

/* Row number `index`; NULL behind the last one. */
const Command *command_row(unsigned index);

/* NULL: the word is the name of none. */
const Command *command_find(const char *word);

/* A line that says how the command is used. STATUS_USAGE. */
int command_say_usage(const char *name);

#endif
