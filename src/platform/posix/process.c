/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "platform/posix/system.h"

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
    return vmaf_system_environment();
}

long vmaf_process_peak_memory_kib(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? vmaf_system_peak_memory_kib(&usage) : 0;
}

/*
 * Asking the system takes longer than many a call that wants to know. So the answer is kept in a
 * page that is empty in a child, however that was made. Where there are none, it is not kept.
 */
#ifdef MADV_WIPEONFORK
static _Atomic(atomic_int *) kept;
static atomic_bool cannot_keep;

static atomic_int *place_of_number(void)
{
    atomic_int *page = atomic_load_explicit(&kept, memory_order_acquire);
    if (page || atomic_load_explicit(&cannot_keep, memory_order_relaxed))
        return page;
    const size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *made = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED)
        return NULL; /* another time perhaps */
    if (madvise(made, size, MADV_WIPEONFORK)) {
        atomic_store(&cannot_keep, true);
        munmap(made, size);
        return NULL;
    }
    if (atomic_compare_exchange_strong(&kept, &page, (atomic_int *)made))
        return made;
    munmap(made, size);
    return page;
}

/* A library that is unloaded takes its page with it. */
__attribute__((destructor)) static void give_page_back(void)
{
    atomic_int *page = atomic_exchange(&kept, NULL);
    if (page)
        munmap(page, (size_t)sysconf(_SC_PAGESIZE));
}

int vmaf_process_id(void)
{
    atomic_int *place = place_of_number();
    if (!place)
        return getpid();
    int number = atomic_load_explicit(place, memory_order_relaxed);
    if (!number) {
        number = getpid();
        atomic_store_explicit(place, number, memory_order_relaxed);
    }
    return number;
}
#else
int vmaf_process_id(void)
{
    return getpid();
}
#endif
