/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "clips.h"

typedef struct BenchSubject {
    const char *name;    /* of a built-in model, or a feature as `vmaf --feature` takes it: with
                            options, "float_ssim=scale=1" */
    unsigned threads;    /* worker threads, 0 for none */
    uint64_t cpumask;    /* as in VmafConfiguration */
    unsigned frames;     /* pairs per run */
    unsigned runs;       /* after one that is not counted */
    const char *backend; /* NULL: the CPU */
    int device;          /* of the backend, or -1 */
    bool joining;        /* the backend is the only candidate of "auto" */
} BenchSubject;

/* Milliseconds per frame, and MiB. */
typedef struct BenchFigures {
    double cpu_min, cpu_median, wall_min, wall_median;
    double memory; /* peak of anonymous memory besides the frames; 0: unknown */
} BenchFigures;

enum { BENCH_MAX_RUNS = 100 };

/* Returns 0 or the error of the library. */
int bench_measure(const BenchSubject *subject, const BenchClips *clips, BenchFigures *figures);

/* One run: milliseconds per frame of processor time, and of elapsed time; both optional. */
int bench_run(const BenchSubject *subject, const BenchClips *clips, double *cpu, double *wall);

/* A context as bench_run uses it. `model` is NULL for a feature, `collection` unless the subject is
 * a collection, whose base model is `model`. Returns 0 or the error of the library, having opened
 * nothing. */
typedef struct BenchContext {
    VmafContext *context;
    VmafModel *model;
    VmafModelCollection *collection;
} BenchContext;
int bench_context_open(BenchContext *context, const BenchSubject *subject);
void bench_context_close(BenchContext *context);

/* Returns free memory to the system and resets the peak of resident memory to its present value,
 * which is returned: anonymous memory in MiB. */
double bench_peak_reset(void);
/* The peak of anonymous memory since then. Both are 0 on systems other than Linux. */
double bench_peak(void);

#endif
