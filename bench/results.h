/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef BENCH_RESULTS_H
#define BENCH_RESULTS_H

#include <jansson.h>

#include "calibrate.h"
#include "measure.h"

/* Results as JSON: {"calibration": {...}, "results": [{...}, ...]}; NULL if memory runs out. */
json_t *bench_results_new(const BenchCalibration *calibration);

/* Add a line, and print it. `earlier`: results to compare with, or NULL. */
int bench_results_add(json_t *results, const json_t *earlier, const BenchSubject *subject,
                      const SynthClip *clip, const BenchFigures *figures);

void bench_results_print_head(const BenchCalibration *calibration, const json_t *earlier);

#endif
