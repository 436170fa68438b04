/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/encode/scratch_folder.h"

#include "platform/machine.h"
#include "platform/path.h"
#include "platform/process.h"
#include "platform/time.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NAME.0123456789abcdef.part */
enum { DIGITS = 16, MAX_DEPTH = 3 };
static const char extension[] = ".part", lock_name[] = "lock";

static char *join(const char *folder, const char *name)
{
    char *path;
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* ---- Removing ---- */

static bool is_entry(const char *name)
{
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static bool is_content(const char *name)
{
    return is_entry(name) && strcmp(name, lock_name) != 0;
}

/* Links are removed, and not followed. */
static void remove_entries(const char *folder, bool (*is_wanted)(const char *), int depth)
{
    char **names;
    unsigned count;
    if (vmaf_folder_list(folder, is_wanted, &names, &count))
        return;
    for (unsigned i = 0; i < count; i++) {
        char *path = join(folder, names[i]);
        if (path && remove(path) && depth < MAX_DEPTH && vmaf_folder_is_private(path)) {
            remove_entries(path, is_entry, depth + 1);
            remove(path);
        }
        free(path);
    }
    vmaf_folder_list_free(names, count);
}

static void remove_lock(const char *folder, VmafFile *lock)
{
    char *path = join(folder, lock_name);
    vmaf_file_close(lock);
    if (path)
        remove(path);
    free(path);
}

/* The lock goes last: without it the folder would seem to be somebody's who is about to lock it. */
static void remove_all(const char *folder, VmafFile *lock)
{
    remove_entries(folder, is_content, 0);
    remove_lock(folder, lock);
    remove(folder);
}

void scratch_folder_remove(ScratchFolder *folder)
{
    if (folder->path)
        remove_all(folder->path, &folder->lock);
    free(folder->path);
    folder->path = NULL;
}

char *scratch_folder_keep(ScratchFolder *folder, const char *ending)
{
    const int length = (int)(strlen(folder->path) - strlen(extension));
    char *path = folder->path, *kept;
    if (asprintf(&kept, "%.*s%s", length, path, ending) < 0) {
        scratch_folder_remove(folder);
        return NULL;
    }
    remove_lock(path, &folder->lock); /* without it, it is taken for nobody's */
    const bool is_renamed = !rename(path, kept);
    free(is_renamed ? path : kept);
    folder->path = NULL;
    return is_renamed ? kept : path;
}

/* ---- What others have left ---- */

enum { TAIL = sizeof ".0123456789abcdef.part" - 1 };

static bool is_part(const char *name)
{
    const size_t length = strlen(name);
    const char *tail = length > TAIL ? name + length - TAIL : ".";
    return tail[0] == '.' && strspn(tail + 1, "0123456789abcdef") == DIGITS &&
           !strcmp(tail + 1 + DIGITS, extension);
}

/* Only where nobody else could exchange it meanwhile, and its process is gone. */
static void remove_left(const char *folder)
{
    VmafFile lock = VMAF_FILE_NONE;
    char *path = vmaf_folder_is_private(folder) ? join(folder, lock_name) : NULL;
    if (path && !vmaf_file_open(&lock, path) && !vmaf_file_lock(&lock))
        remove_all(folder, &lock);
    vmaf_file_close(&lock);
    free(path);
}

void scratch_folder_remove_left(const char *beside)
{
    const char *name = vmaf_path_name(beside);
    const size_t length = strlen(name);
    char **names, *folder = name > beside ? strndup(beside, (size_t)(name - beside)) : strdup(".");
    unsigned count = 0;
    if (folder && !vmaf_folder_list(folder, is_part, &names, &count)) {
        for (unsigned i = 0; i < count; i++) {
            char *path = strlen(names[i]) == length + TAIL && !strncmp(names[i], name, length)
                             ? join(folder, names[i])
                             : NULL;
            if (path)
                remove_left(path);
            free(path);
        }
        vmaf_folder_list_free(names, count);
    }
    free(folder);
}

/* ---- Making ---- */

/* -EAGAIN: somebody takes it for one that was left. Where nothing can be locked, nobody does. */
static int lock_folder(ScratchFolder *folder)
{
    VmafFileStatus made, there;
    char *path = join(folder->path, lock_name);
    int err = path ? vmaf_file_create(&folder->lock, path) : -ENOMEM;
    if (!err && vmaf_file_lock(&folder->lock) == -EAGAIN)
        err = -EAGAIN;
    if (!err)
        err = vmaf_file_status(&folder->lock, &made);
    if (!err && (vmaf_file_status_at(path, &there) || !vmaf_file_is_same(&made, &there)))
        err = -EAGAIN;
    free(path);
    return err;
}

/* Without random bytes it is new at least: a folder that exists is an error. */
static int make(ScratchFolder *folder, const char *beside)
{
    uint64_t number;
    if (!vmaf_random_bytes(&number, sizeof number))
        number = (uint64_t)vmaf_time_of_day_ns() ^ (uint64_t)vmaf_process_id() << 40;
    if (asprintf(&folder->path, "%s.%0*" PRIx64 "%s", beside, DIGITS, number, extension) < 0) {
        folder->path = NULL;
        return -ENOMEM;
    }
    int err = vmaf_folder_make_private(folder->path);
    if (!err && (err = lock_folder(folder)))
        remove_all(folder->path, &folder->lock);
    if (err) {
        free(folder->path);
        folder->path = NULL;
    }
    return err;
}

int scratch_folder_make(ScratchFolder *folder, const char *beside)
{
    enum { ATTEMPTS = 8 };
    *folder = (ScratchFolder){NULL, VMAF_FILE_NONE};
    scratch_folder_remove_left(beside);
    int err = -EAGAIN;
    for (int i = 0; i < ATTEMPTS && err == -EAGAIN; i++)
        err = make(folder, beside);
    return err;
}
