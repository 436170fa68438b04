/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FRAMEWORK_SCORE_TABLE_H
#define METRICS_FRAMEWORK_SCORE_TABLE_H

/* Scores as reports show them: a column for each key, and aggregates over all frames. */

#include "support/series.h"

typedef struct ScoreColumn {
    const char *name; /* as printed */
    const Series *scores;
} ScoreColumn;

typedef struct ScoreAggregate {
    const char *name;
    double value;
} ScoreAggregate;

#endif
