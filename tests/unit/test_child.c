/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Other programs that are run and waited for. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/child.h"
#include "platform/thread.h"
#include "platform/time.h"
#include "support/cases.h"

enum { OUTPUT_MAX = 1 << 20, N_THREADS = 8, RUNS_EACH = 6 };

static const char *const no_arguments[] = {"program", NULL};

static VmafChildRun shell(const char *const arguments[4])
{
    return (VmafChildRun){
        .program = "/bin/sh", .arguments = arguments, .output_max = OUTPUT_MAX, .limit_ms = 0};
}

static VmafChildResult run_shell(const char *script)
{
    const char *const arguments[] = {"sh", "-c", script, NULL};
    const VmafChildRun run = shell(arguments);
    VmafChildResult result;
    assert_int_equal(vmaf_child_run(&run, &result), 0);
    return result;
}

static void expect_end(const char *script, VmafChildEnding ending, int number)
{
    VmafChildResult result = run_shell(script);
    assert_int_equal(result.ending, ending);
    assert_int_equal(result.number, number);
    vmaf_child_result_free(&result);
}

static void expect_output(const char *script, const char *expected)
{
    VmafChildResult result = run_shell(script);
    assert_int_equal(result.ending, VMAF_CHILD_EXITED);
    assert_string_equal(result.output, expected);
    assert_int_equal(result.output_size, strlen(expected));
    vmaf_child_result_free(&result);
}

/* Whether it is there; one that nobody has collected yet is not. */
static bool is_running(pid_t process)
{
    char path[64], text[512] = "";
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)process);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    const bool read = fgets(text, sizeof(text), file) != NULL;
    fclose(file);
    const char *state = strrchr(text, ')');
    return read && state && state[2] != 'Z' && state[2] != 'X';
}

static void expect_gone(pid_t process)
{
    assert_true(process > 1);
    while (is_running(process))
        vmaf_sleep_ns(10000000);
}

static int open_descriptors(void)
{
    int n = 0;
    for (int i = 0; i < 256; i++)
        n += fcntl(i, F_GETFD) >= 0;
    return n;
}

/* ---- Ends ---- */

CASE(the_status_is_told)
{
    expect_end("exit 0", VMAF_CHILD_EXITED, 0);
    expect_end("exit 37", VMAF_CHILD_EXITED, 37);
    expect_end("kill -USR1 $$", VMAF_CHILD_SIGNALLED, SIGUSR1);
    expect_end("kill -KILL $$", VMAF_CHILD_SIGNALLED, SIGKILL);
}

CASE(the_status_is_told_where_sigchld_is_ignored)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before, after;
    sigaction(SIGCHLD, &ignore, &before);
    expect_end("exit 37", VMAF_CHILD_EXITED, 37);
    sigaction(SIGCHLD, &before, &after);
    assert_true(after.sa_handler == SIG_IGN);
    ignore.sa_handler = SIG_DFL;
    ignore.sa_flags = SA_NOCLDWAIT;
    sigaction(SIGCHLD, &ignore, &before);
    expect_end("exit 38", VMAF_CHILD_EXITED, 38);
    sigaction(SIGCHLD, &before, &after);
    assert_true(after.sa_flags & SA_NOCLDWAIT);
}

static void collect_all(int number)
{
    const int kept = errno;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    errno = kept;
}

/* Somebody may have taken the status, but nobody waits for ever. */
CASE(a_host_that_collects_all_children_is_survived)
{
    struct sigaction collect = {.sa_handler = collect_all, .sa_flags = SA_RESTART}, before;
    sigaction(SIGCHLD, &collect, &before);
    VmafChildResult result = run_shell("echo said; exit 3");
    sigaction(SIGCHLD, &before, NULL);
    assert_string_equal(result.output, "said\n");
    assert_true(result.ending == VMAF_CHILD_UNKNOWN ||
                (result.ending == VMAF_CHILD_EXITED && result.number == 3));
    vmaf_child_result_free(&result);
}

CASE(what_cannot_be_started_is_told)
{
    VmafChildResult result;
    const struct {
        const char *program, *folder;
        int error;
    } cases[] = {
        {"/no/such/program", NULL, -ENOENT},
        {"no-such-program-anywhere", NULL, -ENOENT},
        {"", NULL, -ENOENT},
        {"/etc/passwd", NULL, -EACCES},
        {"/bin", NULL, -EACCES},
        {"/bin/sh", "/no/such/folder", -ENOENT},
        {"/bin/sh/x", NULL, -ENOENT},
    };
    const int before = open_descriptors();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const VmafChildRun run = {
            .program = cases[i].program, .arguments = no_arguments, .folder = cases[i].folder};
        assert_int_equal(vmaf_child_run(&run, &result), cases[i].error);
        assert_null(result.output);
    }
    assert_int_equal(open_descriptors(), before);
}

/* A script without #! would need a shell. */
CASE(no_shell_takes_part)
{
    char path[] = "/tmp/test_child_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, "exit 5\n", 7), 7);
    assert_int_equal(fchmod(file, 0700), 0);
    close(file);
    VmafChildResult result;
    const VmafChildRun run = {.program = path, .arguments = no_arguments};
    assert_int_equal(vmaf_child_run(&run, &result), -ENOEXEC);
    unlink(path);
    const char *const arguments[] = {"echo", "$HOME; `id` *", NULL};
    const VmafChildRun echo = {.program = "echo", .arguments = arguments, .output_max = 100};
    assert_int_equal(vmaf_child_run(&echo, &result), 0);
    assert_string_equal(result.output, "$HOME; `id` *\n");
    vmaf_child_result_free(&result);
}

CASE(programs_are_searched_in_path)
{
    char folder[] = "/tmp/test_child_XXXXXX", link[64], path[128];
    assert_non_null(mkdtemp(folder));
    snprintf(link, sizeof(link), "%s/only-here", folder);
    snprintf(path, sizeof(path), "/no/such:%s:/bin", folder);
    assert_int_equal(symlink("/bin/sh", link), 0);
    char *before = strdup(getenv("PATH"));
    setenv("PATH", path, 1);
    const char *const arguments[] = {"only-here", "-c", "echo $0", NULL};
    const VmafChildRun run = {.program = "only-here", .arguments = arguments, .output_max = 100};
    VmafChildResult result;
    assert_int_equal(vmaf_child_run(&run, &result), 0);
    setenv("PATH", before, 1);
    free(before);
    assert_string_equal(result.output, "only-here\n");
    vmaf_child_result_free(&result);
    unlink(link);
    rmdir(folder);
}

CASE(a_program_runs_in_its_folder)
{
    const char *const arguments[] = {"sh", "-c", "pwd", NULL};
    VmafChildRun run = shell(arguments);
    run.folder = "/usr";
    VmafChildResult result;
    assert_int_equal(vmaf_child_run(&run, &result), 0);
    assert_string_equal(result.output, "/usr\n");
    vmaf_child_result_free(&result);
}

/* ---- Texts ---- */

CASE(both_streams_are_read)
{
    VmafChildResult result = run_shell("echo out; echo err >&2; echo more");
    assert_string_equal(result.output, "out\nmore\n");
    assert_string_equal(result.error_tail, "err\n");
    assert_true(result.wall_ns > 0);
    vmaf_child_result_free(&result);
}

CASE(nothing_is_read_by_the_program)
{
    expect_output("cat; echo end", "end\n");
}

CASE(only_the_end_of_many_errors_is_kept)
{
    VmafChildResult result =
        run_shell("i=0; while [ $i -lt 3000 ]; do echo \"line $i\" >&2; i=$((i+1)); done");
    assert_int_equal(strlen(result.error_tail), VMAF_CHILD_ERROR_TAIL);
    assert_string_equal(result.error_tail + VMAF_CHILD_ERROR_TAIL - 10, "line 2999\n");
    vmaf_child_result_free(&result);
    result = run_shell("head -c 5000 /dev/zero | tr '\\0' x >&2; printf end >&2");
    assert_int_equal(strlen(result.error_tail), VMAF_CHILD_ERROR_TAIL);
    assert_string_equal(result.error_tail + VMAF_CHILD_ERROR_TAIL - 5, "xxend");
    vmaf_child_result_free(&result);
}

CASE(errors_are_cut_between_characters)
{
    VmafChildResult result = run_shell(
        "i=0; while [ $i -lt 1500 ]; do printf '\\303\\244' >&2; i=$((i+1)); done; echo >&2");
    assert_int_equal((unsigned char)result.error_tail[0], 0xc3);
    assert_true(strlen(result.error_tail) >= VMAF_CHILD_ERROR_TAIL - 1);
    vmaf_child_result_free(&result);
}

CASE(too_much_output_is_thrown_away)
{
    const char *const arguments[] = {"sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' a", NULL};
    VmafChildRun run = shell(arguments);
    run.output_max = 1000;
    VmafChildResult result;
    assert_int_equal(vmaf_child_run(&run, &result), 0);
    assert_int_equal(result.ending, VMAF_CHILD_EXITED);
    assert_int_equal(result.output_size, 1000);
    assert_int_equal(strspn(result.output, "a"), 1000);
    vmaf_child_result_free(&result);
}

typedef struct Heard {
    char text[2][4096];
    size_t size[2];
    unsigned pieces;
    bool is_sign;
    int answers; /* a line is written to for each piece; 0: none is */
} Heard;

static bool hear(void *cookie, VmafChildStream stream, const char *text, size_t size)
{
    Heard *heard = cookie;
    assert_true(heard->size[stream] + size < sizeof(heard->text[stream]));
    memcpy(heard->text[stream] + heard->size[stream], text, size);
    heard->size[stream] += size;
    heard->pieces++;
    if (heard->answers)
        assert_int_equal(write(heard->answers, "\n", 1), 1);
    return heard->is_sign;
}

CASE(text_is_told_as_it_comes)
{
    const char *const arguments[] = {
        "sh", "-c", "exec 0<&9; echo a; echo b >&2; read x; read x; echo c >&2; read x; printf d",
        NULL};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(dup2(ends[0], 9), 9);
    Heard heard = {.is_sign = true, .answers = ends[1]};
    VmafChildRun run = shell(arguments);
    run.on_text = hear;
    run.cookie = &heard;
    VmafChildResult result;
    assert_int_equal(vmaf_child_run(&run, &result), 0);
    assert_string_equal(heard.text[VMAF_CHILD_OUTPUT], "a\nd");
    assert_string_equal(heard.text[VMAF_CHILD_ERRORS], "b\nc\n");
    assert_int_equal(heard.pieces, 4);
    close(9);
    close(ends[0]);
    close(ends[1]);
    vmaf_child_result_free(&result);
}

/* ---- Being killed ---- */

static pid_t number_in(const char *text)
{
    return (pid_t)strtol(text, NULL, 10);
}

/* Its children, too, and those that do not want to. A busy machine may need longer to begin. */
CASE(silence_is_the_end_of_the_whole_group)
{
    const char *const arguments[] = {
        "sh", "-c", "trap '' TERM; sleep 1000 & echo $!; while :; do sleep 1000; done", NULL};
    VmafChildRun run = shell(arguments);
    VmafChildResult result = {.output = NULL};
    for (run.limit_ms = 300; result.output_size == 0; run.limit_ms *= 4) {
        vmaf_child_result_free(&result);
        assert_int_equal(vmaf_child_run(&run, &result), 0);
        assert_int_equal(result.ending, VMAF_CHILD_LATE);
        assert_true(result.wall_ns >= run.limit_ms * 1000000);
    }
    expect_gone(number_in(result.output));
    vmaf_child_result_free(&result);
}

static bool stop_at_once(void *cookie, VmafChildStream stream, const char *text, size_t size)
{
    atomic_store((atomic_bool *)cookie, true);
    return size > 0;
}

/* A busy machine may give it no time to do so before it is ended by force: then once more. */
CASE(a_program_may_tidy_up_when_it_is_killed)
{
    const char *const arguments[] = {
        "sh", "-c", "trap 'echo tidied; exit 0' TERM; echo ready; while :; do sleep 0.1; done",
        NULL};
    atomic_bool stop;
    VmafChildRun run = shell(arguments);
    run.stop = &stop;
    run.on_text = stop_at_once;
    run.cookie = &stop;
    VmafChildResult result;
    bool tidied = false;
    while (!tidied) {
        stop = false;
        assert_int_equal(vmaf_child_run(&run, &result), 0);
        assert_int_equal(result.ending, VMAF_CHILD_STOPPED);
        tidied = strcmp(result.output, "ready\n");
        if (tidied)
            assert_string_equal(result.output, "ready\ntidied\n");
        vmaf_child_result_free(&result);
    }
}

/* Each piece begins the limit anew: together they take longer than it, by much where the machine is
 * too busy for a piece in time. */
CASE(signs_of_life_keep_it_going)
{
    enum VmafChildEnding ending = VMAF_CHILD_LATE;
    for (int64_t limit_ms = 400; ending == VMAF_CHILD_LATE; limit_ms *= 4) {
        char script[128];
        snprintf(script, sizeof(script),
                 "i=0; while [ $i -lt 12 ]; do echo . >&2; sleep %g; i=$((i+1)); done",
                 (double)limit_ms / 10000);
        const char *const arguments[] = {"sh", "-c", script, NULL};
        VmafChildRun run = shell(arguments);
        run.limit_ms = limit_ms;
        VmafChildResult result;
        assert_int_equal(vmaf_child_run(&run, &result), 0);
        ending = result.ending;
        assert_true(ending == VMAF_CHILD_LATE || result.wall_ns > run.limit_ms * 1000000);
        vmaf_child_result_free(&result);
    }
    assert_int_equal(ending, VMAF_CHILD_EXITED);
}

CASE(text_that_is_no_sign_of_life_does_not_help)
{
    const char *const arguments[] = {"sh", "-c", "while :; do echo .; sleep 0.1; done", NULL};
    Heard heard = {.is_sign = false};
    VmafChildRun run = shell(arguments);
    run.limit_ms = 500;
    run.on_text = hear;
    run.cookie = &heard;
    VmafChildResult result;
    assert_int_equal(vmaf_child_run(&run, &result), 0);
    assert_int_equal(result.ending, VMAF_CHILD_LATE);
    vmaf_child_result_free(&result);
}

CASE(the_caller_can_stop_it)
{
    const char *const arguments[] = {"sh", "-c", "sleep 1000 & echo $!; wait", NULL};
    atomic_bool stop = false;
    VmafChildRun run = shell(arguments);
    run.stop = &stop;
    run.on_text = stop_at_once;
    run.cookie = &stop;
    VmafChildResult result;
    assert_int_equal(vmaf_child_run(&run, &result), 0);
    assert_int_equal(result.ending, VMAF_CHILD_STOPPED);
    expect_gone(number_in(result.output));
    vmaf_child_result_free(&result);
}

/* Something in the background that holds the pipes open does not outlive it, nor is it waited for.
 */
CASE(what_it_leaves_behind_ends_with_it)
{
    VmafChildResult result = run_shell("sleep 1000 & echo $!");
    assert_int_equal(result.ending, VMAF_CHILD_EXITED);
    expect_gone(number_in(result.output));
    vmaf_child_result_free(&result);
}

/* In a process of its own, which then is killed without a chance to do anything. */
CASE(it_ends_with_the_process_that_runs_it)
{
#ifdef __linux__
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        char script[64];
        snprintf(script, sizeof(script), "echo $$ >&9; exec sleep 1000");
        dup2(ends[1], 9);
        const char *const arguments[] = {"sh", "-c", script, NULL};
        const VmafChildRun run = shell(arguments);
        VmafChildResult result;
        vmaf_child_run(&run, &result);
        _exit(1);
    }
    char text[32] = "";
    assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
    assert_true(is_running(number_in(text)));
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
    expect_gone(number_in(text));
    close(ends[0]);
    close(ends[1]);
#else
    skip();
#endif
}

/* ---- What it inherits ---- */

CASE(signals_are_as_at_first)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    VmafChildResult result = run_shell("grep -E '^Sig(Blk|Ign)' /proc/self/status | cut -f 2");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    assert_string_equal(result.output, "0000000000000000\n0000000000000000\n");
    vmaf_child_result_free(&result);
}

static void *run_many(void *errors)
{
    for (int i = 0; i < RUNS_EACH; i++) {
        VmafChildResult result;
        const char *const arguments[] = {"sh", "-c", "ls /proc/self/fd | wc -l; exit 9", NULL};
        const VmafChildRun run = shell(arguments);
        const int err = vmaf_child_run(&run, &result);
        /* Three, and the one with which ls reads the folder. */
        if (err || result.ending != VMAF_CHILD_EXITED || result.number != 9 ||
            strtol(result.output, NULL, 10) != 4)
            atomic_fetch_add((atomic_int *)errors, 1);
        if (!err)
            vmaf_child_result_free(&result);
    }
    return NULL;
}

CASE(several_run_at_once_and_share_nothing)
{
    /* What this program itself has inherited would be inherited again. */
    for (int i = STDERR_FILENO + 1; i < 256; i++)
        if (fcntl(i, F_GETFD) >= 0)
            fcntl(i, F_SETFD, FD_CLOEXEC);
    VmafThread threads[N_THREADS];
    atomic_int errors = 0;
    const int before = open_descriptors();
    struct sigaction ignore = {.sa_handler = SIG_IGN}, kept;
    sigaction(SIGCHLD, &ignore, &kept);
    for (int i = 0; i < N_THREADS; i++)
        assert_int_equal(vmaf_thread_start(&threads[i], run_many, &errors), 0);
    for (int i = 0; i < N_THREADS; i++)
        vmaf_thread_join(threads[i]);
    sigaction(SIGCHLD, &kept, NULL);
    assert_int_equal(atomic_load(&errors), 0);
    assert_int_equal(open_descriptors(), before);
}

CASE(processor_time_is_told)
{
    VmafChildResult result = run_shell("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done");
    assert_true(result.processor_ns > 1000000);
    vmaf_child_result_free(&result);
}

/* In a process without standard streams, pipes must not take their numbers. */
CASE(missing_standard_streams_do_no_harm)
{
    const pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        for (int i = 0; i <= STDERR_FILENO; i++)
            close(i);
        const char *const arguments[] = {"sh", "-c", "cat; echo out; echo err >&2", NULL};
        const VmafChildRun run = shell(arguments);
        VmafChildResult result;
        if (vmaf_child_run(&run, &result) != 0)
            _exit(1);
        _exit(strcmp(result.output, "out\n") != 0 || strcmp(result.error_tail, "err\n") != 0);
    }
    int status;
    waitpid(process, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}
