/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_OPTIONS_INTERNAL_H
#define CLI_OPTIONS_INTERNAL_H

/*
 * The table of options and what is made of it: parsing, help, completions and suggestions.
 */

#include "options/options.h"

/* What an option does to the options of a run, or, of the special ones, which it is. */
enum OptionKind {
    OPTION_FLAG,     /* bool: true */
    OPTION_TEXT,     /* const char *: the argument */
    OPTION_NUMBER,   /* unsigned: the argument, up to `number` */
    OPTION_MASK,     /* uint32_t: a set of bits, -1 means all */
    OPTION_CHOICE,   /* unsigned, or an enum: which of `values` */
    OPTION_CONSTANT, /* the same: `number` */
    OPTION_DISTORTED,
    OPTION_INPUT, /* of InputOptions, by its name */
    OPTION_PIXEL_FORMAT,
    OPTION_BIT_DEPTH,
    OPTION_MODEL,
    OPTION_FEATURE,
    OPTION_AOM_CTC,
    OPTION_NFLX_CTC,
    OPTION_OUTPUT,
    OPTION_POOL,
    OPTION_PRECISION,
    OPTION_REQUIRE,
    OPTION_SHARD,
    OPTION_BACKEND,
    OPTION_BACKEND_DEVICE,
    OPTION_NO_BACKEND,  /* --no_NAME and */
    OPTION_X_DEVICE,    /* --NAME_device, of any backend that exists */
    OPTION_LIST_MODELS, /* the next five print something and end the program */
    OPTION_LIST_FEATURES,
    OPTION_COMPLETION,
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_CAPABILITIES,
    OPTION_IGNORED,
};

/* An option of the program. */
typedef struct OptionInfo {
    const char *name;     /* or NULL */
    char short_name;      /* or 0 */
    const char *argument; /* what help calls the argument; NULL if there is none; in brackets if
                             it may be left out */
    const char *help;     /* NULL: not shown */
    const char *values;   /* words that the argument may be, with | between them, or NULL */
    enum OptionKind kind;
    size_t target;       /* what it sets: an offset in Options */
    size_t given;        /* a bool beside it that becomes true, likewise; 0: none */
    unsigned number;     /* see the kinds */
    bool added;          /* not in libvmaf: yields to the others when a name is abbreviated */
    const char *group;   /* of this row and those below it, or NULL: that of the row above */
    const char *backend; /* the known one that it is about, or NULL */
    unsigned not_in;     /* enum OptionPlace: where it is rejected, of the first three */
    unsigned also_in;    /* the same: where it is taken, of the others */
} OptionInfo;

/* Row number `index`, of the known backends, too; NULL behind the last one. */
const OptionInfo *option_row(unsigned index);

/* How messages call an option: "-x/--name" or "--name". */
const char *option_label(const OptionInfo *info, char *buffer, size_t size);

/* An option as found on the command line. */
typedef struct OptionMatch {
    const OptionInfo *info;
    const char *value;               /* NULL if there is none */
    char backend[BACKEND_NAME_SIZE]; /* of OPTION_NO_BACKEND and OPTION_X_DEVICE */
} OptionMatch;

/*
 * Takes the next option off argv with the conventions of getopt_long: --name value, --name=value,
 * unambiguous beginnings of names, -x value, -xvalue, -xyz, options and operands mixed, -- to end
 * options. Returns 1 with a match, 0 at the end, -EINVAL for something that is not an option of
 * ours, or no option at all.
 */
int option_scan(OptionScanner *scanner, OptionMatch *match, Message *why);

/* Rejects a word that is no option: most likely a part of the argument of the previous option, or a
 * forgotten -r or -d. -EINVAL. */
int option_stray_word(const char *word, Message *why);

/* Stores what an option says. 0; -EINVAL, -ENOMEM, and why. */
int option_take(Options *options, const OptionMatch *match, Message *why);
/* Rejects the argument of an option; `expected` says what it should be. -EINVAL. */
int option_invalid_argument(const OptionMatch *match, const char *expected, Message *why);
/* Values that no option stands before. */
int option_add_distorted(Options *options, const char *path, Message *why);
int option_add_model(Options *options, const char *text, Message *why);

/* Adds the conditions of a list, which is kept. 0; -EINVAL, and says why. */
int gates_parse(GateList *gates, const char *text, Message *why);

/* Checks, and fills in, the options of a subcommand that finishes stored records. */
int command_line_check_parts(Options *options, enum OptionPlace place, Message *why);

/* Row number `index` of the commands; NULL behind the last one. */
const Command *command_row(unsigned index);

/*
 * What a shell, "bash", "zsh" or "fish", has to know to complete the command line, as text in its
 * language. 0; -EINVAL for any other shell.
 */
int completion_print(const char *shell);

/* What the program can do, for people; no line is longer than 80 characters. One line, and where to
 * find the rest. */
void help_print_usage(void);

/* Examples, the options that most people use, and the names of all. */
void help_print(void);

/*
 * On a group of options, by its name or the beginning of it; on the group of an option, with or
 * without dashes; or, with "all", on everything. 0; -EINVAL if it is none of these, and says what
 * there is.
 */
int help_print_topic(const char *topic, Message *why);

#endif
