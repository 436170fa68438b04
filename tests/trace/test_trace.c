/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* VMAF_TRACE, by runs on the CPU. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/engine/harness.h"
#include "support/cases.h"
#include "trace/child.h"
#include "trace/trace_file.h"

#define FEATURES "psnr motion vif"

enum { N_FRAMES = 24 };

/* The thread sanitizer allows no threads in the child of a process that has some. */
#ifdef __SANITIZE_THREAD__
enum { THREADS_AT_FORK = 0 };
#else
enum { THREADS_AT_FORK = 2 };
#endif

/* What a child runs, and what came out. */
typedef struct Run {
    Clip clip;
    Outcome outcome;
} Run;

static Run *runs; /* shared with children */

static void run(void *argument)
{
    Run *of = argument;
    clip_run(&of->clip, &of->outcome);
}

static Run *run_with(unsigned i, unsigned n_threads)
{
    memset(&runs[i], 0, sizeof(runs[i]));
    runs[i].clip = (Clip){.backend = "cpu", .n_frames = N_FRAMES, .n_threads = n_threads};
    return &runs[i];
}

static bool exists(const char *path)
{
    struct stat status;
    return !stat(path, &status);
}

CASE(given_any_number_of_threads_then_the_trace_is_whole)
{
    static const unsigned threads[] = {0, 1, 4};
    for (int i = 0; i < 3; i++) {
        const char *path = child_file("threads.json");
        Run *plain = run_with(0, threads[i]), *traced = run_with(1, threads[i]);
        child_run(NULL, run, plain, NULL, 0);
        assert_false(exists(path));
        child_run(path, run, traced, NULL, 0);
        assert_int_equal(traced->outcome.error, 0);
        assert_true(clip_equal(&plain->clip, &plain->outcome, &traced->outcome));

        Trace trace = trace_load(path);
        assert_int_equal(trace_processes(&trace), 1);
        trace_check_frames(&trace, 1, N_FRAMES, FEATURES);
        const Match outside = {.row = "worker ", .category = "work", .name = "vif"};
        assert_int_equal(trace_rows(&trace, 1, "worker "), threads[i]);
        assert_int_equal(trace_rows(&trace, 1, ""), threads[i] + 1);
        expect_count(&trace, N_FRAMES, .row = "application", .category = "api",
                     .name = "read pictures");
        expect_count(&trace, N_FRAMES, .category = "work", .name = "finish");
        expect_count(&trace, 1, .row = "application", .category = "api", .name = "close");
        expect_count(&trace, threads[i] ? 0 : N_FRAMES, .row = "application", .category = "work",
                     .name = "vif");
        assert_true(trace_count(&trace, &outside) >= (threads[i] ? N_FRAMES : 0));
        for (unsigned frame = 0; frame < N_FRAMES; frame++) {
            expect_count(&trace, 1, .name = "read pictures", .with_frame = true, .frame = frame);
            expect_count(&trace, 1, .name = "finish", .with_frame = true, .frame = frame);
        }
        trace_free(&trace);
        unlink(path);
    }
}

CASE(given_a_slow_producer_then_workers_wait_and_the_application_is_seen)
{
    enum { FEED_US = 20000 };
    Run *slow = run_with(0, 2);
    slow->clip.feed_us = FEED_US;
    Trace trace = trace_of_child(child_file("slow.json"), run, slow);
    const Match waits = {.row = "worker ", .category = "wait", .name = "wait for work"};
    const Match outside = {.row = "application", .category = "application"};
    assert_true(trace_count(&trace, &waits) > 0);
    /* It sleeps once after each frame, and both of them meanwhile, but on a busy machine they work
     * for most of that time. */
    assert_true(trace_sum(&trace, &waits) >= FEED_US);
    assert_true(trace_sum(&trace, &outside) >= 1.0 * FEED_US * N_FRAMES);
    trace_free(&trace);
}

/* A picture of a size at which a pair takes the CPU much longer than handing it over. */
static VmafPicture large_picture(unsigned frame)
{
    VmafPicture pic;
    if (vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 8, 1280, 720))
        abort();
    for (unsigned p = 0; p < 3; p++)
        for (unsigned y = 0; y < pic.h[p]; y++) /* rows that repeat cost nothing */
            memset((uint8_t *)pic.data[p] + y * pic.stride[p], (int)(frame + 7 * y), pic.w[p]);
    return pic;
}

/* A pair with the index `frame`. */
static void read_large(VmafContext *vmaf, unsigned frame)
{
    VmafPicture ref = large_picture(frame), dist = large_picture(frame);
    if (vmaf_read_pictures(vmaf, &ref, &dist, frame))
        abort();
}

enum { N_FAST = 24 };

/* All pictures are there before the first one is read, so that the worker never waits for them,
 * whatever else the machine does. */
static void read_fast(void *argument)
{
    VmafContext *vmaf;
    const VmafConfiguration cfg = {.n_threads = 1};
    VmafPicture ref[N_FAST], dist[N_FAST];
    for (unsigned i = 0; i < N_FAST; i++) {
        ref[i] = large_picture(i);
        dist[i] = large_picture(i);
    }
    if (vmaf_init(&vmaf, cfg) || vmaf_backend_select(vmaf, "cpu", -1) ||
        vmaf_use_feature(vmaf, "vif", NULL))
        abort();
    for (unsigned i = 0; i < N_FAST; i++) {
        if (vmaf_read_pictures(vmaf, &ref[i], &dist[i], i))
            abort();
    }
    if (vmaf_read_pictures(vmaf, NULL, NULL, 0) || vmaf_close(vmaf))
        abort();
}

CASE(given_a_fast_producer_then_it_waits_for_room)
{
    Trace trace = trace_of_child(child_file("fast.json"), read_fast, NULL);
    expect_some(&trace, .row = "application", .category = "wait", .name = "wait for room");
    expect_some(&trace, .row = "application", .category = "wait", .name = "wait for frames");
    trace_check_frames(&trace, 1, N_FAST, "vif");
    trace_free(&trace);
}

/* One frame at a time: its rows are divided among the workers. */
static void read_slowly(void *argument)
{
    VmafContext *vmaf;
    const VmafConfiguration cfg = {.n_threads = 3};
    double score;
    if (vmaf_init(&vmaf, cfg) || vmaf_backend_select(vmaf, "cpu", -1) ||
        vmaf_use_feature(vmaf, "vif", NULL))
        abort();
    for (unsigned i = 0; i < 6; i++) {
        read_large(vmaf, i);
        if (vmaf_feature_score_at_index(vmaf, "VMAF_integer_feature_vif_scale0_score", &score, i))
            abort();
    }
    if (vmaf_read_pictures(vmaf, NULL, NULL, 0) || vmaf_close(vmaf))
        abort();
}

CASE(given_frames_that_are_divided_then_each_part_is_there)
{
    Trace trace = trace_of_child(child_file("divided.json"), read_slowly, NULL);
    trace_check_frames(&trace, 1, 6, "vif");
    expect_count(&trace, 6, .row = "application", .category = "api", .name = "score");
    expect_some(&trace, .row = "application", .category = "wait", .name = "wait for frames");
    trace_free(&trace);
}

/* ---- the file ---- */

CASE(given_a_percent_p_then_it_is_the_number_of_the_process)
{
    char expected[64];
    const int process = child_run(child_file("%p-a%p%q.json"), run, run_with(0, 0), NULL, 0);
    snprintf(expected, sizeof(expected), "%d-a%d%%q.json", process, process);
    Trace trace = trace_load(child_file(expected));
    assert_int_equal(trace_data(&trace, "process"), process);
    trace_free(&trace);
}

static void run_with_messages(void *argument)
{
    Run *of = argument;
    setenv("VMAF_TEST_LOG", "1", 1);
    clip_run(&of->clip, &of->outcome);
}

CASE(given_a_path_that_cannot_be_written_then_a_warning_is_all)
{
    static char messages[64 * 1024];
    const char *const bad[] = {child_file("missing/trace.json"), child_folder(), "/dev/full"};
    Run *plain = run_with(0, 2);
    child_run(NULL, run_with_messages, plain, messages, sizeof(messages));
    assert_null(strstr(messages, "trace"));
    for (int i = 0; i < 3; i++) {
        Run *traced = run_with(1, 2);
        child_run(bad[i], run_with_messages, traced, messages, sizeof(messages));
        assert_int_equal(traced->outcome.error, 0);
        assert_true(clip_equal(&plain->clip, &plain->outcome, &traced->outcome));
        const char *warning = strstr(messages, "WARNING the trace was not written to ");
        assert_non_null(warning);
        assert_non_null(strstr(warning, bad[i]));
        assert_null(strstr(messages, "ERROR"));
    }
}

CASE(given_an_empty_path_then_there_is_no_trace)
{
    static char messages[64 * 1024];
    child_run("", run_with_messages, run_with(0, 1), messages, sizeof(messages));
    assert_null(strstr(messages, "trace"));
}

static void write_earlier(const char *path, const char *begin)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(begin, file);
    for (int i = 0; i < 100000; i++)
        fputs("of another run\n", file);
    fclose(file);
}

CASE(given_an_earlier_trace_then_it_is_replaced)
{
    const char *path = child_file("earlier.json");
    write_earlier(path, "{\"traceEvents\": [");
    child_run(path, run, run_with(0, 0), NULL, 0);
    Trace trace = trace_load(path);
    trace_check_frames(&trace, 1, N_FRAMES, FEATURES);
    trace_free(&trace);
}

CASE(given_another_file_then_it_is_kept)
{
    static char messages[64 * 1024];
    char line[64] = "";
    const char *path = child_file("film.y4m");
    write_earlier(path, "YUV4MPEG2 W64 H64\n");
    child_run(path, run_with_messages, run_with(0, 0), messages, sizeof(messages));
    assert_non_null(strstr(messages, "WARNING the trace was not written to "));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof(line), file));
    fclose(file);
    assert_string_equal(line, "YUV4MPEG2 W64 H64\n");
}

/* ---- several contexts ---- */

static void run_one_after_the_other(void *argument)
{
    Run *of = argument;
    char path[512];
    snprintf(path, sizeof(path), "%s", getenv("VMAF_TRACE"));
    for (unsigned i = 0; i < 3; i++) {
        of->clip.n_frames = N_FRAMES - i;
        clip_run(&of->clip, &of->outcome);
        Trace trace = trace_load(path);
        assert_int_equal(trace_processes(&trace), i + 1);
        for (unsigned k = 0; k <= i; k++)
            trace_check_frames(&trace, k + 1, N_FRAMES - k, FEATURES);
        trace_free(&trace);
    }
}

CASE(given_contexts_one_after_the_other_then_the_file_grows)
{
    child_run(child_file("sequence.json"), run_one_after_the_other, run_with(0, 2), NULL, 0);
}

static void run_at_once(void *argument)
{
    const Run *of = argument;
    VmafContext *first = clip_open(&of->clip), *second = clip_open(&of->clip);
    for (unsigned i = 0; i < N_FRAMES; i++) {
        if (clip_read(first, &of->clip, i) || (i < 5 && clip_read(second, &of->clip, i)))
            abort();
    }
    /* What is not flushed is closed as well. */
    if (vmaf_close(second) || access(getenv("VMAF_TRACE"), F_OK) == 0)
        abort();
    if (vmaf_read_pictures(first, NULL, NULL, 0) || vmaf_close(first))
        abort();
}

CASE(given_contexts_at_once_then_each_has_its_own_rows)
{
    const char *path = child_file("at-once.json");
    for (unsigned n_threads = 0; n_threads <= 2; n_threads += 2) {
        unlink(path);
        child_run(path, run_at_once, run_with(0, n_threads), NULL, 0);
        Trace trace = trace_load(path);
        assert_int_equal(trace_processes(&trace), 2);
        trace_check_frames(&trace, 1, N_FRAMES, FEATURES);
        expect_count(&trace, 5, .pid = 2, .category = "frame");
        expect_count(&trace, 5, .pid = 2, .row = "application", .name = "read pictures");
        if (!n_threads) /* on a busy machine the application may have done all of it before they
                           began */
            expect_count(&trace, 0, .pid = 2, .row = "worker ");
        trace_free(&trace);
    }
}

/* ---- forks ---- */

static void wait_for(pid_t process)
{
    int status;
    if (waitpid(process, &status, 0) != process || !WIFEXITED(status) || WEXITSTATUS(status))
        abort();
}

/* A context is open, and has scored, when the process is forked twice: one child goes on with it,
 * as it may without threads, and closes it; the other has a context of its own. */
static void run_and_fork(void *argument)
{
    Run *of = argument;
    VmafContext *vmaf = clip_open(&of->clip);
    for (unsigned i = 0; i < 10; i++) {
        if (clip_read(vmaf, &of->clip, i))
            abort();
    }
    for (int child = 0; child < 2; child++) {
        const pid_t process = fork();
        if (process) {
            wait_for(process);
            continue;
        }
        if (child == 1) {
            of->clip.n_frames = 3;
            clip_run(&of->clip, &of->outcome);
        }
        if (!of->clip.n_threads && clip_read(vmaf, &of->clip, 10))
            abort();
        vmaf_close(vmaf);
        _exit(0);
    }
    for (unsigned i = 10; i < N_FRAMES; i++) {
        if (clip_read(vmaf, &of->clip, i))
            abort();
    }
    if (vmaf_close(vmaf))
        abort();
}

CASE(given_a_fork_then_each_process_writes_what_is_its_own)
{
    for (unsigned n_threads = 0; n_threads <= THREADS_AT_FORK; n_threads += 2) {
        const int parent =
            child_run(child_file("fork-%p.json"), run_and_fork, run_with(0, n_threads), NULL, 0);
        char name[64], command[512];
        snprintf(name, sizeof(name), "fork-%d.json", parent);
        Trace trace = trace_load(child_file(name));
        expect_count(&trace, N_FRAMES, .category = "frame");
        assert_int_equal(trace_processes(&trace), 1);
        trace_free(&trace);
        unlink(child_file(name));

        /* Of the children, the one with a context of its own. */
        snprintf(command, sizeof(command), "set -- %sfork-*.json && [ $# = 1 ] && mv $1 %s",
                 child_folder(), child_file("child.json"));
        assert_int_equal(system(command), 0);
        trace = trace_load(child_file("child.json"));
        assert_int_equal(trace_processes(&trace), 1);
        trace_check_frames(&trace, 1, 3, FEATURES);
        trace_free(&trace);
    }
}

/* ---- */

static int begin(void **state)
{
    runs = child_memory(2 * sizeof(*runs));
    return 0;
}

CASES_SHARE(begin, child_remove_folder);
