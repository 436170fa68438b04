/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_REPORT_TRACE_JSON_H
#define CORE_REPORT_TRACE_JSON_H

#include "support/log.h"

/*
 * Writes what the process has recorded so far in the JSON Trace Event Format, to where VMAF_TRACE
 * said. The file appears complete or not at all; a failure is a warning. Any thread; one waits for
 * the other.
 */
void trace_write(const Logger *logger);

#endif
