/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/thread_times.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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
