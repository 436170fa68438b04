/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_USER_CACHE_H
#define VMAF_PLATFORM_USER_CACHE_H

/*
 * Small files that a program keeps for the user who runs it, of what could be found out again. They
 * belong to that user, nobody else can read or write them, and they are not followed if they are
 * links. Of the environment of a program with borrowed rights nothing counts, so it has no cache.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct VmafUserCache {
    intptr_t folder; /* the system's; -1: there is none */
} VmafUserCache;

/* The path of the folder of that name in the user's cache, which need not exist; to be freed. NULL:
 * there is none. */
char *vmaf_user_cache_path(const char *name);

/* The folder of that name in the user's cache, made if `create`. False: there is none. */
bool vmaf_user_cache_open(VmafUserCache *cache, const char *name, bool create);
bool vmaf_user_cache_is_open(const VmafUserCache *cache);
void vmaf_user_cache_close(VmafUserCache *cache);

/* The content of a file with fewer than `size` bytes. False: there is none that may be used. */
bool vmaf_user_cache_read(const VmafUserCache *cache, const char *name, void *bytes, size_t size,
                          size_t *length);
/* The file appears complete or not at all, whoever else writes at the same time. 0; negative
 * errno. */
int vmaf_user_cache_write(const VmafUserCache *cache, const char *name, const void *bytes,
                          size_t size);

#endif
