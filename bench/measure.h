/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdint.h>

#include "clips.h"

typedef struct BenchSubject {
    const char *name; /* feature extractor, or built-in model */
    int is_model;     /* 1: everything up to the pooled score */
    unsigned threads; /* worker threads, 0 for none */
    uint64_t cpumask; /* as in VmafConfiguration */
    unsigned frames;  /* pairs per run */
    unsigned runs;    /* after one that does not count */
} BenchSubject;

/* Milliseconds per frame, and MiB. */
typedef struct BenchFigures {
    double cpu_min, cpu_median, wall_min, wall_median;
    double
        memory; /* most anonymous memory that the library held on top of the frames; 0: unknown */
} BenchFigures;

enum { BENCH_MAX_RUNS = 100 };

/* Returns 0 or the error of the library. */
int bench_measure(const BenchSubject *subject, const BenchClips *clips, BenchFigures *figures);

#endif
