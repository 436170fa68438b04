/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_ADM_ADM_REPETITION_H
#define METRICS_ADM_ADM_REPETITION_H

/*
 * Rows of both pictures that equal those two above them: bars above and below a film, flat areas.
 *
 * A row of the bands is made of two pairs of rows of the scale before; the upper pair is the lower
 * one of the row above. So a row whose last two pairs equal the pairs above them equals the row
 * above, and is not computed again. In other pictures pairs differ in the first columns, and to
 * find that out costs next to nothing.
 */

#include <stdbool.h>

typedef struct AdmRepetition {
    unsigned pairs; /* up to the last one that has entered, that equal the pair above */
    unsigned rows;  /* of the bands, up to the last one, that were not made anew */
} AdmRepetition;

static inline void adm_repetition_enter(AdmRepetition *repetition, bool equals_last)
{
    repetition->pairs = equals_last ? repetition->pairs + 1 : 0;
}

/* True if the row that is made of the last two pairs equals the row above. */
static inline bool adm_repetition_of_row(const AdmRepetition *repetition)
{
    return repetition->pairs >= 2;
}

/* Four pairs: the last three rows and the one above them are equal. So what three rows give
 * together, with the last one in it, is what those one row above gave. */
enum { ADM_PAIRS_OF_NEIGHBOURS = 4 };

/* True if the pair that ends with the last row, as a source of the next scale, equals the one
 * above. */
static inline bool adm_repetition_of_sources(const AdmRepetition *repetition)
{
    return repetition->pairs >= ADM_PAIRS_OF_NEIGHBOURS;
}

#endif
