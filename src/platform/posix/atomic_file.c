/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Where the bytes of a VmafAtomicFile go. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/internal.h"
#include "platform/path.h"
#include "platform/posix/internal.h"

static const mode_t permission_bits = S_IRWXU | S_IRWXG | S_IRWXO;

static int descriptor_of(const VmafAtomicTarget *target)
{
    return (int)target->handle;
}

/* Permissions of a new file, from which the umask is taken off. */
static mode_t mode_of(const VmafAtomicTarget *target)
{
    return target->is_private ? 0600 : 0666;
}

static int create_temporary(VmafAtomicTarget *target, const struct stat *existing)
{
    const mode_t mode = existing ? existing->st_mode & permission_bits : mode_of(target);
    int err = -EEXIST;
    for (unsigned attempt = 0; attempt < VMAF_ATOMIC_NAME_ATTEMPTS && err == -EEXIST; attempt++) {
        free(target->temporary);
        target->temporary = vmaf_atomic_target_name(target->path, target, attempt);
        if (!target->temporary)
            return -ENOMEM;
        target->handle = open(target->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        err = target->handle < 0 ? -errno : 0;
    }
    if (err) {
        free(target->temporary);
        target->temporary = NULL;
        return err;
    }
    if (existing) {
        /* Best effort: where it is not permitted, the file is the caller's own. */
        int owner_kept = fchown(descriptor_of(target), existing->st_uid, existing->st_gid);
        int mode_kept = fchmod(descriptor_of(target), mode);
        (void)owner_kept;
        (void)mode_kept;
    }
    return 0;
}

static int open_directly(VmafAtomicTarget *target, const char *path)
{
    target->handle = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    return target->handle < 0 ? -errno : 0;
}

/* The descriptor of standard output or error if it goes to this file, else -1. */
static int standard_stream_of(const struct stat *native)
{
    const VmafFileStatus status = vmaf_file_status_from(native);
    return vmaf_file_standard_stream(&status);
}

static int open_new(VmafAtomicTarget *target, const char *path)
{
    if (*path == '\0')
        return -ENOENT;
    /* Behind a dangling link, the target is what that points to. */
    int err = vmaf_path_behind_links(path, &target->path);
    return err ? err : create_temporary(target, NULL);
}

static int open_existing(VmafAtomicTarget *target, const char *path, const struct stat *status)
{
    int stream = S_ISREG(status->st_mode) ? standard_stream_of(status) : -1;
    if (stream >= 0) {
        /* Shares its position, so that what is written there before and after stays. */
        target->handle = fcntl(stream, F_DUPFD_CLOEXEC, 0);
        return target->handle < 0 ? -errno : 0;
    }
    if (!S_ISREG(status->st_mode))
        return open_directly(target, path);

    /* A write-protected file is not replaced, although its folder would allow it. */
    int probe = open(path, O_WRONLY | O_CLOEXEC);
    if (probe < 0)
        return -errno;
    close(probe);

    int err = vmaf_path_real(path, &target->path);
    if (err)
        return err;
    err = create_temporary(target, status);
    if (err == -EACCES || err == -EPERM || err == -EROFS)
        err = open_directly(target, path);
    return err;
}

int vmaf_atomic_target_open(VmafAtomicTarget *target, const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0)
        return open_existing(target, path, &status);
    return errno == ENOENT ? open_new(target, path) : -errno;
}

int vmaf_atomic_target_open_growing(VmafAtomicTarget *target, const char *path, bool *begins_anew)
{
    struct stat status;
    const bool exists = stat(path, &status) == 0;
    const int stream = exists && S_ISREG(status.st_mode) ? standard_stream_of(&status) : -1;
    *begins_anew = stream < 0 && (!exists || S_ISREG(status.st_mode));
    target->handle = stream >= 0
                         ? fcntl(stream, F_DUPFD_CLOEXEC, 0)
                         : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode_of(target));
    return target->handle < 0 ? -errno : 0;
}

int vmaf_atomic_target_write(VmafAtomicTarget *target, const void *data, size_t size)
{
    return vmaf_descriptor_write(descriptor_of(target), data, size);
}

int vmaf_atomic_target_close(VmafAtomicTarget *target)
{
    /* Network file systems report a full disk here. After EINTR the descriptor is closed, too. */
    const int closed = close(descriptor_of(target));
    target->handle = -1;
    return closed < 0 && errno != EINTR ? -errno : 0;
}

/* For a target that cannot be renamed over: a single file mounted into a container. */
static int overwrite(VmafAtomicTarget *target, char *buffer, size_t size)
{
    const int source = open(target->temporary, O_RDONLY | O_CLOEXEC);
    if (source < 0)
        return -errno;
    int err = open_directly(target, target->path);
    while (!err) {
        const int64_t n = vmaf_descriptor_read(source, buffer, size);
        if (n == 0)
            break;
        err = n > 0 ? vmaf_atomic_target_write(target, buffer, (size_t)n) : (int)n;
    }
    close(source);
    if (target->handle >= 0) {
        const int closed = vmaf_atomic_target_close(target);
        if (!err)
            err = closed;
    }
    return err;
}

int vmaf_atomic_target_replace(VmafAtomicTarget *target, char *buffer, size_t size)
{
    if (rename(target->temporary, target->path))
        return errno == EBUSY ? overwrite(target, buffer, size) : -errno;
    free(target->temporary);
    target->temporary = NULL;
    return 0;
}

void vmaf_atomic_target_abandon(VmafAtomicTarget *target)
{
    if (target->handle >= 0)
        close(descriptor_of(target));
    if (target->temporary)
        unlink(target->temporary);
    free(target->temporary);
    free(target->path);
}
