/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_SESSION_SELF_TEST_H
#define CORE_BACKEND_SESSION_SELF_TEST_H

#include "backend/session/backend_session.h"

/*
 * Has built-in sequences accumulated by the backend and by the CPU, for each request that the
 * coverage accepts and promises to be exact, with the options, depth and format of the workload:
 * consecutive frames, a jump with context frames, several frames in flight, wide frames and high
 * ones. Requests
 * whose records differ become VMAF_PLACEMENT_SELF_TEST. 0; or an error with an availability if the
 * backend could not do it at all.
 */
int self_test_run(BackendDevice *device, const BackendSessionParams *params,
                  BackendCoverage coverage[], BackendAvailability *availability);

#endif
