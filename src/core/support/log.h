/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_SUPPORT_LOG_H
#define CORE_SUPPORT_LOG_H

/* Texts for people: reasons beside error codes, and messages on standard error. */

#include "libvmaf/libvmaf.h"

/* Why something failed: one line for people, carried beside an error code. */
typedef struct Reason {
    char text[256];
} Reason;

/* Stores the text (cut to the buffer; `why` may be NULL) and returns `error`. */
int reason_set(Reason *why, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Messages go to stderr as "libvmaf LEVEL text", one line each, whole lines at a time;
 * control characters in them are shown as \x1b and the like. */
typedef struct Logger {
    enum VmafLogLevel level; /* what ranks higher is not shown */
} Logger;

/* The process-wide level, for functions without a context; INFO until set. */
void log_set_process_level(enum VmafLogLevel level);

/* `logger` NULL uses the process-wide level. */
void log_message(const Logger *logger, enum VmafLogLevel level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A line without level and name, which is shown at every level. */
void log_always(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
