/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/discovery/privilege.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif

bool privilege_is_borrowed(void)
{
#ifdef __linux__
    return getauxval(AT_SECURE) != 0;
#else
    return geteuid() != getuid() || getegid() != getgid();
#endif
}

static int check(const char *path, const char *what, Reason *why)
{
    struct stat status;
    if (stat(path, &status) < 0)
        return refuse(why, -errno, "%s", strerror(errno));
    if (status.st_uid != 0 && status.st_uid != geteuid())
        return refuse(why, -EACCES, "refused in a privileged program: the %s belongs to user %u",
                      what, (unsigned)status.st_uid);
    bool by_group = (status.st_mode & S_IWGRP) && status.st_gid != 0;
    if (by_group || (status.st_mode & S_IWOTH))
        return refuse(why, -EACCES, "refused in a privileged program: the %s is writable by others",
                      what);
    return 0;
}

int privilege_check_file(const char *path, Reason *why)
{
    if (!privilege_is_borrowed() && geteuid() != 0)
        return 0;
    int err = check(path, "file", why);
    if (err < 0)
        return err;
    char *directory = strdup(path);
    if (!directory)
        return refuse(why, -ENOMEM, "out of memory");
    char *slash = strrchr(directory, '/');
    if (slash)
        slash[slash == directory] = '\0'; /* of "/file": "/" */
    err = check(directory, "directory", why);
    free(directory);
    return err;
}
