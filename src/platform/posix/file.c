/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "platform/internal.h"
#include "platform/posix/internal.h"

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
        .modified_ns = in_ns(native->st_mtim),
        .changed_ns = in_ns(native->st_ctim),
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

/* ---- Windows onto files ---- */

/* Linux 5.14 has it, and is later than some C libraries. Elsewhere files are read. */
#if defined(__linux__) && !defined(MADV_POPULATE_READ)
#define MADV_POPULATE_READ 22
#endif

enum { LOOK_STEP = 512 * 1024 }; /* a look takes as long as to bring 8 pages in */

int vmaf_file_window_open(VmafFileWindow *window, const VmafFile *file, int64_t position,
                          size_t size)
{
    const int64_t into_page = position & (sysconf(_SC_PAGESIZE) - 1);
    const size_t mapping_size = size + (size_t)into_page;
    void *mapping =
        mmap(NULL, mapping_size, PROT_READ, MAP_SHARED, (int)file->handle, position - into_page);
    if (mapping == MAP_FAILED)
        return -errno;
    *window = (VmafFileWindow){mapping, mapping_size, (unsigned char *)mapping + into_page};
    return 0;
}

int vmaf_file_window_bring_in(const VmafFileWindow *window)
{
#ifdef MADV_POPULATE_READ
    return madvise(window->mapping, window->mapping_size, MADV_POPULATE_READ) ? -errno : 0;
#else
    (void)window;
    return -ENOTSUP;
#endif
}

static bool byte_is_in_memory(const VmafFile *file, int64_t position)
{
#ifdef RWF_NOWAIT
    unsigned char byte;
    const struct iovec one = {&byte, sizeof(byte)};
    return preadv2((int)file->handle, &one, 1, position, RWF_NOWAIT) == sizeof(byte);
#else
    (void)file;
    (void)position;
    return false;
#endif
}

bool vmaf_file_is_in_memory(const VmafFile *file, int64_t position, size_t size)
{
    const int64_t last = position + (int64_t)size - 1;
    for (; position < last; position += LOOK_STEP) {
        if (!byte_is_in_memory(file, position))
            return false;
    }
    return byte_is_in_memory(file, last);
}

void vmaf_file_window_close(VmafFileWindow *window)
{
    if (window->mapping)
        munmap(window->mapping, window->mapping_size);
    *window = (VmafFileWindow){0};
}

static struct {
    const char *message;
    size_t length;
    int status;
} loss;

static void end_program(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_code != BUS_ADRERR) { /* a fault of the program */
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    if (write(STDERR_FILENO, loss.message, loss.length) < 0)
        _exit(loss.status);
    _exit(loss.status);
}

void vmaf_file_window_guard(const char *message, int status)
{
    struct sigaction action = {.sa_sigaction = end_program, .sa_flags = SA_SIGINFO};
    loss.message = message;
    loss.length = strlen(message);
    loss.status = status;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}

/* ---- Inputs ---- */

enum { PIPE_CAPACITY = 1 << 20 }; /* what an ordinary user may ask for */

static int descriptor_of(const VmafInput *input)
{
    return (int)input->file.handle;
}

static int prepare_pipe(VmafInput *input)
{
    int ends[2];
#ifdef F_SETPIPE_SZ
    /* Fewer switches between writer and reader; where it is not granted, the default will do. */
    if (input->status.kind == VMAF_FILE_PIPE)
        fcntl(descriptor_of(input), F_SETPIPE_SZ, PIPE_CAPACITY);
#endif
    if (vmaf_system_pipe(ends, 0))
        return -errno;
    input->wake[0] = ends[0];
    input->wake[1] = ends[1];
    return 0;
}

/* Lets the system read ahead. */
static void advise_sequential(int file)
{
#ifdef __APPLE__ /* which lacks the other */
    fcntl(file, F_RDAHEAD, 1);
#else
    posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
}

int vmaf_input_open(VmafInput *input, const char *path)
{
    *input = (VmafInput){.file = VMAF_FILE_NONE, .wake = {-1, -1}};
    int err = 0;
    if (path)
        err = vmaf_file_open(&input->file, path);
    else if ((input->file.handle = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)) < 0)
        err = -errno;
    if (!err)
        err = vmaf_file_status(&input->file, &input->status);
    if (err)
        return err;
    if (input->status.kind == VMAF_FILE_FOLDER)
        return -EISDIR;
    if (input->status.kind != VMAF_FILE_REGULAR)
        return prepare_pipe(input);
    const off_t begin = lseek(descriptor_of(input), 0, SEEK_CUR);
    if (begin < 0)
        return -errno;
    input->is_file = true;
    input->begin = begin;
    advise_sequential(descriptor_of(input));
    return 0;
}

void vmaf_input_close(VmafInput *input)
{
    vmaf_file_close(&input->file);
    for (int i = 0; i < 2; i++) {
        if (input->wake[i] >= 0)
            close((int)input->wake[i]);
        input->wake[i] = -1;
    }
}

/* Waits until the pipe has bytes or has ended. */
static int wait_for_pipe(const VmafInput *input)
{
    struct pollfd polled[2] = {{.fd = descriptor_of(input), .events = POLLIN},
                               {.fd = (int)input->wake[0], .events = POLLIN}};
    while (poll(polled, 2, -1) < 0) {
        if (errno != EINTR)
            return -errno;
    }
    return polled[1].revents ? -ECANCELED : 0;
}

int vmaf_input_read(const VmafInput *input, void *buffer, size_t size, int64_t position,
                    size_t *got)
{
    if (input->is_file)
        return vmaf_file_read_at(&input->file, buffer, size, position, got);
    ssize_t n;
    do {
        const int err = wait_for_pipe(input);
        if (err)
            return err;
        n = read(descriptor_of(input), buffer, size);
    } while (n < 0 && (errno == EINTR || errno == EAGAIN));
    *got = n < 0 ? 0 : (size_t)n;
    return n < 0 ? -errno : 0;
}

void vmaf_input_interrupt(const VmafInput *input)
{
    static const char byte = 0;
    /* A full pipe wakes the reader just as well, so the result does not matter. */
    if (input->wake[1] >= 0 && write((int)input->wake[1], &byte, 1) < 0)
        return;
}
