/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "api/every_failure.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "api/failing_malloc.h"
#include "support/cases.h"

enum { PATIENCE_MS = 600000 }; /* after which a block is a leak, however busy the machine is */

void outcome_keep(Outcome *outcome, double score)
{
    outcome->scores[outcome->n_scores++] = score;
}

/* Waits until at most so many blocks are in use; an ending thread frees the last ones. */
static bool falls_to(long outstanding, unsigned limit_ms)
{
    const struct timespec step = {.tv_nsec = 1000000};
    for (unsigned i = 0; i < limit_ms && failing_malloc_outstanding() > outstanding; i++)
        nanosleep(&step, NULL);
    return failing_malloc_outstanding() <= outstanding;
}

/*
 * Blocks that a scenario leaves behind when nothing fails: those that the C library keeps, for
 * example for the stacks of threads. Runs until their number no longer grows. A starting backend
 * continues for a while after its context is closed, so a number read at once may be too high: it
 * counts as grown only if it stays above the last one.
 */
static long settle(void (*scenario)(Outcome *), Outcome *expected)
{
    long outstanding = 0;
    unsigned steady = 0;
    for (unsigned i = 0; i < 50 && steady < 5; i++) {
        *expected = (Outcome){0};
        scenario(expected);
        assert_int_equal(expected->err, 0);
        if (falls_to(outstanding, 2000)) {
            steady++;
        } else {
            outstanding = failing_malloc_outstanding();
            steady = 0;
        }
    }
    assert_int_equal(steady, 5);
    return outstanding;
}

void every_failure_run(void (*scenario)(Outcome *), bool (*is_honest)(const Outcome *),
                       unsigned step)
{
    Outcome expected;
    long outstanding = settle(scenario, &expected);
    unsigned long n_failures = 0, n_survived = 0, n = 1;
    for (bool reached = true; reached; n += step) {
        Outcome outcome = {0};
        failing_malloc_arm(n);
        scenario(&outcome);
        reached = failing_malloc_disarm();
        if (!falls_to(outstanding, PATIENCE_MS))
            fail_msg("allocation %lu failed: %ld blocks leaked, error %d from %s", n,
                     failing_malloc_outstanding() - outstanding, outcome.err,
                     outcome.call ? outcome.call : "nothing");
        if (outcome.err && !is_honest(&outcome))
            fail_msg("allocation %lu failed: error %d from %s", n, outcome.err, outcome.call);
        if (!outcome.err && (outcome.n_scores != expected.n_scores ||
                             memcmp(outcome.scores, expected.scores, sizeof(outcome.scores))))
            fail_msg("allocation %lu failed: no error, but other scores", n);
        n_failures += outcome.err != 0;
        n_survived += reached && !outcome.err;
    }
    print_message("about %lu allocations: %lu failures reported, %lu without consequence\n",
                  n - step, n_failures, n_survived);
    assert_true(n_failures > 0);
}
