/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/path.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/folder_list.h"

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
        if (mkdir(prefix, 0770) && errno != EEXIST)
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
