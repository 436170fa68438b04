/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_CATALOGUE_H
#define CLI_CATALOGUE_H

/*
 * What this installation has, by name: features and models of the library, and backends. Pointers
 * that are returned belong to the library and stay valid.
 */

#include "libvmaf/libvmaf_ext.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct Options;

/* Item number *index, which is then that of the next one; false behind the last one. */
bool catalogue_next_extractor(unsigned *index, VmafExtractorInfo *info);
bool catalogue_next_option(const char *extractor, unsigned *index, VmafOptionInfo *info);
bool catalogue_next_model(unsigned *index, VmafBuiltinModelInfo *info);

bool catalogue_has_extractor(const char *name);
/* False: the extractor has no such option. */
bool catalogue_find_option(const char *extractor, const char *option, VmafOptionInfo *info);
/* Does the option name files that are written? */
bool catalogue_option_names_files(const char *extractor, const char *option);

/* Nearest name, or NULL. For an option its short name counts too and leads to the long one. */
const char *catalogue_suggest_extractor(const char *name);
const char *catalogue_suggest_option(const char *extractor, const char *option);
const char *catalogue_suggest_model(const char *version);

/* Is there a built-in collection of this name? False for unknown names. */
bool catalogue_is_collection(const char *version);

/* Tables for people. */
void catalogue_print_features(void);
/* Features of backends that are installed, whose plugins are loaded for it. */
void catalogue_print_plugin_features(void);
void catalogue_print_models(void);

/* -- backends -- */

enum { BACKEND_NAME_SIZE = 17 };

/* Is it a known backend, or is a plugin of that name installed? */
bool backend_exists(const char *name);
/* "cuda|sycl|...": those that are known, whether or not they are installed. Returns buffer. */
const char *backend_list_known(char *buffer, size_t size);
/* "cpu, example": what is installed here. Returns buffer. */
const char *backend_list_installed(char *buffer, size_t size);
/* The backend of the next plugin behind number *index, from 0 on; NULL: there is no other. */
const char *backend_next_installed(unsigned *index);

/*
 * A feature name that ends in a backend's ("vif_cuda") is pinned to it. Returns that backend's name
 * and stores the rest ("vif"), or returns NULL.
 */
const char *backend_of_pinned_name(const char *feature, char *stem, size_t stem_size);

/* The same of a backend's own feature, which its name stands before ("cuda_grain"). Returns `name`,
 * in which it is stored, or NULL. */
const char *backend_of_own_feature(const char *feature, char *name, size_t size);

/* --list-backends: a table for people, or the short JSON document with --json. Returns the exit
 * status. */
int backend_report_list(const struct Options *options);
/* --capabilities: the long JSON document, to standard output or a file. Returns the exit status. */
int backend_report_capabilities(const struct Options *options);

#endif
