/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_KNOWN_BAD_H
#define VMAF_SDK_KNOWN_BAD_H

#include "device.h"

/*
 * Drivers that are known to compute something wrong, or to hang. A device that matches an entry
 * without a feature is listed as unusable; for an entry with a feature, that feature is declined,
 * with the reason. The environment variable VMAF_BACKEND_TRUST_DRIVER=1 disables all entries.
 */
typedef struct VmafKnownBad {
    const char *device;      /* pattern of the device's name; * stands for any characters */
    const char *driver_from; /* first bad version of the driver; NULL: all up to driver_to */
    const char *driver_to;   /* last bad version; NULL: all from driver_from on */
    const char *feature;     /* NULL: all features */
    const char *reason;      /* one line, for people */
} VmafKnownBad;

/* Returns the reason why the device cannot compute the feature (NULL: any feature), or NULL if it
 * can. The table ends with an entry without a device; NULL is an empty table. */
const char *vmaf_known_bad(const VmafKnownBad *table, const VmafDeviceInfo *device,
                           const char *feature);

#endif
