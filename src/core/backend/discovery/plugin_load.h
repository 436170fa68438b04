/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DISCOVERY_PLUGIN_LOAD_H
#define CORE_BACKEND_DISCOVERY_PLUGIN_LOAD_H

/*
 * Loads a plugin's file into this process and checks what it is. It stays loaded, also when it is
 * refused. The caller makes sure that one thread at a time is in here (libltdl is not thread-safe)
 * and that a constructor which never returns does not stop it: see limited_call.h.
 *
 * 0; negative errno with an availability: BACKEND_DRIVER_MISSING if a library that it needs is
 * missing, BACKEND_PLUGIN_LOAD_ERROR, BACKEND_ABI_MISMATCH. -EPERM: it did what it must not
 * (host_state.h). In privileged programs the file is judged again by whom it can be changed:
 * privilege.h.
 */

#include "backend/discovery/plugin.h"
#include "backend/host_state.h"

int plugin_load(Plugin **plugin, const char *path, const char *name, VmafProcessScope scope,
                BackendAvailability *availability);

#endif
