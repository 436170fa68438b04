/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_CACHE_H
#define TUNE_MEASURE_CACHE_H

/*
 * Results that can be used again, on disk: documents and files, named by keys (measure_records.c).
 * Several programs may use one cache at once; whoever is killed leaves nothing half-written behind.
 * From any thread.
 */

#include "common/messages.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct TuneCache TuneCache;

/*
 * `folder` is made if it is missing; NULL: vmaf-tune in $XDG_CACHE_HOME, else in ~/.cache. One that
 * cannot be written is only read, and `why` says so; else it is empty. 0; negative errno and why.
 */
int cache_open(TuneCache **cache, const char *folder, int64_t max_bytes, Message *why);

/* Removes what was not used for longest until no more than max_bytes are left. NULL is allowed. */
void cache_close(TuneCache *cache);

/* A new reference; NULL: there is no such document, or it is damaged. A NULL cache has none. */
json_t *cache_read(TuneCache *cache, const char *key);
/* 0; negative errno: it is not there then. A NULL cache keeps nothing. */
int cache_write(TuneCache *cache, const char *key, const json_t *document);

/* The path of a file of so many bytes, to be freed. NULL: there is none. */
char *cache_find_file(TuneCache *cache, const char *key, int64_t size);
/* Takes a file over; *path receives where it is, to be freed. 0; negative errno: it stays. */
int cache_add_file(TuneCache *cache, const char *key, const char *file, char **path);

/* A copy that appears complete or not at all. 0; negative errno. */
int cache_copy_file(const char *from, const char *to);

/* A folder for files that are to be added. */
const char *cache_work_folder(const TuneCache *cache);

#endif
