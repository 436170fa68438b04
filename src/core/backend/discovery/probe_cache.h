/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DISCOVERY_PROBE_CACHE_H
#define CORE_BACKEND_DISCOVERY_PROBE_CACHE_H

/*
 * Remembers, in the user's cache directory, that trying a plugin out did no harm, or for an hour
 * that it did. Never whether it can be used: devices come and go.
 *
 * What is remembered counts as long as the machine has not been started anew, and the plugin's
 * file, every library that was loaded with it, the dynamic linker's cache and the environment
 * variables that vendors' libraries read (backend_driver_variables) are the same. Files belong to
 * the user, are readable by nobody else, and are not followed if they are links. Without a usable
 * directory nothing is remembered. Programs with borrowed rights neither read nor write it.
 */

#include <stdbool.h>

#include "support/reason.h"

/* The present circumstances of a plugin, taken before it is tried out. */
typedef struct ProbeCacheKey ProbeCacheKey;

typedef enum ProbeMemory {
    PROBE_UNKNOWN,
    PROBE_HARMLESS,
    PROBE_HARMFUL,
} ProbeMemory;

/* NULL: nothing can be remembered. */
ProbeCacheKey *probe_cache_key_create(const char *plugin_path);
void probe_cache_key_free(ProbeCacheKey *key); /* NULL allowed */

/* `harm` is filled in for PROBE_HARMFUL. */
ProbeMemory probe_cache_find(const ProbeCacheKey *key, Reason *harm);
/* `harm` NULL: there was none. Failing to store is no error. */
void probe_cache_store(const ProbeCacheKey *key, const char *const libraries[],
                       unsigned n_libraries, const Reason *harm);

#endif
