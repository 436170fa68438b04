/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

/* The line on a terminal that tells how far a run is. */
typedef struct Progress {
    FILE *out;
    bool enabled;
    unsigned long long total; /* frames; 0 if not known */
    double started;           /* wall-clock seconds */
    double shown;             /* when the line was last written */
    bool open;                /* the cursor stands behind the line */
} Progress;

void progress_start(Progress *progress, FILE *out, bool enabled, unsigned long long total);

/* Shows the line for `done` frames, at most ten times a second. */
void progress_update(Progress *progress, unsigned long long done);

/* Shows the final count and ends the line, so that other text can follow. */
void progress_end(Progress *progress, unsigned long long done);

/* One line of progress, without its line end: how it looks, apart from when. */
void progress_format(char *text, size_t size, unsigned long long done, unsigned long long total,
                     double seconds);

#endif
