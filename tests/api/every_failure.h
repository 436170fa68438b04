/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_API_EVERY_FAILURE_H
#define TESTS_API_EVERY_FAILURE_H

/*
 * Scenarios that are run over and over; in run n the n-th allocation fails, whoever asks for it.
 * Every run must either tell of the failure or give the scores of a run that had memory, and must
 * free what it took.
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

/* Fails the test if a run does not what it must; `is_honest` says whether an error may be one of
 * memory that ran out. With a step
 * above 1 only every so many-th allocation fails. */
void every_failure_run(void (*scenario)(Outcome *), bool (*is_honest)(const Outcome *),
                       unsigned step);

#endif
