/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/posix/pipe.h"
#include "platform/process.h"
#include "platform/time.h"

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
static int start(pid_t *process, const VmafHelper *helper, int *input)
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
static bool collect(const VmafHelper *helper, int input, char *text, int64_t deadline)
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
    const int err = start(&process, helper, &input);
    if (err) {
        free(content);
        return err;
    }
    if (!collect(helper, input, content, deadline))
        kill(process, SIGKILL);
    close(input);
    reap(process);
    *text = content;
    return 0;
}
