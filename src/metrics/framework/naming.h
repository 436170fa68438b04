/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FRAMEWORK_NAMING_H
#define METRICS_FRAMEWORK_NAMING_H

#include <stddef.h>

#include "metrics/framework/option_values.h"

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
