/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_GUARD_BYTES_H
#define CORE_BACKEND_GUARD_BYTES_H

/* Bytes behind something that a plugin fills in: they change if it writes too much. */

#include <stdbool.h>
#include <string.h>

enum { GUARD_SIZE = 64, GUARD_BYTE = 0xa5 };

static inline void guard_set(unsigned char guard[GUARD_SIZE])
{
    memset(guard, GUARD_BYTE, GUARD_SIZE);
}

static inline bool guard_holds(const unsigned char guard[GUARD_SIZE])
{
    for (int i = 0; i < GUARD_SIZE; i++)
        if (guard[i] != GUARD_BYTE)
            return false;
    return true;
}

#endif
