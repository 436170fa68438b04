/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DISCOVERY_PLUGIN_TRIAL_H
#define CORE_BACKEND_DISCOVERY_PLUGIN_TRIAL_H

/*
 * Whether a plugin may be let into this process: a helper process has loaded it, enumerated its
 * devices and opened each of them, now or earlier (probe_cache.h), without harm. With
 * VMAF_BACKEND_PROBE=inprocess everything may, for hosts that cannot start a process.
 */

#include <stdbool.h>
#include <stdint.h>

#include "backend/availability.h"
#include "backend/host_state.h"

typedef struct PluginTrial {
    BackendAvailability harm; /* not USABLE: it must not be loaded */
    /* How closely the host itself has to look: all of it if nobody else has. */
    VmafProcessScope scope;
    bool asked_now;                   /* the helper ran just now, so that the rest is known: */
    BackendAvailability availability; /* whether a device could be opened; else why not */
    uint64_t opened;                  /* set of devices that could be */
} PluginTrial;

/* Takes at most a little longer than the limit. `path` is absolute. */
void plugin_trial(PluginTrial *trial, const char *path, unsigned limit_ms);

#endif
