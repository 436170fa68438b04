/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_COMMON_RESAMPLE_H
#define METRICS_COMMON_RESAMPLE_H

/*
 * Resizing of planes in binary32, for metrics that can score a picture as if it were shown at
 * another size. Every output sample is defined to the last bit: by its input samples, their
 * weights, and the order in which the weighted samples are added (not in two passes).
 */

#include "metrics/common/filter_taps.h"
#include "support/log.h"

#include <stddef.h>

/* Finds the method that an option names; -EINVAL with a reason that lists the methods. */
int resample_method_parse(const char *option, const char *value, ResampleMethod *method,
                          Reason *why);
/* The same for a value that has been checked. */
ResampleMethod resample_method(const char *value);

/* Everything that depends on the sizes alone. Constant once created; workers can share it. */
typedef struct Resampler Resampler;

/* 0, -ENOMEM. Sizes are at least 1. */
int resampler_create(Resampler **resampler, ResampleMethod method, unsigned w_in, unsigned h_in,
                     unsigned w_out, unsigned h_out);
void resampler_destroy(Resampler *resampler); /* NULL allowed */

/* Resizes a whole plane. Strides in samples; the planes do not overlap. */
void resampler_run(const Resampler *resampler, const float *in, size_t in_stride, float *out,
                   size_t out_stride);

/* For callers that need few rows or do not keep the whole plane: the numbers of the input rows of
 * row y, 1 to RESAMPLE_MAX_TAPS of them, less than 16 apart; and the row computed from these. */
unsigned resampler_input_rows(const Resampler *resampler, unsigned y,
                              unsigned rows[RESAMPLE_MAX_TAPS]);
void resampler_row(const Resampler *resampler, unsigned y, const float *const rows[], float *out);

/* Checks that a factor of gaussian_window_size is known. 0; -EINVAL with a reason that states the
 * list. */
int gaussian_scale_check(const char *option, double scale, Reason *why);

#endif
