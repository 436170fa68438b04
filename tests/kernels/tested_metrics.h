/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_TESTED_METRICS_H
#define TESTS_KERNELS_TESTED_METRICS_H

#include "session.h"

/* The metrics with which tests try the pipeline: they take any size from 17x17 on, their records
 * are sums, and they are fast. test_metrics.c tries all. */
enum { N_TESTED_METRICS = 4 };
static const char *const tested_metrics[N_TESTED_METRICS] = {"adm", "motion", "psnr", "vif"};

/* A plan for these metrics, or others, with default options; the rest of the parameters is given.
 * Returns the status; there is a plan if it is VMAF_BACKEND_OK. */
int32_t tested_plan_create(VmafDevice *device, const char *const features[N_TESTED_METRICS],
                           const VmafBackendPlanParams *given, VmafBackendPlan **plan);

#endif
