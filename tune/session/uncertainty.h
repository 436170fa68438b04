/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_SESSION_UNCERTAINTY_H
#define TUNE_SESSION_UNCERTAINTY_H

/* What a sidecar says of how much scores are to be trusted. */

#include "common/messages.h"
#include "tune/engine/score_statistics.h"
#include "tune/rows/row.h"

typedef struct Uncertainty {
    ConfidenceWidths widths;
    bool has_residuals; /* rows without an interval get one */
    Calibration calibration;
    double alpha;
    size_t n_residuals;
} Uncertainty;

/* Default widths, and no residuals. */
void uncertainty_init(Uncertainty *uncertainty);

/*
 * Reads a sidecar: {"tight_interval_max_width", "wide_interval_min_width"} and
 * {"method": "split-conformal", "alpha", "residuals"}, both or one of them. 0. -EINVAL or the error
 * of reading it, and the message says what is wrong: then the defaults hold.
 */
int uncertainty_load(Uncertainty *uncertainty, const char *path, Message *message);

/* The interval of a row: its own, else by residuals, else NAN. */
ScoreInterval uncertainty_interval(const Uncertainty *uncertainty, const Row *row);

#endif
