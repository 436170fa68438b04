/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_BENCHMARK_H
#define TUNE_COMMANDS_BENCHMARK_H

/* vmaf-tune benchmark: compares the bitrates that encoders need for a quality, by rows that were
 * measured before. */

#include "common/messages.h"
#include "tune/rows/row.h"

#include <stdio.h>

typedef struct BenchmarkOptions {
    double target;        /* the score to be reached */
    const char *baseline; /* the encoder that others are compared with; NULL: the cheapest that
                           * reaches the target */
} BenchmarkOptions;

/* What an encoder needs for one source. */
typedef struct BenchmarkSource {
    size_t source; /* which */
    bool met;
    const Row *best;  /* the cheapest row that reaches the target, else the best there is */
    double delta_pct; /* of its bitrate, against the baseline's of the same source; NAN: it has none
                       */
} BenchmarkSource;

typedef struct BenchmarkEntry {
    const char *encoder;
    bool met; /* for all its sources */
    BenchmarkSource *sources;
    size_t n_sources;
    size_t n_rows, n_presets;
    double score;     /* mean over sources */
    double margin;    /* least score over sources, minus target */
    double kbps;      /* geometric mean over sources */
    double delta_pct; /* by the geometric mean of ratios over the sources that the baseline has; NAN
                         without one */
    double encode_fps, score_fps; /* means over rows; NAN: unknown */
} BenchmarkEntry;

typedef struct Benchmark {
    BenchmarkEntry *entries; /* those that reach the target first, then by bitrate */
    size_t n;
    size_t n_sources;
    size_t n_skipped; /* rows that failed, or lack score or bitrate */
    double target;
    const char *baseline; /* NULL: no encoder reaches the target for all sources that count */
} Benchmark;

/* Rows and options outlive it. 0; -ENODATA with a message if no row is usable; -EINVAL with one if
 * the baseline is not among the encoders; -ENOMEM. Free with benchmark_free. */
int benchmark_make(Benchmark *benchmark, const Row *rows, size_t n, const BenchmarkOptions *options,
                   Message *message);
void benchmark_free(Benchmark *benchmark);

/* The preset of all best rows, "" if they differ; the same of the quality, ROW_NO_INTEGER. */
const char *benchmark_preset(const BenchmarkEntry *entry);
int64_t benchmark_crf(const BenchmarkEntry *entry);

/* Frames per second of a row's encode, and of its scoring; NAN if the row does not have it. */
double row_encode_fps(const Row *row);
double row_score_fps(const Row *row);

void benchmark_print_markdown(const Benchmark *benchmark, FILE *out);
void benchmark_print_csv(const Benchmark *benchmark, FILE *out);

#endif
