/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_VIF_FLOAT_VIF_PLAN_H
#define METRICS_FLOAT_VIF_FLOAT_VIF_PLAN_H

#include "metrics/common/resample.h"
#include "metrics/float_vif/float_vif.h"
#include "metrics/float_vif/float_vif_kernels.h"
#include "metrics/float_vif/float_vif_window.h"

enum { REFERENCE, DISTORTED, PICTURES };
enum { REF_REF, DIST_DIST, REF_DIST, PRODUCTS };
enum { IMAGES = PICTURES + PRODUCTS }; /* that are filtered for the statistics */

/* Variants that look at the same pyramid: they differ in what they make of the statistics. */
typedef struct FloatVifPyramid {
    const FloatVifOptions *options; /* of the first such variant */
    unsigned w[FLOAT_VIF_SCALES], h[FLOAT_VIF_SCALES];
    FloatVifWindow windows[FLOAT_VIF_SCALES];
    Resampler *resampler; /* NULL: the pictures are used as they are */
    bool needs_scale0;    /* some variant does not skip it */
} FloatVifPyramid;

typedef struct FloatVifVariant {
    unsigned pyramid;
    bool skip_scale0;
    FloatVifParameters parameters;
} FloatVifVariant;

typedef struct FloatVifPlan {
    PictureFormat format;
    float to_8bit;
    FloatVifKernels kernels;
    unsigned n_variants, n_pyramids;
    FloatVifVariant *variants;
    FloatVifPyramid *pyramids;
    unsigned max_w, max_h; /* of scale 0 of any pyramid */
    int max_radius;
    bool resizes;
} FloatVifPlan;

#endif
