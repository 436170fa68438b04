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
    /* How closely the host itself has to look: all of it if nobody else has. */
    VmafProcessScope scope;
    bool asked_now;                   /* the helper ran just now, so that the rest is known: */
    BackendAvailability availability; /* whether a device could be opened; else why not */
    uint64_t opened;                  /* set of devices that could be */
} PluginProbe;

/* Takes at most a little longer than the limit. `path` is absolute. */
void plugin_probe(PluginProbe *probe, const char *path, unsigned limit_ms);

#endif
