/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/posix/system.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "platform/machine.h"
#include "platform/module.h"
#include "platform/path.h"
#include "platform/posix/file_status.h"
#include "platform/processors.h"
#include "platform/random.h"

int vmaf_system_pipe(int ends[2], int flags)
{
    return pipe2(ends, O_CLOEXEC | flags);
}

void vmaf_system_advise_sequential(int file)
{
    posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL);
}

struct timespec vmaf_system_modified(const struct stat *status)
{
    return status->st_mtim;
}

struct timespec vmaf_system_changed(const struct stat *status)
{
    return status->st_ctim;
}

bool vmaf_system_close_from(int first)
{
#ifdef SYS_close_range /* newer than the C libraries that wrap it */
    return syscall(SYS_close_range, first, ~0u, 0) == 0;
#else
    (void)first;
    return false;
#endif
}

char *const *vmaf_system_environment(void)
{
    return environ;
}

bool vmaf_system_rights_are_borrowed(void)
{
    return getauxval(AT_SECURE) != 0;
}

int vmaf_system_program_path(char **path)
{
    return vmaf_path_real("/proc/self/exe", path);
}

long vmaf_system_peak_memory_kib(const struct rusage *usage)
{
    return usage->ru_maxrss;
}

/* Cores in the affinity mask; machines may have more than a cpu_set_t holds. */
unsigned vmaf_system_usable_processors(void)
{
    for (size_t size = CPU_SETSIZE; size <= 1 << 20; size *= 2) {
        cpu_set_t *set = CPU_ALLOC(size);
        if (!set)
            break;
        size_t bytes = CPU_ALLOC_SIZE(size);
        int count = sched_getaffinity(0, bytes, set) ? 0 : CPU_COUNT_S(bytes, set);
        CPU_FREE(set);
        if (count > 0)
            return (unsigned)count;
    }
    return vmaf_processors_online();
}

void vmaf_system_end_with_parent(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

void vmaf_system_wait_for_child(pid_t process, int64_t milliseconds)
{
    (void)process; /* the signal says only that there is one */
    const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    sigset_t child_signal;
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    sigtimedwait(&child_signal, NULL, &time);
}

uint32_t vmaf_system_thread_number(void)
{
    return (uint32_t)syscall(SYS_gettid);
}

void vmaf_system_name_thread(const char *name)
{
    prctl(PR_SET_NAME, name);
}

void vmaf_machine_boot_id(char *id, size_t size)
{
    const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    const int64_t length = file < 0 ? 0 : vmaf_descriptor_read(file, id, size - 1);
    if (file >= 0)
        close(file);
    id[length > 0 ? length : 0] = '\0';
    id[strcspn(id, "\n")] = '\0';
}

bool vmaf_random_bytes(void *bytes, size_t size)
{
    return getrandom(bytes, size, GRND_NONBLOCK) == (ssize_t)size;
}

const char *vmaf_module_index(void)
{
    return "/etc/ld.so.cache";
}
