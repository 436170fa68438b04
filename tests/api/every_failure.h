/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_API_EVERY_FAILURE_H
#define TESTS_API_EVERY_FAILURE_H

/*
 * Runs scenarios repeatedly; in run n the n-th allocation fails, wherever it is made. Every run
 * must either report the failure or give the scores of an undisturbed run, and must free what it
 * allocated.
 */

#include <stdbool.h>

typedef struct Outcome {
    int err;          /* of the first call that failed */
    const char *call; /* that call */
    double scores[8];
    unsigned n_scores;
} Outcome;

/* Ends a scenario at the first call that fails, at its label `done`. */
#define STEP(expression)                                                                           \
    do {                                                                                           \
        outcome->err = (expression);                                                               \
        if (outcome->err) {                                                                        \
            outcome->call = #expression;                                                           \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

void outcome_keep(Outcome *outcome, double score);

/* Fails the test if a run violates this; `is_honest` says whether an error may mean that memory ran
 * out. With a step n above 1, only every n-th allocation is made to fail. */
void every_failure_run(void (*scenario)(Outcome *), bool (*is_honest)(const Outcome *),
                       unsigned step);

#endif
