/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <unistd.h>

int vmaf_process_prepare(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        /* A bare root may lack the device, which only those need that lack a stream. */
        const bool is_closed = fcntl(fd, F_GETFD) < 0 && errno == EBADF;
        if (is_closed && open("/dev/null", O_RDWR) < 0) /* it becomes the lowest that is free */
            return -errno;
    }
    signal(SIGXFSZ, SIG_IGN);
    return 0;
}

void vmaf_process_outlive_readers(void)
{
    signal(SIGPIPE, SIG_IGN);
}

char *const *vmaf_process_environment(void)
{
    return environ;
}

long vmaf_process_peak_memory_kib(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : 0;
}

int vmaf_process_id(void)
{
    return getpid();
}
