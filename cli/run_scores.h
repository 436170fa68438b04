/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_RUN_SCORES_H
#define CLI_RUN_SCORES_H

/* The steps of a run from scores that fail or are complete to its reports; see run_steps.h. */

#include "run_steps.h"

/* The library refuses a pair with this error. */
int run_scoring_failed(Run *run, int err);
/* After the last pair, if all went well: the rest of the scores. The error of the library goes to
 * the second function, once other text can follow. */
int run_flush(Run *run, int *err);
void run_say_flush_failed(const Run *run, int status, int err);
int run_pool_scores(Run *run);
/* As in a JSON report, in one line; to be freed. NULL: there are none. */
char *run_pooled_metrics(const Run *run);
/* All outputs, or one. */
int run_write_reports(Run *run);
int run_write_output(const Run *run, const Output *output);

#endif
