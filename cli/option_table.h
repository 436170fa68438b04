/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_OPTION_TABLE_H
#define CLI_OPTION_TABLE_H

#include "backends.h"
#include "message.h"

#include <stdbool.h>
#include <stdio.h>

/* Every option of the program. Parsing, help and suggestions come from one table of these. */
enum OptionId {
    OPTION_REFERENCE,
    OPTION_DISTORTED,
    OPTION_WIDTH,
    OPTION_HEIGHT,
    OPTION_PIXEL_FORMAT,
    OPTION_BIT_DEPTH,
    OPTION_FRAME_COUNT,
    OPTION_FRAME_SKIP_REF,
    OPTION_FRAME_SKIP_DIST,
    OPTION_SUBSAMPLE,
    OPTION_MODEL,
    OPTION_FEATURE,
    OPTION_NO_PREDICTION,
    OPTION_AOM_CTC,
    OPTION_NFLX_CTC,
    OPTION_OUTPUT,
    OPTION_XML,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_SUB,
    OPTION_PRECISION,
    OPTION_QUIET,
    OPTION_THREADS,
    OPTION_CPUMASK,
    OPTION_BACKEND,
    OPTION_BACKEND_DEVICE,
    OPTION_GPUMASK,
    OPTION_NO_BACKEND, /* --no_NAME and */
    OPTION_X_DEVICE,   /* --NAME_device, of any backend that exists */
    OPTION_LIST_MODELS,
    OPTION_LIST_FEATURES,
    OPTION_LIST_BACKENDS,
    OPTION_CAPABILITIES,
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_IGNORED,
};

typedef struct OptionInfo {
    enum OptionId id;
    char short_name;      /* or 0 */
    bool added;           /* not in libvmaf: yields to the others when a name is abbreviated */
    const char *name;     /* or NULL */
    const char *argument; /* what help calls the argument; NULL if there is none; in brackets if
                             it may be left out */
    const char *help;     /* NULL: not shown */
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
 * Start with { .argc = argc, .argv = argv, .next = 1 }. Returns 1 with a match, 0 at the end,
 * -EINVAL for something that is not an option of ours, or no option at all.
 */
typedef struct OptionScanner {
    int argc;
    char **argv;
    int next;            /* argument to look at */
    const char *cluster; /* rest of -xyz, or NULL */
} OptionScanner;

int option_scan(OptionScanner *scanner, OptionMatch *match, Message *why);

/* How messages call an option: "-x/--name" or "--name". */
const char *option_label(const OptionInfo *info, char *buffer, size_t size);

/* One line, and where to find the rest. */
void option_print_usage(FILE *out);
/* All options by group, one line each. */
void option_print_summary(FILE *out);
/* The same between an introduction and examples. */
void option_print_help(FILE *out);

#endif
