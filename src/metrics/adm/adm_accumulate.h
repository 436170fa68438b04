/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_ADM_ADM_ACCUMULATE_H
#define METRICS_ADM_ADM_ACCUMULATE_H

/* Pixels to records; the functions are those of FeatureExtractor. */

#include "metrics/framework/extractor.h"

int adm_plan_create(void **plan, const PictureFormat *format, const void *const variants[],
                    unsigned n_variants, unsigned cpu_flags);
int adm_scratch_create(void **scratch, const void *plan);
void adm_scratch_destroy(void *scratch);
int adm_accumulate(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                   void *const records[]);
int adm_accumulate_shared(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                          void *const records[], ReferenceUse use);

/* Rows of a band that several distorted pictures share. Those around it are computed twice. */
enum { ADM_SHARED_ROWS = 256 };

#endif
