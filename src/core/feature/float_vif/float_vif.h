/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_FLOAT_VIF_FLOAT_VIF_H
#define CORE_FEATURE_FLOAT_VIF_FLOAT_VIF_H

#include "definition/float_vif/float_vif_options.h"
#include "feature/extractor.h"
#include "libvmaf/backend_records.h"

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
