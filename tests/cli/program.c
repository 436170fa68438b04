/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "program.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/posix/internal.h"

enum { MAX_ARGUMENTS = 1100 };

static char folder[] = "/tmp/vmaf-cli-test-XXXXXX";

static void die(const char *what)
{
    perror(what);
    abort();
}

int program_enter_folder(void **state)
{
    return mkdtemp(folder) && !chdir(folder) ? 0 : -1;
}

int program_leave_folder(void **state)
{
    DIR *open_folder = opendir(".");
    if (!open_folder)
        return -1;
    for (struct dirent *entry; (entry = readdir(open_folder));)
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            remove(entry->d_name);
    closedir(open_folder);
    return chdir("/") || rmdir(folder) ? -1 : 0;
}

/* Collects what comes out of several descriptors until all are closed. */
typedef struct Capture {
    int fd;
    char *text;
    size_t length;
} Capture;

static void capture_all(Capture captures[], int count)
{
    for (int left = count; left;) {
        struct pollfd polled[2];
        for (int i = 0; i < count; i++)
            polled[i] = (struct pollfd){.fd = captures[i].fd, .events = POLLIN};
        poll(polled, (nfds_t)count, -1);
        for (int i = 0; i < count; i++) {
            if (!polled[i].revents)
                continue;
            Capture *capture = &captures[i];
            capture->text = realloc(capture->text, capture->length + 4097);
            if (!capture->text)
                die("realloc");
            ssize_t n = read(capture->fd, capture->text + capture->length, 4096);
            if (n > 0) {
                capture->length += (size_t)n;
            } else if (n == 0 || errno != EINTR) { /* a terminal ends with EIO */
                close(capture->fd);
                capture->fd = -1;
                left--;
            }
            capture->text[capture->length] = '\0';
        }
    }
}

static int exit_status(pid_t child, struct rusage *usage)
{
    int status;
    while (wait4(child, &status, 0, usage) < 0) {
        if (errno != EINTR)
            die("wait4");
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void execute(const char *const arguments[])
{
    const char *argv[MAX_ARGUMENTS + 2] = {getenv("VMAF")};
    if (!argv[0]) {
        fprintf(stderr, "VMAF must name the program to test\n");
        _exit(126);
    }
    for (int i = 0; i < MAX_ARGUMENTS && arguments[i]; i++)
        argv[i + 1] = arguments[i];
    execv(argv[0], (char *const *)(void *)argv);
    perror(argv[0]);
    _exit(127);
}

/* `stream`, 1 or 2, is the terminal if that is not negative. */
static Run start(const char *const arguments[], int in, int terminal, int stream)
{
    int out[2], err[2];
    if (vmaf_system_pipe(out, 0) || vmaf_system_pipe(err, 0))
        die("pipe");
    pid_t child = fork();
    if (child < 0)
        die("fork");
    if (!child) {
        int to[] = {in, out[1], err[1]};
        if (terminal >= 0)
            to[stream] = open(ptsname(terminal), O_RDWR | O_NOCTTY);
        if (dup2(to[0], 0) < 0 || dup2(to[1], 1) < 0 || dup2(to[2], 2) < 0)
            _exit(126);
        execute(arguments);
    }
    close(out[1]);
    close(err[1]);
    Capture captures[2] = {{.fd = out[0]}, {.fd = err[0]}};
    int holder = -1;
    if (terminal >= 0) {
        close(captures[stream - 1].fd);
        captures[stream - 1].fd = terminal;
        /* A terminal that nobody has open yet looks closed: wait for the program. */
        holder = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    }
    struct rusage usage;
    int status;
    if (holder >= 0) {
        /* The text of these runs is short and waits in the terminal. */
        status = exit_status(child, &usage);
        close(holder);
        capture_all(captures, 2);
    } else {
        capture_all(captures, 2);
        status = exit_status(child, &usage);
    }
    return (Run){.status = status,
                 .out = captures[0].text,
                 .err = captures[1].text,
                 .peak_kilobytes = usage.ru_maxrss};
}

static void collect(va_list list, const char *first, const char *arguments[])
{
    int count = 0;
    for (const char *argument = first; argument; argument = va_arg(list, const char *)) {
        if (count == MAX_ARGUMENTS)
            abort();
        arguments[count++] = argument;
    }
    arguments[count] = NULL;
}

Run program_run(const char *first, ...)
{
    const char *arguments[MAX_ARGUMENTS + 1];
    va_list list;
    va_start(list, first);
    collect(list, first, arguments);
    va_end(list);
    int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    Run run = start(arguments, in, -1, 0);
    close(in);
    return run;
}

Run program_run_fed(const char *feeder, const char *const arguments[])
{
    FILE *feed = popen(feeder, "re");
    if (!feed)
        die("popen");
    Run run = start(arguments, fileno(feed), -1, 0);
    pclose(feed);
    return run;
}

static Run start_on_terminal(const char *const arguments[], int stream)
{
    int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0 || grantpt(terminal) || unlockpt(terminal))
        die("posix_openpt");
    int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    Run run = start(arguments, in, terminal, stream);
    close(in);
    return run;
}

Run program_run_on_terminal(const char *first, ...)
{
    const char *arguments[MAX_ARGUMENTS + 1];
    va_list list;
    va_start(list, first);
    collect(list, first, arguments);
    va_end(list);
    return start_on_terminal(arguments, 2);
}

Run program_run_into_terminal(const char *first, ...)
{
    const char *arguments[MAX_ARGUMENTS + 1];
    va_list list;
    va_start(list, first);
    collect(list, first, arguments);
    va_end(list);
    return start_on_terminal(arguments, 1);
}

void run_free(Run *run)
{
    free(run->out);
    free(run->err);
    *run = (Run){0};
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

unsigned file_count(void)
{
    DIR *open_folder = opendir(".");
    if (!open_folder)
        die("opendir");
    unsigned count = 0;
    while (readdir(open_folder))
        count++;
    closedir(open_folder);
    return count - 2; /* itself and its parent */
}

unsigned occurrences(const char *text, const char *part)
{
    unsigned count = 0;
    for (text = strstr(text, part); text; text = strstr(text + 1, part))
        count++;
    return count;
}
