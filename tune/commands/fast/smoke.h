/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_FAST_SMOKE_H
#define TUNE_COMMANDS_FAST_SMOKE_H

/* A self-test of searches that needs no video and no encoder. */

#include "tune/measure/search_run.h"

enum { SMOKE_LOWEST = 10, SMOKE_HIGHEST = 51 };

/* A curve like that of a video: falls from 99 at 10 to 52 at 51. */
Measurement smoke_measurement(int q);

/* The search on that curve that `plan` describes, between those two values. Returns run->error. */
int smoke_run(const SearchPlan *plan, SearchRun *run);

#endif
