/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/internal.h"
#include "platform/posix/internal.h"
#include "platform/process.h"
#include "platform/time.h"

enum { LINKS_MAX = 40 }; /* one after another, as Linux has it */

int vmaf_path_real(const char *path, char **real)
{
    *real = realpath(path, NULL);
    return *real ? 0 : -errno;
}

/* Where the link `path` points to, seen from where `path` is seen from. */
static int follow_link(const char *path, char **target)
{
    char text[PATH_MAX];
    const ssize_t length = readlink(path, text, sizeof(text) - 1);
    if (length < 0)
        return -errno;
    text[length] = '\0';
    const char *slash = text[0] == '/' ? NULL : strrchr(path, '/');
    const int folder_length = slash ? (int)(slash - path) + 1 : 0;
    return asprintf(target, "%.*s%s", folder_length, path, text) < 0 ? -ENOMEM : 0;
}

int vmaf_path_behind_links(const char *path, char **target)
{
    struct stat status;
    char *found = strdup(path);
    *target = NULL;
    if (!found)
        return -ENOMEM;
    for (int i = 0; lstat(found, &status) == 0 && S_ISLNK(status.st_mode); i++) {
        char *next = NULL;
        const int err = i < LINKS_MAX ? follow_link(found, &next) : -ELOOP;
        free(found);
        if (err)
            return err;
        found = next;
    }
    *target = found;
    return 0;
}

bool vmaf_path_is_link(const char *path)
{
    struct stat status;
    return !lstat(path, &status) && S_ISLNK(status.st_mode);
}

/* The folder that a new file would be in. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return strdup(".");
    if (slash == path)
        return strdup("/");
    return strndup(path, (size_t)(slash - path));
}

static int check_folder(const char *path)
{
    char *folder = folder_of(path);
    if (!folder)
        return -ENOMEM;
    struct stat status;
    int err = 0;
    if (stat(folder, &status) || access(folder, W_OK | X_OK))
        err = -errno;
    else if (!S_ISDIR(status.st_mode))
        err = -ENOTDIR;
    free(folder);
    return err;
}

/* A file that does not exist, or a link to one. */
static int check_new(const char *path)
{
    char *target;
    int err = vmaf_path_behind_links(path, &target);
    if (err)
        return err;
    err = check_folder(target);
    free(target);
    return err;
}

int vmaf_path_check_output(const char *path)
{
    struct stat status;
    if (!path[0])
        return -ENOENT;
    if (stat(path, &status))
        return errno == ENOENT ? check_new(path) : -errno;
    if (S_ISDIR(status.st_mode))
        return -EISDIR;
    return access(path, W_OK) ? -errno : 0;
}

const char *vmaf_folder_temporary(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

int vmaf_folder_make(const char *path)
{
    if (!*path)
        return -ENOENT;
    char *prefix = strdup(path);
    if (!prefix)
        return -ENOMEM;
    int err = 0;
    for (char *end = prefix + 1; !err && end[-1]; end++) {
        const char at_end = *end;
        if (at_end && at_end != '/')
            continue;
        *end = '\0';
        if (mkdir(prefix, 0777) && errno != EEXIST)
            err = -errno;
        *end = at_end;
        if (!at_end)
            break;
    }
    free(prefix);
    return err;
}

int vmaf_folder_make_private(const char *path)
{
    return mkdir(path, 0700) ? -errno : 0;
}

bool vmaf_folder_is_private(const char *path)
{
    struct stat status;
    return !lstat(path, &status) && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           !(status.st_mode & (S_IRWXG | S_IRWXO));
}

static int read_names(DIR *folder, VmafFolderNames *list)
{
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(folder);
        if (!entry)
            return -errno;
        const int err = vmaf_folder_names_add(list, entry->d_name);
        if (err)
            return err;
    }
}

int vmaf_folder_read(const char *path, VmafFolderNames *list)
{
    DIR *folder = opendir(path);
    if (!folder)
        return -errno;
    const int err = read_names(folder, list);
    closedir(folder);
    return err;
}

bool vmaf_path_is_absolute(const char *path)
{
    return path[0] == '/';
}

const char *vmaf_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *vmaf_path_next_part(char **rest)
{
    return strsep(rest, ":");
}

/* ---- The user's cache ---- */

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
    const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
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

void vmaf_user_cache_close(VmafUserCache *cache)
{
    if (vmaf_user_cache_is_open(cache))
        close((int)cache->folder);
    cache->folder = -1;
}

bool vmaf_user_cache_read(const VmafUserCache *cache, const char *name, void *bytes, size_t size,
                          size_t *length)
{
    const int number =
        openat((int)cache->folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    VmafFile file = {number};
    struct stat status;
    *length = 0;
    if (number < 0)
        return false;
    const bool is_read = fstat(number, &status) == 0 && S_ISREG(status.st_mode) &&
                         is_own(number, S_IRWXG | S_IRWXO) &&
                         !vmaf_file_read_all(&file, bytes, size, length);
    vmaf_file_close(&file);
    return is_read && *length < size;
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
