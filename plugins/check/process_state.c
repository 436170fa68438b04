/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What a call changes in the process: environment of numbers, signals, files, folders. */
#include <dirent.h>
#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

enum { PROCESS_STATE = 33, UNTOUCHED = 4711 };

void capture_output(int file)
{
    if (dup2(file, STDOUT_FILENO) < 0) {
        perror("vmaf-backend-check");
        _exit(2);
    }
}

long long printed_bytes(void)
{
    struct stat info;
    fflush(NULL);
    return fstat(STDOUT_FILENO, &info) ? 0 : (long long)info.st_size;
}

static const struct {
    int resource;
    const char *name;
} limits[] = {
    {RLIMIT_AS, "RLIMIT_AS"},           {RLIMIT_CORE, "RLIMIT_CORE"},
    {RLIMIT_DATA, "RLIMIT_DATA"},       {RLIMIT_FSIZE, "RLIMIT_FSIZE"},
    {RLIMIT_MEMLOCK, "RLIMIT_MEMLOCK"}, {RLIMIT_NOFILE, "RLIMIT_NOFILE"},
    {RLIMIT_NPROC, "RLIMIT_NPROC"},     {RLIMIT_STACK, "RLIMIT_STACK"},
};
enum { N_LIMITS = sizeof(limits) / sizeof(limits[0]) };

static void get_limits_and_streams(ProcessState *now)
{
    now->mask = umask(0);
    umask(now->mask);
    for (unsigned i = 0; i < N_LIMITS; i++)
        getrlimit(limits[i].resource, &now->limits[i]);
    for (int i = 0; i < 3; i++)
        if (fstat(i, &now->streams[i]))
            now->streams[i] = (struct stat){0};
}

static void expect_limits_and_streams(const ProcessState *before, const ProcessState *now,
                                      const char *during)
{
    expect(now->mask == before->mask, PROCESS_STATE, "%s changes the file mode mask", during);
    for (unsigned i = 0; i < N_LIMITS; i++)
        expect(now->limits[i].rlim_cur == before->limits[i].rlim_cur &&
                   now->limits[i].rlim_max == before->limits[i].rlim_max,
               PROCESS_STATE, "%s changes %s", during, limits[i].name);
    for (int i = 0; i < 3; i++)
        expect(now->streams[i].st_dev == before->streams[i].st_dev &&
                   now->streams[i].st_ino == before->streams[i].st_ino,
               PROCESS_STATE, "%s closes file descriptor %d", during, i);
}

ProcessState process_state_now(void)
{
    ProcessState now = {.rounding = fegetround(), .printed = printed_bytes()};
    if (!getcwd(now.directory, sizeof(now.directory)))
        now.directory[0] = 0;
    const char *locale = setlocale(LC_ALL, NULL);
    snprintf(now.locale, sizeof(now.locale), "%s", locale ? locale : "");
    for (int i = 1; i < 32; i++) {
        struct sigaction action;
        if (!sigaction(i, NULL, &action))
            now.handlers[i] = action.sa_handler;
    }
    get_limits_and_streams(&now);
    return now;
}

static bool has_subnormals(void)
{
    volatile double smallest = DBL_MIN;
    return smallest / 2 > 0;
}

void expect_process_state(const ProcessState *before, const char *during)
{
    const ProcessState now = process_state_now();
    expect(now.rounding == before->rounding, PROCESS_STATE, "%s changes how numbers are rounded",
           during);
    expect(has_subnormals(), PROCESS_STATE, "%s sets flush-to-zero (-ffast-math does that)",
           during);
    expect(!strcmp(now.directory, before->directory), PROCESS_STATE, "%s changes the directory",
           during);
    expect(!strcmp(now.locale, before->locale), PROCESS_STATE, "%s changes the locale", during);
    expect(now.printed == before->printed, PROCESS_STATE, "%s prints on stdout", during);
    expect_limits_and_streams(before, &now, during);
    for (int i = 1; i < 32; i++)
        expect(now.handlers[i] == before->handlers[i], PROCESS_STATE,
               "%s changes the handler of %s", during, strsignal(i));
}

void call_begin(void)
{
    fesetround(FE_TONEAREST);
    errno = UNTOUCHED;
}

void call_end(const char *call)
{
    expect(errno == UNTOUCHED, PROCESS_STATE, "%s changes errno", call);
    expect(fegetround() == FE_TONEAREST, PROCESS_STATE, "%s changes how numbers are rounded", call);
    expect(has_subnormals(), PROCESS_STATE, "%s sets flush-to-zero", call);
}

static unsigned count_entries(const char *folder)
{
    DIR *dir = opendir(folder);
    unsigned n = 0;
    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

unsigned count_threads(void)
{
    return count_entries("/proc/self/task");
}

unsigned count_files(void)
{
    return count_entries("/proc/self/fd");
}

unsigned count_interruptible_threads(void)
{
    /* All signals are expected except these, which cannot be blocked, or which faults of a thread
     * raise. */
    static const int others[] = {SIGKILL, SIGSTOP, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
    unsigned long long wanted = 0x7fffffff;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        wanted &= ~(1ull << (others[i] - 1));
    DIR *dir = opendir("/proc/self/task");
    const struct dirent *entry;
    unsigned n = 0;
    while (dir && (entry = readdir(dir))) {
        char path[64 + sizeof(entry->d_name)], line[256];
        if (entry->d_name[0] == '.' || atol(entry->d_name) == (long)getpid())
            continue;
        snprintf(path, sizeof(path), "/proc/self/task/%s/status", entry->d_name);
        FILE *file = fopen(path, "r");
        while (file && fgets(line, sizeof(line), file)) {
            unsigned long long blocked;
            if (sscanf(line, "SigBlk: %llx", &blocked) == 1 && (blocked & wanted) != wanted)
                n++;
        }
        if (file)
            fclose(file);
    }
    if (dir)
        closedir(dir);
    return n;
}
