/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DISCOVERY_PLUGIN_LOAD_H
#define CORE_BACKEND_DISCOVERY_PLUGIN_LOAD_H

/* Loading a plugin into this process, which it has to leave as it found it. */

#include <stdbool.h>

#include "backend/discovery/plugin.h"
#include "platform/process.h"

/*
 * What a plugin has to leave as it found it: the floating-point environment of the calling thread,
 * and what belongs to the whole process (platform/process.h). Hosts with a helper use
 * VMAF_PROCESS_OWN, those without one VMAF_PROCESS_ALL, the helper itself VMAF_PROCESS_ALONE.
 */
typedef struct HostState HostState;

int host_state_capture(HostState **state, VmafProcessScope scope); /* 0; -ENOMEM */
/*
 * Compares and puts back what has changed. False if something has: `why` says what ("set
 * flush-to-zero", "changed the locale"). `plugin_path` is the plugin's file.
 */
bool host_state_restore(const HostState *state, const char *plugin_path, Reason *why);
void host_state_free(HostState *state); /* NULL allowed */

/*
 * Loads a plugin's file into this process and validates its descriptor. The file stays loaded even
 * if it is rejected. The caller makes sure that only one thread at a time is in here (libltdl is
 * not thread-safe) and that a constructor which never returns does not block it (limited_call.h).
 *
 * 0; negative errno with an availability: BACKEND_DRIVER_MISSING if a library that the plugin needs
 * is missing, BACKEND_PLUGIN_LOAD_ERROR, BACKEND_ABI_MISMATCH. -EPERM: the plugin changed something
 * that it must not change. Privileged programs look again at who can change the file
 * (privilege_resolve_file).
 */
int plugin_load(Plugin **plugin, const char *path, const char *name, VmafProcessScope scope,
                BackendAvailability *availability);

#endif
