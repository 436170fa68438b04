/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_GUARD_BYTES_H
#define CORE_BACKEND_GUARD_BYTES_H

/*
 * Bytes behind something that a plugin fills in: they change if it writes too much. They are large
 * enough for a whole extra structure or text, so that the host survives and can report it.
 */

#include <stdbool.h>
#include <string.h>

enum { GUARD_SIZE = 1024, GUARD_BYTE = 0xa5 };

static inline void guard_set(unsigned char guard[GUARD_SIZE])
{
    memset(guard, GUARD_BYTE, GUARD_SIZE);
}

/* True if each of `size` bytes, of which there is at least one, still has the value. */
static inline bool guard_range_holds(const unsigned char *bytes, size_t size)
{
    /* The first is right, and each equals the one before it. */
    return bytes[0] == GUARD_BYTE && !memcmp(bytes, bytes + 1, size - 1);
}

static inline bool guard_holds(const unsigned char guard[GUARD_SIZE])
{
    return guard_range_holds(guard, GUARD_SIZE);
}

#endif
