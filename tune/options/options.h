/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_OPTIONS_OPTIONS_H
#define TUNE_OPTIONS_OPTIONS_H

/*
 * Options of a subcommand: tables of rows, each of which sets a member of a structure. Parsing,
 * help and suggestions come from the same rows. A structure holds the defaults before it is parsed
 * into.
 */

#include "common/messages.h"

#include <stdbool.h>
#include <stddef.h>

enum { OPTION_MAX_WORDS = 64, OPTION_HELP_SIZE = 320 };

/* Lists of arguments; what they hold is theirs. */
typedef struct TextList {
    char **text;
    size_t n;
} TextList;

/* One more, which is made like a text of printf. 0; -ENOMEM. */
int text_list_add(TextList *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

typedef struct IntegerList {
    int *value;
    size_t n;
} IntegerList;

typedef struct NumberList {
    double *value;
    size_t n;
} NumberList;

typedef enum TuneOptionType {
    TUNE_FLAG,     /* bool: becomes true */
    TUNE_FLAG_OFF, /* bool: becomes false */
    TUNE_TEXT,     /* const char *, of the command line */
    TUNE_TEXTS,    /* TextList: the option may be given several times */
    TUNE_NAMES,    /* TextList: names with commas between them; may be given several times, too */
    TUNE_INTEGER,  /* int */
    TUNE_INTEGERS, /* IntegerList: as names */
    TUNE_NUMBER,   /* double */
    TUNE_NUMBERS,  /* NumberList: as names */
    TUNE_RANGE,    /* LOW:HIGH: two members of type double, one behind the other */
    TUNE_CHOSEN,   /* int, or an enum: becomes `lowest`; as a flag it has no argument */
    TUNE_CHOICE,   /* int, or an enum: which of `values`, from 0 */
} TuneOptionType;

/* What a text of an option names. */
typedef enum TuneFile {
    TUNE_NO_FILE,
    TUNE_FILE_READ,
    TUNE_FILE_TEXT,    /* a text that is written: it replaces texts */
    TUNE_FILE_WRITTEN, /* the subcommand decides what it may replace */
} TuneFile;

typedef struct TuneOption {
    const char *name;     /* without dashes */
    const char *argument; /* what help calls it; NULL for flags */
    const char *help;     /* NULL: accepted, but not shown. What it has in braces is shown where the
                           * structure has no default, else that */
    TuneOptionType type;
    size_t target;          /* offset in the group's structure */
    double lowest, highest; /* of numbers; both 0: any */
    const char *values;     /* of a choice: words with | between them */
    const char *other_name; /* other ways to write it, with | between them; or NULL */
    char short_name;        /* or 0 */
    TuneFile file;
    /* Behind a text, :KEY=VALUE stands for the option --KEY, or for --enc KEY=VALUE where
     * there is none. */
    bool has_settings;
    size_t usual; /* offset of the default that help shows; 0: that of `target` */
} TuneOption;

typedef struct OptionGroup {
    const char *title; /* above its options in help; behind ": " what help says of it instead */
    const TuneOption *options;
    size_t n;
    void *target; /* the structure */
} OptionGroup;

/* An option, and the group that it is one of. */
typedef struct OptionPlace {
    const OptionGroup *group;
    const TuneOption *option;
} OptionPlace;

/* Option number `index` of all groups; false behind the last one. */
bool option_at(const OptionGroup *groups, size_t n_groups, size_t index, OptionPlace *place);

/* What is no option, in order. */
typedef struct OptionWords {
    const char *word[OPTION_MAX_WORDS];
    size_t n;
    const char *unknown; /* what of "--NAME" made parsing fail, as none has that name; or NULL */
    const char *topic;   /* what stands behind --help; "" */
} OptionWords;

/*
 * Parses arguments with the conventions of getopt_long: --name value, --name=value, unambiguous
 * beginnings of names, -x value, -xvalue, -- to end options. 0; 1 if --help is among them, or -h
 * where no option has that name; -EINVAL or -ENOMEM, and says why. Lists are to be freed in either
 * case. Arguments with settings are cut apart in place.
 */
int tune_options_parse(const OptionGroup *groups, size_t n_groups, int argc, char **argv,
                       OptionWords *words, Message *why);

/*
 * Checks that the files that options name as outputs may be replaced: no two are one, and none is
 * read by an option or among the words. The option "overwrite" allows other files to be replaced.
 * 0; negative errno and why.
 */
int tune_options_check_files(const OptionGroup *groups, size_t n_groups, const OptionWords *words,
                             Message *why);

/* Frees the lists in the groups' structures. */
void tune_options_free(const OptionGroup *groups, size_t n_groups);

/* Its help, with its default. */
void tune_option_help(const OptionPlace *place, char text[OPTION_HELP_SIZE]);

/* Prints the groups' options to stdout. */
void tune_options_print(const OptionGroup *groups, size_t n_groups);

/* How well a name, or one of others with | between them or NULL, fits what begins with `length`
 * characters of `wanted`: 2 exactly, 1 begins so. */
int names_fit(const char *name, const char *others, const char *wanted, size_t length);

/* -- rows of tables -- */

/* What follows name, argument and help in a row: the type of the value, the member that it sets,
 * and its range. A table defines AT(member), which names its structure, before it. */
#define FLAG_AT(member)                .type = TUNE_FLAG, AT(member)
#define FLAG_OFF_AT(member)            .type = TUNE_FLAG_OFF, AT(member)
#define TEXT_AT(member)                .type = TUNE_TEXT, AT(member)
#define TEXTS_AT(member)               .type = TUNE_TEXTS, AT(member)
#define NAMES_AT(member)               .type = TUNE_NAMES, AT(member)
#define CHOSEN_AT(member, choice)      .type = TUNE_CHOSEN, AT(member), .lowest = (choice)
#define CHOICE_AT(member, words)       .type = TUNE_CHOICE, AT(member), .values = (words)
#define RANGE(low, high)               .lowest = (low), .highest = (high)
#define INTEGER_AT(member, low, high)  .type = TUNE_INTEGER, AT(member), RANGE(low, high)
#define INTEGERS_AT(member, low, high) .type = TUNE_INTEGERS, AT(member), RANGE(low, high)
#define NUMBER_AT(member, low, high)   .type = TUNE_NUMBER, AT(member), RANGE(low, high)
#define NUMBERS_AT(member, low, high)  .type = TUNE_NUMBERS, AT(member), RANGE(low, high)

#endif
