/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The program: options, groups of checks, and a process of its own for each group. */
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static const Group *const groups[] = {
    &descriptor_group, &features_group, &probe_group,   &device_group, &plan_group,
    &order_group,      &context_group,  &pixels_group,  &noise_group,  &cancel_group,
    &close_group,      &parallel_group, &buffers_group, &ending_group,
};
enum { N_GROUPS = sizeof(groups) / sizeof(groups[0]) };

static atomic_uint n_broken; /* number of broken requirements in this process */

static void report(bool condition, unsigned requirement, const char *format, va_list arguments)
{
    if (condition)
        return;
    atomic_fetch_add(&n_broken, 1);
    fprintf(stderr, "  requirement %u: ", requirement);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void expect(bool condition, unsigned requirement, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(condition, requirement, format, arguments);
    va_end(arguments);
}

/* Exit statuses of a group's process: values that a plugin is unlikely to exit with. */
enum { GROUP_PASSED = 40, GROUP_BROKEN = 41 };

/* The state that the process of the ending group reports when it ends. */
typedef struct Ending {
    bool begun; /* all checks were made */
    long long printed;
} Ending;
static Ending *ending; /* shared with that process; NULL in those of other groups */

_Noreturn static void leave(int status)
{
    if (!ending)
        _exit(status);
    ending->printed = printed_bytes();
    ending->begun = true;
    exit(status);
}

void require(bool condition, unsigned requirement, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(condition, requirement, format, arguments);
    va_end(arguments);
    if (!condition)
        leave(GROUP_BROKEN);
}

static void load(Subject *subject)
{
    const ProcessState before = process_state_now();
    subject->library = dlopen(subject->path, RTLD_NOW | RTLD_LOCAL);
    const char *error = subject->library ? NULL : dlerror();
    require(!error, 2, "it cannot be loaded: %s", error ? error : "");
    expect_process_state(&before, "loading");
    void *symbol = dlsym(subject->library, VMAF_BACKEND_ENTRY_SYMBOL);
    require(symbol != NULL, 2, "it does not export " VMAF_BACKEND_ENTRY_SYMBOL);
    VmafBackendEntry entry;
    memcpy(&entry, &symbol, sizeof(entry));
    subject->api = entry();
    require(subject->api != NULL, 4, "its entry returns NULL");
    expect(entry() == subject->api, 4, "its entry returns another descriptor the second time");
}

_Noreturn static void work(const Group *group, Subject *subject, FILE *output, unsigned seconds)
{
    alarm(seconds);
    if (group != &ending_group)
        ending = NULL;
    capture_output(fileno(output));
    load(subject);
    group->run(subject);
    leave(atomic_load(&n_broken) ? GROUP_BROKEN : GROUP_PASSED);
}

/* Checks requirement 3 after the process has ended: it ended normally and printed nothing. */
static bool ended_well(FILE *output, int status)
{
    if (!ending->begun)
        return true;
    const char *fault = NULL;
    struct stat info;
    if (WIFSIGNALED(status))
        fault = WTERMSIG(status) == SIGALRM ? "the process does not end" : "the process crashes";
    else if (WEXITSTATUS(status) != GROUP_PASSED && WEXITSTATUS(status) != GROUP_BROKEN)
        fault = "the process ends early, with another status";
    else if (!fstat(fileno(output), &info) && info.st_size != ending->printed)
        fault = "something is printed on stdout";
    if (fault)
        fprintf(stderr, "  requirement 3: %s, in a destructor or exit handler\n", fault);
    return !fault;
}

/* Runs a group in a process that loads the plugin anew, since plugins may crash or hang. */
static bool run(const Group *group, Subject *subject, unsigned seconds)
{
    FILE *output = tmpfile();
    ending = mmap(NULL, sizeof(*ending), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fflush(NULL);
    const pid_t child = output && ending != MAP_FAILED ? fork() : -1;
    if (child == 0)
        work(group, subject, output, seconds);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0) {
        perror("vmaf-backend-check");
        exit(2);
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        fprintf(stderr, "  not finished after %u seconds\n", seconds);
    else if (WIFSIGNALED(status))
        fprintf(stderr, "  ended by a signal: %s\n", strsignal(WTERMSIG(status)));
    bool passed = ended_well(output, status);
    passed &= WIFEXITED(status) && WEXITSTATUS(status) == GROUP_PASSED;
    printf("%-12s %s\n", group->name, passed ? "ok" : "BROKEN");
    munmap(ending, sizeof(*ending));
    fclose(output);
    return passed;
}

static int usage(FILE *file, int status)
{
    fprintf(file,
            "Usage: vmaf-backend-check [--device N] [--time-limit SECONDS] [--only GROUP] FILE\n"
            "Tries a backend of libvmaf against the requirements of docs/backend-authors.md.\n"
            "Exit status: 0 if none is broken, 1 if one is, 2 for a wrong command line.\nGroups:");
    for (unsigned i = 0; i < N_GROUPS; i++)
        fprintf(file, " %s", groups[i]->name);
    fputc('\n', file);
    return status;
}

int main(int argc, char **argv)
{
    Subject subject = {.time_limit_ms = 10000};
    const char *only = NULL;
    unsigned seconds = 60, n_run = 0;
    bool passed = true;
    for (int i = 1; i < argc; i++) {
        const bool has_value = i + 1 < argc;
        if (!strcmp(argv[i], "--help"))
            return usage(stdout, 0);
        else if (!strcmp(argv[i], "--device") && has_value)
            subject.device = (uint32_t)strtoul(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--time-limit") && has_value)
            seconds = (unsigned)strtoul(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--only") && has_value)
            only = argv[++i];
        else if (argv[i][0] == '-' || subject.path)
            return usage(stderr, 2);
        else
            subject.path = argv[i];
    }
    if (!subject.path || !seconds)
        return usage(stderr, 2);
    char *absolute =
        realpath(subject.path, NULL); /* for a bare file name dlopen would search system folders */
    if (!absolute) {
        perror(subject.path);
        return 2;
    }
    subject.path = absolute;
    subject.time_limit_ms = seconds < 10 ? seconds * 1000 : 10000;
    for (unsigned i = 0; i < N_GROUPS; i++) {
        if (only && strcmp(only, groups[i]->name))
            continue;
        passed &= run(groups[i], &subject, seconds);
        n_run++;
    }
    free(absolute);
    return !n_run ? usage(stderr, 2) : passed ? 0 : 1;
}
