/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_PATH_H
#define VMAF_PLATFORM_PATH_H

/* Paths, folders, and the folder of the user's cache. Functions return 0 or a negative errno; what
 * they allocate is to be freed. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Stands between paths in a list of them. */
#ifdef _WIN32
#define VMAF_PATH_LIST_SEPARATOR ';'
#else
#define VMAF_PATH_LIST_SEPARATOR ':'
#endif

/* True if a path means the same from every folder. */
bool vmaf_path_is_absolute(const char *path);
/* What is behind the last separator of a path, which points into it: all of it if it has none. */
const char *vmaf_path_name(const char *path);

/* The one absolute path, without links, of something that exists. */
int vmaf_path_real(const char *path, char **real);

/* The path behind all links, which need not exist: a link can lead to a file still to be made. */
int vmaf_path_behind_links(const char *path, char **target);

bool vmaf_path_is_link(const char *path);

/* Why no file could be written there, as far as is known without doing it; 0: it can. */
int vmaf_path_check_output(const char *path);

/*
 * The next part of a text whose parts are divided by colons, as strsep has it; NULL: there is none.
 * The colon of a drive in a path ("path=C:/file") divides nothing.
 */
char *vmaf_path_next_part(char **rest);

/* ---- Folders ---- */

/* Where temporary files go; lives as long as the process. */
const char *vmaf_folder_temporary(void);

/* Makes a folder and those above it that are missing. */
int vmaf_folder_make(const char *path);

/* Makes a folder that is new, and that nobody else can enter. -EEXIST: something is there. */
int vmaf_folder_make_private(const char *path);
/* True if there is such a folder of the user's own, which is no link. */
bool vmaf_folder_is_private(const char *path);

/* Names in a folder that `is_wanted` accepts, sorted by their bytes. */
int vmaf_folder_list(const char *path, bool (*is_wanted)(const char *name), char ***names,
                     unsigned *count);
void vmaf_folder_list_free(char **names, unsigned count);

/* ---- The user's cache ---- */

/*
 * Small files that a program keeps for the user who runs it, of what could be found out again. They
 * belong to that user, nobody else can read or write them, and they are not followed if they are
 * links. Of the environment of a program with borrowed rights nothing counts, so it has no cache.
 */
typedef struct VmafUserCache {
    intptr_t folder; /* the system's; -1: there is none */
} VmafUserCache;

/* The path of the folder of that name in the user's cache, which need not exist; to be freed. NULL:
 * there is none. */
char *vmaf_user_cache_path(const char *name);

/* The folder of that name in the user's cache, made if `create`. False: there is none. */
bool vmaf_user_cache_open(VmafUserCache *cache, const char *name, bool create);
static inline bool vmaf_user_cache_is_open(const VmafUserCache *cache)
{
    return cache->folder != -1;
}
void vmaf_user_cache_close(VmafUserCache *cache);

/* The content of a file with fewer than `size` bytes. False: there is none that may be used. */
bool vmaf_user_cache_read(const VmafUserCache *cache, const char *name, void *bytes, size_t size,
                          size_t *length);
/* The file appears complete or not at all, whoever else writes at the same time. 0; negative
 * errno. */
int vmaf_user_cache_write(const VmafUserCache *cache, const char *name, const void *bytes,
                          size_t size);

#endif
