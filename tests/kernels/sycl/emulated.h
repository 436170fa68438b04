/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_SYCL_EMULATED_H
#define TESTS_KERNELS_SYCL_EMULATED_H

#include <level_zero/ze_api.h>

#include "fixture.h"

/*
 * The emulated Level Zero driver behind the system's loader, and the layer on it. The layer is in a
 * module, whose calls come to functions of the same names in this program, if there are some.
 */
typedef struct Emulated {
    int (*configure)(const char *machine, const char *order);
    uint64_t (*count)(const char *what);
    const VmafDeviceLayer *layer;
} Emulated;

/* Loads both; exits with 77 (skipped) where the driver is another one, or kernels cannot run. */
const Emulated *emulated_load(void);

/* The first device of the machine, for applications. */
ze_driver_handle_t emulated_driver(void);
ze_device_handle_t emulated_device(void);

#endif
