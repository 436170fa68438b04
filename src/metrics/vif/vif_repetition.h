/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_VIF_VIF_REPETITION_H
#define METRICS_VIF_VIF_REPETITION_H

/*
 * Rows of both pictures that equal those above them: bars above and below a film, flat areas.
 *
 * A step is a row, or a pair of rows. Where all steps under a window equal the ones before them,
 * the window holds what it held one step before, and so everything that is computed from it is the
 * same: it is added, or copied, once more. In other pictures rows differ in the first columns, and
 * to find that out costs nothing.
 */

#include <stdbool.h>
#include <stddef.h>

#include "metrics/vif/vif_kernels.h"

typedef struct VifRepetition {
    unsigned run;     /* steps, up to the last one that has entered, that equal the one before */
    bool measured[2]; /* the rows that the sums are from; none at first */
    VifSums sums;     /* what the last step has added */
} VifRepetition;

/* The steps that follow have none before them. The memory for the sums is the caller's. */
void vif_repetition_start(VifRepetition *repetition, int64_t *log_num);

/* A step enters the lower end of the window. */
void vif_repetition_enter(VifRepetition *repetition, bool equals_last);

/* True if measured rows, at least one, add what those of the step before did: if the last n_steps,
 * those under the window, equal the ones before them. */
bool vif_repetition_holds(const VifRepetition *repetition, unsigned n_steps,
                          const bool measured[2]);

/* Memory for what other rows add, empty. */
VifSums *vif_repetition_renew(VifRepetition *repetition, const bool measured[2], unsigned n_limits);

void vif_sums_add(VifSums *sums, const VifSums *more, unsigned n_limits);

#endif
