/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_HIP_HIP_CONTROL_H
#define TESTS_EMULATION_HIP_HIP_CONTROL_H

#include "machine_control.h"

MACHINE_CONTROL(hip)

/*
 * Writes what the kernel says about the machine's GPUs in /sys/class/kfd/kfd/topology to a folder
 * that exists: nodes/N/properties, N from 0, which is the processor. 0, or a negative errno value.
 */
__attribute__((visibility("default"))) int emulated_hip_topology(const char *path);

#endif
