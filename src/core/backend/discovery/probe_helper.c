/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/discovery/probe_helper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/discovery/probe_report.h"
#include "backend/processor_time.h"
#include "platform/time.h"

extern char **environ;

enum {
    TEXT_MAX = 256 * 1024,
    GRACE_MS = 2000,   /* what the helper gets beyond the limit that it keeps itself */
    REAPING_MS = 1000, /* how long its end is waited for once it has said all */
    REAPING_STEP_NS = 200000,
};

/* Close-on-exec, and not one of the standard streams in programs that have closed theirs. */
static int open_pipe(int ends[2])
{
    int raw[2];
    if (pipe2(raw, O_CLOEXEC) < 0)
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

static int start(pid_t *process, const char *helper, const char *plugin, unsigned limit_ms,
                 int output)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    char limit[16];
    snprintf(limit, sizeof(limit), "%u", limit_ms);
    char *const arguments[] = {(char *)helper, (char *)plugin, limit, NULL};
    if (posix_spawn_file_actions_init(&actions))
        return -ENOMEM;
    if (posix_spawnattr_init(&attributes)) {
        posix_spawn_file_actions_destroy(&actions);
        return -ENOMEM;
    }
    int err = prepare(&actions, &attributes, output);
    if (!err)
        err = -posix_spawn(process, helper, &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return err;
}

/* Until the last line, the end of the pipe, or the deadline. False if the helper is still there. */
static bool collect(int input, char *text, int64_t deadline)
{
    size_t used = 0;
    text[0] = '\0';
    while (used + 1 < TEXT_MAX && !probe_report_is_complete(text)) {
        int64_t left = deadline - vmaf_steady_ms();
        struct pollfd ready = {.fd = input, .events = POLLIN};
        if (left <= 0)
            return false;
        if (poll(&ready, 1, (int)left) <= 0)
            continue; /* a signal; the time is looked at above */
        ssize_t n = read(input, text + used, TEXT_MAX - 1 - used);
        if (n == 0)
            break;
        if (n < 0 && errno != EINTR)
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
    int64_t deadline = vmaf_steady_ms() + REAPING_MS;
    while (waitpid(process, NULL, WNOHANG) == 0 && vmaf_steady_ms() < deadline)
        vmaf_sleep_ns(REAPING_STEP_NS);
}

int probe_helper_run(char **text_out, const char *helper, const char *plugin, unsigned limit_ms,
                     Reason *why)
{
    *text_out = NULL;
    char *text = malloc(TEXT_MAX);
    if (!text)
        return refuse(why, -ENOMEM, "out of memory");
    int ends[2];
    int err = open_pipe(ends);
    if (err < 0) {
        free(text);
        return refuse(why, err, "the helper %s cannot be started: %s", helper, strerror(-err));
    }
    int64_t deadline = vmaf_steady_ms() + (int64_t)PATIENCE_MAX * limit_ms + GRACE_MS;
    pid_t process;
    err = start(&process, helper, plugin, limit_ms, ends[1]);
    close(ends[1]);
    if (err < 0) {
        close(ends[0]);
        free(text);
        return refuse(why, err, "the helper %s cannot be started: %s", helper, strerror(-err));
    }
    if (!collect(ends[0], text, deadline))
        kill(process, SIGKILL);
    close(ends[0]);
    reap(process);
    *text_out = text;
    return 0;
}
