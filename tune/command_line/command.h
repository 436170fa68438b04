/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMAND_LINE_COMMAND_H
#define TUNE_COMMAND_LINE_COMMAND_H

#include "tune/command_line/exit_status.h"
#include "tune/command_line/options.h"

/*
 * A subcommand of vmaf-tune. Its result goes to stdout or to the file of --output, everything else
 * to stderr.
 */
typedef struct TuneCommand {
    const char *name;
    const char *other_name; /* or NULL */
    const char *operands;   /* in its usage, behind the options; "" if there are none */
    const char *summary;    /* one line without a full stop */
    const char *examples;   /* lines that can be typed, each ended by a line feed */
    /* The arguments behind its name. Returns the status of the program. */
    int (*run)(const struct TuneCommand *command, int argc, char **argv);
} TuneCommand;

/*
 * Parses a subcommand's arguments. True: go on, with *words. False: help was printed or an error
 * said, the program ends with *status. Free the groups' lists in either case (tune_options_free).
 */
bool command_parse(const TuneCommand *command, const OptionGroup *groups, size_t n_groups, int argc,
                   char **argv, OptionWords *words, int *status);

/* The same for one that has no operands: a word is an error. */
bool command_parse_options(const TuneCommand *command, const OptionGroup *groups, size_t n_groups,
                           int argc, char **argv, int *status);

/* Says "vmaf-tune NAME: ..." on stderr, and returns the status. */
int command_fail(const TuneCommand *command, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether a result could be written there, as far as can be told before the work; says why not. */
bool command_check_output(const TuneCommand *command, const char *path);

/* Whether a video may be written there: never over its source, over another file if the user said
 * so. Says why not. */
bool command_check_video(const TuneCommand *command, const char *source, const char *path,
                         bool overwrites);

/*
 * Writes a result: to stdout if `path` is NULL or "-", else to a file that appears complete or not
 * at all. Says why not. TUNE_OK or TUNE_NO_RESULT.
 */
int command_print(const TuneCommand *command, const char *path, const char *text);

#endif
