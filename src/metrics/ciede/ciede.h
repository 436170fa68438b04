/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CIEDE_CIEDE_H
#define METRICS_CIEDE_CIEDE_H

#include "metrics/framework/extractor.h"

/* Mean CIEDE2000 colour difference, as a score in decibels. */
extern const FeatureExtractor ciede_extractor;

/* Sum of the colour differences of a frame, from left to right and from top to bottom. The order of
 * its additions is part of the metric, so it always covers a whole frame. */
typedef struct CiedeRecord {
    double sum;
} CiedeRecord;

/* The accumulate half; see FeatureExtractor. */
int ciede_plan_create(void **plan, const PictureFormat *format, const void *const variants[],
                      unsigned n_variants, unsigned cpu_flags);
void ciede_plan_destroy(void *plan); /* NULL allowed */
int ciede_scratch_create(void **scratch, const void *plan);
int ciede_accumulate(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                     void *const records[]);

#endif
