/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_FOREIGN_TEXT_H
#define CORE_BACKEND_FOREIGN_TEXT_H

/*
 * Text from plugins and names of files, which may hold any bytes: made printable UTF-8 for messages
 * and documents.
 */

#include <stddef.h>

/* `text` is in a buffer of `size` bytes and need not be terminated. The target always is. */
void foreign_text(char *target, size_t target_size, const char *text, size_t size);

/* A copy of at most `limit` bytes (free); "" for NULL. NULL: no memory. */
char *foreign_text_copy(const char *text, size_t limit);

#endif
