/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "output.h"

/* What a run has found, as a short table for who sits at a terminal; elsewhere nothing. */
void summary_print(const ScoredVideo videos[], unsigned n);

#endif
