/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_CATALOGUE_H
#define CLI_CATALOGUE_H

#include "libvmaf/libvmaf_ext.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * What the library contains, by name. Pointers that are returned belong to the library and stay
 * valid.
 */

/* Item number *index, which is then that of the next one; false behind the last one. */
bool catalogue_next_extractor(unsigned *index, VmafExtractorInfo *info);
bool catalogue_next_option(const char *extractor, unsigned *index, VmafOptionInfo *info);
bool catalogue_next_model(unsigned *index, VmafBuiltinModelInfo *info);

bool catalogue_has_extractor(const char *name);
bool catalogue_has_option(const char *extractor, const char *option);
/* Does the option appear in the keys of scores? */
bool catalogue_option_shows(const char *extractor, const char *option);

/* Does the option name files that are written? */
bool catalogue_option_names_files(const char *extractor, const char *option);

/* Nearest name, or NULL. For an option its short name counts too and leads to the long one. */
const char *catalogue_suggest_extractor(const char *name);
const char *catalogue_suggest_option(const char *extractor, const char *option);
const char *catalogue_suggest_model(const char *version);

/* Is there a built-in collection of this name? False for unknown names. */
bool catalogue_is_collection(const char *version);

/* Tables for people. */
void catalogue_print_features(FILE *out);
/* Features of backends that are installed, whose plugins are loaded for it. */
void catalogue_print_plugin_features(FILE *out);
void catalogue_print_models(FILE *out);

#endif
