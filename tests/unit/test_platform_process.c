/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Helpers, supervised work, and the state of a process, of src/platform. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/child.h"
#include "platform/process.h"
#include "platform/thread.h"
#include "platform/time.h"
#include "support/cases.h"

enum { LONG_MS = 600 * 1000, TEXT_MAX = 4096 };

/* ---- Helpers ---- */

static bool says_end(const char *text)
{
    return strstr(text, "end\n") != NULL;
}

/* What a shell says that does this; to be freed. */
static char *ask_shell(const char *script, int64_t limit_ms)
{
    const char *const arguments[] = {"-c", script, NULL};
    const VmafHelper helper = {"/bin/sh", arguments, limit_ms, TEXT_MAX, says_end};
    char *text;
    assert_int_equal(vmaf_helper_run(&helper, &text), 0);
    assert_non_null(text);
    return text;
}

static void expect_answer(const char *script, const char *expected)
{
    char *text = ask_shell(script, LONG_MS);
    assert_string_equal(text, expected);
    free(text);
}

CASE(a_helper_is_heard_until_it_has_ended)
{
    expect_answer("echo one; sleep 0.1; echo two; exit 3", "one\ntwo\n");
    expect_answer("echo unheard >&2", "");
    expect_answer("cat", ""); /* standard input is empty */
    expect_answer("kill -9 $$", "");
}

CASE(a_helper_that_has_said_all_is_left)
{
    char *text = ask_shell("echo $$; echo end; exec sleep 100000", LONG_MS);
    const pid_t process = atoi(text);
    free(text);
    assert_true(process > 1);
    assert_int_equal(kill(process, SIGKILL), 0); /* it is there still */
    assert_int_equal(waitpid(process, NULL, 0), process);
}

/* A busy machine may need longer to begin. */
CASE(a_helper_beyond_its_limit_is_killed)
{
    pid_t process = 0;
    for (int64_t limit_ms = 100; process == 0; limit_ms *= 4) {
        const int64_t begin = vmaf_steady_ms();
        char *text = ask_shell("echo $$; exec sleep 100000", limit_ms);
        assert_true(vmaf_steady_ms() - begin >= limit_ms);
        process = atoi(text);
        free(text);
    }
    assert_int_equal(kill(process, 0), -1); /* and collected */
    assert_int_equal(errno, ESRCH);
}

CASE(a_helper_is_read_up_to_a_size)
{
    char *text = ask_shell("yes", LONG_MS);
    assert_int_equal(strlen(text), TEXT_MAX);
    free(text);
}

CASE(a_helper_gets_no_files_and_no_signal_settings)
{
    sigset_t blocked, before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    void (*const handler)(int) = signal(SIGTERM, SIG_IGN);
    expect_answer("kill -TERM $$; echo alive", "");
    signal(SIGTERM, handler);
    sigprocmask(SIG_SETMASK, &before, NULL);
    /* The first free descriptors are those of the pipe. */
    char expected[256] = "";
    for (int fd = 3; fd < 9; fd++)
        if (fcntl(fd, F_GETFD) >= 0 && !(fcntl(fd, F_GETFD) & FD_CLOEXEC))
            snprintf(expected + strlen(expected), 16, "%d\n", fd);
    expect_answer("for i in 3 4 5 6 7 8; do [ -e /proc/$$/fd/$i ] && echo $i; done", expected);
}

CASE(what_cannot_be_run_is_no_helper)
{
    static const char *const none[] = {NULL};
    const VmafHelper helper = {"/nothing/here", none, LONG_MS, TEXT_MAX, says_end};
    char *text;
    assert_int_equal(vmaf_helper_run(&helper, &text), -ENOENT);
    assert_null(text);
    assert_int_equal(vmaf_helper_check("/nothing/here"), -ENOENT);
    assert_int_equal(vmaf_helper_check("/etc/passwd"), -EACCES);
    assert_int_equal(vmaf_helper_check("/bin/sh"), 0);
}

/* ---- Supervised work ---- */

static int inherited;

static void print_and_exit(void *argument, const VmafReport *report)
{
    struct rlimit core;
    getrlimit(RLIMIT_CORE, &core);
    vmaf_report_print(report, "core %d inherited %d\n", (int)core.rlim_cur,
                      fcntl(inherited, F_GETFD) >= 0);
    printf("lost");
    exit(5);
}

static void crash(void *argument, const VmafReport *report)
{
    raise(SIGSEGV);
    exit(0);
}

static void hang(void *argument, const VmafReport *report)
{
    vmaf_report_print(report, "process %d\n", (int)getpid());
    for (;;)
        pause();
}

static void leave_child(void *argument, const VmafReport *report)
{
    const pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    vmaf_report_print(report, "process %d\n", (int)child);
    exit(0);
}

static void spin(void *argument, const VmafReport *report)
{
    const int64_t end = vmaf_thread_time_us() + 1000 * *(const int *)argument;
    while (vmaf_thread_time_us() < end) {
    }
    exit(0);
}

static void cut_off(void *argument, const VmafReport *report)
{
    dup2(STDERR_FILENO, (int)report->file.handle);
    exit(vmaf_report_print(report, "to the wrong place\n") ? 1 : 7);
}

/* What a program says that supervises the work, and how it has ended. */
static const char *supervised(const VmafWork *work)
{
    static char text[512];
    int ends[2];
    inherited = fcntl(STDERR_FILENO, F_DUPFD, 60); /* no number that is given away again */
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        VmafReport report;
        VmafWorkResult result;
        struct rlimit core;
        getrlimit(RLIMIT_CORE, &core);
        core.rlim_cur = core.rlim_max; /* as where crashes are to leave files */
        setrlimit(RLIMIT_CORE, &core);
        dup2(ends[1], STDOUT_FILENO);
        if (vmaf_supervise(work, &report, &result) < 0)
            _exit(1);
        vmaf_report_print(&report, "%s %d%s\n",
                          result.end == VMAF_WORK_EXITED    ? "exited"
                          : result.end == VMAF_WORK_CRASHED ? "crashed"
                                                            : "late",
                          result.number, result.printed ? " printed" : "");
        _exit(0);
    }
    close(ends[1]);
    close(inherited);
    size_t used = 0;
    for (ssize_t n; (n = read(ends[0], text + used, sizeof(text) - 1 - used)) > 0;)
        used += (size_t)n;
    text[used] = '\0';
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return text;
}

CASE(work_is_reported_whatever_it_prints)
{
    const VmafWork work = {print_and_exit, NULL, LONG_MS, 1};
    assert_string_equal(supervised(&work), "core 0 inherited 0\nexited 5 printed\n");
}

CASE(work_that_crashes_is_told)
{
    const VmafWork work = {crash, NULL, LONG_MS, 1};
    char expected[32];
    snprintf(expected, sizeof(expected), "crashed %d\n", SIGSEGV);
    assert_string_equal(supervised(&work), expected);
}

/* A process that was killed may still be there for somebody who adopts it: then as a zombie. */
static bool is_gone(pid_t process)
{
    char path[64], line[256] = "";
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)process);
    FILE *file = fopen(path, "r");
    if (!file)
        return true;
    const bool read = fgets(line, sizeof(line), file) != NULL;
    fclose(file);
    const char *name_end = strrchr(line, ')');
    return !read || (name_end && (name_end[2] == 'Z' || name_end[2] == 'X'));
}

static void expect_process_gone(const char *text)
{
    int process = 0;
    assert_int_equal(sscanf(text, "process %d", &process), 1);
    while (!is_gone(process))
        usleep(1000);
}

CASE(work_that_hangs_is_ended)
{
    const VmafWork work = {hang, NULL, 200, 10};
    const int64_t begin = vmaf_steady_ms();
    const char *text = supervised(&work);
    assert_true(vmaf_steady_ms() - begin >= 200);
    assert_non_null(strstr(text, "\nlate 0\n"));
    expect_process_gone(text);
}

CASE(what_work_leaves_behind_is_ended)
{
    const VmafWork work = {leave_child, NULL, LONG_MS, 1};
    const char *text = supervised(&work);
    assert_non_null(strstr(text, "\nexited 0\n"));
    expect_process_gone(text);
}

CASE(work_that_goes_on_is_waited_for)
{
    int duration_ms = 500;
    const VmafWork patient = {spin, &duration_ms, 200, 10000},
                   impatient = {spin, &duration_ms, 200, 2};
    /* A busy machine may give it no time for as long as that: then once more. */
    while (strcmp(supervised(&patient), "exited 0\n"))
        continue;
    assert_string_equal(supervised(&impatient), "late 0\n");
}

CASE(a_report_is_not_taken_for_another_file)
{
    const VmafWork work = {cut_off, NULL, LONG_MS, 1};
    assert_string_equal(supervised(&work), "exited 7\n");
}

/* ---- The state of a process ---- */

static void change_mask(void)
{
    umask(0123);
}

static void change_limit(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur--;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static void change_folder(void)
{
    if (chdir("/"))
        abort();
}

static void change_handler(void)
{
    signal(SIGUSR1, SIG_IGN);
}

static void change_thread_locale(void)
{
    uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

static void close_stream(void)
{
    close(STDIN_FILENO);
}

static void replace_stream(void)
{
    dup2(STDERR_FILENO, STDIN_FILENO);
}

static void change_flags(void)
{
    fcntl(STDIN_FILENO, F_SETFD, FD_CLOEXEC);
}

static void change_status_flags(void)
{
    fcntl(STDIN_FILENO, F_SETFL, fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK);
}

static void change_other_flags(void)
{
    fcntl(inherited, F_SETFD, FD_CLOEXEC);
}

static const struct {
    void (*change)(void);
    const char *told;
    bool alone; /* noticed only where no other thread can have done it */
} changes[] = {
    {change_mask, "changed the file mode mask (umask)", false},
    {change_limit, "changed the resource limit RLIMIT_NOFILE", false},
    {change_folder, "changed the current directory", false},
    {change_handler, "changed the handler of signal", false},
    {change_thread_locale, "changed the locale", false},
    {close_stream, "closed file descriptor 0, which is not its own", false},
    {replace_stream, "closed file descriptor 0, which is not its own", false},
    {change_flags, "changed the flags of file descriptor 0", false},
    {change_status_flags, "changed the flags of file descriptor 0", false},
    {change_other_flags, "changed the flags of file descriptor", true},
};

/* In a process of its own. 0: the change was told, put back, and nothing has remained of it. */
static int try_change(size_t i, VmafProcessScope scope)
{
    VmafProcessState *before, *again;
    char why[256] = "", none[256] = "";
    inherited = open("/dev/null", O_RDONLY);
    int ends[2];
    if (chdir("/tmp"))
        return 1;
    if (pipe(ends) || dup2(ends[0], STDIN_FILENO) < 0) /* so that no flag reaches another program */
        return 1;
    if (vmaf_process_state_capture(&before, scope) || vmaf_process_state_capture(&again, scope))
        return 2;
    changes[i].change();
    const bool expected = scope == VMAF_PROCESS_ALONE || !changes[i].alone;
    if (vmaf_process_state_restore(before, "/module.so", why, sizeof(why)) == expected)
        return 3;
    if (expected && strncmp(why, changes[i].told, strlen(changes[i].told)))
        return 4;
    if (!vmaf_process_state_restore(again, "/module.so", none, sizeof(none)))
        return 5;
    vmaf_process_state_free(again);
    vmaf_process_state_free(before);
    return 0;
}

CASE(changes_of_a_process_are_told_and_put_back)
{
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        for (int scope = VMAF_PROCESS_ALL; scope <= VMAF_PROCESS_ALONE; scope++) {
            const pid_t child = fork();
            if (child == 0)
                _exit(try_change(i, (VmafProcessScope)scope));
            int status;
            assert_int_equal(waitpid(child, &status, 0), child);
            if (status)
                print_error("%s, scope %d: %d\n", changes[i].told, scope, WEXITSTATUS(status));
            assert_int_equal(status, 0);
        }
    }
}

CASE(what_others_may_have_changed_is_not_looked_at)
{
    VmafProcessState *own;
    char why[256];
    const mode_t mask = umask(022);
    assert_int_equal(vmaf_process_state_capture(&own, VMAF_PROCESS_OWN), 0);
    umask(077);
    void (*const handler)(int) = signal(SIGUSR1, SIG_IGN);
    assert_true(vmaf_process_state_restore(own, "/module.so", why, sizeof(why)));
    assert_int_equal(umask(mask), 077);
    assert_true(signal(SIGUSR1, handler) == SIG_IGN);
    vmaf_process_state_free(own);
    vmaf_process_state_free(NULL);
}

/* ---- Processor time ---- */

typedef struct Burner {
    const char *name; /* of the thread; NULL: none of its own */
    atomic_bool stop;
} Burner;

static void *burn(void *argument)
{
    Burner *burner = argument;
    if (burner->name)
        vmaf_thread_set_name(burner->name);
    while (!atomic_load(&burner->stop)) {
    }
    return NULL;
}

/* Of a thread that burns until it has consumed 60 ms: what counts since a moment before or after
 * its start. */
static int64_t counted(const char *name, const char *except, bool from_before)
{
    Burner burner = {.name = name};
    VmafThread thread;
    const int64_t before = vmaf_thread_times_now();
    assert_int_equal(vmaf_thread_start(&thread, burn, &burner), 0);
    const int64_t started = vmaf_thread_times_now();
    int64_t after = started;
    while (after == started)
        after = vmaf_thread_times_now();
    while (vmaf_thread_time_of_us(thread) < 60 * 1000)
        vmaf_sleep_ns(1000 * 1000);
    const int64_t time = vmaf_thread_times_since(from_before ? before : after, except);
    atomic_store(&burner.stop, true);
    vmaf_thread_join(thread);
    return time;
}

CASE(processor_time_of_others_counts_from_a_moment_on)
{
    if (vmaf_thread_times_now() == INT64_MAX)
        skip();
    assert_true(counted(NULL, "others", true) >= 30 * 1000);
    assert_int_equal(counted(NULL, "others", false), 0);
    assert_true(counted("mine", "others", true) >= 30 * 1000);
    assert_int_equal(counted("mine", "mine", true), 0);
    assert_int_equal(vmaf_thread_times_since(INT64_MAX, "others"), 0);
}

CASE(signals_have_names)
{
    char name[32];
    vmaf_signal_name(name, sizeof(name), SIGSEGV);
    assert_string_equal(name, "SIGSEGV");
    vmaf_signal_name(name, sizeof(name), 121);
    assert_string_equal(name, "signal 121");
}

int main(int argc, char **argv)
{
    alarm(1800);
    return run_cases(argc, argv);
}
