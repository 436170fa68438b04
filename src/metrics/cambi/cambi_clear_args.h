/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CAMBI_CAMBI_CLEAR_ARGS_H
#define METRICS_CAMBI_CAMBI_CLEAR_ARGS_H

#include "dialect/types.h"

#define CAMBI_CLEAR_WORDS 1024 /* of a work-group */

struct cambi_clear_args {
    i32 n; /* words */
};
KERNEL_STRUCT(cambi_clear_args)

#endif
