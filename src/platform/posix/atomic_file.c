/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/path.h"
#include "platform/posix/file_status.h"
#include "platform/process.h"
#include "platform/time.h"

enum {
    BUFFER_SIZE = 64 * 1024,
    NAME_ATTEMPTS = 100,
};

static const mode_t permission_bits = S_IRWXU | S_IRWXG | S_IRWXO;

struct VmafAtomicFile {
    int fd;
    int error;       /* first one, negative errno */
    mode_t mode;     /* of a new file, less the umask */
    char *target;    /* with links resolved; NULL: written directly */
    char *temporary; /* NULL: written directly */
    bool in_memory;  /* as a text */
    char *text;
    size_t text_size;
    size_t used;
    char buffer[BUFFER_SIZE];
};

/* A name that a second program is unlikely to choose; O_EXCL makes it safe if it does. */
static uint64_t name_suffix(const void *salt, unsigned attempt)
{
    uint64_t x = (uint64_t)vmaf_time_of_day_ns();
    x ^= (uint64_t)vmaf_process_id() << 40 ^ (uint64_t)(uintptr_t)salt;
    x += attempt;
    /* Finaliser of MurmurHash3 (public domain, A. Appleby). */
    x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ x >> 33;
}

static int create_temporary(VmafAtomicFile *file, const struct stat *existing)
{
    const char *slash = strrchr(file->target, '/');
    size_t folder_length = slash ? (size_t)(slash - file->target) + 1 : 0;
    size_t size = folder_length + sizeof(".vmaf-0123456789abcdef.tmp");
    mode_t mode = existing ? existing->st_mode & permission_bits : file->mode;

    file->temporary = malloc(size);
    if (!file->temporary)
        return -ENOMEM;
    memcpy(file->temporary, file->target, folder_length);
    for (unsigned attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
        snprintf(file->temporary + folder_length, size - folder_length, ".vmaf-%016llx.tmp",
                 (unsigned long long)name_suffix(file, attempt));
        file->fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (file->fd >= 0 || errno != EEXIST)
            break;
    }
    if (file->fd < 0) {
        int err = -errno;
        free(file->temporary);
        file->temporary = NULL;
        return err;
    }
    if (existing) {
        /* Best effort: where it is not permitted, the file is the caller's own. */
        int owner_kept = fchown(file->fd, existing->st_uid, existing->st_gid);
        int mode_kept = fchmod(file->fd, mode);
        (void)owner_kept;
        (void)mode_kept;
    }
    return 0;
}

static int open_directly(VmafAtomicFile *file, const char *path)
{
    file->fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    return file->fd < 0 ? -errno : 0;
}

/* The descriptor of standard output or error if it goes to this file, else -1. */
static int standard_stream_of(const struct stat *status)
{
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        struct stat stream;
        if (fstat(fd, &stream) == 0 && stream.st_dev == status->st_dev &&
            stream.st_ino == status->st_ino)
            return fd;
    }
    return -1;
}

static int open_new(VmafAtomicFile *file, const char *path)
{
    if (*path == '\0')
        return -ENOENT;
    /* Behind a dangling link it is what that points to. */
    int err = vmaf_path_behind_links(path, &file->target);
    return err ? err : create_temporary(file, NULL);
}

static int open_existing(VmafAtomicFile *file, const char *path, const struct stat *status)
{
    int stream = S_ISREG(status->st_mode) ? standard_stream_of(status) : -1;
    if (stream >= 0) {
        /* Shares its position, so that what is written there before and after stays. */
        file->fd = fcntl(stream, F_DUPFD_CLOEXEC, 0);
        return file->fd < 0 ? -errno : 0;
    }
    if (!S_ISREG(status->st_mode))
        return open_directly(file, path);

    /* A write-protected file is not replaced, although its folder would allow it. */
    int probe = open(path, O_WRONLY | O_CLOEXEC);
    if (probe < 0)
        return -errno;
    close(probe);

    int err = vmaf_path_real(path, &file->target);
    if (err)
        return err;
    err = create_temporary(file, status);
    if (err == -EACCES || err == -EPERM || err == -EROFS)
        err = open_directly(file, path);
    return err;
}

static VmafAtomicFile *create(mode_t mode)
{
    VmafAtomicFile *file = malloc(sizeof(*file));
    if (!file)
        return NULL;
    file->fd = -1;
    file->error = 0;
    file->mode = mode;
    file->target = file->temporary = NULL;
    file->in_memory = false;
    file->text = NULL;
    file->text_size = 0;
    file->used = 0;
    return file;
}

static int open_with_mode(VmafAtomicFile **file_out, const char *path, mode_t mode)
{
    *file_out = NULL;
    VmafAtomicFile *file = create(mode);
    if (!file)
        return -ENOMEM;

    struct stat status;
    int err;
    if (stat(path, &status) == 0)
        err = open_existing(file, path, &status);
    else if (errno == ENOENT)
        err = open_new(file, path);
    else
        err = -errno;
    if (err < 0) {
        vmaf_atomic_file_abandon(file);
        return err;
    }
    *file_out = file;
    return 0;
}

int vmaf_atomic_file_open(VmafAtomicFile **file, const char *path)
{
    return open_with_mode(file, path, 0666);
}

int vmaf_atomic_file_open_private(VmafAtomicFile **file, const char *path)
{
    return open_with_mode(file, path, 0600);
}

static int open_growing(VmafAtomicFile *file, const char *path, bool *begins_anew)
{
    struct stat status;
    const bool exists = stat(path, &status) == 0;
    const int stream = exists && S_ISREG(status.st_mode) ? standard_stream_of(&status) : -1;
    *begins_anew = stream < 0 && (!exists || S_ISREG(status.st_mode));
    file->fd = stream >= 0 ? fcntl(stream, F_DUPFD_CLOEXEC, 0)
                           : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, file->mode);
    return file->fd < 0 ? -errno : 0;
}

int vmaf_atomic_file_open_growing(VmafAtomicFile **file, const char *path, bool *begins_anew)
{
    *file = create(0666);
    const int err = *file ? open_growing(*file, path, begins_anew) : -ENOMEM;
    if (err) {
        vmaf_atomic_file_abandon(*file);
        *file = NULL;
    }
    return err;
}

int vmaf_atomic_file_open_text(VmafAtomicFile **file)
{
    *file = create(0);
    if (!*file)
        return -ENOMEM;
    (*file)->in_memory = true;
    return 0;
}

/* With a 0 behind it. */
static int append(VmafAtomicFile *file, const char *data, size_t size)
{
    char *moved = realloc(file->text, file->text_size + size + 1);
    if (!moved)
        return -ENOMEM;
    memcpy(moved + file->text_size, data, size);
    file->text = moved;
    file->text_size += size;
    moved[file->text_size] = '\0';
    return 0;
}

static void write_fully(VmafAtomicFile *file, const char *data, size_t size)
{
    if (!file->error && file->in_memory)
        file->error = append(file, data, size);
    else if (!file->error)
        file->error = vmaf_descriptor_write(file->fd, data, size);
}

static void flush(VmafAtomicFile *file)
{
    write_fully(file, file->buffer, file->used);
    file->used = 0;
}

void vmaf_atomic_file_write(VmafAtomicFile *file, const void *data, size_t size)
{
    if (size > BUFFER_SIZE - file->used)
        flush(file);
    if (size > BUFFER_SIZE) {
        write_fully(file, data, size);
        return;
    }
    memcpy(file->buffer + file->used, data, size);
    file->used += size;
}

void vmaf_atomic_file_puts(VmafAtomicFile *file, const char *text)
{
    vmaf_atomic_file_write(file, text, strlen(text));
}

int vmaf_atomic_file_flush(VmafAtomicFile *file)
{
    flush(file);
    return file->error;
}

static void close_checked(VmafAtomicFile *file)
{
    /* Network file systems report a full disk here. After EINTR the descriptor is closed, too. */
    int closed = close(file->fd);
    file->fd = -1;
    if (closed < 0 && errno != EINTR && !file->error)
        file->error = -errno;
}

/* For a target that cannot be renamed over: a single file mounted into a container. */
static void overwrite_target(VmafAtomicFile *file)
{
    int source = open(file->temporary, O_RDONLY | O_CLOEXEC);
    if (source < 0) {
        file->error = -errno;
        return;
    }
    file->error = open_directly(file, file->target);
    while (!file->error) {
        const int64_t n = vmaf_descriptor_read(source, file->buffer, BUFFER_SIZE);
        if (n == 0)
            break;
        if (n > 0)
            write_fully(file, file->buffer, (size_t)n);
        else
            file->error = (int)n;
    }
    close(source);
    if (file->fd >= 0)
        close_checked(file);
}

int vmaf_atomic_file_take_text(VmafAtomicFile *file, char **text)
{
    flush(file);
    const int err = file->error;
    *text = err ? NULL : file->text;
    if (!err)
        file->text = NULL;
    vmaf_atomic_file_abandon(file);
    return err;
}

int vmaf_atomic_file_commit(VmafAtomicFile *file)
{
    flush(file);
    close_checked(file);
    if (file->temporary && !file->error) {
        if (rename(file->temporary, file->target) == 0) {
            free(file->temporary);
            file->temporary = NULL;
        } else if (errno == EBUSY) {
            overwrite_target(file);
        } else {
            file->error = -errno;
        }
    }
    int err = file->error;
    vmaf_atomic_file_abandon(file);
    return err;
}

void vmaf_atomic_file_abandon(VmafAtomicFile *file)
{
    if (!file)
        return;
    if (file->fd >= 0)
        close(file->fd);
    if (file->temporary)
        unlink(file->temporary);
    free(file->temporary);
    free(file->target);
    free(file->text);
    free(file);
}
