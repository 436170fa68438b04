/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Written without a FreeBSD at hand: compiled and linked for it, never run. */
#include "platform/posix/internal.h"

#include <sys/param.h> /* before the headers below */

#include <errno.h>
#include <fcntl.h>
#include <pthread_np.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/cpuset.h>
#include <sys/procctl.h>
#include <sys/random.h>
#include <sys/sysctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/machine.h"
#include "platform/module.h"
#include "platform/path.h"
#include "platform/process.h"
#include "platform/thread.h"

/* No header declares it, and what starts a program has it, no library: weak, or none could be
 * linked. */
extern char **environ __attribute__((weak));

int vmaf_system_pipe(int ends[2], int flags)
{
    return pipe2(ends, O_CLOEXEC | flags);
}

bool vmaf_system_close_from(int first)
{
    closefrom(first);
    return true;
}

char *const *vmaf_process_environment(void)
{
    return environ;
}

bool vmaf_privilege_is_borrowed(void)
{
    return issetugid() != 0;
}

int vmaf_system_program_path(char **path)
{
    int name[] = {CTL_KERN, KERN_PROC, KERN_PROC_PATHNAME, -1};
    char text[PATH_MAX];
    size_t size = sizeof(text);
    if (sysctl(name, sizeof(name) / sizeof(name[0]), text, &size, NULL, 0) < 0)
        return -errno;
    return vmaf_path_real(text, path);
}

unsigned vmaf_system_usable_processors(void)
{
    cpuset_t set;
    if (cpuset_getaffinity(CPU_LEVEL_WHICH, CPU_WHICH_PID, -1, sizeof(set), &set) < 0)
        return vmaf_processors_online();
    const int count = CPU_COUNT(&set);
    return count > 0 ? (unsigned)count : vmaf_processors_online();
}

void vmaf_system_end_with_parent(void)
{
    int number = SIGKILL;
    procctl(P_PID, 0, PROC_PDEATHSIG_CTL, &number);
}

uint32_t vmaf_thread_number(void)
{
    return (uint32_t)pthread_getthreadid_np();
}

void vmaf_thread_set_name(const char *name)
{
    pthread_set_name_np(pthread_self(), name);
}

void vmaf_machine_boot_id(char *id, size_t size)
{
    unsigned char bytes[16];
    size_t length = sizeof(bytes);
    id[0] = '\0';
    if (sysctlbyname("kern.boot_id", bytes, &length, NULL, 0) < 0)
        return;
    for (size_t i = 0; i < length && 2 * i + 2 < size; i++)
        snprintf(id + 2 * i, 3, "%02x", bytes[i]);
}

bool vmaf_random_bytes(void *bytes, size_t size)
{
    return getrandom(bytes, size, GRND_NONBLOCK) == (ssize_t)size;
}

const char *vmaf_module_index(void)
{
    return "/var/run/ld-elf.so.hints";
}

/* Nothing is asked of the system about threads of others. */
int64_t vmaf_thread_times_now(void)
{
    return INT64_MAX;
}

int64_t vmaf_thread_times_since(int64_t moment, const char *except)
{
    (void)moment;
    (void)except;
    return 0;
}
