/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_SUPPORT_REASON_H
#define CORE_SUPPORT_REASON_H

/* Why something was refused: one line for people, carried beside an error code. */
typedef struct Reason {
    char text[256];
} Reason;

/* Stores the text (cut to the buffer; `why` may be NULL) and returns `error`. */
int refuse(Reason *why, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
