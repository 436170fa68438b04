/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf batch while it runs: pairs that come one by one, Ctrl-C, readers that leave, and what stays
 * open between pairs. */
#include "batch_run.h"
#include "clip.h"
#include "program.h"
#include "report_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/posix/internal.h"
#include "support/cases.h"

#define BATCH(...) batch_run(__VA_ARGS__, NULL)

#define PAIR "{\"reference\":\"ref.y4m\",\"distorted\":\"dis.y4m\""

static int make_clips(void **state)
{
    if (program_enter_folder(state))
        return -1;
    signal(SIGPIPE, SIG_IGN);
    Clip clip = {.width = 96, .height = 64, .frames = 5};
    clip_write_pair(&clip);
    return 0;
}

/* -- a batch that one talks with -- */

typedef struct Talk {
    pid_t child;
    FILE *list, *results;
} Talk;

/* Messages go to the file `said`. */
static Talk talk_start(const char *const words[])
{
    int in[2], out[2];
    const char *argv[16] = {getenv("VMAF"), "batch", "-"};
    for (unsigned i = 0; words[i]; i++)
        argv[3 + i] = words[i];
    assert_int_equal(vmaf_system_pipe(in, 0) | vmaf_system_pipe(out, 0), 0);
    const pid_t child = fork();
    if (!child) {
        const int err = open("said", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        alarm(1800);
        if (dup2(in[0], 0) < 0 || dup2(out[1], 1) < 0 || dup2(err, 2) < 0)
            _exit(126);
        execv(argv[0], (char *const *)(void *)argv);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    return (Talk){child, fdopen(in[1], "w"), fdopen(out[0], "r")};
}

static void talk_say(Talk *talk, const char *line)
{
    fputs(line, talk->list);
    fflush(talk->list);
}

/* The status that the next result has. */
static int talk_hear(Talk *talk, unsigned *line)
{
    char text[65536];
    if (!fgets(text, sizeof(text), talk->results))
        fail_msg("there is no result");
    json_t *results = batch_results(text);
    const json_t *result = json_array_get(results, 0);
    const int status = (int)json_integer_value(json_object_get(result, "status"));
    *line = (unsigned)json_integer_value(json_object_get(result, "line"));
    json_decref(results);
    return status;
}

static int talk_wait(Talk *talk)
{
    int status;
    if (talk->list)
        fclose(talk->list);
    fclose(talk->results);
    assert_int_equal(waitpid(talk->child, &status, 0), talk->child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void expect_said(const char *words)
{
    char *said = file_content("said");
    if (!said || !strstr(said, words))
        fail_msg("said:\n%s", said ? said : "");
    free(said);
    remove("said");
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* -- pairs that come one by one -- */

CASE(a_result_is_there_before_the_next_line)
{
    static const char *const jobs[] = {"1", "3"};
    for (int j = 0; j < 2; j++) {
        Talk talk = talk_start(WORDS("--jobs", jobs[j]));
        for (unsigned i = 1; i <= 3; i++) {
            unsigned line;
            talk_say(&talk, PAIR ",\"options\":[\"-n\",\"--feature\",");
            talk_say(&talk, "\"psnr\"]}\n");
            assert_int_equal(talk_hear(&talk, &line), 0);
            assert_int_equal(line, i);
        }
        assert_int_equal(talk_wait(&talk), 0);
        expect_said("");
    }
}

/* A pair whose reference waits for us is overtaken. */
CASE(pairs_end_in_any_order)
{
    unsigned line;
    assert_int_equal(mkfifo("slow", 0600), 0);
    Talk talk = talk_start(WORDS("--jobs", "2"));
    talk_say(&talk, "{\"reference\":\"slow\",\"distorted\":\"dis.y4m\"}\n" PAIR "}\n" PAIR "}\n");
    FILE *slow = fopen("slow", "w");
    assert_int_equal(talk_hear(&talk, &line), 0);
    assert_int_equal(line, 2);
    assert_int_equal(talk_hear(&talk, &line), 0);
    assert_int_equal(line, 3);
    size_t size;
    unsigned char *bytes = clip_make(&(Clip){.width = 96, .height = 64, .frames = 5}, &size);
    fwrite(bytes, 1, size, slow);
    fclose(slow);
    free(bytes);
    assert_int_equal(talk_hear(&talk, &line), 0);
    assert_int_equal(line, 1);
    assert_int_equal(talk_wait(&talk), 0);
    remove("slow");
    remove("said");
}

/* -- what stays open -- */

static void make_model(const char *path)
{
    file_put_text(
        path,
        "{\"model_dict\":{\"model\":\"svm_type nu_svr\\nkernel_type rbf\\ngamma 0.05\\n"
        "nr_class 2\\ntotal_sv 1\\nrho -1\\nSV\\n1 1:0.5 \\n\",\"model_type\":\"LIBSVMNUSVR\","
        "\"feature_names\":[\"VMAF_integer_feature_vif_scale0_score\"],"
        "\"norm_type\":\"none\",\"score_clip\":[0,100]}}");
}

CASE(models_stay_in_memory)
{
    static const char line[] = PAIR ",\"options\":[\"-m\",\"path=own.json:name=x\"]}\n";
    static const char other[] = PAIR ",\"options\":[\"-m\",\"path=own.json:name=y\"]}\n";
    unsigned number;
    make_model("own.json");
    Talk talk = talk_start(WORDS("--jobs", "2"));
    talk_say(&talk, line);
    assert_int_equal(talk_hear(&talk, &number), 0);
    remove("own.json");
    for (int i = 0; i < 3; i++) {
        talk_say(&talk, line);
        assert_int_equal(talk_hear(&talk, &number), 0);
    }
    talk_say(&talk, other); /* which is another model */
    assert_int_equal(talk_hear(&talk, &number), 255);
    make_model("own.json"); /* and it was not remembered that it is missing */
    talk_say(&talk, other);
    assert_int_equal(talk_hear(&talk, &number), 0);
    assert_int_equal(talk_wait(&talk), 255);
    remove("own.json");
    expect_said("line 5: problem loading model: own.json");
}

static unsigned count_in_trace(const char *words)
{
    char *trace = file_content("trace.json");
    assert_non_null(trace);
    const unsigned count = occurrences(trace, words);
    free(trace);
    remove("trace.json");
    return count;
}

CASE(a_device_is_opened_once)
{
    static const char *const jobs[] = {"1", "3"};
    setenv("VMAF_BACKEND_PATH", getenv("EXAMPLE_BACKEND"), 1);
    setenv("VMAF_TRACE", "trace.json", 1);
    for (int i = 0; i < 2; i++) {
        BatchRun batch = BATCH(PAIR ",\"output\":\"a.csv\"}\n" PAIR "}\n" PAIR "}\n" PAIR
                                    ",\"options\":[\"-n\",\"--feature\",\"psnr\"]}\n" PAIR
                                    ",\"output\":\"a.json\"}\n",
                               "--jobs", jobs[i], "--backend", "example");
        assert_int_equal(batch.run.status, 0);
        assert_int_equal(json_array_size(batch.results), 5);
        assert_int_equal(count_in_trace("\"open the device\""), 1);
        expect_status(
            program_run("ref.y4m", "dis.y4m", "--backend", "example", "-o", "b.csv", NULL), 0,
            "vif: the example backend has no twin of this extractor");
        assert_int_equal(count_in_trace("\"open the device\""), 1);
        expect_equal_reports("a.csv", "b.csv");
        char *report = take_report("a.json");
        assert_non_null(strstr(report, "\"backend_used\": \"example\""));
        free(report);
        batch_run_free(&batch);
    }
    unsetenv("VMAF_TRACE");
    unsetenv("VMAF_BACKEND_PATH");
}

static int result_status(const BatchRun *batch, unsigned line)
{
    return (int)json_integer_value(json_object_get(batch_result_of(batch, line), "status"));
}

/* The pair in the middle is long enough to see the loss; the ones after it open the device anew. */
CASE(a_device_that_is_lost_is_opened_anew)
{
    static const char *const jobs[] = {"1", "2"};
    Clip clip = {.width = 96, .height = 64, .frames = 60};
    clip_write(&clip, "long-ref.y4m");
    clip.distorted = true;
    clip_write(&clip, "long-dis.y4m");
    setenv("VMAF_BACKEND_PATH", getenv("HOSTILE_BACKEND"), 1);
    setenv("VMAF_TEST_HOSTILE", "submit-loses-device@30", 1);
    setenv("VMAF_TRACE", "trace.json", 1);
    for (int j = 0; j < 2; j++) {
        BatchRun batch =
            BATCH(PAIR "}\n" PAIR "}\n{\"reference\":\"long-ref.y4m\",\"distorted\":"
                       "\"long-dis.y4m\"}\n" PAIR "}\n" PAIR "}\n" PAIR "}\n",
                  "-n", "--feature", "psnr", "--backend", "hostile", "--jobs", jobs[j]);
        assert_int_equal(batch.run.status, 255);
        batch_expect(&batch, 3, 100, "backend hostile failed at frame ");
        /* The pair that the other job scores at that moment may have lost the device with it; all
         * that come later open it anew. */
        unsigned n_lost = 0, last = 3;
        for (unsigned i = 1; i <= 6; i++) {
            if (i != 3 && j && result_status(&batch, i)) {
                batch_expect(&batch, i, 100, "backend hostile failed at frame ");
                n_lost++;
                last = i;
            } else if (i != 3) {
                batch_expect(&batch, i, 0, "");
            }
        }
        assert_true(n_lost <= 1);
        const unsigned n_opened = count_in_trace("\"open the device\"");
        assert_true(n_opened == 2 || (j && last == 6 && n_opened == 1));
        batch_run_free(&batch);
    }
    unsetenv("VMAF_TRACE");
    unsetenv("VMAF_TEST_HOSTILE");
    unsetenv("VMAF_BACKEND_PATH");
}

static void wait_until_said(const char *words)
{
    char *said;
    while (!(said = file_content("said")) || !strstr(said, words)) {
        free(said);
        usleep(20000);
    }
    free(said);
}

static bool all_threads_sleep(pid_t process)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/task", (int)process);
    DIR *tasks = opendir(path);
    bool all = true;
    for (struct dirent *task; tasks && (task = readdir(tasks));) {
        char stat[384];
        snprintf(stat, sizeof(stat), "%s/%s/stat", path, task->d_name);
        char *text = file_content(stat);
        const char *state = text ? strrchr(text, ')') : NULL;
        all = all && (!state || state[2] == 'S');
        free(text);
    }
    if (tasks)
        closedir(tasks);
    return all;
}

/* Until the batch has taken all lines, and goes on only if something comes. */
static void wait_until_it_waits(const Talk *talk)
{
    int waiting = 0;
    do {
        usleep(1000);
        assert_int_equal(ioctl(fileno(talk->list), FIONREAD, &waiting), 0);
    } while (waiting || !all_threads_sleep(talk->child));
}

/* The pair that has lost the device waits for its reference, and has the device still. */
CASE(a_pair_that_begins_while_a_lost_device_is_held_waits_for_it)
{
    enum { FRAMES = 6 };
    unsigned line;
    setenv("VMAF_BACKEND_PATH", getenv("HOSTILE_BACKEND"), 1);
    setenv("VMAF_TEST_HOSTILE", "submit-loses-device@5", 1);
    assert_int_equal(mkfifo("slow", 0600), 0);
    Talk talk = talk_start(
        WORDS("-n", "--feature", "psnr", "--backend", "hostile", "--jobs", "2", "--threads", "1"));
    talk_say(&talk, "{\"reference\":\"slow\",\"distorted\":\"long-dis.y4m\"}\n");
    FILE *slow = fopen("slow", "w");
    size_t size;
    unsigned char *bytes = clip_make(&(Clip){.width = 96, .height = 64, .frames = FRAMES}, &size);
    fwrite(bytes, 1, size, slow);
    fflush(slow);
    wait_until_said("backend hostile failed at frame ");
    talk_say(&talk, PAIR "}\n");
    wait_until_it_waits(&talk); /* or it would fail now */
    const size_t header = (size_t)((unsigned char *)memchr(bytes, '\n', size) + 1 - bytes);
    fwrite(bytes + header, 1, size - header, slow);
    fclose(slow);
    free(bytes);
    for (int i = 0; i < 2; i++) {
        const int status = talk_hear(&talk, &line);
        assert_int_equal(status, line == 1 ? 100 : 0);
    }
    assert_int_equal(talk_wait(&talk), 255);
    remove("slow");
    remove("said");
    unsetenv("VMAF_TEST_HOSTILE");
    unsetenv("VMAF_BACKEND_PATH");
}

/* The driver may still use the pictures of its pair; the others go on, and so does the program. */
CASE(a_driver_that_hangs_ends_its_pair)
{
    setenv("VMAF_BACKEND_PATH", getenv("HOSTILE_BACKEND"), 1);
    setenv("VMAF_TEST_HOSTILE", "collect-hangs@30", 1);
    setenv("VMAF_TEST_HOSTILE_EXIT", "1", 1);
    BatchRun batch = BATCH("{\"reference\":\"long-ref.y4m\",\"distorted\":\"long-dis.y4m\"}\n" PAIR
                           ",\"options\":[\"--backend\",\"cpu\"]}\n" PAIR "}\n",
                           "-n", "--feature", "psnr", "--backend", "hostile");
    assert_int_equal(batch.run.status, 255);
    batch_expect(&batch, 1, 100, "backend hostile failed at frame ");
    batch_expect(&batch, 2, 0, "");
    batch_expect(&batch, 3, 100, "given up in this process");
    batch_run_free(&batch);
    unsetenv("VMAF_TEST_HOSTILE_EXIT");
    unsetenv("VMAF_TEST_HOSTILE");
    unsetenv("VMAF_BACKEND_PATH");
}

/* -- ends -- */

CASE(an_interrupt_ends_a_batch_that_waits)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (int i = 0; i < 3; i++) {
        unsigned line;
        Talk talk = talk_start(WORDS("--jobs", "2"));
        talk_say(&talk, PAIR "}\n");
        assert_int_equal(talk_hear(&talk, &line), 0);
        kill(talk.child, signals[i]);
        assert_int_equal(fgetc(talk.results), EOF); /* else only the alarm ends it */
        assert_int_equal(talk_wait(&talk), 130);
        expect_said("interrupted\n");
    }
}

/* A pair of which nothing comes any more, with lines that are known, and one that has not begun. */
CASE(an_interrupt_ends_pairs_and_writes_what_is_known)
{
    unsigned line;
    assert_int_equal(mkfifo("slow", 0600), 0);
    Talk talk = talk_start(WORDS("--jobs", "1"));
    talk_say(&talk, PAIR "}\n{\"reference\":\"slow\",\"distorted\":\"dis.y4m\",\"output\":"
                         "\"cut.ndjson\",\"options\":[\"-n\",\"--feature\",\"psnr\"]}\n" PAIR
                         ",\"output\":\"never.json\"}\n");
    assert_int_equal(talk_hear(&talk, &line), 0);
    FILE *slow = fopen("slow", "w");
    size_t size;
    unsigned char *bytes = clip_make(&(Clip){.width = 96, .height = 64, .frames = 3}, &size);
    fwrite(bytes, 1, size, slow);
    fflush(slow);
    char *lines = NULL;
    while (!lines || occurrences(lines, "\n") < 2) { /* the run goes on */
        free(lines);
        lines = file_content("cut.ndjson");
        usleep(20000);
    }
    free(lines);
    kill(talk.child, SIGINT);
    assert_int_equal(talk_hear(&talk, &line), 255);
    assert_int_equal(line, 2);
    assert_int_equal(fgetc(talk.results), EOF);
    assert_int_equal(talk_wait(&talk), 130);
    expect_said("line 2: interrupted\n");
    lines = file_content("cut.ndjson");
    assert_non_null(lines);
    assert_non_null(strstr(lines, "{\"error\":\"interrupted\",\"frame\":"));
    assert_false(file_exists("never.json"));
    free(lines);
    free(bytes);
    fclose(slow);
    remove("cut.ndjson");
    remove("slow");
}

CASE(results_that_cannot_be_written_end_the_batch)
{
    unsigned line;
    Talk talk = talk_start(WORDS("--jobs", "1"));
    talk_say(&talk, PAIR "}\n");
    assert_int_equal(talk_hear(&talk, &line), 0);
    fclose(talk.results);
    talk.results = fopen("/dev/null", "r");
    talk_say(&talk, PAIR "}\n" PAIR ",\"output\":\"never.json\"}\n");
    FILE *list = talk.list;
    talk.list = NULL; /* which goes on */
    assert_int_equal(talk_wait(&talk), 255);
    fclose(list);
    assert_false(file_exists("never.json"));
    expect_said("could not write to standard output");

    file_put_text("list.ndjson", PAIR "}\n" PAIR ",\"output\":\"never.json\"}\n");
    char command[4096];
    snprintf(command, sizeof(command), "'%s' batch list.ndjson >/dev/full 2>said", getenv("VMAF"));
    const int status = system(command);
    assert_int_equal(WEXITSTATUS(status), 255);
    assert_false(file_exists("never.json"));
    expect_said("could not write to standard output");
    remove("list.ndjson");
}

/* Results in a file are not replaced by a report. */
CASE(a_report_does_not_replace_the_results)
{
    char command[4096];
    file_put_text("list.ndjson", PAIR ",\"output\":\"results\"}\n");
    snprintf(command, sizeof(command), "'%s' batch list.ndjson >results 2>said", getenv("VMAF"));
    const int status = system(command);
    assert_int_equal(WEXITSTATUS(status), 255);
    expect_said("line 1: standard output has the results of the batch");
    remove("list.ndjson");
    remove("results");
}

CASES_SHARE(make_clips, program_leave_folder);
