/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "option_table.h"

/*
 * What a shell has to know to complete the command line, as text in its language. It is made of the
 * table of options, and of the models, features and installed backends that there are.
 */

/* For "bash", "zsh" or "fish". 0; -EINVAL for any other shell. */
int completion_print(const char *shell, FILE *out);

/* -- what the three have in common -- */

/* What stands behind an option. */
enum CompletionKind {
    COMPLETES_NOTHING, /* there is no argument, or it is part of the same word and no file */
    COMPLETES_ANY,     /* a number, or other text that nobody can guess */
    COMPLETES_FILE,
    COMPLETES_WORD, /* one of completion_print_words */
    COMPLETES_LIST, /* some of them with commas */
    COMPLETES_MODEL,
    COMPLETES_FEATURE,
    COMPLETES_DEVICE, /* one of them, and a number */
};

enum CompletionKind completion_kind(const OptionInfo *row);
bool completion_repeats(const OptionInfo *row);
/* Options that are shown, in turn; NULL behind the last one. */
const OptionInfo *completion_next(unsigned *index);

/* Words, each after `before`, with a space between two. */
void completion_print_words(FILE *out, const OptionInfo *row, const char *before);
void completion_print_models(FILE *out, const char *before);
void completion_print_features(FILE *out);
/* Names of the commands. */
void completion_print_commands(FILE *out);
/* Options of a feature: "NAME=", or, if it is switched on and off, "NAME=true" and "NAME=false".
 * False if it has none. */
bool completion_print_feature_options(FILE *out, const char *feature);

/* Text between single quotes; `escape` is what stands for one, and letters of `special` get a
 * backslash. */
void completion_print_quoted(FILE *out, const char *text, const char *escape, const char *special);

void completion_print_bash(FILE *out);
void completion_print_zsh(FILE *out);
void completion_print_fish(FILE *out);

#endif
