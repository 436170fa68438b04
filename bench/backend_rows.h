/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef BENCH_BACKEND_ROWS_H
#define BENCH_BACKEND_ROWS_H

/* What vmaf-backend-bench finds out, as lines of JSON (README.md lists their keys). */

#include <jansson.h>
#include <stdio.h>

#include "backend_drive.h"
#include "backend_settings.h"

typedef struct BackendRows {
    FILE *file; /* NULL: none are wanted */
    const BackendSettings *settings;
    const Drive *drive;
} BackendRows;

/* 0, or -1 with a message on stderr. */
int backend_rows_open(BackendRows *rows, const BackendSettings *settings, const Drive *drive);
/* 0, or -1 with a message on stderr if not all could be written. */
int backend_rows_close(BackendRows *rows);
/* A line: its kind, the backend, the device and the pictures, and then these members, to which the
 * reference is taken over. */
void backend_row(const BackendRows *rows, const char *kind, json_t *members);

/* A span of time: on the clock, and of the processor for this process, in seconds. */
typedef struct BackendSpan {
    double wall, cpu;
} BackendSpan;
BackendSpan backend_span_begin(void);
BackendSpan backend_span_end(BackendSpan begin);
/* Prints a span, and returns the members of a line that say the same. */
json_t *backend_span_print(const char *what, BackendSpan span, unsigned frames);

#endif
