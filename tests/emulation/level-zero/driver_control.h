/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_LEVEL_ZERO_DRIVER_CONTROL_H
#define TESTS_EMULATION_LEVEL_ZERO_DRIVER_CONTROL_H

#include <stdint.h>

/*
 * What only the emulator exports, for tests that live in the same process: find them with dlsym in
 * the library that the loader has loaded.
 */

/*
 * Makes it another machine, as a file with this text would (NULL: the default), and the order of
 * work that of VMAF_EMULATED_LEVEL_ZERO_ORDER (NULL: as it is). All objects are gone; counters
 * begin at 0. The loader keeps that it has called zeInit: it need not be called again. 0; -1 and a
 * text on the standard error.
 */
__attribute__((visibility("default"))) int emulated_level_zero_configure(const char *machine,
                                                                         const char *order);

/*
 * How often a function was called since then; or of all: "call", "launch" (kernels put on a list),
 * "submission" (zeCommandQueueExecuteCommandLists, and commands on immediate lists), "run"
 * (commands that were executed), "memory" (allocations that exist now), "complaint" (what was done
 * wrong).
 */
__attribute__((visibility("default"))) uint64_t emulated_level_zero_count(const char *what);

/* Why kernels cannot run on this system, so that tests are skipped; NULL: they can. */
__attribute__((visibility("default"))) const char *emulated_level_zero_unavailable(void);

#endif
