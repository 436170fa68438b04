/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_REGISTRY_H
#define CORE_BACKEND_REGISTRY_H

/*
 * All backends of this process: the files of the search path, and the known names without a file.
 * Built once, at first use; the only global state of the library. All functions are thread-safe. A
 * plugin is probed, loaded and enumerated once, and the results are kept.
 *
 * In a child after a fork, backends that were initialised in the parent are unusable ("forked").
 */

#include <stdbool.h>

#include "backend/discovery/plugin.h"

/* One file of the search path with a plugin's name, or a known name without a file. */
typedef struct BackendEntry BackendEntry;

/* The devices of a plugin; valid until the process ends. */
typedef struct BackendDeviceList {
    char driver[VMAF_BACKEND_ID_SIZE], runtime[VMAF_BACKEND_ID_SIZE];
    unsigned n_devices; /* at most BACKEND_DEVICES_MAX are kept */
    const BackendDeviceDescription *devices;
    unsigned n_unusable; /* those that the backend sees and cannot open */
    const BackendDeviceDescription *unusable;
} BackendDeviceList;

/* Directories that are searched, in order; ends with NULL. */
const char *const *backend_registry_search_path(void);

/*
 * Entries: first those with a known name in native-first order (each once, found or not), then the
 * others by name. A name that occurs twice in the search path is used from its first directory;
 * the later file is an entry of its own that is rejected. NULL past the last. While there is no
 * memory for a registry, the known names are there with that reason.
 */
BackendEntry *backend_registry_entry(unsigned index);
/* False if memory ran out when it was to be built; the next call tries again. */
bool backend_registry_exists(void);
/* The entry that is used for a name; NULL if the name is neither known nor found. */
BackendEntry *backend_registry_find(const char *name);

const char *backend_entry_name(const BackendEntry *entry);
const char *backend_entry_path(const BackendEntry *entry); /* NULL: no file was found */

/*
 * Loads the plugin, after a helper process has probed it without a fault, and checks its
 * descriptor. NULL with an availability. May take as long as the time limit of the helper.
 */
const Plugin *backend_entry_load(BackendEntry *entry, BackendAvailability *availability);
/*
 * Loads the plugin and enumerates its devices. 0 and a usable availability if there is at least one
 * that the helper could open (or, without a helper, at least one). On failure the result is filled
 * in as far as it is known.
 */
int backend_entry_enumerate(BackendEntry *entry, BackendDeviceList *result,
                            BackendAvailability *availability);

/*
 * The same for descriptions, with an availability that lives as long as the process. Returns the
 * plugin, or NULL if it could not be loaded; unknown parts of `result` are zero.
 */
const Plugin *backend_entry_describe(BackendEntry *entry, BackendDeviceList *result,
                                     const BackendAvailability **availability);

/* Set of the devices that a helper process could open; all of them if there was none. After
 * backend_entry_enumerate or _describe. */
uint64_t backend_entry_opened_devices(BackendEntry *entry);

/*
 * The first entry that can use the same hardware among those that come before `entry` in the order
 * of names and were enumerated already; receives its index there, else -1. NULL: there is none.
 */
const BackendEntry *backend_entry_same_device(const BackendEntry *entry,
                                              const BackendDeviceDescription *device, int *index);

/*
 * Has helper processes probe these plugins all at once, so that loading them afterwards does not
 * wait for one after the other. Loads nothing into this process.
 */
void backend_registry_probe(BackendEntry *const entries[], unsigned count);

/* How long helpers and calls that open something may take; 10 s. For tests. */
void backend_registry_set_time_limit(unsigned milliseconds);
unsigned backend_registry_time_limit(void);

#endif
