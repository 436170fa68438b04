/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_SUPPORT_ARENA_H
#define CORE_SUPPORT_ARENA_H

/*
 * One block of memory for many buffers. A layout function takes its buffers from an arena, and is
 * run twice: first without a block, which adds up the size, and again after arena_allocate, which
 * hands out the addresses.
 */

#include <errno.h>

#include "support/memory.h"

typedef struct Arena {
    unsigned char *block; /* for memory_free; NULL while the size is added up */
    size_t used;          /* bytes */
    bool overflow;
} Arena;

/* The next part, aligned to MEMORY_ALIGNMENT; NULL while the size is added up. */
static inline void *arena_take(Arena *arena, size_t count, size_t element_size)
{
    void *part = arena->block ? arena->block + arena->used : NULL;
    size_t end;
    if (!size_mul(count, element_size, &end) || !size_add(arena->used, end, &end) ||
        (end && !(end = size_round_up(end, MEMORY_ALIGNMENT))))
        arena->overflow = true;
    else
        arena->used = end;
    return part;
}

/* Memory for all that was taken, zeroed: whole vectors may reach beyond the end of a row. 0,
 * -ENOMEM. */
static inline int arena_allocate(Arena *arena)
{
    arena->block = arena->overflow ? NULL : memory_alloc_zeroed(arena->used ? arena->used : 1, 1);
    arena->used = 0;
    return arena->block ? 0 : -ENOMEM;
}

#endif
