/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_VIF_FLOAT_VIF_H
#define METRICS_FLOAT_VIF_FLOAT_VIF_H

#include "libvmaf/backend_records.h"
#include "metrics/float_vif/float_vif_options.h"
#include "metrics/framework/extractor.h"

/* Visual information fidelity at four scales, in floating point. */
extern const FeatureExtractor float_vif_extractor;

/* The accumulate half; see FeatureExtractor. */
int float_vif_plan_create(void **plan, const PictureFormat *format, const void *const variants[],
                          unsigned n_variants, unsigned cpu_flags);
void float_vif_plan_destroy(void *plan);
int float_vif_scratch_create(void **scratch, const void *plan);
void float_vif_scratch_destroy(void *scratch);
int float_vif_accumulate(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                         void *const records[]);

#endif
