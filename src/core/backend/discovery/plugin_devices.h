/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DISCOVERY_PLUGIN_DEVICES_H
#define CORE_BACKEND_DISCOVERY_PLUGIN_DEVICES_H

/* Devices of a loaded plugin. Both functions call the plugin directly, without a time limit. */

#include "backend/device_description.h"
#include "backend/discovery/plugin.h"

typedef struct PluginDevices {
    char driver[VMAF_BACKEND_ID_SIZE], runtime[VMAF_BACKEND_ID_SIZE];
    unsigned n_devices; /* kept */
    BackendDeviceDescription devices[BACKEND_DEVICES_MAX];
    unsigned n_unusable; /* kept */
    BackendDeviceDescription unusable[BACKEND_UNUSABLE_MAX];
} PluginDevices;

/*
 * Enumerates. 0 if there is at least one device that may be opened; negative errno with an
 * availability: BACKEND_DRIVER_MISSING, BACKEND_NO_DEVICE, BACKEND_INIT_FAILED. With
 * BACKEND_NO_DEVICE there may be unusable ones.
 */
int plugin_enumerate(const Plugin *plugin, PluginDevices *devices,
                     BackendAvailability *availability);

/* Opens a device; negative errno with BACKEND_INIT_FAILED or BACKEND_DRIVER_MISSING. */
int plugin_open_device(const Plugin *plugin, const VmafBackendDeviceParams *params,
                       VmafBackendDevice **device, BackendAvailability *availability);

#endif
