/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* clang-format off */

/*
 * Made by tools/model-tables from the model files that are published at
 * https://github.com/Netflix/vmaf under the licence BSD-2-Clause-Patent.
 * Copyright Netflix, Inc. Do not edit.
 */

#ifndef CORE_MODEL_BUILTIN_SVR_TABLES_H
#define CORE_MODEL_BUILTIN_SVR_TABLES_H

#include "model/svr.h"

extern const SvrTable svr_vmaf_v0_6_1[1];
extern const SvrTable svr_vmaf_4k_v0_6_1[1];
extern const SvrTable svr_vmaf_b_v0_6_3[21];
extern const SvrTable svr_vmaf_v1_0_16_3d0h[1];

#endif
