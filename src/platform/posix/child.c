/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/internal.h"
#include "platform/path.h"
#include "platform/posix/internal.h"
#include "platform/process.h"
#include "platform/time.h"

/* ---- Pipes ---- */

/* A pipe that other programs do not inherit, and of which no end is one of the standard streams in
 * programs that have closed theirs. [0] is read. 0; negative errno. */
static int vmaf_pipe_open(int ends[2])
{
    int raw[2];
    if (vmaf_system_pipe(raw, 0) < 0)
        return -errno;
    int err = 0;
    for (int i = 0; i < 2; i++) {
        ends[i] = fcntl(raw[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        if (ends[i] < 0)
            err = -errno;
        close(raw[i]);
    }
    for (int i = 0; err && i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
    return err;
}

enum {
    READ_SIZE = 65536,
    STOP_LOOK_MS = 50,  /* between looks at the flag that stops */
    END_LOOK_MS = 200,  /* between looks at whether it has ended while its pipes are still open */
    CLOSED_LOOK_MS = 2, /* the same when they are closed */
    GENTLE_MS = 5000,   /* between SIGTERM and SIGKILL */
    BEYOND_HELP_MS = 10000, /* after SIGKILL: it hangs in the system */
    STREAMS = 2,
};

/* ---- The status of children ---- */

/*
 * Where SIGCHLD is ignored, the system drops the status of a child. It is handled by default as
 * long as children of ours run, and then as before.
 */
static struct {
    pthread_mutex_t mutex;
    unsigned users;
    bool changed;
    struct sigaction before;
} child_signal = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static bool drops_status(const struct sigaction *action)
{
    return action->sa_handler == SIG_IGN || (action->sa_flags & SA_NOCLDWAIT);
}

static void want_status(void)
{
    pthread_mutex_lock(&child_signal.mutex);
    struct sigaction now;
    if (sigaction(SIGCHLD, NULL, &now) == 0 && drops_status(&now)) {
        struct sigaction kept = now;
        kept.sa_flags &= ~SA_NOCLDWAIT;
        if (kept.sa_handler == SIG_IGN)
            kept.sa_handler = SIG_DFL;
        child_signal.before = now;
        child_signal.changed = sigaction(SIGCHLD, &kept, NULL) == 0;
    }
    child_signal.users++;
    pthread_mutex_unlock(&child_signal.mutex);
}

static void need_no_status(void)
{
    pthread_mutex_lock(&child_signal.mutex);
    if (--child_signal.users == 0 && child_signal.changed) {
        sigaction(SIGCHLD, &child_signal.before, NULL);
        child_signal.changed = false;
    }
    pthread_mutex_unlock(&child_signal.mutex);
}

/* ---- Which program ---- */

static int check_program(const char *path)
{
    struct stat status;
    if (stat(path, &status) < 0)
        return errno == ENOTDIR ? -ENOENT : -errno;
    if (!S_ISREG(status.st_mode))
        return -EACCES;
    return access(path, X_OK) < 0 ? -errno : 0;
}

static int search_path(const char *name, char **program)
{
    const char *folders = getenv("PATH");
    int err = -ENOENT;
    for (const char *at = folders ? folders : "/usr/local/bin:/usr/bin:/bin";; at++) {
        const size_t length = strcspn(at, ":");
        char *path = NULL;
        if (asprintf(&path, "%.*s%s%s", (int)length, at, length > 0 ? "/" : "./", name) < 0)
            return -ENOMEM;
        const int found = check_program(path);
        if (found == 0) {
            *program = path;
            return 0;
        }
        free(path);
        if (found == -EACCES)
            err = found;
        at += length;
        if (!*at)
            return err;
    }
}

/* Its path, also from the folder to run in. */
static int find_program(const VmafChildRun *run, char **program)
{
    char *path = NULL;
    int err = -ENOENT;
    if (!*run->program)
        return err;
    if (strchr(run->program, '/')) {
        path = strdup(run->program);
        err = path ? check_program(path) : -ENOMEM;
    } else {
        err = search_path(run->program, &path);
    }
    if (!err && run->folder && path[0] != '/') {
        char *real = NULL;
        err = vmaf_path_real(path, &real);
        free(path);
        path = real;
    }
    if (err)
        free(path);
    else
        *program = path;
    return err;
}

/* ---- Start ---- */

typedef struct Pipes {
    int ends[STREAMS][2];
    int failure[2]; /* errno of what kept it from starting; closed when it starts */
} Pipes;

typedef struct Child {
    const VmafChildRun *run;
    VmafChildText text;
    pid_t process;
    int inputs[STREAMS]; /* VmafChildStream; -1: closed */
    char *buffer;
    /* Being killed: */
    bool killed, killed_hard;
    VmafChildEnding why;
    int64_t next_step; /* when more is done about it */
} Child;

static void close_pair(int ends[2])
{
    for (int i = 0; i < 2; i++) {
        if (ends[i] >= 0)
            close(ends[i]);
        ends[i] = -1;
    }
}

static void close_pipes(Pipes *pipes)
{
    for (int i = 0; i < STREAMS; i++)
        close_pair(pipes->ends[i]);
    close_pair(pipes->failure);
}

static int open_pipes(Pipes *pipes)
{
    *pipes = (Pipes){{{-1, -1}, {-1, -1}}, {-1, -1}};
    int *const pairs[] = {pipes->ends[0], pipes->ends[1], pipes->failure};
    for (int i = 0; i < STREAMS + 1; i++) {
        const int err = vmaf_pipe_open(pairs[i]);
        if (err) {
            pairs[i][0] = pairs[i][1] = -1;
            close_pipes(pipes);
            return err;
        }
    }
    for (int i = 0; i < STREAMS; i++)
        fcntl(pipes->ends[i][0], F_SETFL, O_NONBLOCK);
    return 0;
}

/* What the host ignores, handles or blocks is not the concern of the program. */
static void reset_signals(void)
{
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigset_t none;
    sigemptyset(&standard.sa_mask);
    for (int number = 1; number < NSIG; number++)
        sigaction(number, &standard, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* In the new process, a copy of one that may have threads: only what signal handlers may call. */
_Noreturn static void become(const char *program, const VmafChildRun *run, const Pipes *pipes,
                             pid_t parent)
{
    setpgid(0, 0);
    vmaf_system_end_with_parent();
    if (getppid() != parent)
        _exit(1);
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int number = 0;
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
        dup2(pipes->ends[VMAF_CHILD_OUTPUT][1], STDOUT_FILENO) < 0 ||
        dup2(pipes->ends[VMAF_CHILD_ERRORS][1], STDERR_FILENO) < 0 ||
        (run->folder && chdir(run->folder) < 0))
        number = errno;
    if (nothing == STDIN_FILENO) /* dup2 has done nothing */
        fcntl(nothing, F_SETFD, 0);
    if (!number) {
        reset_signals();
        execve(program, (char *const *)run->arguments, vmaf_process_environment());
        number = errno;
    }
    const ssize_t written = write(pipes->failure[1], &number, sizeof(number));
    _exit(written == sizeof(number) ? 127 : 126);
}

/* 0, or why it has not become another program. */
static int read_failure(int input)
{
    int number = 0;
    ssize_t n;
    do
        n = read(input, &number, sizeof(number));
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof(number) ? -number : 0;
}

static int start(Child *child, const char *program)
{
    Pipes pipes;
    int err = open_pipes(&pipes);
    if (err)
        return err;
    VmafSignals before;
    vmaf_signals_block(&before); /* no handler of the host runs in the copy */
    const pid_t parent = getpid();
    child->process = fork();
    if (child->process == 0)
        become(program, child->run, &pipes, parent);
    err = child->process < 0 ? -errno : 0;
    vmaf_signals_restore(&before);
    if (!err) {
        setpgid(child->process, child->process); /* whoever is first */
        close(pipes.failure[1]);
        pipes.failure[1] = -1;
        err = read_failure(pipes.failure[0]);
        if (err)
            while (waitpid(child->process, NULL, 0) < 0 && errno == EINTR)
                ;
    }
    for (int i = 0; !err && i < STREAMS; i++) {
        child->inputs[i] = pipes.ends[i][0];
        pipes.ends[i][0] = -1;
    }
    close_pipes(&pipes);
    return err;
}

/* ---- What it says ---- */

/* All that is there. */
static void read_stream(Child *child, VmafChildStream stream)
{
    for (;;) {
        const ssize_t n = read(child->inputs[stream], child->buffer, READ_SIZE);
        if (n > 0) {
            vmaf_child_text_take(&child->text, stream, child->buffer, (size_t)n);
            if (n == READ_SIZE)
                return; /* there may be no end of it: let others have a look */
            continue;
        }
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0 || errno != EAGAIN) {
            close(child->inputs[stream]);
            child->inputs[stream] = -1;
        }
        return;
    }
}

/* ---- How it ends ---- */

/* The parent has made the group, too, so it exists as long as one of its processes does. */
static void signal_group(const Child *child, int number)
{
    kill(-child->process, number);
}

/* Its end, not collected, so that its number stays its own. Also true if somebody else has. */
static bool has_ended(const Child *child)
{
    siginfo_t end = {.si_pid = 0};
    if (waitid(P_PID, (id_t)child->process, &end, WEXITED | WNOHANG | WNOWAIT) < 0)
        return errno == ECHILD;
    return end.si_pid != 0;
}

static void begin_to_kill(Child *child, VmafChildEnding why)
{
    child->killed = true;
    child->why = why;
    child->next_step = vmaf_steady_ms() + GENTLE_MS;
    signal_group(child, SIGTERM);
}

/* False if nothing more can be done. */
static bool look_after(Child *child)
{
    const VmafChildRun *run = child->run;
    const int64_t now = vmaf_steady_ms();
    if (!child->killed) {
        if (run->stop && atomic_load(run->stop))
            begin_to_kill(child, VMAF_CHILD_STOPPED);
        else if (run->limit_ms > 0 && now - child->text.last_sign >= run->limit_ms)
            begin_to_kill(child, VMAF_CHILD_LATE);
    } else if (now >= child->next_step) {
        if (child->killed_hard)
            return false;
        child->killed_hard = true;
        child->next_step = now + BEYOND_HELP_MS;
        signal_group(child, SIGKILL);
    }
    return true;
}

static int at_most(int64_t value, int most)
{
    return value < 0 ? 0 : value < most ? (int)value : most;
}

/* How long nothing has to be looked at while nothing is said. */
static int wait_ms(const Child *child)
{
    const bool closed = child->inputs[0] < 0 && child->inputs[1] < 0;
    const VmafChildRun *run = child->run;
    const int64_t now = vmaf_steady_ms();
    int wait = closed ? CLOSED_LOOK_MS : END_LOOK_MS;
    if (child->killed)
        return at_most(child->next_step - now, closed ? CLOSED_LOOK_MS : STOP_LOOK_MS);
    if (run->stop)
        wait = at_most(STOP_LOOK_MS, wait);
    if (run->limit_ms > 0)
        wait = at_most(child->text.last_sign + run->limit_ms - now, wait);
    return wait;
}

/* Until the program has ended. False if it is beyond help. */
static bool attend(Child *child)
{
    while (!has_ended(child)) {
        if (!look_after(child))
            return false;
        struct pollfd ready[STREAMS];
        for (int i = 0; i < STREAMS; i++) /* negative ones are left out */
            ready[i] = (struct pollfd){.fd = child->inputs[i], .events = POLLIN};
        if (poll(ready, STREAMS, wait_ms(child)) <= 0)
            continue;
        for (int i = 0; i < STREAMS; i++)
            if (ready[i].revents && child->inputs[i] >= 0)
                read_stream(child, (VmafChildStream)i);
    }
    return true;
}

/* What is still in the pipes. Something that has left the group may hold them open for ever. */
static void read_rest(Child *child)
{
    for (int i = 0; i < STREAMS; i++) {
        struct pollfd ready = {.fd = child->inputs[i], .events = POLLIN};
        for (size_t rounds = 0; rounds < 64; rounds++) {
            if (ready.fd < 0 || poll(&ready, 1, 0) <= 0 || child->inputs[i] < 0)
                break;
            read_stream(child, (VmafChildStream)i);
        }
    }
}

static int64_t nanoseconds(const struct timeval *time)
{
    return ((int64_t)time->tv_sec * 1000000 + time->tv_usec) * 1000;
}

static void collect(Child *child)
{
    VmafChildResult *result = child->text.result;
    int status = 0;
    struct rusage usage;
    pid_t ended;
    do
        ended = wait4(child->process, &status, 0, &usage);
    while (ended < 0 && errno == EINTR);
    result->ending = VMAF_CHILD_UNKNOWN;
    if (ended == child->process) {
        result->ending = WIFEXITED(status) ? VMAF_CHILD_EXITED : VMAF_CHILD_SIGNALLED;
        result->number = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
        result->processor_ns = nanoseconds(&usage.ru_utime) + nanoseconds(&usage.ru_stime);
    }
}

static void run_to_the_end(Child *child)
{
    const bool ended = attend(child);
    signal_group(child, SIGKILL); /* whatever it has left behind */
    read_rest(child);
    if (ended)
        collect(child);
    if (child->killed)
        child->text.result->ending = child->why;
}

int vmaf_child_run(const VmafChildRun *run, VmafChildResult *result)
{
    *result = (VmafChildResult){.ending = VMAF_CHILD_UNKNOWN};
    const int64_t begun = vmaf_steady_ns();
    Child child = {.run = run, .inputs = {-1, -1}};
    char *program = NULL;
    int err = find_program(run, &program);
    if (err)
        return err;
    err = vmaf_child_text_begin(&child.text, run, result);
    child.buffer = malloc(READ_SIZE);
    if (!child.buffer)
        err = -ENOMEM;
    if (!err) {
        want_status();
        err = start(&child, program);
        if (!err)
            run_to_the_end(&child);
        need_no_status();
    }
    for (int i = 0; i < STREAMS; i++)
        if (child.inputs[i] >= 0)
            close(child.inputs[i]);
    result->wall_ns = vmaf_steady_ns() - begun;
    if (!err && child.text.out_of_memory)
        err = -ENOMEM;
    if (err)
        vmaf_child_result_free(result);
    free(child.buffer);
    free(program);
    return err;
}

/* ---- A program that is run for its text ---- */

enum {
    ARGUMENTS_MAX = 8,
    REAPING_MS = 1000, /* how long its end is waited for once it has said all */
    REAPING_STEP_NS = 200000,
};

int vmaf_helper_check(const char *program)
{
    return access(program, X_OK) ? -errno : 0;
}

static int prepare(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, int output)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int failed = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!failed)
        failed = posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO);
    if (!failed)
        failed = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    /* Whatever the host ignores or blocks is not the helper's concern. */
    if (!failed)
        failed = posix_spawnattr_setsigmask(attributes, &none);
    if (!failed)
        failed = posix_spawnattr_setsigdefault(attributes, &all);
    if (!failed)
        failed =
            posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    return -failed;
}

static int spawn(pid_t *process, const VmafHelper *helper, int output)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    char *arguments[ARGUMENTS_MAX + 2] = {(char *)helper->program};
    for (size_t i = 0; helper->arguments[i]; i++) {
        if (i == ARGUMENTS_MAX)
            return -E2BIG;
        arguments[i + 1] = (char *)helper->arguments[i];
    }
    if (posix_spawn_file_actions_init(&actions))
        return -ENOMEM;
    if (posix_spawnattr_init(&attributes)) {
        posix_spawn_file_actions_destroy(&actions);
        return -ENOMEM;
    }
    int err = prepare(&actions, &attributes, output);
    if (!err)
        err = -posix_spawn(process, helper->program, &actions, &attributes, arguments,
                           (char *const *)vmaf_process_environment());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return err;
}

/* Starts it; *input is what it writes. */
static int start_helper(pid_t *process, const VmafHelper *helper, int *input)
{
    int ends[2];
    int err = vmaf_pipe_open(ends);
    if (err)
        return err;
    err = spawn(process, helper, ends[1]);
    close(ends[1]);
    if (err)
        close(ends[0]);
    else
        *input = ends[0];
    return err;
}

/* Until all is said, the end of the pipe, or the deadline. False if the helper is still there. */
static bool collect_text(const VmafHelper *helper, int input, char *text, int64_t deadline)
{
    size_t used = 0;
    text[0] = '\0';
    while (used < helper->text_max && !helper->is_complete(text)) {
        const int64_t left = deadline - vmaf_steady_ms();
        struct pollfd ready = {.fd = input, .events = POLLIN};
        if (left <= 0)
            return false;
        if (poll(&ready, 1, left < REAPING_MS ? (int)left : REAPING_MS) <= 0)
            continue; /* too early, or a signal; the time is looked at above */
        const ssize_t n = read(input, text + used, helper->text_max - used);
        if (n == 0 || (n < 0 && errno != EINTR))
            break;
        if (n > 0) {
            used += (size_t)n;
            text[used] = '\0';
        }
    }
    return true;
}

/* Nothing depends on its status, and the host may have collected it already. */
static void reap(pid_t process)
{
    const int64_t deadline = vmaf_steady_ms() + REAPING_MS;
    while (waitpid(process, NULL, WNOHANG) == 0 && vmaf_steady_ms() < deadline)
        vmaf_sleep_ns(REAPING_STEP_NS);
}

int vmaf_helper_run(const VmafHelper *helper, char **text)
{
    *text = NULL;
    char *content = malloc(helper->text_max + 1);
    if (!content)
        return -ENOMEM;
    const int64_t deadline = vmaf_steady_ms() + helper->limit_ms;
    pid_t process;
    int input;
    const int err = start_helper(&process, helper, &input);
    if (err) {
        free(content);
        return err;
    }
    if (!collect_text(helper, input, content, deadline))
        kill(process, SIGKILL);
    close(input);
    reap(process);
    *text = content;
    return 0;
}
