/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

/* The parts of vmaf-bench-report. */

#include <stdint.h>

#include "bench.h"

/* ---- The machine ---- */

/* A choice of kernels that this machine supports. */
typedef struct MachineKernels {
    const char *name;
    uint64_t cpumask; /* that selects it */
} MachineKernels;

enum { MACHINE_MAX_KERNELS = 3 };

/* Voluntary context switches of this process so far. */
double machine_voluntary_switches(void);

/* Prints a line of Markdown: the current calibration, and the load. */
int machine_print_calibration(void);

/* ---- The program `vmaf` with the default model, on videos in the page cache ---- */

typedef struct ProgramVideos {
    char folder[256], reference[300], distorted[300], report[300];
} ProgramVideos;

/* Writes a pair of Y4M files into a new folder inside `parent`. 0 or a negative errno. */
int program_videos_make(ProgramVideos *videos, const char *parent, unsigned width, unsigned height,
                        unsigned depth, unsigned frames);
void program_videos_remove(const ProgramVideos *videos);

typedef struct ProgramRun {
    const char *vmaf;
    const ProgramVideos *videos;
    uint64_t cpumask;
    unsigned threads, frames;
    unsigned encodes; /* how often the distorted video is given; 0: once */
} ProgramRun;

enum { PROGRAM_MAX_ENCODES = 16 };

/* Milliseconds of the whole process, and its peak of resident memory, in MiB. */
typedef struct ProgramResult {
    double cpu, wall, memory;
} ProgramResult;

/* Runs the program once and lowers the numbers of `best` to those of the run. 0 or a negative
 * errno; -EIO if the program fails. */
int program_run(const ProgramRun *run, ProgramResult *best);

/* ---- Tables ---- */

typedef struct Report {
    ArgumentList sizes, depths, only;
    double budget;      /* ms for all runs of a result */
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
/* Pictures of this size and depth. */
int report_make_clips(BenchClips *clips, const char *size, const char *depth);

/* The beginning of each row of a table: a name, and numbers with three significant digits. */
void report_cell(double value);
void report_columns(unsigned n); /* the line below the header: one column of text, n of numbers */

/* Shows what is being measured, for someone who waits. */
void report_progress(const char *what);

#endif
