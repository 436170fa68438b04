/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_FLOAT_VIF_FLOAT_VIF_H
#define CORE_FEATURE_FLOAT_VIF_FLOAT_VIF_H

#include "feature/extractor.h"

/* Visual information fidelity at four scales, in floating point. */
extern const FeatureExtractor float_vif_extractor;

enum { FLOAT_VIF_SCALES = 4 };

typedef struct FloatVifOptions {
    bool debug;
    double vif_enhn_gain_limit;
    double vif_kernelscale;
    double vif_prescale;
    double vif_scale_min_val[FLOAT_VIF_SCALES]; /* of scales 1 to 3 */
    const char *vif_prescale_method;
    double vif_sigma_nsq;
    bool vif_skip_scale0;
} FloatVifOptions;

/*
 * The record: sums over the pixels of each scale, rounded to binary32 after every addition in the
 * order of the pixels. Therefore it does not merge.
 */
typedef struct FloatVifRecord {
    float num[FLOAT_VIF_SCALES], den[FLOAT_VIF_SCALES];
} FloatVifRecord;

/* The accumulate half; see FeatureExtractor. */
int float_vif_plan_create(void **plan, const PictureFormat *format, const void *const variants[],
                          unsigned n_variants, unsigned cpu_flags);
void float_vif_plan_destroy(void *plan);
int float_vif_scratch_create(void **scratch, const void *plan);
void float_vif_scratch_destroy(void *scratch);
int float_vif_accumulate(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                         void *const records[]);

#endif
