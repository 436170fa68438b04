/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_HOST_STATE_H
#define CORE_BACKEND_HOST_STATE_H

/*
 * What a plugin has to leave as it found it: the floating-point environment of the calling thread,
 * and what belongs to the whole process (platform/process_state.h). Hosts with a helper use
 * VMAF_PROCESS_OWN, those without one VMAF_PROCESS_ALL, the helper itself VMAF_PROCESS_ALONE.
 */

#include <stdbool.h>

#include "platform/process.h"
#include "support/reason.h"

typedef struct HostState HostState;

int host_state_capture(HostState **state, VmafProcessScope scope); /* 0; -ENOMEM */
/*
 * Compares and puts back what has changed. False if something has: `why` says what ("set
 * flush-to-zero", "changed the locale"). `plugin_path` is the plugin's file.
 */
bool host_state_restore(const HostState *state, const char *plugin_path, Reason *why);
void host_state_free(HostState *state); /* NULL allowed */

#endif
