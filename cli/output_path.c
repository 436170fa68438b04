/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "output_path.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Where a link points to, seen from where the link is seen from. */
static int follow_once(const char *path, char **target)
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

int output_path_follow(const char *path, char **target)
{
    enum { LINKS_MAX = 40 }; /* one after another, as Linux has it */
    struct stat status;
    char *found = strdup(path);
    if (!found)
        return -ENOMEM;
    for (int i = 0; !lstat(found, &status) && S_ISLNK(status.st_mode); i++) {
        char *next = NULL;
        const int err = i < LINKS_MAX ? follow_once(found, &next) : -ELOOP;
        free(found);
        if (err)
            return err;
        found = next;
    }
    *target = found;
    return 0;
}

/* A file that does not exist, or a link to one. */
static int check_new(const char *path)
{
    char *target;
    int err = output_path_follow(path, &target);
    if (err)
        return err;
    err = check_folder(target);
    free(target);
    return err;
}

int output_path_check(const char *path)
{
    struct stat status;
    if (!path[0])
        return -ENOENT;
    if (stat(path, &status)) {
        if (errno != ENOENT)
            return -errno;
        return check_new(path);
    }
    if (S_ISDIR(status.st_mode))
        return -EISDIR;
    return access(path, W_OK) ? -errno : 0;
}

bool output_path_is_file(const char *path, int fd)
{
    struct stat named, open_file;
    return !stat(path, &named) && !fstat(fd, &open_file) && S_ISREG(named.st_mode) &&
           named.st_dev == open_file.st_dev && named.st_ino == open_file.st_ino;
}
