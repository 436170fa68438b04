/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "machine_fixture.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int run_apart(char *said, size_t size, void (*function)(void *), void *argument)
{
    int status = 0, ends[2];
    size_t length = 0;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); /* a sanitizer has its own, and cmocka */
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        function(argument);
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t n; (n = read(ends[0], said + length, size - 1 - length)) > 0;)
        length += (size_t)n;
    said[length] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

bool fixture_dies(int number, const char *text, void (*function)(void *), void *argument)
{
    char said[4096];
    const int status = run_apart(said, sizeof(said), function, argument);
    if (WIFSIGNALED(status) && WTERMSIG(status) == number && strstr(said, text))
        return true;
    print_error("status %x, said: %s\n", (unsigned)status, said);
    return false;
}

bool fixture_aborts(const char *text, void (*function)(void *), void *argument)
{
    return fixture_dies(SIGABRT, text, function, argument);
}

bool fixture_crashes(void (*function)(void *), void *argument)
{
    char said[4096];
    const int status = run_apart(said, sizeof(said), function, argument);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}
