/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "output_file.h"

#include "output_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Writes and closes. */
static int put_text(const char *text, FILE *out)
{
    int err = fputs(text, out) < 0 ? -errno : 0;
    return fclose(out) && !err ? -errno : err;
}

static int write_directly(const char *path, const char *text)
{
    FILE *out = fopen(path, "we");
    return out ? put_text(text, out) : -errno;
}

static int replace_file(const char *path, const char *text, mode_t mode)
{
    char *temporary;
    if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
        return -ENOMEM;
    int err = 0;
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) {
        err = -errno;
        goto free_name;
    }
    FILE *out = fdopen(fd, "w");
    if (!out) {
        err = -errno;
        close(fd);
        goto remove_file;
    }
    fchmod(fd, mode);
    err = put_text(text, out);
    if (!err && rename(temporary, path))
        err = -errno;

remove_file:
    if (err)
        unlink(temporary);
free_name:
    free(temporary);
    return err;
}

int output_file_write(const char *path, const char *text)
{
    struct stat status;
    if (!stat(path, &status)) {
        if (!S_ISREG(status.st_mode))
            return write_directly(path, text);
        /* What a link points to is replaced, not the link. */
        char *target = realpath(path, NULL);
        if (!target)
            return -errno;
        int err = replace_file(target, text, status.st_mode & 0777);
        free(target);
        return err;
    }
    mode_t mask = umask(0);
    umask(mask);
    char *target;
    int err = output_path_follow(path, &target);
    if (err)
        return err;
    err = replace_file(target, text, 0666 & ~mask);
    free(target);
    return err;
}
