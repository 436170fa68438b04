/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_CONTEXT_TRACE_H
#define CORE_ENGINE_CONTEXT_TRACE_H

/* What a trace says of a context as a whole. */

#include "engine/context.h"

/* Its pictures and requests, once there is a work list. */
void context_trace_describe(const VmafContext *context);
/* It is gone. Writes the trace if it was the last. */
void context_trace_end(TraceContext *trace, const Logger *logger);

#endif
