/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DISCOVERY_PLUGIN_LOAD_H
#define CORE_BACKEND_DISCOVERY_PLUGIN_LOAD_H

/*
 * Loads a plugin's file into this process and validates its descriptor. The file stays loaded even
 * if it is refused. The caller makes sure that only one thread at a time is in here (libltdl is not
 * thread-safe) and that a constructor which never returns does not block it (limited_call.h).
 *
 * 0; negative errno with an availability: BACKEND_DRIVER_MISSING if a library that the plugin needs
 * is missing, BACKEND_PLUGIN_LOAD_ERROR, BACKEND_ABI_MISMATCH. -EPERM: the plugin changed something
 * that it must not change (host_state.h). Privileged programs look again at who can change the file
 * (privilege.h).
 */

#include "backend/discovery/plugin.h"
#include "backend/host_state.h"

int plugin_load(Plugin **plugin, const char *path, const char *name, VmafProcessScope scope,
                BackendAvailability *availability);

#endif
