/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_TRACE_NVTX_H
#define CORE_TRACE_NVTX_H

/*
 * Ranges for profilers that inject a library for version 3 of NVTX, an interface for annotations:
 * spans are pushed and popped, frames started and ended, all in a domain "libvmaf", or
 * in the default one if the library knows none.
 */

#include "trace/trace.h"

/* Loads the library, once in a process: whether it listens. A failure is a warning. */
bool nvtx_load(const char *path, const Logger *logger);

/* Once that was so. */
void nvtx_name_thread(const char *name);
void nvtx_push(const TraceSpan *span);
void nvtx_pop(void);
uint64_t nvtx_start(unsigned frame);
void nvtx_end(uint64_t range);

#endif
