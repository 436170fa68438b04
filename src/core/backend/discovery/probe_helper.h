/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DISCOVERY_PROBE_HELPER_H
#define CORE_BACKEND_DISCOVERY_PROBE_HELPER_H

/*
 * Runs the helper program (src/probe) on a plugin and collects what it says. The helper watches
 * over the time limit itself; here it is killed a little later, and left behind if even that does
 * not help. Works in programs that ignore SIGCHLD or collect every child's status, since only the
 * text counts. Several may run at once.
 */

#include "support/reason.h"

/* 0 and the text (free); negative errno with a reason if the helper could not be started. */
int probe_helper_run(char **text, const char *helper, const char *plugin, unsigned limit_ms,
                     Reason *why);

#endif
