/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/posix/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "platform/posix/system.h"

int vmaf_pipe_open(int ends[2])
{
    int raw[2];
    if (vmaf_system_pipe(raw, 0) < 0)
        return -errno;
    int err = 0;
    for (int i = 0; i < 2; i++) {
        ends[i] = fcntl(raw[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        if (ends[i] < 0)
            err = -errno;
        close(raw[i]);
    }
    for (int i = 0; err && i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
    return err;
}
