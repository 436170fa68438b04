/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_DRIVER_ERROR_H
#define TESTS_EMULATION_CUDA_DRIVER_ERROR_H

#include <stdbool.h>

#include "driver_types.h"

/* "CUDA_ERROR_..." and its words; NULL: not known. */
const char *driver_error_name(CudaResult result);
const char *driver_error_text(CudaResult result);
/* The error of a name, or of a number. */
bool driver_error_of(const char *name, CudaResult *result);

#endif
