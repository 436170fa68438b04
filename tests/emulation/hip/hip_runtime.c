/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What makes the emulated machine one with ROCm: errors, words of its file, what tests call. */
#include <stdio.h>
#include <string.h>

#include "chips.h"
#include "guarded_memory.h"
#include "hip.h"
#include "hip_control.h"

/* Versions of HIP: that of Debian 12, and later ones, of which only the first two parts matter. */
enum { HIP_VERSION = HIP_MAJOR == 5 ? 50221153 : HIP_MAJOR == 6 ? 60342131 : 70051831 };

static const MachineError errors[] = {
#define X(name, value, text) {value, #name, text},
    HIP_RESULTS(X)
#undef X
};

static bool read_chip(MachineReader *reader)
{
    const char *name = reader->words[1];
    if (!chip_target_version(name))
        return machine_refuse(reader, "chip takes a name such as gfx1030, not %s", name);
    snprintf(reader->device->chip, sizeof(reader->device->chip), "%s", name);
    return true;
}

static const MachineWord words[] = {
    {"chip", 1, 1, read_chip},
    MACHINE_FLAG("driver-mismatch", OF_MACHINE, DRIVER_IS_MISMATCHED),
    MACHINE_FLAG("no-topology", OF_DEVICE, DEVICE_HAS_NO_TOPOLOGY),
};

static bool is_function(const char *word)
{
    return strncmp(word, "hip", 3) == 0 && word[3] >= 'A' && word[3] <= 'Z';
}

static void set_default(MachineDevice *device, int index)
{
    (void)index;
    snprintf(device->name, sizeof(device->name), "Emulated AMD GPU");
    snprintf(device->chip, sizeof(device->chip), "gfx1030");
    device->vendor_id = 0x1002;
    device->product_id = 0x73bf;
}

const MachineRuntime machine_runtime = {
    .name = "HIP",
    .variable = "VMAF_EMULATED_HIP",
    .driver = HIP_VERSION,
    .errors = errors,
    .n_errors = sizeof(errors) / sizeof(errors[0]),
    .unknown_error = hipErrorUnknown,
    .words = words,
    .n_words = sizeof(words) / sizeof(words[0]),
    .is_function = is_function,
    .set_default = set_default,
    .forget = driver_forget,
    .set_up = driver_set_up,
    .lose = driver_lose_current,
    .drop_work = driver_drop_device,
    .measure = guarded_measure,
};

MACHINE_CONTROL_DEFINE(hip)
