/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_KNOWN_BAD_H
#define VMAF_SDK_KNOWN_BAD_H

#include "device.h"

/*
 * Drivers that are known to compute something wrong, or to hang. A device that matches an entry
 * without a feature is listed as unusable; one with a feature has that declined, with the reason.
 * The environment variable VMAF_BACKEND_TRUST_DRIVER=1 makes entries count for nothing.
 */
typedef struct VmafKnownBad {
    const char *device;      /* pattern of its name; * stands for any characters */
    const char *driver_from; /* versions from this one to that one, both bad; NULL: no end */
    const char *driver_to;
    const char *feature; /* NULL: all */
    const char *reason;  /* in one line, for people */
} VmafKnownBad;

/* Why the device cannot compute the feature (NULL: anything); NULL if it can. The table ends with
 * an entry without a device; NULL: it is empty. */
const char *vmaf_known_bad(const VmafKnownBad *table, const VmafDeviceInfo *device,
                           const char *feature);

#endif
