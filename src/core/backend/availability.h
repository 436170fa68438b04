/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_AVAILABILITY_H
#define CORE_BACKEND_AVAILABILITY_H

/* The states of a backend: usable, or why it is not, in words that can be printed. */

#include <stddef.h>

#include "support/log.h"

/* The names are those of the capabilities document (backend_reason_name). */
typedef enum BackendState {
    BACKEND_USABLE,
    BACKEND_PLUGIN_NOT_FOUND,
    BACKEND_PLUGIN_LOAD_ERROR, /* not loadable, not a plugin, or faulty: see the reason */
    BACKEND_ABI_MISMATCH,
    BACKEND_DRIVER_MISSING,
    BACKEND_NO_DEVICE,
    BACKEND_INIT_FAILED,
    BACKEND_DISABLED_BY_FLAG,
    BACKEND_UNSUPPORTED_OS,
} BackendState;

typedef struct BackendAvailability {
    BackendState state;
    int error; /* negative errno of what failed; 0 if nothing was tried */
    Reason why;
} BackendAvailability;

/* "plugin_not_found" and so on; NULL for BACKEND_USABLE. */
const char *backend_reason_name(BackendState state);
/* Fills in the availability and returns `error`. */
int backend_availability_set(BackendAvailability *availability, BackendState state, int error,
                             const char *format, ...) __attribute__((format(printf, 4, 5)));
/* BACKEND_INIT_FAILED, with the reason that is there already, else "out of memory". Returns
 * `error`. */
int backend_availability_fail(BackendAvailability *availability, int error);
/* BACKEND_INIT_FAILED and "out of memory". Returns -ENOMEM. */
int backend_out_of_memory(BackendAvailability *availability);

/*
 * Text from plugins and names of files, which may hold any bytes: made printable UTF-8 for messages
 * and documents.
 */

/* `text` is in a buffer of `size` bytes and need not be terminated. The target always is. */
void foreign_text(char *target, size_t target_size, const char *text, size_t size);

/* A copy of at most `limit` bytes (free); "" for NULL. NULL: no memory. */
char *foreign_text_copy(const char *text, size_t limit);

#endif
