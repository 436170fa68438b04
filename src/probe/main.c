/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * The helper that tries a plugin out, so that a plugin or driver that crashes, hangs or ends the
 * process does so here and not in the program that uses libvmaf.
 *
 *   backend-probe1 PLUGIN MILLISECONDS
 *
 * It has two processes. One loads the plugin (worker.h); this one watches it, keeps the time limit,
 * and reports how it has ended, because a host may not be able to wait for its children. The report
 * goes to standard output: probe_report.h.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include "backend/discovery/plugin_file.h"
#include "backend/processor_time.h"
#include "worker.h"

enum {
    LOOK_MS = 100,           /* between looks at how the process gets on */
    PROGRESS_PART = 100,     /* of the limit: less processor time than this is no progress */
    KILL_MS = 500,           /* how long a process that was killed is waited for */
    DESCRIPTORS_MAX = 65536, /* that are looked at where they cannot be closed in one go */
};

static void close_inherited_descriptors(void)
{
#ifdef SYS_close_range /* newer than the C libraries that wrap it */
    if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0) == 0)
        return;
#endif
    long count = sysconf(_SC_OPEN_MAX);
    for (int fd = STDERR_FILENO + 1; fd < count && fd < DESCRIPTORS_MAX; fd++)
        close(fd);
}

static struct timespec now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time;
}

static long milliseconds_since(struct timespec start)
{
    struct timespec time = now();
    return (time.tv_sec - start.tv_sec) * 1000 + (time.tv_nsec - start.tv_nsec) / 1000000;
}

/* Processor time of all threads of another process; 0 if it cannot be told. */
static long milliseconds_consumed(pid_t process)
{
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(process, &clock) || clock_gettime(clock, &time))
        return 0;
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/*
 * Waits for the end of the process without taking note of it, so that its number stays its own.
 * SIGCHLD is blocked. The limit begins anew as long as the process consumes processor time, as
 * those of calls within the library do (backend/processor_time.h).
 */
static bool wait_for_end(pid_t process, siginfo_t *end, long limit_ms)
{
    const struct timespec begun = now();
    struct timespec start = begun;
    long consumed = 0;
    sigset_t child_signal;
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    for (;;) {
        end->si_pid = 0;
        if (waitid(P_PID, (id_t)process, end, WEXITED | WNOHANG | WNOWAIT) == 0 && end->si_pid)
            return true;
        long so_far = milliseconds_consumed(process);
        if (so_far - consumed > limit_ms / PROGRESS_PART) {
            consumed = so_far;
            start = now();
        }
        long left = limit_ms - milliseconds_since(start);
        if (left <= 0 || milliseconds_since(begun) >= PATIENCE_MAX * limit_ms)
            return false;
        if (left > LOOK_MS)
            left = LOOK_MS;
        struct timespec time = {left / 1000, left % 1000 * 1000000};
        sigtimedwait(&child_signal, NULL, &time);
    }
}

/* A pipe instead of standard output, that never makes anybody wait. The reading end. */
static int capture_output(void)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0 || dup2(ends[1], STDOUT_FILENO) < 0)
        return -1;
    close(ends[1]);
    return ends[0];
}

static void watch(pid_t process, long limit_ms, int report, int output)
{
    siginfo_t end;
    bool in_time = wait_for_end(process, &end, limit_ms);
    kill(process, SIGKILL);
    kill(-process, SIGKILL); /* and what it may have started */
    if (!in_time) {
        siginfo_t late;
        wait_for_end(process, &late, KILL_MS); /* or it is left behind */
    }
    int waiting = 0;
    if (ioctl(output, FIONREAD, &waiting) == 0 && waiting > 0)
        dprintf(report, "harm probe wrote to standard output\n");
    if (!in_time) {
        dprintf(report, "ended timeout\n");
    } else if (end.si_code != CLD_EXITED) {
        dprintf(report, "ended signal %d\n", end.si_status);
    } else if (end.si_status == WORKER_CUT_OFF) {
        dprintf(report, "harm it closed file descriptors of the process\nended ok\n");
    } else if (end.si_status != WORKER_DONE) {
        dprintf(report, "ended status %d\n", end.si_status);
    } else {
        dprintf(report, "ended ok\n");
    }
}

/* The process for the plugin: alone in its group, and never outliving the one that watches it. */
_Noreturn static void work(const char *path, const char *name, long limit_ms, int report,
                           pid_t watcher, const sigset_t *signals)
{
    const struct rlimit no_core = {0, 0};
    setpgid(0, 0);
    setrlimit(RLIMIT_CORE, &no_core);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != watcher)
        _exit(1);
    alarm((unsigned)(PATIENCE_MAX * limit_ms / 1000 + 2));
    sigprocmask(SIG_SETMASK, signals, NULL);
    worker_run(path, name, report);
}

int main(int argc, char **argv)
{
    char name[BACKEND_NAME_SIZE];
    char *end = NULL;
    long limit_ms = argc == 3 ? strtol(argv[2], &end, 10) : 0;
    if (argc != 3 || *end || limit_ms <= 0 || !plugin_file_name(name, argv[1])) {
        fprintf(stderr,
                "usage: %s /.../libvmaf-backend-NAME.so MILLISECONDS\n"
                "Tries a backend of libvmaf out and reports what came of it.\n",
                argc ? argv[0] : "backend-probe1");
        return 1;
    }
    close_inherited_descriptors();
    int report = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int output = capture_output();
    if (report < 0 || output < 0)
        return 1;

    sigset_t child_signal, before;
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_signal, &before);
    pid_t watcher = getpid();
    pid_t process = fork();
    if (process < 0)
        return 1;
    if (process == 0)
        work(argv[1], name, limit_ms, report, watcher, &before);
    setpgid(process, process);
    watch(process, limit_ms, report, output);
    return 0;
}
