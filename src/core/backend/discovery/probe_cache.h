/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DISCOVERY_PROBE_CACHE_H
#define CORE_BACKEND_DISCOVERY_PROBE_CACHE_H

/*
 * Remembers in the user's cache (platform/user_cache.h) that probing a plugin found no fault, or,
 * for an hour, that it found one. It does not remember whether the plugin can be used: devices come
 * and go.
 *
 * A record counts as long as the machine has not been restarted, and the plugin's file, every
 * library that was loaded with it, the dynamic linker's cache and the environment variables that
 * vendors' libraries read (backend_driver_variables) are the same. Records of other versions of the
 * library do not count. Without a usable directory nothing is remembered. Programs with borrowed
 * rights neither read nor write records.
 */

#include <stdbool.h>

#include "support/reason.h"

/* The present circumstances of a plugin, taken before it is probed. */
typedef struct ProbeCacheKey ProbeCacheKey;

typedef enum ProbeMemory {
    PROBE_UNKNOWN,
    PROBE_CLEAN,
    PROBE_FAULTY,
} ProbeMemory;

/* NULL: nothing can be remembered. */
ProbeCacheKey *probe_cache_key_create(const char *plugin_path);
void probe_cache_key_free(ProbeCacheKey *key); /* NULL allowed */

/* `fault` is filled in for PROBE_FAULTY. */
ProbeMemory probe_cache_find(const ProbeCacheKey *key, Reason *fault);
/* `fault` is NULL if there was none. If the record cannot be stored, that is no error. */
void probe_cache_store(const ProbeCacheKey *key, const char *const libraries[],
                       unsigned n_libraries, const Reason *fault);

#endif
