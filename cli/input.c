/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    DISCARD_SIZE = 65536,
    PIPE_CAPACITY = 1 << 20, /* what an ordinary user may ask for */
};

static off_t current_size(const Input *input)
{
    struct stat status;
    return fstat(input->fd, &status) ? input->size : status.st_size;
}

int input_open(Input *input, const char *path)
{
    *input = (Input){.path = path, .fd = -1, .peeked = -1, .wake = {-1, -1}};
    input->fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC)
                                  : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
    if (input->fd < 0)
        return -errno;

    struct stat status;
    if (fstat(input->fd, &status))
        return -errno;
    if (S_ISDIR(status.st_mode))
        return -EISDIR;
    if (S_ISREG(status.st_mode)) {
        off_t position = lseek(input->fd, 0, SEEK_CUR); /* standard input may stand anywhere */
        if (position < 0)
            return -errno;
        input->seekable = true;
        input->position = position;
        input->size = input->size_at_opening = status.st_size;
        input->time_at_opening = status.st_mtim;
        posix_fadvise(input->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
        return 0;
    }
    /* Fewer switches between writer and reader; where it is not granted, the default will do. */
    if (S_ISFIFO(status.st_mode))
        fcntl(input->fd, F_SETPIPE_SZ, PIPE_CAPACITY);
    return pipe2(input->wake, O_CLOEXEC) ? -errno : 0;
}

void input_close(Input *input)
{
    int *const descriptors[] = {&input->fd, &input->wake[0], &input->wake[1]};
    for (int i = 0; i < 3; i++) {
        if (*descriptors[i] >= 0)
            close(*descriptors[i]);
        *descriptors[i] = -1;
    }
}

/* Waits until the pipe has bytes or has ended. */
static int wait_for_pipe(const Input *input)
{
    struct pollfd polled[2] = {{.fd = input->fd, .events = POLLIN},
                               {.fd = input->wake[0], .events = POLLIN}};
    while (poll(polled, 2, -1) < 0) {
        if (errno != EINTR)
            return -errno;
    }
    return polled[1].revents ? -ECANCELED : 0;
}

/* One system call's worth of bytes. */
static int read_some(Input *input, void *buffer, size_t size, size_t *got)
{
    /* The kernel returns less than 2 GiB a call anyway. */
    if (size > INT_MAX)
        size = INT_MAX;
    ssize_t n = 0;
    do {
        if (input->seekable) {
            n = pread(input->fd, buffer, size, input->position);
        } else {
            int err = wait_for_pipe(input);
            if (err)
                return err;
            n = read(input->fd, buffer, size);
        }
    } while (n < 0 && (errno == EINTR || errno == EAGAIN));
    if (n < 0)
        return -errno;
    *got = (size_t)n;
    input->position += n;
    return 0;
}

int input_read(Input *input, void *buffer, size_t size, size_t *got)
{
    unsigned char *out = buffer;
    *got = 0;
    if (size && input->peeked >= 0) {
        out[(*got)++] = (unsigned char)input->peeked;
        input->peeked = -1;
    }
    while (*got < size) {
        size_t n = 0;
        int err = read_some(input, out + *got, size - *got, &n);
        if (err)
            return err;
        if (!n)
            break;
        *got += n;
    }
    return 0;
}

int input_open_window(const Input *input, size_t offset, size_t size, VmafFileWindow *window)
{
    if (!input->seekable)
        return -ESPIPE;
    return vmaf_file_window_open(window, input->fd, input->position + (off_t)offset, size);
}

int input_skip(Input *input, size_t size, size_t *got)
{
    *got = 0;
    if (input->seekable) {
        if (input_falls_short(input, size))
            *got = input->size > input->position ? (size_t)(input->size - input->position) : 0;
        else
            *got = size;
        input->position += (off_t)*got;
        return 0;
    }
    unsigned char discarded[DISCARD_SIZE];
    while (*got < size) {
        size_t part = size - *got < sizeof(discarded) ? size - *got : sizeof(discarded);
        size_t n = 0;
        int err = input_read(input, discarded, part, &n);
        if (err)
            return err;
        *got += n;
        if (n < part)
            break;
    }
    return 0;
}

int input_at_end(Input *input)
{
    if (input->seekable)
        return input_falls_short(input, 1);
    if (input->peeked >= 0)
        return 0;
    unsigned char byte;
    size_t got;
    int err = input_read(input, &byte, 1, &got);
    if (err)
        return err;
    if (got)
        input->peeked = byte;
    return !got;
}

bool input_falls_short(Input *input, size_t size)
{
    if (!input->seekable)
        return false;
    if (input->position <= input->size && size <= (size_t)(input->size - input->position))
        return false;
    input->size = current_size(input); /* it may have grown since */
    return input->position > input->size || size > (size_t)(input->size - input->position);
}

off_t input_left(const Input *input)
{
    return input->seekable ? input->size - input->position : -1;
}

bool input_was_changed(const Input *input)
{
    struct stat now;
    if (!input->seekable || fstat(input->fd, &now))
        return false;
    const bool is_written = now.st_mtim.tv_sec != input->time_at_opening.tv_sec ||
                            now.st_mtim.tv_nsec != input->time_at_opening.tv_nsec;
    return now.st_size < input->size_at_opening ||
           (now.st_size == input->size_at_opening && is_written);
}

void input_interrupt(Input *input)
{
    static const char byte = 0;
    /* A full pipe wakes the reader just as well, so the result does not matter. */
    if (input->wake[1] >= 0 && write(input->wake[1], &byte, 1) < 0)
        return;
}
