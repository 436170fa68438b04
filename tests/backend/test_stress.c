/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Eight threads score, one context after the other, on two backends that lose their device by
 * chance. Every score has to be that of the CPU. VMAF_TEST_STRESS_RUNS says how often, at least.
 */

#include "support/cases.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend/scoring.h"

#ifdef VMAF_SANITIZED /* which makes it ten times slower, and sees more of each run */
enum { DEFAULT_RUNS = 100 };
#else
enum { DEFAULT_RUNS = 400 };
#endif
enum { N_THREADS = 8, N_VARIANTS = 4 };

static const char *const backends[] = {"stressone", "stresstwo", "auto"};
enum { N_BACKENDS = sizeof(backends) / sizeof(backends[0]) };

static ScoringRun variants[N_VARIANTS];
static ScoringResult truth[N_VARIANTS];
static unsigned n_wanted;

static atomic_uint n_runs, n_lost, n_survived, n_wrong;

static unsigned next(unsigned *random)
{
    *random = *random * 1664525u + 1013904223u;
    return *random >> 8;
}

/* Under auto about one run in a hundred sees a loss, and survives it. */
static bool goes_on(void)
{
    return atomic_load(&n_runs) < n_wanted || !atomic_load(&n_lost) || !atomic_load(&n_survived);
}

static void *score_again_and_again(void *argument)
{
    unsigned random = *(unsigned *)argument;
    ScoringResult *result = calloc(1, sizeof(*result));
    assert_non_null(result);
    while (goes_on()) {
        const unsigned v = next(&random) % N_VARIANTS;
        ScoringRun run = variants[v];
        run.backend = backends[next(&random) % N_BACKENDS];
        run.wait_at = next(&random) % 4;
        run.n_threads = next(&random) % 3;
        run.frames_in_flight = next(&random) % 8 + 1;
        const bool automatic = run.backend == backends[N_BACKENDS - 1];
        run.pace = automatic ? 200 : 0; /* so that the CPU does not take all frames at once */
        scoring_run(&run, result);
        atomic_fetch_add(&n_runs, 1);
        if (result->error && !automatic && result->phase == VMAF_BACKEND_PHASE_FAILED) {
            atomic_fetch_add(&n_lost, 1);
        } else if (result->error || !scoring_equal(&run, &truth[v], result)) {
            fprintf(stderr, "%s: %s returns %d: %s\n", run.backend,
                    result->failing ? result->failing : "nothing", result->error, result->reason);
            atomic_fetch_add(&n_wrong, 1);
        } else if (result->n_events) {
            atomic_fetch_add(&n_survived, 1);
        }
    }
    free(result);
    return NULL;
}

CASE(given_losses_by_chance_then_every_score_is_exact)
{
    static const ScoringRun base = {
        .width = 96,
        .height = 64,
        .depth = 8,
        .pixel_format = VMAF_PIX_FMT_YUV420P,
        .n_frames = 60,
        .features = {{.name = "psnr"},
                     {.name = "motion"},
                     {"motion", "motion_five_frame_window", "true"}},
        .keys = {"psnr_y", "psnr_cr", "VMAF_integer_feature_motion2_score", "integer_motion3_mffw"},
    };
    for (unsigned v = 0; v < N_VARIANTS; v++) {
        variants[v] = base;
        variants[v].width -= 3 * v;
        variants[v].depth = v % 2 ? 10 : 8;
        variants[v].n_subsample = v / 2 + 1;
        variants[v].backend = "cpu";
        scoring_run(&variants[v], &truth[v]);
        assert_int_equal(truth[v].error, 0);
    }
    const char *runs = getenv("VMAF_TEST_STRESS_RUNS");
    n_wanted = runs ? (unsigned)atoi(runs) : DEFAULT_RUNS;
    setenv("VMAF_TEST_HOSTILE", "collect-loses-device-by-chance@150", 1);

    pthread_t threads[N_THREADS];
    unsigned seeds[N_THREADS];
    for (unsigned i = 0; i < N_THREADS; i++) {
        seeds[i] = 12345 + 6789 * i;
        assert_int_equal(pthread_create(&threads[i], NULL, score_again_and_again, &seeds[i]), 0);
    }
    for (unsigned i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    print_message("%u runs: %u ended by a loss, %u survived one\n", atomic_load(&n_runs),
                  atomic_load(&n_lost), atomic_load(&n_survived));
    assert_int_equal(atomic_load(&n_wrong), 0);
}
