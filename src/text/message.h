/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TEXT_MESSAGE_H
#define TEXT_MESSAGE_H

/* Why something failed, for the person who started the program. */
typedef struct Message {
    char text[512];
} Message;

/* Stores the text (cut off if too long) and returns `error`, so that callers fail in one line. */
int message_set(Message *message, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ": out of memory" for -ENOMEM, which is worth saying where other errors have said why; else "".
 */
const char *if_out_of_memory(int error);

#endif
