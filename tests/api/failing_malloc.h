/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_API_FAILING_MALLOC_H
#define TESTS_API_FAILING_MALLOC_H

/*
 * An allocator for a whole program, on top of glibc's: counts outstanding blocks and fails at a
 * chosen allocation. It replaces malloc and its relatives everywhere, in the library and in the
 * libraries that it uses.
 */

#include <stdbool.h>

/* The n-th allocation from now on fails, counted from 1; 0: none does. */
void failing_malloc_arm(unsigned long n);
/* Called before the chosen allocation fails, unless NULL. Must not allocate. */
extern void (*failing_malloc_on_failure)(void);
/* Stops failing. True if the chosen allocation was reached. */
bool failing_malloc_disarm(void);
/* Allocations since the last failing_malloc_arm. */
unsigned long failing_malloc_count(void);
/* Blocks that were allocated and not freed since the start of the program. */
long failing_malloc_outstanding(void);

#endif
