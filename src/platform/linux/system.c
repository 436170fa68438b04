/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What posix/internal.h lists, for Linux. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
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
#include "platform/posix/internal.h"
#include "platform/process.h"
#include "platform/thread.h"

int vmaf_system_pipe(int ends[2], int flags)
{
    return pipe2(ends, O_CLOEXEC | flags);
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

char *const *vmaf_process_environment(void)
{
    return environ;
}

bool vmaf_privilege_is_borrowed(void)
{
    return getauxval(AT_SECURE) != 0;
}

int vmaf_system_program_path(char **path)
{
    return vmaf_path_real("/proc/self/exe", path);
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

uint32_t vmaf_thread_number(void)
{
    return (uint32_t)syscall(SYS_gettid);
}

void vmaf_thread_set_name(const char *name)
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

/* ---- Threads of others ---- */

enum { US_PER_S = 1000000 };

/* Moments are clock ticks since the machine was started, the unit of /proc. */
static int64_t us_per_tick(void)
{
    return US_PER_S / sysconf(_SC_CLK_TCK);
}

int64_t vmaf_thread_times_now(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_BOOTTIME, &now))
        return INT64_MAX;
    return ((int64_t)now.tv_sec * US_PER_S + now.tv_nsec / 1000) / us_per_tick();
}

/* The fields of /proc/self/task/<thread>/stat that matter, in ticks. */
typedef struct ThreadState {
    bool excepted;
    int64_t started, consumed;
} ThreadState;

static bool read_state(int folder, const char *thread, const char *except, ThreadState *state)
{
    enum { UTIME = 14, STIME = 15, STARTTIME = 22 }; /* proc(5) counts fields from 1 */
    char path[300], text[1024];
    strcpy(path, thread);
    strcat(path, "/stat");
    const int file = openat(folder, path, O_RDONLY | O_CLOEXEC);
    const ssize_t size = file < 0 ? -1 : read(file, text, sizeof(text) - 1);
    if (file >= 0)
        close(file);
    if (size <= 0)
        return false;
    text[size] = '\0';
    char *name = strchr(text, '('), *next = strrchr(text, ')');
    if (!name || !next)
        return false;
    *next++ = '\0';
    *state = (ThreadState){.excepted = !strcmp(name + 1, except)};
    for (int field = 3; field <= STARTTIME; field++) {
        while (*next == ' ')
            next++;
        if (field == UTIME || field == STIME)
            state->consumed += strtoll(next, NULL, 10);
        else if (field == STARTTIME)
            state->started = strtoll(next, NULL, 10);
        next += strcspn(next, " ");
    }
    return true;
}

int64_t vmaf_thread_times_since(int64_t moment, const char *except)
{
    DIR *tasks = moment == INT64_MAX ? NULL : opendir("/proc/self/task");
    if (!tasks)
        return 0;
    const long here = syscall(SYS_gettid), first = getpid();
    int64_t ticks = 0;
    for (struct dirent *entry; (entry = readdir(tasks));) {
        const long thread = isdigit((unsigned char)entry->d_name[0]) ? atol(entry->d_name) : 0;
        ThreadState state;
        if (thread > 0 && thread != here && thread != first &&
            read_state(dirfd(tasks), entry->d_name, except, &state) && !state.excepted &&
            state.started >= moment)
            ticks += state.consumed;
    }
    closedir(tasks);
    return ticks * us_per_tick();
}
