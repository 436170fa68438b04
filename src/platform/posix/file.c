/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/file_load.h"
#include "platform/posix/file_status.h"
#include "platform/posix/system.h"

enum { READ_MAX = 1 << 30 }; /* systems read less than 2 GiB at once */

static int64_t in_ns(struct timespec time)
{
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static VmafFileKind kind_of(mode_t mode)
{
    if (S_ISREG(mode))
        return VMAF_FILE_REGULAR;
    if (S_ISDIR(mode))
        return VMAF_FILE_FOLDER;
    return S_ISFIFO(mode) ? VMAF_FILE_PIPE : VMAF_FILE_OTHER;
}

VmafFileStatus vmaf_file_status_from(const struct stat *native)
{
    return (VmafFileStatus){
        .kind = kind_of(native->st_mode),
        .volume = native->st_dev,
        .number = native->st_ino,
        .size = native->st_size,
        .modified_ns = in_ns(vmaf_system_modified(native)),
        .changed_ns = in_ns(vmaf_system_changed(native)),
    };
}

int vmaf_file_status_at(const char *path, VmafFileStatus *status)
{
    struct stat native;
    if (stat(path, &native))
        return -errno;
    *status = vmaf_file_status_from(&native);
    return 0;
}

int vmaf_file_status(const VmafFile *file, VmafFileStatus *status)
{
    struct stat native;
    if (fstat((int)file->handle, &native))
        return -errno;
    *status = vmaf_file_status_from(&native);
    return 0;
}

bool vmaf_file_is_same(const VmafFileStatus *a, const VmafFileStatus *b)
{
    return a->volume == b->volume && a->number == b->number;
}

int vmaf_file_standard_stream(const VmafFileStatus *status)
{
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        struct stat native;
        if (fstat(fd, &native))
            continue;
        const VmafFileStatus stream = vmaf_file_status_from(&native);
        if (vmaf_file_is_same(&stream, status))
            return fd;
    }
    return -1;
}

static int open_file(VmafFile *file, const char *path, int flags)
{
    file->handle = open(path, flags | O_CLOEXEC, 0666);
    return file->handle < 0 ? -errno : 0;
}

int vmaf_file_open(VmafFile *file, const char *path)
{
    return open_file(file, path, O_RDONLY);
}

int vmaf_file_create(VmafFile *file, const char *path)
{
    return open_file(file, path, O_WRONLY | O_CREAT | O_TRUNC);
}

int vmaf_file_open_to_append(VmafFile *file, const char *path, int64_t size)
{
    const int err = open_file(file, path, O_WRONLY);
    if (err || !ftruncate((int)file->handle, size))
        return err;
    const int why = -errno;
    vmaf_file_close(file);
    return why;
}

int vmaf_file_lock(const VmafFile *file)
{
    return flock((int)file->handle, LOCK_EX | LOCK_NB) ? -errno : 0; /* EWOULDBLOCK is EAGAIN */
}

void vmaf_file_close(VmafFile *file)
{
    if (file->handle >= 0)
        close((int)file->handle);
    *file = VMAF_FILE_NONE;
}

int64_t vmaf_descriptor_read(int fd, void *buffer, size_t size)
{
    ssize_t n;
    do
        n = read(fd, buffer, size < READ_MAX ? size : READ_MAX);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n;
}

int vmaf_descriptor_write(int fd, const void *data, size_t size)
{
    const char *bytes = data;
    while (size) {
        const ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n ? -errno : -EIO;
        bytes += n;
        size -= (size_t)n;
    }
    return 0;
}

int vmaf_file_read_at(const VmafFile *file, void *buffer, size_t size, int64_t position,
                      size_t *got)
{
    ssize_t n;
    do
        n = pread((int)file->handle, buffer, size < READ_MAX ? size : READ_MAX, position);
    while (n < 0 && errno == EINTR);
    *got = n < 0 ? 0 : (size_t)n;
    return n < 0 ? -errno : 0;
}

int vmaf_file_write_at(const VmafFile *file, const void *data, size_t size, int64_t position)
{
    const char *bytes = data;
    while (size) {
        const ssize_t n = pwrite((int)file->handle, bytes, size, position);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n ? -errno : -EIO;
        bytes += n;
        position += n;
        size -= (size_t)n;
    }
    return 0;
}

int vmaf_file_open_at_once(VmafFile *file, const char *path)
{
    return open_file(file, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}
