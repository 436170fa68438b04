/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_LEVEL_ZERO_DRIVER_CONTROL_H
#define TESTS_EMULATION_LEVEL_ZERO_DRIVER_CONTROL_H

#include "machine_control.h"

/* The loader keeps that it has called zeInit: it need not be called again for another machine. */
MACHINE_CONTROL(level_zero)

/* Why kernels cannot run on this system, so that tests are skipped; NULL: they can. */
__attribute__((visibility("default"))) const char *emulated_level_zero_unavailable(void);

#endif
