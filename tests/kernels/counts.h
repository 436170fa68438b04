/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_COUNTS_H
#define TESTS_KERNELS_COUNTS_H

/*
 * Counts calls from this program's code to functions that allocate: those of the C library, and
 * those of Vulkan that create or allocate objects. The program is linked with --wrap for each.
 */
unsigned counts_allocations(void);
unsigned counts_vulkan_creations(void);

/* Makes an allocation of the C library fail: the next one is number 1; 0: none. */
void counts_fail_allocation(unsigned number);

#endif
