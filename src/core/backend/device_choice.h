/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DEVICE_CHOICE_H
#define CORE_BACKEND_DEVICE_CHOICE_H

/* Chooses among a backend's devices, before any of them is opened. */

#include "backend/backend_device.h"

/*
 * The index of the device that a request is about, among those that were enumerated. Negative errno
 * with BACKEND_NO_DEVICE: -EINVAL for an index out of range, -ENODEV if none is suitable.
 */
int device_choose(BackendEntry *entry, const BackendDeviceRequest *request,
                  const BackendDeviceList *found, BackendAvailability *availability);

/*
 * All devices that a request is about, the one of device_choose first: that one alone if it was
 * asked for by its index; else all that are suitable, hardware or, if there is none, software; each
 * once, also if two drivers list it. Probes, loads and enumerates what has not been yet. Their
 * number, or an error as above.
 */
int device_choose_all(BackendEntry *entry, const BackendDeviceRequest *request,
                      int indices[BACKEND_DEVICES_MAX], BackendAvailability *availability);

/*
 * The index of device_choose after probing, loading and enumerating what has not been yet. Receives
 * whether the device is discrete.
 */
int device_examine(BackendEntry *entry, const BackendDeviceRequest *request, bool *discrete,
                   BackendAvailability *availability);

#endif
