/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENGINE_KNOB_H
#define TUNE_ENGINE_KNOB_H

#include <stdbool.h>

/* The integer that an encoder has for quality (CRF, QP, CQ ...), called q. */
typedef struct Knob {
    int lowest, highest;
    bool higher_is_better;
} Knob;

/*
 * All searches are made in the compression index k: 0 is the best quality, and quality falls with
 * rising k whatever the direction of the knob.
 */
static inline int knob_index(const Knob *knob, int q)
{
    return knob->higher_is_better ? knob->highest - q : q - knob->lowest;
}

static inline int knob_value(const Knob *knob, int k)
{
    return knob->higher_is_better ? knob->highest - k : knob->lowest + k;
}

static inline int knob_last_index(const Knob *knob)
{
    return knob->highest - knob->lowest;
}

#endif
