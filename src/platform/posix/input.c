/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "platform/posix/system.h"

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
    vmaf_system_advise_sequential(descriptor_of(input));
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
