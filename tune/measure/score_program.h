/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_SCORE_PROGRAM_H
#define TUNE_MEASURE_SCORE_PROGRAM_H

/*
 * Scores by another program, for comparisons: frames of both videos are written to Y4M files beside
 * the encode, which takes as much room as that, and the program is given them and reports as JSON.
 */

#include "tune/measure/scorer.h"

enum { SCORE_VERSION_SIZE = 128 };

/* What the program calls itself. 0; -ENOENT and others: it cannot be run, or has no version; and
 * why. -ECANCELED. */
int score_program_version(const char *program, const atomic_bool *stop,
                          char version[SCORE_VERSION_SIZE], Message *why);

/* As score_encode, with options whose program is not NULL. */
int score_by_program(TuneReference *reference, const char *encode, const ScoreOptions *options,
                     const ScoreControl *control, EncodeScores *scores, Message *why);

#endif
