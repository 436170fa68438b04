/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_BENCHMARK_BENCHMARK_REPORT_H
#define TUNE_COMMANDS_BENCHMARK_BENCHMARK_REPORT_H

#include "tune/commands/benchmark/benchmark.h"

#include <stdio.h>

void benchmark_print_markdown(const Benchmark *benchmark, FILE *out);
void benchmark_print_csv(const Benchmark *benchmark, FILE *out);
/* 0; -ENOMEM; -EIO. */
int benchmark_print_json(const Benchmark *benchmark, FILE *out);

#endif
