/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_LIVE_REPORT_H
#define CLI_LIVE_REPORT_H

#include "output.h"

#include <stdbool.h>

struct Run;

/*
 * NDJSON reports, of which each line is written as soon as it is known, by a thread of its own. A
 * last line says that the report is complete, or why it is not.
 */
typedef struct LiveReport LiveReport;

/* Opens those of a run, if there are any. Returns the exit status; says what is wrong. */
int live_report_start(struct Run *run);

/* So many pairs were read. False: nothing of the run's outputs can be written any more. NULL is
 * allowed. */
bool live_report_advance(LiveReport *live, unsigned frames);
/* Says why. STATUS_FAILURE. */
int live_report_failed(LiveReport *live);

/* No more frames will come: waits for the lines that are known. NULL is allowed. */
void live_report_finish(LiveReport *live);

/* Is a part of it somewhere where it cannot be taken back? NULL is allowed. */
bool live_report_is_sent(LiveReport *live);

/* The last line, as output kinds write reports. */
int live_report_write(const Output *output, const ScoredVideo *video);

/* Closes what is open; reports without a last line get one that says what went wrong. NULL is
 * allowed, also as the error. */
void live_report_close(LiveReport *live, const char *error);

#endif
