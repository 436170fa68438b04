/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/user_cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/path.h"
#include "platform/process.h"
#include "platform/time.h"
#include "platform/windows/file_native.h"

/*
 * Below the folder that Windows has for such files of a user, from which they have their rights:
 * the user's, and administrators'.
 */

static char *join(const char *folder, const char *name)
{
    char *path = malloc(strlen(folder) + strlen(name) + 2);
    if (path)
        sprintf(path, "%s/%s", folder, name);
    return path;
}

static bool is_plain_folder(const char *path)
{
    wchar_t *wide;
    if (vmaf_wide_path(path, &wide))
        return false;
    const DWORD attributes = GetFileAttributesW(wide);
    free(wide);
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) &&
           !(attributes & FILE_ATTRIBUTE_REPARSE_POINT);
}

char *vmaf_user_cache_path(const char *name)
{
    const char *home = secure_getenv("LOCALAPPDATA");
    return home && vmaf_path_is_absolute(home) && is_plain_folder(home) ? join(home, name) : NULL;
}

bool vmaf_user_cache_open(VmafUserCache *cache, const char *name, bool create)
{
    cache->folder = -1;
    char *folder = vmaf_user_cache_path(name);
    if (folder && create)
        (void)vmaf_folder_make(folder);
    if (!folder || !is_plain_folder(folder)) {
        free(folder);
        return false;
    }
    cache->folder = (intptr_t)folder;
    return true;
}

bool vmaf_user_cache_is_open(const VmafUserCache *cache)
{
    return cache->folder != -1;
}

void vmaf_user_cache_close(VmafUserCache *cache)
{
    if (vmaf_user_cache_is_open(cache))
        free((char *)cache->folder);
    cache->folder = -1;
}

/* Until `size` bytes or the end; their number, or a negative errno. */
static int64_t read_fully(HANDLE file, char *bytes, size_t size)
{
    size_t used = 0;
    while (used < size) {
        const int64_t n = vmaf_handle_read(file, bytes + used, size - used);
        if (n < 0)
            return n;
        if (n == 0)
            break;
        used += (size_t)n;
    }
    return (int64_t)used;
}

bool vmaf_user_cache_read(const VmafUserCache *cache, const char *name, void *bytes, size_t size,
                          size_t *length)
{
    *length = 0;
    char *path = join((const char *)cache->folder, name);
    HANDLE file;
    if (!path)
        return false;
    /* A link would be opened itself, and is no file. */
    const int err =
        vmaf_handle_open(&file, path, GENERIC_READ, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT);
    free(path);
    if (err)
        return false;
    BY_HANDLE_FILE_INFORMATION information;
    const DWORD others = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT;
    int64_t n = -1;
    if (GetFileType(file) == FILE_TYPE_DISK && GetFileInformationByHandle(file, &information) &&
        !(information.dwFileAttributes & others))
        n = read_fully(file, bytes, size);
    CloseHandle(file);
    *length = n > 0 ? (size_t)n : 0;
    return n >= 0 && (size_t)n < size;
}

int vmaf_user_cache_write(const VmafUserCache *cache, const char *name, const void *bytes,
                          size_t size)
{
    char part[64];
    snprintf(part, sizeof(part), "new-%d-%lld-%p", vmaf_process_id(),
             (long long)vmaf_time_of_day_ns(), bytes);
    char *temporary = join((const char *)cache->folder, part);
    char *target = join((const char *)cache->folder, name);
    HANDLE file;
    int err = temporary && target ? 0 : -ENOMEM;
    if (!err)
        err = vmaf_handle_open(&file, temporary, GENERIC_WRITE, CREATE_NEW, FILE_ATTRIBUTE_NORMAL);
    if (!err) {
        err = vmaf_handle_write(file, bytes, size);
        CloseHandle(file);
        if (!err && rename(temporary, target))
            err = -errno;
        if (err)
            remove(temporary);
    }
    free(temporary);
    free(target);
    return err;
}
