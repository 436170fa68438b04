/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_RUN_SINGLE_H
#define CLI_RUN_SINGLE_H

#include "run_steps.h"

/* What runs of one distorted video have in common, of videos (run.c) and of stored records
 * (shards/stored_run.c). All return the exit status. */

/* Does the steps in turn, up to the first that fails. */
int run_do_steps(Run *run, int (*const steps[])(Run *), size_t n);

/* Steps: the table of scores on a terminal; whether scores are as --require demands. */
int run_show_summary(Run *run);
int run_judge_gates(Run *run);

#endif
