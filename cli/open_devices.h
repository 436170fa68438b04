/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_OPEN_DEVICES_H
#define CLI_OPEN_DEVICES_H

#include "libvmaf/libvmaf.h"

#include <stdbool.h>

/*
 * Devices that runs have used stay open for those that come. One that was lost is let go, so that
 * it can be opened anew once no run has it any more. From any thread; NULL does nothing.
 */
typedef struct OpenDevices OpenDevices;

/* 0; -ENOMEM. */
int open_devices_create(OpenDevices **devices);
/* After all runs. Closes them. */
void open_devices_destroy(OpenDevices *devices);

/* Around a run, which waits until those that may have a lost device are over. */
void open_devices_enter(OpenDevices *devices);
void open_devices_leave(OpenDevices *devices);

/*
 * For a run that could not open a device: perhaps another run has lost it, and has it still. Waits
 * until all runs but those that wait here are over, and lets go of all devices that were kept open,
 * so that opening is worth another try. False at once without devices.
 */
bool open_devices_settle(OpenDevices *devices);

/* Looks what devices a run has used, before its context is closed. */
void open_devices_keep(OpenDevices *devices, VmafContext *vmaf);

#endif
