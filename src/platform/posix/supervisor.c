/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A program of two processes; see platform/child.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/types.h> /* before <sys/event.h> */
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef __linux__
#include <sys/event.h>
#endif

#include "platform/child.h"
#include "platform/posix/internal.h"
#include "platform/time.h"

enum {
    NS_PER_MS = 1000000,
    LOOK_MS = 100,           /* between looks at how the process gets on */
    PROGRESS_PART = 100,     /* of the limit: less processor time than this is no progress */
    KILL_MS = 500,           /* how long a process that was killed is waited for */
    DESCRIPTORS_MAX = 65536, /* that are looked at where they cannot be closed in one go */
};

bool vmaf_report_print(const VmafReport *report, const char *format, ...)
{
    VmafFileStatus now;
    if (vmaf_file_status(&report->file, &now) < 0 || !vmaf_file_is_same(&now, &report->status))
        return false;
    va_list arguments;
    va_start(arguments, format);
    vdprintf((int)report->file.handle, format, arguments);
    va_end(arguments);
    return true;
}

/* ---- Standard output ---- */

static void close_inherited_descriptors(void)
{
    if (vmaf_system_close_from(STDERR_FILENO + 1))
        return;
    const long count = sysconf(_SC_OPEN_MAX);
    for (int fd = STDERR_FILENO + 1; fd < count && fd < DESCRIPTORS_MAX; fd++)
        close(fd);
}

/* The report is what standard output was; that is from now on a pipe which never makes anybody
 * wait. *output receives its reading end. */
static int divide_output(VmafReport *report, int *output)
{
    int ends[2];
    report->file.handle = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (report->file.handle < 0)
        return -errno;
    const int err = vmaf_file_status(&report->file, &report->status);
    if (err)
        return err;
    if (vmaf_system_pipe(ends, O_NONBLOCK) < 0 || dup2(ends[1], STDOUT_FILENO) < 0)
        return -errno;
    close(ends[1]);
    *output = ends[0];
    return 0;
}

/* ---- The process that is watched ---- */

/* Crashes end the process by their signal, also where a sanitizer would catch them. */
static void reset_crash_handlers(void)
{
    static const int signals[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV};
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        signal(signals[i], SIG_DFL);
}

/* Alone in its group, and never outliving the one that watches. */
_Noreturn static void do_work(const VmafWork *work, const VmafReport *report, pid_t watcher,
                              const sigset_t *signals)
{
    const struct rlimit no_core = {0, 0};
    setpgid(0, 0);
    setrlimit(RLIMIT_CORE, &no_core);
    vmaf_system_end_with_parent();
    if (getppid() != watcher)
        _exit(1);
    alarm((unsigned)((uint64_t)work->limit_times * work->limit_ms / 1000 + 2));
    reset_crash_handlers();
    sigprocmask(SIG_SETMASK, signals, NULL);
    work->function(work->argument, report);
    _exit(1);
}

/* ---- The process that watches ---- */

/* Waits until a child may have ended, or `milliseconds` have gone by. SIGCHLD is blocked. */
#ifdef __linux__
static void wait_for_child(pid_t process, int64_t milliseconds)
{
    (void)process; /* the signal says only that there is one */
    const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * NS_PER_MS};
    sigset_t child_signal;
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    sigtimedwait(&child_signal, NULL, &time);
}
#else
/* macOS and FreeBSD cannot wait for SIGCHLD: the first lacks sigtimedwait, the second discards
 * signals that nobody handles, blocked or not. */
static void wait_for_child(pid_t process, int64_t milliseconds)
{
    const struct timespec time = {.tv_sec = (time_t)(milliseconds / 1000),
                                  .tv_nsec = (long)(milliseconds % 1000 * NS_PER_MS)};
    const int queue = kqueue();
    struct kevent end, event;
    EV_SET(&end, (uintptr_t)process, EVFILT_PROC, EV_ADD | EV_ONESHOT, NOTE_EXIT, 0, NULL);
    const int events = queue < 0 ? -1 : kevent(queue, &end, 1, &event, 1, &time);
    if (events < 0 || (events > 0 && (event.flags & EV_ERROR))) /* ESRCH: it is ending now */
        vmaf_sleep_ns(NS_PER_MS);
    if (queue >= 0)
        close(queue);
}
#endif

/* Waits for the end of the process without taking note of it, so that its number stays its own.
 * SIGCHLD is blocked. */
static bool wait_for_end(pid_t process, siginfo_t *end, int64_t limit_ms, unsigned limit_times)
{
    const int64_t begun = vmaf_steady_ms();
    int64_t start = begun, consumed = 0;
    for (;;) {
        end->si_pid = 0;
        if (waitid(P_PID, (id_t)process, end, WEXITED | WNOHANG | WNOWAIT) == 0 && end->si_pid)
            return true;
        const int64_t so_far = vmaf_system_process_time_ns(process) / NS_PER_MS,
                      now = vmaf_steady_ms();
        if (so_far - consumed > limit_ms / PROGRESS_PART) {
            consumed = so_far;
            start = now;
        }
        int64_t left = limit_ms - (now - start);
        if (left <= 0 || now - begun >= limit_times * limit_ms)
            return false;
        if (left > LOOK_MS)
            left = LOOK_MS;
        wait_for_child(process, left);
    }
}

static void watch(pid_t process, const VmafWork *work, int output, VmafWorkResult *result)
{
    siginfo_t end;
    const bool in_time = wait_for_end(process, &end, work->limit_ms, work->limit_times);
    kill(process, SIGKILL);
    kill(-process, SIGKILL); /* and what it may have started */
    if (!in_time) {
        siginfo_t late;
        wait_for_end(process, &late, KILL_MS, 1); /* or it is left behind */
    }
    int waiting = 0;
    *result = (VmafWorkResult){.end = VMAF_WORK_LATE};
    result->printed = ioctl(output, FIONREAD, &waiting) == 0 && waiting > 0;
    if (in_time) {
        result->end = end.si_code == CLD_EXITED ? VMAF_WORK_EXITED : VMAF_WORK_CRASHED;
        result->number = end.si_status;
    }
}

int vmaf_supervise(const VmafWork *work, VmafReport *report, VmafWorkResult *result)
{
    int output = -1;
    close_inherited_descriptors();
    const int err = divide_output(report, &output);
    if (err)
        return err;
    sigset_t child_signal, before;
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_signal, &before);
    const pid_t watcher = getpid(), process = fork();
    if (process < 0)
        return -errno;
    if (process == 0)
        do_work(work, report, watcher, &before);
    setpgid(process, process);
    watch(process, work, output, result);
    return 0;
}
