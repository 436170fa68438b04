/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_OPTION_TABLE_H
#define CLI_OPTION_TABLE_H

#include "backends.h"
#include "common/messages.h"

#include <stdbool.h>
#include <stdio.h>

/* What an option does to the options of a run, or, of the special ones, which it is. */
enum OptionKind {
    OPTION_FLAG,     /* bool: true */
    OPTION_TEXT,     /* const char *: the argument */
    OPTION_NUMBER,   /* unsigned: the argument, up to `number` */
    OPTION_MASK,     /* uint32_t: a set of bits, -1 means all */
    OPTION_CONSTANT, /* unsigned, or an enum: `number` */
    OPTION_DISTORTED,
    OPTION_INPUT, /* see input_options.h */
    OPTION_PIXEL_FORMAT,
    OPTION_BIT_DEPTH,
    OPTION_ALIGN,
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

/* Where options stand: on the command line of a run, on that of a batch, for all of its lines, in a
 * line of its list, or behind a subcommand that finishes stored records. */
enum OptionPlace { IN_RUN = 1, IN_BATCH = 2, IN_LINE = 4, IN_MERGE = 8, IN_RESCORE = 16 };

/* An option of the program. Parsing, help, completions and suggestions come from one
 * table of these. */
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
    unsigned not_in;     /* enum OptionPlace: where it is refused, of the first three */
    unsigned also_in;    /* the same: where it is taken, of the others */
} OptionInfo;

/* An option as found on the command line. */
typedef struct OptionMatch {
    const OptionInfo *info;
    const char *value;               /* NULL if there is none */
    char backend[BACKEND_NAME_SIZE]; /* of OPTION_NO_BACKEND and OPTION_X_DEVICE */
} OptionMatch;

/*
 * Takes the next option off argv with the conventions of getopt_long: --name value, --name=value,
 * unambiguous beginnings of names, -x value, -xvalue, -xyz, options and operands mixed, -- to end
 * options.
 *
 * Start with { .argc = argc, .argv = argv, .next = 1 }. Returns 1
 * with a match, 0 at the end, -EINVAL for something that is not an option of ours, or no option at
 * all.
 */
typedef struct OptionScanner {
    int argc;
    char **argv;
    int next;             /* argument to look at */
    const char *cluster;  /* rest of -xyz, or NULL */
    const char *words[2]; /* arguments that are no options: reference, distorted */
    unsigned n_words;     /* all of them */
    const char **list;    /* where they go instead, of any number; NULL: there are at most two */
} OptionScanner;

int option_scan(OptionScanner *scanner, OptionMatch *match, Message *why);

/* Refuses a word that is no option: most likely a part of the argument of the previous option, or a
 * forgotten -r or -d. -EINVAL. */
int option_stray_word(const char *word, Message *why);

/* Refuses an option that does not belong there. 0; -EINVAL. */
int option_check_place(const OptionInfo *info, enum OptionPlace place, Message *why);

/* How messages call an option: "-x/--name" or "--name". */
const char *option_label(const OptionInfo *info, char *buffer, size_t size);

/* Row number `index`, of the known backends, too; NULL behind the last one. */
const OptionInfo *option_row(unsigned index);

#endif
