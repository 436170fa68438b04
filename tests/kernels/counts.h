/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_COUNTS_H
#define TESTS_KERNELS_COUNTS_H

/*
 * How often the code that is linked into this program has called functions that allocate: those of
 * the C library, and those of Vulkan that create or allocate objects. The program is linked with
 * --wrap for each.
 */
unsigned counts_allocations(void);
unsigned counts_vulkan_creations(void);

/* Lets this allocation of the C library fail, counted from the next one on, from 1; 0: none. */
void counts_fail_allocation(unsigned number);

#endif
