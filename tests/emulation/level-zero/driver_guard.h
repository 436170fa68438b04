/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_LEVEL_ZERO_DRIVER_GUARD_H
#define TESTS_EMULATION_LEVEL_ZERO_DRIVER_GUARD_H

#include <stdint.h>

/*
 * Notices what kernels access beyond allocations: pages there are inaccessible, and while a kernel
 * runs the signal that says so opens them, so that the kernel ends, and remembers it.
 */
void guard_begin(const char *kernel);
/* Number of pages that were accessed, and the first address of that; they are closed again. */
unsigned guard_end(uint64_t *first);

#endif
