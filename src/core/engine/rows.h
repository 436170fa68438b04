/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_ROWS_H
#define CORE_ENGINE_ROWS_H

#include "engine/context.h"

/* Key and report name of column `index`: of those that there are, and until the flush also of those
 * that the registered features will have. 0; -ERANGE; -ENOMEM. */
int rows_column(VmafContext *context, size_t index, const char **key, const char **name);

/* Waits until the scores of features of a frame are known. 0; -EAGAIN if they depend on frames that
 * were not read; -EINVAL if there will be none; the error that keeps them from being computed. */
int rows_wait(VmafContext *context, unsigned index);

#endif
