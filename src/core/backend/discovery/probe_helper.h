/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DISCOVERY_PROBE_HELPER_H
#define CORE_BACKEND_DISCOVERY_PROBE_HELPER_H

/*
 * Runs the helper program (src/probe) on a plugin and collects its report. The helper enforces the
 * time limit itself; if it does not end, it is killed a little later. Several helpers may run at
 * once. platform/helper.h describes how they are run.
 */

#include "support/reason.h"

/* 0 and the text (free); negative errno with a reason if the helper could not be started. */
int probe_helper_run(char **text, const char *helper, const char *plugin, unsigned limit_ms,
                     Reason *why);

#endif
