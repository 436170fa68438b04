/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "arguments.h"
#include "machine.h"

typedef struct Report {
    ArgumentList sizes, depths, only;
    double budget;      /* ms for all runs of a figure */
    unsigned rounds;    /* the best one counts */
    const char *vmaf;   /* the program; NULL: leave it out */
    const char *folder; /* for its videos */

    MachineKernels kernels[MACHINE_MAX_KERNELS];
    unsigned n_kernels;
    unsigned cores;
} Report;

/* Tables, as Markdown on standard output. Each returns 0, or a negative errno after a message. */

/* ms per frame of every feature with every choice of kernels, for each size and depth; and of every
 * model, for the most important size. */
int report_features(const Report *report);
int report_models(const Report *report);

/* The whole program: by size and depth, by number of threads, by number of frames. */
int report_program(const Report *report);

/* Times that do not depend on the length of the video: start, first score, prediction. */
int report_latency(const Report *report);

/* Processor time and voluntary context switches by number of worker threads. */
int report_threads(const Report *report);

/* Size and depth from their texts; -EINVAL. */
int report_parse_format(const char *size, const char *depth, unsigned *width, unsigned *height,
                        unsigned *bits);

/* The beginning of each row of a table: a name, and figures with three significant digits. */
void report_cell(double value);
void report_columns(unsigned n); /* the line below the header: one column of text, n of figures */

/* Shows what is being measured, for someone who waits. */
void report_progress(const char *what);

#endif
