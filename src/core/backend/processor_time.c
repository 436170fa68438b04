/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/processor_time.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include "platform/process.h"
#include "platform/time.h"

/*
 * Less than this part of a limit is no progress: threads that only look whether there is something
 * to do. A machine so busy that a call gets less than that is out of order.
 */
enum { PROGRESS_PART = 100 };
enum { PARTS_OF_LIMIT = 20, PAUSE_MIN_MS = 5, PAUSE_MAX_MS = 250 };

/* When the first plugin was loaded, in the unit of /proc (clock ticks since the machine started);
 * INT64_MAX: none was. Part of the state of the registry of plugins. */
static _Atomic(int64_t) plugins_since = INT64_MAX;

static int64_t in_us(struct timespec time)
{
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

/* ---- the other threads of the process ---- */

#ifdef __linux__
static const char name_of_ours[] = "vmaf-scoring";

void processor_time_is_ours(void)
{
    prctl(PR_SET_NAME, name_of_ours);
}

void processor_time_plugins_begin(void)
{
    struct timespec now;
    int64_t none = INT64_MAX;
    if (clock_gettime(CLOCK_BOOTTIME, &now))
        return;
    int64_t ticks = in_us(now) / (1000000 / sysconf(_SC_CLK_TCK));
    atomic_compare_exchange_strong(&plugins_since, &none, ticks);
}

/* The fields of /proc/self/task/<thread>/stat that matter, in ticks. */
typedef struct ThreadState {
    bool ours;
    int64_t started, consumed;
} ThreadState;

static bool read_state(int directory, const char *thread, ThreadState *state)
{
    enum { UTIME = 14, STIME = 15, STARTTIME = 22 }; /* proc(5) counts fields from 1 */
    char path[300], text[1024];
    strcpy(path, thread);
    strcat(path, "/stat");
    int file = openat(directory, path, O_RDONLY | O_CLOEXEC);
    ssize_t size = file < 0 ? -1 : read(file, text, sizeof(text) - 1);
    if (file >= 0)
        close(file);
    if (size <= 0)
        return false;
    text[size] = '\0';
    char *name = strchr(text, '('), *next = strrchr(text, ')');
    if (!name || !next)
        return false;
    *next++ = '\0';
    *state = (ThreadState){.ours = !strcmp(name + 1, name_of_ours)};
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

static int64_t time_of_others(void)
{
    const int64_t since = atomic_load(&plugins_since);
    DIR *tasks = since == INT64_MAX ? NULL : opendir("/proc/self/task");
    if (!tasks)
        return 0;
    const long here = syscall(SYS_gettid), first = vmaf_process_id();
    int64_t ticks = 0;
    for (struct dirent *entry; (entry = readdir(tasks));) {
        const long thread = isdigit((unsigned char)entry->d_name[0]) ? atol(entry->d_name) : 0;
        ThreadState state;
        if (thread > 0 && thread != here && thread != first &&
            read_state(dirfd(tasks), entry->d_name, &state) && !state.ours &&
            state.started >= since)
            ticks += state.consumed;
    }
    closedir(tasks);
    return ticks * (1000000 / sysconf(_SC_CLK_TCK));
}
#else
void processor_time_is_ours(void)
{
}

void processor_time_plugins_begin(void)
{
}

static int64_t time_of_others(void)
{
    return 0;
}
#endif

/* ---- limits ---- */

static int64_t consumed_so_far(const Patience *patience)
{
    return vmaf_thread_time_of_us(patience->caller) + time_of_others();
}

void patience_begin(Patience *patience, VmafThread caller, unsigned milliseconds)
{
    *patience = (Patience){.limit = milliseconds, .caller = caller, .begun = vmaf_steady_ms()};
    patience->renewed = patience->begun;
    patience->consumed = INT64_MAX; /* looked up when somebody has to wait */
}

int64_t patience_left(Patience *patience)
{
    const int64_t limit = patience->limit, now = vmaf_steady_ms();
    if (now - patience->renewed < limit / PARTS_OF_LIMIT)
        return patience->renewed + limit - now; /* cheaply: most calls are short */
    const int64_t consumed = consumed_so_far(patience);
    if (consumed < patience->consumed) /* of a thread that has ended nothing is known any more */
        patience->consumed = consumed;
    if ((consumed - patience->consumed) * PROGRESS_PART > limit * 1000) {
        patience->consumed = consumed;
        patience->renewed = now;
    }
    const int64_t left = patience->renewed + limit - now;
    const int64_t left_in_all = patience->begun + PATIENCE_MAX * limit - now;
    return left < left_in_all ? left : left_in_all;
}

unsigned patience_pause(const Patience *patience)
{
    const unsigned part = patience->limit / PARTS_OF_LIMIT;
    return part < PAUSE_MIN_MS ? PAUSE_MIN_MS : part > PAUSE_MAX_MS ? PAUSE_MAX_MS : part;
}
