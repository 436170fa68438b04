/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Backends that break a rule while frames are scored (plugins/hostile.c). Chosen by name: the run
 * fails with a reason, or has the scores of the CPU. Under "auto": it has them always.
 */

#include "support/cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/scoring.h"

enum {
    N_FRAMES = 60,
    N_FRAMES_SHARED = 300,
    JOINED_AT = 6,
    PACE_US = 300,
    TIME_LIMIT_MS = 400,
    PATIENCE_S = 1800
};

/* What becomes of a run that asks for the backend by name. */
typedef enum Outcome {
    FAILS,     /* an error, phase FAILED, and a reason */
    ON_CPU,    /* the backend takes nothing of it: scores of the CPU */
    TAKES_PART /* scores by the backend, equal to the CPU's */
} Outcome;

typedef struct Case {
    const char *behaviour;
    Outcome outcome;
    const char *reason; /* part of what is said when it fails */
} Case;

static const Case cases[] = {
    {"harmless", TAKES_PART, NULL},
    {"plan-fails", FAILS, "no plan can be made today"},
    {"plan-hangs", FAILS, "it did not open a session within 400 ms"},
    {"plan-declines", ON_CPU, NULL},
    {"plan-lies-about-size", ON_CPU, NULL},
    {"plan-lies-about-count", ON_CPU, NULL},
    {"plan-has-no-slots", FAILS, "its plan has no slots"},
    {"plan-has-billions-of-slots", TAKES_PART, NULL},
    {"plan-reads-unknown-planes", FAILS, "planes that the features do not have"},
    {"open-fails", FAILS, "no session can be opened today"},
    {"open-runs-out-of-memory", FAILS, "the device is full"},
    {"open-gives-null", FAILS, "session_open"},
    {"open-hangs", FAILS, "it did not open a session within 400 ms"},
    {"submit-fails@20", FAILS, "it is a hostile backend"},
    {"submit-is-invalid@20", FAILS, "it is a hostile backend"},
    {"submit-loses-device@20", FAILS, "the device is lost"},
    {"submit-hangs@20", FAILS, "it does not return from submit"},
    {"collect-fails@20", FAILS, "it is a hostile backend"},
    {"collect-loses-device@20", FAILS, "the device is lost"},
    {"collect-runs-out-of-memory@20", FAILS, "out of memory"},
    {"collect-hangs@20", FAILS, "it does not return from collect"},
    {"collect-never-answers@20", FAILS, "no answer to a frame within 400 ms"},
    {"collect-has-nothing@20", FAILS, "it failed in collect"},
    {"collect-returns-nonsense@20", FAILS, "it failed in collect"},
    {"collect-swaps-frames@20", FAILS, "it answered out of order"},
    {"collect-answers-twice@20", FAILS, "it answered out of order"},
    {"collect-states-failure@20", FAILS, "psnr: no record of a frame"},
    {"collect-leaves-status@20", FAILS, "psnr: no record of a frame"},
    {"collect-overruns-record@20", FAILS, "it wrote beyond a record"},
    {"plan-overruns-reason+1", FAILS, "plan_create writes beyond its reason"},
    {"plan-overruns-reason+4", FAILS, "plan_create writes beyond its reason"},
    {"plan-overruns-reason+512", FAILS, "plan_create writes beyond its reason"},
    {"plan-overruns-info+1", FAILS, "plan_info writes beyond its result"},
    {"plan-overruns-info+4", FAILS, "plan_info writes beyond its result"},
    {"plan-overruns-info+512", FAILS, "plan_info writes beyond its result"},
    {"plan-overruns-answer+1", FAILS, "plan_answer writes beyond its result"},
    {"plan-overruns-answer+4", FAILS, "plan_answer writes beyond its result"},
    {"plan-overruns-answer+512", FAILS, "plan_answer writes beyond its result"},
    {"open-overruns-reason+1", FAILS, "session_open writes beyond its reason"},
    {"open-overruns-reason+4", FAILS, "session_open writes beyond its reason"},
    {"open-overruns-reason+512", FAILS, "session_open writes beyond its reason"},
    {"open-overruns-reason-of-failure+1", FAILS, "session_open writes beyond its reason"},
    {"open-overruns-reason-of-failure+4", FAILS, "session_open writes beyond its reason"},
    {"open-overruns-reason-of-failure+512", FAILS, "session_open writes beyond its reason"},
    {"collect-overruns-result+1", FAILS, "collect writes beyond its result"},
    {"collect-overruns-result+4", FAILS, "collect writes beyond its result"},
    {"collect-overruns-result+512", FAILS, "collect writes beyond its result"},
    {"collect-overruns-status+1", FAILS, "collect writes beyond its result"},
    {"collect-overruns-status+4", FAILS, "collect writes beyond its result"},
    {"collect-overruns-status+512", FAILS, "collect writes beyond its result"},
    {"error-overruns-text+1", FAILS, "last_error writes beyond its text"},
    {"error-overruns-text+4", FAILS, "last_error writes beyond its text"},
    {"error-overruns-text+512", FAILS, "last_error writes beyond its text"},
    {"record-out-of-bounds@20", FAILS, "out of bounds"},
    {"record-out-of-bounds", FAILS, "out of bounds"},
    {"record-slightly-wrong", ON_CPU, NULL},
    /* One frame after the other of the five of the self-test. */
    {"record-wrong-once@0", ON_CPU, NULL},
    {"record-wrong-once@1", ON_CPU, NULL},
    {"record-wrong-once@2", ON_CPU, NULL},
    {"record-wrong-once@3", ON_CPU, NULL},
    {"record-wrong-once@4", ON_CPU, NULL},
    {"waits-for-flush", TAKES_PART, NULL},
    {"flush-fails", FAILS, "it is a hostile backend"},
    {"flush-fails@20", FAILS, "it is a hostile backend"},
    {"cancel-hangs", FAILS, "it did not open a session within 400 ms"},
    {"cancel-hangs@20", TAKES_PART, NULL},
    {"close-hangs", FAILS, "it did not open a session within 400 ms"},
    {"close-hangs@20", TAKES_PART, NULL},
    {"close-leaks", TAKES_PART, NULL},
    {"rounds-upward", TAKES_PART, NULL},
    {"changes-errno", TAKES_PART, NULL},
    {"error-is-not-text", TAKES_PART, NULL},
    {"is-slow", TAKES_PART, NULL},
};
enum { N_CASES = sizeof(cases) / sizeof(cases[0]) };

static const ScoringRun clip = {
    .width = 64,
    .height = 48,
    .depth = 8,
    .pixel_format = VMAF_PIX_FMT_YUV420P,
    .n_frames = N_FRAMES,
    .n_threads = 2,
    .features = {{.name = "psnr"}, {.name = "motion"}},
    .keys = {"psnr_y", "psnr_cb", "psnr_cr", "VMAF_integer_feature_motion2_score",
             "VMAF_integer_feature_motion3_score"},
};

/* Result of a process whose run went well without the backend having come to what it does wrong:
 * under "auto" it shares the frames with the CPU. */
enum { NOTHING_HAPPENED = 3, ATTEMPTS = 10 };

/* ---- in a process of its own, as a plugin that hangs is dead for the whole process ---- */

static int complain(const char *what, const ScoringResult *result)
{
    fprintf(stderr,
            "%s (%s: %d, phase %d, active %d, placement %d, %u events, reason '%s', event '%s')\n",
            what, result->failing ? result->failing : "no error", result->error, (int)result->phase,
            result->was_active, (int)result->placement[0], result->n_events, result->reason,
            result->event_reason);
    return 1;
}

/* The clip, with a short time limit only for those that use it up. */
static ScoringRun run_of(const Case *c)
{
    ScoringRun run = clip;
    if (strstr(c->behaviour, "hangs") || strstr(c->behaviour, "never"))
        run.time_limit = TIME_LIMIT_MS;
    return run;
}

static int check_strict(const Case *c, const ScoringResult *cpu)
{
    static ScoringResult result;
    ScoringRun run = run_of(c);
    run.backend = "hostile";
    scoring_run(&run, &result);
    if (c->outcome == FAILS) {
        if (!result.error || result.phase != VMAF_BACKEND_PHASE_FAILED)
            return complain("it does not fail", &result);
        if (!result.reason[0] || !strstr(result.reason, c->reason))
            return complain("the reason is another", &result);
        return strcmp(result.name, "hostile") ? complain("the name is another", &result) : 0;
    }
    if (result.error)
        return complain("it fails", &result);
    if (!scoring_equal(&run, cpu, &result))
        return complain("the scores differ", &result);
    if (result.on_backend[0] != (c->outcome == TAKES_PART))
        return complain("the features are computed elsewhere", &result);
    return 0;
}

static int check_auto(const Case *c, const ScoringResult *cpu)
{
    static ScoringResult result;
    ScoringRun run = run_of(c);
    run.backend = "auto";
    run.wait_at = JOINED_AT;
    run.pace = PACE_US;
    run.n_frames = N_FRAMES_SHARED;
    scoring_run(&run, &result);
    if (result.error)
        return complain("it fails", &result);
    if (!scoring_equal(&run, cpu, &result))
        return complain("the scores differ", &result);
    if (result.n_events > 1)
        return complain("it is said more than once", &result);
    if (c->outcome == TAKES_PART && !result.was_active)
        return complain("it has not taken part", &result);
    if (c->outcome != FAILS && result.n_events)
        return complain("something is said to have happened", &result);
    /* What fails at a frame has taken part before; what fails earlier has not. */
    const bool at_frame = strchr(c->behaviour, '@') != NULL;
    if (c->outcome == FAILS && !at_frame && result.was_active)
        return complain("it has taken part", &result);
    if (c->outcome == FAILS && at_frame && !strstr(result.event_reason, c->reason))
        return result.n_events ? complain("the event is another", &result) : NOTHING_HAPPENED;
    return 0;
}

static int run_case(const char *mode, const Case *c)
{
    static ScoringResult cpu;
    ScoringRun run = run_of(c);
    const bool strict = !strcmp(mode, "strict");
    run.backend = "cpu";
    run.n_frames = strict ? N_FRAMES : N_FRAMES_SHARED;
    alarm(PATIENCE_S);
    scoring_run(&run, &cpu);
    if (cpu.error)
        return complain("the CPU fails", &cpu);
    setenv("VMAF_TEST_HOSTILE", c->behaviour, 1);
    return strict ? check_strict(c, &cpu) : check_auto(c, &cpu);
}

/* ---- the tests: one process for each case and mode ---- */

static int status_of_process(const char *mode, const Case *c)
{
    char number[16];
    snprintf(number, sizeof(number), "%zu", (size_t)(c - cases));
    const pid_t child = fork();
    if (child == 0) {
        /* What a plugin that hangs could still touch is left to it, on purpose. */
        if (strstr(c->behaviour, "hangs") || strstr(c->behaviour, "leaks"))
            setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
        execl("/proc/self/exe", "test_failing", "--again", mode, number, (char *)NULL);
        _exit(127);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void spawn(const char *mode, const Case *c)
{
    int status = NOTHING_HAPPENED;
    for (unsigned i = 0; i < ATTEMPTS && status == NOTHING_HAPPENED; i++)
        status = status_of_process(mode, c);
    if (status)
        print_error("%s with %s: status %d\n", mode, c->behaviour, status);
    assert_int_equal(status, 0);
}

static void test_chosen_by_name(void **state)
{
    spawn("strict", *state);
}

static void test_under_auto(void **state)
{
    spawn("auto", *state);
}

int main(int argc, char **argv)
{
    if (take_argument(&argc, &argv, "--again"))
        return run_case(argv[1], &cases[strtoul(argv[2], NULL, 10) % N_CASES]);
    static struct CMUnitTest tests[2 * N_CASES];
    static char test_names[2 * N_CASES][64];
    for (unsigned i = 0; i < 2 * N_CASES; i++) {
        const Case *c = &cases[i / 2];
        snprintf(test_names[i], sizeof(test_names[i]), "%s: %s", c->behaviour,
                 i % 2 ? "auto" : "by name");
        tests[i] = (struct CMUnitTest){.name = test_names[i],
                                       .test_func = i % 2 ? test_under_auto : test_chosen_by_name,
                                       .initial_state = (void *)c};
    }
    return run_cases_of(argc, argv, tests);
}
