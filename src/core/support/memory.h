/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_SUPPORT_MEMORY_H
#define CORE_SUPPORT_MEMORY_H

/* Aligned memory, and the arithmetic of its sizes. */

#include <stdbool.h>
#include <stddef.h>

enum { MEMORY_ALIGNMENT = 64 }; /* a cache line, and the widest vector */

/* Uninitialised, aligned to MEMORY_ALIGNMENT; NULL if the product overflows or memory runs out. */
void *memory_alloc(size_t count, size_t element_size);
/* The same, zeroed. */
void *memory_alloc_zeroed(size_t count, size_t element_size);
void memory_free(void *block); /* NULL allowed */

/* result = a * b or a + b; false if that does not fit. */
static inline bool size_mul(size_t a, size_t b, size_t *result)
{
    return !__builtin_mul_overflow(a, b, result);
}

static inline bool size_add(size_t a, size_t b, size_t *result)
{
    return !__builtin_add_overflow(a, b, result);
}

/* Rounded up to a multiple of a power of two; 0 if that does not fit. */
size_t size_round_up(size_t size, size_t multiple);

static inline unsigned min_unsigned(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static inline unsigned max_unsigned(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

#endif
