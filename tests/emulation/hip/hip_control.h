/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_HIP_HIP_CONTROL_H
#define TESTS_EMULATION_HIP_HIP_CONTROL_H

#include <stdint.h>

/*
 * What only the emulator exports, for tests that live in the same process: find them with dlsym.
 */

/*
 * Makes it another machine, as a file with this text would (NULL: the default), and the order of
 * work that of VMAF_EMULATED_HIP_ORDER (NULL: as it is). All that exists is gone; counters begin at
 * 0. 0; -1 and a text on the standard error.
 */
__attribute__((visibility("default"))) int emulated_hip_configure(const char *machine,
                                                                  const char *order);

/*
 * How often a function was called since then; or of all: "call", "launch" (kernels put on a
 * stream), "run" (what a stream has executed), "memory" (allocations and registrations that exist
 * now).
 */
__attribute__((visibility("default"))) uint64_t emulated_hip_count(const char *what);

/*
 * Writes what the kernel says about the machine's GPUs in /sys/class/kfd/kfd/topology to a folder
 * that exists: nodes/N/properties, N from 0, which is the processor. 0, or a negative errno value.
 */
__attribute__((visibility("default"))) int emulated_hip_topology(const char *path);

#endif
