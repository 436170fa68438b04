/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef BENCH_CALIBRATE_VECTOR_H
#define BENCH_CALIBRATE_VECTOR_H

#include <stdint.h>

/*
 * 17 symmetric taps down the columns of an 8-bit plane, in 32-bit integers: a typical image filter.
 * `plane` is FILTER_WIDTH wide and FILTER_HEIGHT + FILTER_TAPS high, `out` receives a value for
 * each of FILTER_WIDTH x FILTER_HEIGHT samples.
 */
enum { FILTER_TAPS = 17, FILTER_WIDTH = 1920, FILTER_HEIGHT = 1080 };

void calibrate_vector(const uint8_t *plane, uint32_t *out);

#endif
