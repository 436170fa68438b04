/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "machine_fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* Reads to the end; what does not fit is left out. */
static void read_all(int descriptor, char *text, size_t size)
{
    size_t length = 0;
    for (ssize_t n; (n = read(descriptor, text + length, size - 1 - length)) > 0;)
        length += (size_t)n;
    text[length] = '\0';
    close(descriptor);
}

const char *fixture_run_again(const char *const *variables)
{
    static char said[4096];
    int status = 0, ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        for (; *variables; variables += 2)
            setenv(variables[0], variables[1], 1);
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        execl("/proc/self/exe", "again", "--again", (char *)NULL);
        _exit(99);
    }
    close(ends[1]);
    read_all(ends[0], said, sizeof(said));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return said;
}

const char *fixture_take_file(const char *path)
{
    static char text[8192];
    const int file = open(path, O_RDONLY);
    assert_true(file >= 0);
    read_all(file, text, sizeof(text));
    unlink(path);
    return text;
}

static char last_words[4096];
static int last_status;

bool fixture_is_apart(void)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); /* a sanitizer has its own, and cmocka */
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        return true;
    }
    close(ends[1]);
    read_all(ends[0], last_words, sizeof(last_words));
    assert_int_equal(waitpid(child, &last_status, 0), child);
    return false;
}

bool fixture_has_died(int number, const char *text)
{
    const int by = WIFSIGNALED(last_status) ? WTERMSIG(last_status) : 0;
    if (by == number && strstr(last_words, text))
        return true;
    print_error("status %x, said: %s\n", (unsigned)last_status, last_words);
    return false;
}

void read_byte(const void *at)
{
    (void)*(const volatile unsigned char *)at;
}

void write_byte(void *at)
{
    *(volatile unsigned char *)at = 1;
}
