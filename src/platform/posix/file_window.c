/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/file_window.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

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
