/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/cache.h"

#include "common/hash.h"
#include "platform/file.h"
#include "platform/path.h"
#include "platform/thread.h"
#include "tune/encode/scratch_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct TuneCache {
    char *folder, *meta, *blobs, *work; /* the last three are in the first */
    int64_t max_bytes;
    bool is_read_only;
    VmafMutex lock;
    json_t *used; /* when what was used: seconds since 1970 by the name of the file */
};

/* -- names -- */

/* Does a file have the name of a key? */
static bool is_of_key(const char *name)
{
    enum { DIGITS = SHA256_TEXT_SIZE - 1 };
    return strspn(name, "0123456789abcdef") == DIGITS &&
           (!strcmp(name + DIGITS, ".json") || !strcmp(name + DIGITS, ".bin"));
}

/* A link is not followed: it is none of the cache's. */
static bool is_file(const char *path, VmafFileStatus *status)
{
    return !vmaf_path_is_link(path) && !vmaf_file_status_at(path, status) &&
           status->kind == VMAF_FILE_REGULAR;
}

/* Is there nothing but what may be replaced? */
static bool is_free(const char *path)
{
    VmafFileStatus status;
    return !vmaf_path_is_link(path) &&
           (vmaf_file_status_at(path, &status) == -ENOENT || status.kind == VMAF_FILE_REGULAR);
}

/* -- when things were used -- */

static void note_use(TuneCache *cache, const char *path)
{
    const char *name = path + strlen(cache->folder) + 1;
    vmaf_mutex_lock(&cache->lock);
    json_object_set_new(cache->used, name, json_integer((json_int_t)time(NULL)));
    vmaf_mutex_unlock(&cache->lock);
}

/* NULL: there is none. A pipe is not waited for. */
static json_t *load_json(const char *path)
{
    VmafFileStatus status;
    return is_file(path, &status) ? json_load_file(path, 0, NULL) : NULL;
}

static int write_json(const char *path, const json_t *document)
{
    char *text = json_dumps(document, JSON_SORT_KEYS | JSON_COMPACT);
    int err = text ? 0 : -ENOMEM;
    if (!err && !is_free(path))
        err = -EEXIST;
    if (!err)
        err = text_write(path, text);
    free(text);
    return err;
}

/* -- opening -- */

static int make_folders(TuneCache *cache)
{
    const char *const folders[] = {
        cache->meta = text_printed("%s/meta", cache->folder),
        cache->blobs = text_printed("%s/blobs", cache->folder),
        cache->work = text_printed("%s/work", cache->folder),
    };
    char *left = text_printed("%s/work/" SCRATCH_OF_RUN, cache->folder);
    int err = left ? 0 : -ENOMEM;
    for (int i = 0; i < 3 && !err; i++)
        err = folders[i] ? vmaf_folder_make(folders[i]) : -ENOMEM;
    if (!err)
        err = vmaf_path_check_output(left);
    if (!err)
        scratch_folder_remove_left(left);
    free(left);
    return err;
}

static void destroy(TuneCache *cache)
{
    json_decref(cache->used);
    vmaf_mutex_destroy(&cache->lock);
    free(cache->folder);
    free(cache->meta);
    free(cache->blobs);
    free(cache->work);
    free(cache);
}

int cache_open(TuneCache **opened, const char *folder, int64_t max_bytes, Message *why)
{
    TuneCache *cache = calloc(1, sizeof(*cache));
    *opened = NULL;
    why->text[0] = '\0';
    if (!cache)
        return message_set(why, -ENOMEM, "out of memory");
    vmaf_mutex_init(&cache->lock);
    cache->max_bytes = max_bytes;
    cache->folder = folder ? strdup(folder) : vmaf_user_cache_path("vmaf-tune");
    cache->used = json_object();
    int err = cache->folder ? make_folders(cache) : -ENOENT;
    cache->is_read_only = err == -EROFS || err == -EACCES || err == -EPERM;
    if (cache->is_read_only)
        err = message_set(why, 0, "the cache %s cannot be written (%s): nothing is added to it",
                          cache->folder, strerror(-err));
    else if (!cache->folder)
        message_set(why, err, "there is no home for a cache: give --cache-dir, or --no-cache");
    else if (err)
        message_set(why, err,
                    "cannot use the cache %s: %s (--cache-dir names another folder, --no-cache "
                    "does without)",
                    cache->folder, strerror(-err));
    if (err)
        destroy(cache);
    else
        *opened = cache;
    return err;
}

const char *cache_work_folder(const TuneCache *cache)
{
    return cache->is_read_only ? vmaf_folder_temporary() : cache->work;
}

/* -- documents and files -- */

json_t *cache_read(TuneCache *cache, const char *key)
{
    char *path = cache ? text_printed("%s/%s.json", cache->meta, key) : NULL;
    json_t *document = path ? load_json(path) : NULL;
    if (document)
        note_use(cache, path);
    free(path);
    return document;
}

int cache_write(TuneCache *cache, const char *key, const json_t *document)
{
    char *path = cache ? text_printed("%s/%s.json", cache->meta, key) : NULL;
    const int err = !path ? -ENOMEM : write_json(path, document);
    if (!err)
        note_use(cache, path);
    free(path);
    return err;
}

char *cache_find_file(TuneCache *cache, const char *key, int64_t size)
{
    VmafFileStatus status;
    char *path = cache ? text_printed("%s/%s.bin", cache->blobs, key) : NULL;
    if (path && is_file(path, &status) && status.size == size) {
        note_use(cache, path);
        return path;
    }
    free(path);
    return NULL;
}

int cache_copy_file(const char *from, const char *to)
{
    char piece[1 << 16];
    VmafFile source = VMAF_FILE_NONE;
    VmafAtomicFile *target = NULL;
    int64_t position = 0;
    size_t got = 1;
    int err = vmaf_file_open(&source, from);
    if (!err)
        err = vmaf_atomic_file_open(&target, to);
    while (!err && got) {
        err = vmaf_file_read_at(&source, piece, sizeof piece, position, &got);
        if (!err)
            vmaf_atomic_file_write(target, piece, got);
        position += (int64_t)got;
    }
    vmaf_file_close(&source);
    if (!err)
        return vmaf_atomic_file_commit(target);
    vmaf_atomic_file_abandon(target);
    return err;
}

int cache_add_file(TuneCache *cache, const char *key, const char *file, char **added)
{
    char *path = text_printed("%s/%s.bin", cache->blobs, key);
    int err = path ? 0 : -ENOMEM;
    if (!err && !is_free(path))
        err = -EEXIST;
    if (!err && rename(file, path)) { /* from another volume */
        err = cache_copy_file(file, path);
        if (!err)
            remove(file);
    }
    if (!err)
        note_use(cache, path);
    else
        free(path);
    *added = err ? NULL : path;
    return err;
}

/* -- eviction -- */

typedef struct Entry {
    char *path;
    int64_t bytes, used;
} Entry;

typedef struct Entries {
    Entry *entry;
    size_t n;
    int64_t bytes;
} Entries;

/* When it was used, as the index says if that can be; else when it was written. */
static int64_t time_of_use(const json_t *used, const VmafFileStatus *status)
{
    const json_int_t said = json_integer_value(used); /* 0 if it is none */
    return said > 0 && said <= time(NULL) ? said : status->modified_ns / 1000000000;
}

static bool is_visible(const char *name)
{
    return *name != '.';
}

/* Files of a folder that may go; without an index, those of encodes in work, which only take
 * room. */
static void list_folder(Entries *entries, const TuneCache *cache, const char *folder,
                        const json_t *index)
{
    char **names;
    unsigned count;
    if (!folder || vmaf_folder_list(folder, index ? is_of_key : is_visible, &names, &count))
        return;
    Entry *grown = realloc(entries->entry, (entries->n + count + 1) * sizeof(*grown));
    entries->entry = grown ? grown : entries->entry;
    for (unsigned i = 0; i < count && grown; i++) {
        VmafFileStatus status = {.size = 0};
        char *path = text_printed("%s/%s", folder, names[i]);
        const bool has_file = path && is_file(path, &status);
        entries->bytes += has_file ? status.size : 0;
        if (has_file && index) {
            const json_t *used = json_object_get(index, path + strlen(cache->folder) + 1);
            grown[entries->n++] = (Entry){path, status.size, time_of_use(used, &status)};
            continue;
        }
        if (path && !has_file && !index && vmaf_folder_is_private(path)) {
            list_folder(entries, cache, path, NULL);
            grown = entries->entry;
        }
        free(path);
    }
    vmaf_folder_list_free(names, count);
}

static int by_use(const void *a, const void *b)
{
    const Entry *first = a, *second = b;
    if (first->used != second->used)
        return first->used < second->used ? -1 : 1;
    return strcmp(first->path, second->path);
}

/* Files that are gone are forgotten, too. */
static json_t *evict(const TuneCache *cache, Entries *entries)
{
    json_t *left = json_object();
    if (entries->n)
        qsort(entries->entry, entries->n, sizeof(*entries->entry), by_use);
    for (size_t i = 0; i < entries->n; i++) {
        Entry *entry = &entries->entry[i];
        if (entries->bytes > cache->max_bytes && !remove(entry->path))
            entries->bytes -= entry->bytes;
        else
            json_object_set_new(left, entry->path + strlen(cache->folder) + 1,
                                json_integer(entry->used));
        free(entry->path);
    }
    free(entries->entry);
    return left;
}

void cache_close(TuneCache *cache)
{
    if (!cache)
        return;
    Entries entries = {0};
    char *path = text_printed("%s/__index__.json", cache->folder);
    json_t *index = path ? load_json(path) : NULL;
    if (!json_is_object(index)) {
        json_decref(index);
        index = json_object();
    }
    json_object_update(index, cache->used);
    list_folder(&entries, cache, cache->meta, index);
    list_folder(&entries, cache, cache->blobs, index);
    list_folder(&entries, cache, cache->work, NULL);
    json_t *left = evict(cache, &entries);
    if (path && left)
        write_json(path, left);
    free(path);
    json_decref(left);
    json_decref(index);
    destroy(cache);
}
