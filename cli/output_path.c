/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "output_path.h"

#include <errno.h>
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

int output_path_check(const char *path)
{
    struct stat status;
    if (!path[0])
        return -ENOENT;
    if (stat(path, &status)) {
        if (errno != ENOENT)
            return -errno;
        return check_folder(path);
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
