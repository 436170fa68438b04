/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

int vmaf_process_prepare(void)
{
    int fd;
    do {
        fd = open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd < 0 || close(fd))
        return -errno;
    signal(SIGXFSZ, SIG_IGN);
    return 0;
}

char *const *vmaf_process_environment(void)
{
    return environ;
}

int vmaf_process_id(void)
{
    return getpid();
}
