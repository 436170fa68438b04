/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_ADM_FLOAT_ADM_ACCUMULATE_H
#define METRICS_FLOAT_ADM_FLOAT_ADM_ACCUMULATE_H

/* Pixels to records; the functions are those of FeatureExtractor. Whole frames only. */

#include "metrics/framework/extractor.h"

int float_adm_plan_create(void **plan, const PictureFormat *format, const void *const variants[],
                          unsigned n_variants, unsigned cpu_flags);
int float_adm_scratch_create(void **scratch, const void *plan);
void float_adm_scratch_destroy(void *scratch);
int float_adm_accumulate(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                         void *const records[]);

#endif
