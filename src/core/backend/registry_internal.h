/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_REGISTRY_INTERNAL_H
#define CORE_BACKEND_REGISTRY_INTERNAL_H

/* What the registry's own files know of each other. */

#include "backend/discovery/probe.h"
#include "backend/registry.h"
#include "platform/thread.h"

struct BackendDevice;

typedef struct Registry Registry;

struct BackendEntry {
    Registry *registry; /* NULL: there is no memory for one */
    const char *name;
    char *path;                /* NULL: no file */
    BackendAvailability found; /* not USABLE: there is no file, or it is rejected */
    atomic_bool initialised;   /* loading it has begun */

    /* Protects everything below; held while the plugin is probed, loaded and enumerated. */
    VmafMutex lock;
    bool probed, loaded, enumerated;
    PluginProbe probe;
    BackendAvailability load_availability;
    Plugin *plugin;
    BackendAvailability devices_availability;
    PluginDevices *devices;
};

struct Registry {
    int pid; /* of the process that it was built in */
    /* The registry of the process that this one was forked from. It stays, since contexts may refer
     * to it. */
    Registry *inherited;
    bool loads_plugins; /* the program can */
    char **search_path;
    BackendEntry *entries;
    unsigned n_entries;

    VmafMutex loader;    /* one thread at a time loads: libltdl is not thread-safe */
    atomic_uint loading; /* loads in progress; one that hangs is counted for ever */

    VmafMutex devices_lock;
    VmafCondition devices_changed;
    struct BackendDevice *devices;      /* open, being opened or being closed */
    struct BackendDevice *kept_devices; /* a call into them has not returned */
};

/* The entry belongs to a process that this one was forked from: nothing of it may be used. */
bool backend_entry_is_foreign(const BackendEntry *entry);

#endif
