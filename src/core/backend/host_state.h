/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_HOST_STATE_H
#define CORE_BACKEND_HOST_STATE_H

/*
 * What a plugin has to leave as it found it: the floating-point environment of the calling thread,
 * locale, signal handlers, current directory, file mode mask, resource limits, open files.
 *
 * Other threads of a host may change all but the first while a plugin is being loaded, and are not
 * to be blamed on it. HOST_STATE_OWN therefore looks at what only the plugin can have done: the
 * floating-point environment, and handlers that lie in the plugin's own file. HOST_STATE_ALL is for
 * hosts that go without a helper: everything, but of files that are open only the standard streams.
 * HOST_STATE_ALONE is for the helper process, where nobody else does anything.
 */

#include <stdbool.h>

#include "support/reason.h"

typedef enum HostStateScope {
    HOST_STATE_OWN,
    HOST_STATE_ALL,
    HOST_STATE_ALONE,
} HostStateScope;

typedef struct HostState HostState;

int host_state_capture(HostState **state, HostStateScope scope); /* 0; -ENOMEM */
/*
 * Compares and puts back what has changed. False if something has: `why` says what ("set
 * flush-to-zero", "changed the locale"). `plugin_path` is the plugin's file.
 */
bool host_state_restore(const HostState *state, const char *plugin_path, Reason *why);
void host_state_free(HostState *state); /* NULL allowed */

#endif
