/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DISCOVERY_PLUGIN_PROBE_H
#define CORE_BACKEND_DISCOVERY_PLUGIN_PROBE_H

/*
 * Probing decides whether a plugin may be loaded into this process: a helper process loads it,
 * enumerates its devices and opens each of them, and finds no fault with it. The result is
 * remembered (probe_cache.h). With VMAF_BACKEND_PROBE=inprocess every plugin may be loaded, for
 * hosts that cannot start a process.
 */

#include <stdbool.h>
#include <stdint.h>

#include "backend/availability.h"
#include "backend/host_state.h"

typedef struct PluginProbe {
    BackendAvailability fault; /* not USABLE: it must not be loaded */
    /* What the host itself has to compare: everything if there was no helper. */
    VmafProcessScope scope;
    bool asked_now;                   /* the helper has just run, so the following is known: */
    BackendAvailability availability; /* whether a device could be opened; else why not */
    uint64_t opened;                  /* set of the devices that could be opened */
} PluginProbe;

/* Takes at most a little longer than the limit. `path` is absolute. */
void plugin_probe(PluginProbe *probe, const char *path, unsigned limit_ms);

#endif
