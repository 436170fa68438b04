/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_TUNE_KNOWN_CURVES_H
#define TESTS_TUNE_KNOWN_CURVES_H

/* Searches with an encoder that does not exist: its curves are made of random numbers, so the
 * optimum is known at every step of the scale. */

#include "tests/tune/comparison.h"

typedef enum KnownKind {
    KNOWN_SMOOTH,        /* a bent line, as the prior has it */
    KNOWN_NOISY,         /* with noise of 0.1 as a standard deviation, another at each step */
    KNOWN_PLATEAUS,      /* the encoder rounds its quality to one or two units */
    KNOWN_NON_MONOTONIC, /* from a place within 3 units of the target on, it is better by 1 to 3 for
                          * half a unit to 2 units */
    N_KNOWN_KINDS,
} KnownKind;

enum { N_KNOWN_SCALES = 4, KNOWN_CURVES = 1000 };

typedef struct KnownResult {
    size_t unanswered; /* though a quality reaches the target */
    size_t missed;     /* answers that do not reach it */
    Spread encodes;
    double most_encodes;
    Spread error;     /* of the score */
    Spread bits_over; /* percent above those of the cheapest quality that reaches the target */
} KnownResult;

/* KNOWN_CURVES curves of a kind, always the same ones, each for a target between 75 and 97. */
KnownResult search_known_curves(KnownKind kind, int scale);

/* Row number i of the table in docs/tune_search.md; false after the last. */
bool known_curves_row(int i, char row[COMPARISON_ROW_SIZE]);

#endif
