/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/user_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/posix/file_status.h"
#include "platform/process.h"
#include "platform/time.h"

/* The user's own, not one that was left to the program by a change of user. */
static bool is_own(int fd, mode_t forbidden)
{
    struct stat status;
    return fstat(fd, &status) == 0 && status.st_uid == geteuid() && !(status.st_mode & forbidden);
}

static int open_owned(int parent, const char *name, int flags, mode_t forbidden)
{
    const int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
    if (folder >= 0 && !is_own(folder, forbidden)) {
        close(folder);
        return -1;
    }
    return folder;
}

/* XDG Base Directory Specification: $XDG_CACHE_HOME, or .cache in the home directory. */
static int open_cache_home(bool create)
{
    const char *home = secure_getenv("XDG_CACHE_HOME");
    if (home && *home == '/')
        return open_owned(AT_FDCWD, home, 0, 0);
    home = secure_getenv("HOME");
    if (!home || *home != '/')
        return -1;
    const int parent = open_owned(AT_FDCWD, home, 0, 0);
    if (parent < 0)
        return -1;
    if (create)
        mkdirat(parent, ".cache", 0700); /* fails where it exists */
    const int folder = open_owned(parent, ".cache", 0, 0);
    close(parent);
    return folder;
}

char *vmaf_user_cache_path(const char *name)
{
    const char *cache = secure_getenv("XDG_CACHE_HOME"),
               *home = secure_getenv("HOME");
    char *path = NULL;
    int length = -1;
    if (cache && *cache == '/')
        length = asprintf(&path, "%s/%s", cache, name);
    else if (home && *home == '/')
        length = asprintf(&path, "%s/.cache/%s", home, name);
    return length < 0 ? NULL : path;
}

bool vmaf_user_cache_open(VmafUserCache *cache, const char *name, bool create)
{
    cache->folder = -1;
    const int parent = open_cache_home(create);
    if (parent < 0)
        return false;
    if (create)
        mkdirat(parent, name, 0700);
    cache->folder = open_owned(parent, name, O_NOFOLLOW, S_IWGRP | S_IWOTH);
    close(parent);
    return vmaf_user_cache_is_open(cache);
}

bool vmaf_user_cache_is_open(const VmafUserCache *cache)
{
    return cache->folder >= 0;
}

void vmaf_user_cache_close(VmafUserCache *cache)
{
    if (vmaf_user_cache_is_open(cache))
        close((int)cache->folder);
    cache->folder = -1;
}

/* Until `size` bytes or the end; their number, or a negative errno. */
static int64_t read_fully(int file, char *bytes, size_t size)
{
    size_t used = 0;
    while (used < size) {
        const int64_t n = vmaf_descriptor_read(file, bytes + used, size - used);
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
    const int file =
        openat((int)cache->folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return false;
    struct stat status;
    int64_t n = -1;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && is_own(file, S_IRWXG | S_IRWXO))
        n = read_fully(file, bytes, size);
    close(file);
    *length = n > 0 ? (size_t)n : 0;
    return n >= 0 && (size_t)n < size;
}

int vmaf_user_cache_write(const VmafUserCache *cache, const char *name, const void *bytes,
                          size_t size)
{
    const int folder = (int)cache->folder;
    char temporary[64];
    snprintf(temporary, sizeof(temporary), "new-%d-%lld-%p", vmaf_process_id(),
             (long long)vmaf_time_of_day_ns(), bytes);
    const int file =
        openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return -errno;
    int err = vmaf_descriptor_write(file, bytes, size);
    if (close(file) < 0 && !err)
        err = -errno;
    if (!err && renameat(folder, temporary, folder, name) < 0)
        err = -errno;
    if (err)
        unlinkat(folder, temporary, 0);
    return err;
}
