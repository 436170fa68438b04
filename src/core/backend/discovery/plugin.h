/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DISCOVERY_PLUGIN_H
#define CORE_BACKEND_DISCOVERY_PLUGIN_H

/*
 * A plugin that was loaded and whose descriptor is valid. Everything in it is the host's own copy:
 * texts are bounded UTF-8, lists have the lengths they claim, and functions that the plugin does
 * not have are NULL. Plugins live until the process ends.
 */

#include <fenv.h>
#include <stdatomic.h>

#include "backend/availability.h"
#include "backend/names.h"
#include "libvmaf/backend.h"

typedef struct PluginOption {
    char *name;
    char *help;
    VmafBackendOptionSpec spec; /* its pointers refer to the copies */
    char *default_string;
} PluginOption;

typedef struct PluginFeature {
    VmafBackendFeature spec; /* its pointers refer to the host's copies */
    PluginOption *options;
    char **outputs;
    _Atomic(void *) own; /* of own_feature.h */
} PluginFeature;

typedef struct Plugin {
    char name[BACKEND_NAME_SIZE];
    char *path;
    char *version, *description, *build_id;
    uint32_t abi_major, abi_minor, backend_class;
    VmafBackend api; /* use with plugin_enter and plugin_leave */
    unsigned n_features;
    PluginFeature *features;
    /* Set when a call never returned: this process then calls the plugin no more. */
    atomic_bool dead;
} Plugin;

/* By name in the plugin's list; NULL if it does not compute it. */
const PluginFeature *plugin_find_feature(const Plugin *plugin, const char *name);

/*
 * Around every call into a plugin: keeps the floating-point environment and errno of the host.
 *   PluginGuard guard = plugin_enter();
 *   int32_t result = plugin->api.submit(...);
 *   plugin_leave(&guard);
 */
typedef struct PluginGuard {
    fenv_t environment;
    int error;
} PluginGuard;
PluginGuard plugin_enter(void);
void plugin_leave(const PluginGuard *guard);

/* VMAF_BACKEND_* as a negative errno: DEVICE_LOST -ENODEV, OUT_OF_MEMORY -ENOMEM, INVALID -EINVAL,
 * NOT_SUPPORTED -ENOTSUP, TIMED_OUT -ETIMEDOUT, CANCELLED -ECANCELED, NO_DRIVER -ENODEV, anything
 * else -EIO. */
int plugin_error(int32_t result);

#endif
