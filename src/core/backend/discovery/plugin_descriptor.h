/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DISCOVERY_PLUGIN_DESCRIPTOR_H
#define CORE_BACKEND_DISCOVERY_PLUGIN_DESCRIPTOR_H

/*
 * Turns a descriptor into a Plugin. Nothing in it is trusted before it was looked at: sizes and
 * versions first, then names, functions and lists. `name` is that of the file.
 *
 * 0; -ENOEXEC with BACKEND_PLUGIN_LOAD_ERROR or -EPROTONOSUPPORT with BACKEND_ABI_MISMATCH and the
 * reason; -ENOMEM.
 */

#include "backend/discovery/plugin.h"

int plugin_descriptor_check(Plugin **plugin, const VmafBackend *descriptor, const char *name,
                            const char *path, BackendAvailability *availability);

/* The part that asks for the list of features, for plugin->api. */
int plugin_descriptor_features(Plugin *plugin, BackendAvailability *availability);

#endif
