/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/privilege.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/path.h"
#include "platform/posix/system.h"

/* Where the reason goes. */
typedef struct Why {
    char *text;
    size_t size;
} Why;

__attribute__((format(printf, 3, 4))) static int refuse(const Why *why, int error,
                                                        const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->text, why->size, format, arguments);
    va_end(arguments);
    return error;
}

bool vmaf_privilege_is_borrowed(void)
{
    return vmaf_system_rights_are_borrowed();
}

/* The superuser, or the user whose rights were borrowed: not the one who borrows them. */
static bool is_trusted(uid_t user)
{
    bool is_borrower = vmaf_privilege_is_borrowed() && geteuid() == getuid();
    return user == 0 || (user == geteuid() && !is_borrower);
}

static int check_status(const struct stat *status, const char *what, const char *path,
                        const Why *why)
{
    if (!is_trusted(status->st_uid))
        return refuse(why, -EACCES, "refused in a privileged program: the %s %s belongs to user %u",
                      what, path, (unsigned)status->st_uid);
    bool by_group = (status->st_mode & S_IWGRP) && status->st_gid != 0;
    if (by_group || (status->st_mode & S_IWOTH))
        return refuse(why, -EACCES,
                      "refused in a privileged program: the %s %s is writable by others", what,
                      path);
    return 0;
}

/* What is behind the path, opened without following it if it has become a link by now. */
static int check_file(const char *path, const Why *why)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int err = file < 0 || fstat(file, &status) < 0 ? refuse(why, -errno, "%s", strerror(errno)) : 0;
    if (file >= 0)
        close(file);
    if (!err && !S_ISREG(status.st_mode))
        err = refuse(why, -EINVAL, "not a regular file");
    return err ? err : check_status(&status, "file", path, why);
}

static int check_folder(const char *path, bool direct, const Why *why)
{
    struct stat status;
    if (stat(path, &status) < 0)
        return refuse(why, -errno, "%s: %s", path, strerror(errno));
    /* In a folder like /tmp, everybody may add something, but not take the place of what is
     * there. */
    bool sticky = (status.st_mode & S_ISVTX) && status.st_uid == 0;
    return sticky && !direct ? 0 : check_status(&status, "directory", path, why);
}

/* True if a file in `folder` lies below `path`, which ends without a slash. */
static bool holds(const char *path, const char *folder)
{
    size_t length = strlen(path);
    return folder && strncmp(folder, path, length) == 0 &&
           (folder[length] == '/' || folder[length] == '\0');
}

/* Cuts off the last part: of "/file" remains "/". False if nothing was left to cut. */
static bool go_up(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash || !path[1])
        return false;
    slash[slash == path] = '\0';
    return true;
}

static int check_folders(const char *file, const char *trusted, const Why *why)
{
    char *folder = strdup(file);
    int err = folder ? 0 : refuse(why, -ENOMEM, "out of memory");
    for (bool direct = true; !err && go_up(folder); direct = false)
        if (direct || !holds(folder, trusted))
            err = check_folder(folder, direct, why);
    free(folder);
    return err;
}

/* The folder in which a link is found is one of those that are searched. */
static int check_place(const char *path, const Why *why)
{
    char *folder = strdup(path);
    if (!folder)
        return refuse(why, -ENOMEM, "out of memory");
    int err = go_up(folder) ? check_folder(folder, true, why) : 0;
    free(folder);
    return err;
}

static int check_all(const char *path, const char *resolved, const char *trusted, const Why *why)
{
    int err = check_place(path, why);
    if (!err)
        err = check_file(resolved, why);
    return err ? err : check_folders(resolved, trusted, why);
}

int vmaf_privilege_resolve_file(char **resolved, const char *path, const char *trusted_folder,
                                char *text, size_t size)
{
    const Why why = {text, size};
    *resolved = NULL;
    if (!vmaf_privilege_is_borrowed() && geteuid() != 0) {
        *resolved = strdup(path);
        return *resolved ? 0 : refuse(&why, -ENOMEM, "out of memory");
    }
    int err = vmaf_path_real(path, resolved);
    if (err)
        return refuse(&why, err, "%s", err == -ENOMEM ? "out of memory" : strerror(-err));
    err = check_all(path, *resolved, trusted_folder, &why);
    if (err) {
        free(*resolved);
        *resolved = NULL;
    }
    return err;
}
