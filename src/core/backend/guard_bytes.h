/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_GUARD_BYTES_H
#define CORE_BACKEND_GUARD_BYTES_H

/*
 * Bytes behind something that a plugin fills in: they change if it writes too much. There are
 * enough of them to hold a whole structure or text too many, so that the host survives to say so.
 */

#include <stdbool.h>
#include <string.h>

enum { GUARD_SIZE = 1024, GUARD_BYTE = 0xa5 };

static inline void guard_set(unsigned char guard[GUARD_SIZE])
{
    memset(guard, GUARD_BYTE, GUARD_SIZE);
}

static inline bool guard_holds(const unsigned char guard[GUARD_SIZE])
{
    /* The first is right, and each equals the one before it. */
    return guard[0] == GUARD_BYTE && !memcmp(guard, guard + 1, GUARD_SIZE - 1);
}

#endif
