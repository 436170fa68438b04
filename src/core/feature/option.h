/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_OPTION_H
#define CORE_FEATURE_OPTION_H

/*
 * Option tables: the one description of an extractor's options from which parsing, range checks,
 * key names, --list-features and the documentation come.
 */

#include <stdbool.h>
#include <stddef.h>

#include "libvmaf/libvmaf_ext.h"
#include "support/dictionary.h"
#include "support/reason.h"

enum {
    /* A value that differs from the default appears in the keys of scores. */
    OPTION_NAMED = 1 << 0,
    /* The value changes the record; otherwise it only changes how a record is finished. */
    OPTION_ACCUMULATE = 1 << 1,
};

typedef struct OptionSpec {
    const char *name;
    const char *alias; /* short name in keys; NULL: the long one */
    const char *help;
    enum VmafOptionType type;
    unsigned flags;
    size_t offset; /* of a bool, int, double or const char * in the extractor's option struct */
    double default_value;
    const char *default_string;
    double min, max; /* inclusive; int and double only; defaults are not checked */
} OptionSpec;

/*
 * Fills the option struct with defaults, then with the entries of the dictionary (NULL allowed).
 * String values point into the dictionary. Unknown names are passed to `unknown` if it is not
 * NULL, and otherwise ignored. -EINVAL with a reason for a value that is malformed or out of range.
 */
int options_parse(void *options, const OptionSpec *specs, const Dictionary *dict,
                  void (*unknown)(void *cookie, const char *name), void *cookie, Reason *why);

/* Whether all options that have one of the flags are equal in a and b; flags 0 means all options.
 */
bool options_equal(const void *a, const void *b, const OptionSpec *specs, unsigned flags);
bool option_is_default(const void *options, const OptionSpec *spec);
bool option_equal(const void *a, const void *b, const OptionSpec *spec);
/* Value of a bool (0 or 1), int or double, and of a string. */
double option_number(const void *options, const OptionSpec *spec);
const char *option_string(const void *options, const OptionSpec *spec);
const OptionSpec *option_find(const OptionSpec *specs, const char *name);

#endif
