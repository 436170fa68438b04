/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_OPTIONS_COMMAND_H
#define TUNE_OPTIONS_COMMAND_H

/* Subcommands of vmaf-tune as such: their tables, arguments, results and exit statuses. */

#include "tune/options/options.h"

/* What the program tells its caller. */
enum TuneStatus {
    TUNE_OK = 0,            /* there is a result */
    TUNE_NO_RESULT = 1,     /* it ran, but nothing reaches the target, or all encodes failed */
    TUNE_USAGE = 2,         /* the command line is wrong, an input unreadable, a program missing */
    TUNE_DISAGREES = 3,     /* `fast`: estimate and verification differ by more than is tolerated */
    TUNE_BACKEND = 100,     /* the score backend that was asked for is unavailable, or was lost */
    TUNE_INTERRUPTED = 130, /* by Ctrl-C; what is finished is kept */
};

/*
 * A subcommand of vmaf-tune. Its result goes to stdout or to the file of --output, everything else
 * to stderr.
 */
typedef struct TuneCommand {
    const char *name;
    const char *other_name; /* others have | between them; or NULL */
    const char *operands;   /* in its usage, behind the options; "" if there are none */
    const char *summary;    /* one line without a full stop */
    const char *examples;   /* lines that can be typed, each ended by a line feed */
    /* The arguments behind its name. Returns the status of the program. */
    int (*run)(const struct TuneCommand *command, int argc, char **argv);
    bool takes_all; /* of a source, and no part of it (--start, --length) */
    /* In the copy that the program runs: every command, by its place, NULL behind the last one. */
    const struct TuneCommand *(*all)(size_t index);
    const struct OptionVisitor *visitor; /* takes the options, and nothing is parsed; or NULL */
} TuneCommand;

/* Is shown a command, with a place of NULL, then its options. */
typedef struct OptionVisitor {
    void (*visit)(void *cookie, const TuneCommand *command, const OptionPlace *place);
    void *cookie;
} OptionVisitor;

/* Has it this name? */
bool command_is_called(const TuneCommand *command, const char *name);

/*
 * Prints a line for each command, or for the one of this name, and for each of its options, whose
 * fields have tabulators between them: command; group; letter; names, with | between them;
 * argument, or the words that it can be; "file" if it is one; help. Of a command, the second field
 * is empty, the fourth has its other names, the fifth its operands.
 */
void commands_print_options(const TuneCommand *(*all)(size_t index), const char *name);

/*
 * Parses a subcommand's arguments. True: go on, with *words. False: help or an error was printed,
 * and the program ends with *status. Free the groups' lists in either case (tune_options_free).
 */
bool command_parse(const TuneCommand *command, const OptionGroup *groups, size_t n_groups, int argc,
                   char **argv, OptionWords *words, int *status);

/* The same for one that has no operands: a word is an error. */
bool command_parse_options(const TuneCommand *command, const OptionGroup *groups, size_t n_groups,
                           int argc, char **argv, int *status);

/* Prints "vmaf-tune NAME: ..." to stderr, and returns the status. */
int command_fail(const TuneCommand *command, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* True if a result can be written there, as far as is known before the work. Prints why not. */
bool command_check_output(const TuneCommand *command, const char *path);

/* True if a video may be written there: never over its source, and over another file only if
 * `overwrites` is set. Prints why not. */
bool command_check_video(const TuneCommand *command, const char *source, const char *path,
                         bool overwrites);

/*
 * Writes a result: to stdout if `path` is NULL or "-", else to a file that appears complete or not
 * at all. Prints why not. TUNE_OK or TUNE_NO_RESULT.
 */
int command_print(const TuneCommand *command, const char *path, const char *text);

#endif
