/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_DRIVER_CONTROL_H
#define TESTS_EMULATION_CUDA_DRIVER_CONTROL_H

#include <stdint.h>

/*
 * What only the emulator exports, for tests that live in the same process: find them with dlsym.
 */

/*
 * Makes it another machine, as a file with this text would (NULL: the default), and the order of
 * work that of VMAF_EMULATED_CUDA_ORDER (NULL: as it is). All contexts, and what is in them, are
 * gone; counters begin at 0; cuInit has to be called again. 0; -1 and a text on the standard error.
 */
__attribute__((visibility("default"))) int emulated_cuda_configure(const char *machine,
                                                                   const char *order);

/*
 * How often a function was called since then; or of all: "call", "launch" (kernels put on a
 * stream), "submission" (cuGraphLaunch), "run" (what a stream has executed), "memory" (allocations
 * and registrations that exist now).
 */
__attribute__((visibility("default"))) uint64_t emulated_cuda_count(const char *what);

#endif
