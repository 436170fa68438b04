/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FRAMEWORK_OPTION_VALUES_H
#define METRICS_FRAMEWORK_OPTION_VALUES_H

/* Functions on option tables and on values that they describe. */

#include "libvmaf/libvmaf_ext.h"
#include "metrics/framework/option.h"
#include "support/dictionary.h"
#include "support/log.h"

#include <stddef.h>

/*
 * Fills the option struct with defaults, then with the entries of the dictionary (NULL allowed).
 * String values point into the dictionary. Unknown names are passed to `unknown` if it is not
 * NULL, and otherwise ignored. -EINVAL with a reason for a value that is malformed or out of range.
 */
int options_parse(void *options, const OptionSpec *specs, const Dictionary *dict,
                  void (*unknown)(void *cookie, const char *name), void *cookie, Reason *why);

/* True if all options with any of the flags are equal in a and b; flags 0 means all options. */
bool options_equal(const void *a, const void *b, const OptionSpec *specs, unsigned flags);
bool option_is_default(const void *options, const OptionSpec *spec);
bool option_equal(const void *a, const void *b, const OptionSpec *spec);
/* Value of a bool (0 or 1), int or double, and of a string. */
double option_number(const void *options, const OptionSpec *spec);
const char *option_string(const void *options, const OptionSpec *spec);
/* The first option that is set and names files to write; NULL: there is none. */
const OptionSpec *option_that_names_files(const void *options, const OptionSpec *specs);
const OptionSpec *option_find(const OptionSpec *specs, const char *name);

enum { FEATURE_KEY_SIZE = 256 }; /* with the terminator; longer keys are cut */

/* Name under which reports show a key; the key itself if it has no alias. */
const char *feature_alias(const char *key);

/*
 * Key of a score: the base name, or, if OPTION_NAMED options differ from their defaults, its
 * alias with a suffix for each of them, sorted by long option name.
 */
void feature_key(char key[FEATURE_KEY_SIZE], const char *base_name, const OptionSpec *specs,
                 const void *options);

/*
 * The same for an instance that differs from another one only in options that do not appear in
 * keys: these are appended as _<option>_<value>, sorted by option name.
 */
void feature_key_distinct(char key[FEATURE_KEY_SIZE], const char *base_name,
                          const OptionSpec *specs, const void *options, const void *other_options);

#endif
