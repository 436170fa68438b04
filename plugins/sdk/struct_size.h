/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_STRUCT_SIZE_H
#define VMAF_SDK_STRUCT_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * The structures of backend.h grow at their end, so that the host's may be shorter or longer than
 * ours. Each begins with its size.
 */

/* True if a structure of the host has a member. */
#define VMAF_STRUCT_HAS(structure, member)                                                         \
    ((structure)->struct_size >=                                                                   \
     (size_t)((const char *)&(structure)->member - (const char *)(structure)) +                    \
         sizeof((structure)->member))

/* The size that a type of backend.h had before this member was added. */
#define VMAF_STRUCT_SIZE_BEFORE(type, member) ((uint32_t)offsetof(type, member))

/*
 * Fills in the host's structure as far as it goes, except its struct_size. `size` is that of
 * `full`, `needed` that of version 1.0. Returns false and changes nothing if the host's structure
 * is smaller than that.
 */
static inline bool vmaf_struct_fill(void *host, const void *full, uint32_t size, uint32_t needed)
{
    uint32_t host_size;
    memcpy(&host_size, host, sizeof(host_size));
    if (host_size < needed)
        return false;
    const uint32_t filled = host_size < size ? host_size : size;
    memcpy((char *)host + sizeof(host_size), (const char *)full + sizeof(host_size),
           filled - sizeof(host_size));
    return true;
}

/* Reads the host's structure as far as it goes; the rest of `full` is 0. */
static inline void vmaf_struct_read(void *full, uint32_t size, const void *host)
{
    uint32_t host_size;
    memcpy(&host_size, host, sizeof(host_size));
    memset(full, 0, size);
    memcpy(full, host, host_size < size ? host_size : size);
}

#endif
