/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_FEATURE_PLAN_H
#define TESTS_KERNELS_FEATURE_PLAN_H

#include "libvmaf/backend.h"
#include "metrics/framework/extractor.h"
#include "session.h"

/* Features on devices, asked for as the library does. What fails without a reason of the test's
 * fails the test. */

enum { FEATURE_PLAN_MAX_REQUESTS = 12, FEATURE_PLAN_MAX_OPTIONS = 20 };

/* One feature with several sets of options. */
typedef struct FeaturePlanParams {
    const FeatureExtractor *feature;
    void *const *options;
    uint32_t n_requests;
    const PictureFormat *format;
    uint32_t frames_in_flight;
} FeaturePlanParams;

VmafBackendPlan *feature_plan_create(VmafDevice *device, const FeaturePlanParams *params);
VmafBackendAnswer feature_plan_answer(const VmafBackendPlan *plan, uint32_t request);
VmafBackendSession *feature_plan_session(VmafBackendPlan *plan);
VmafBackendPicture feature_plan_picture(const VmafPicture *pic);

#endif
