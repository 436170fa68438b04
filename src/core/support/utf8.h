/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_SUPPORT_UTF8_H
#define CORE_SUPPORT_UTF8_H

/* Characters of texts that come from elsewhere: files, plugins, the environment. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the well-formed UTF-8 character at the start of `size` bytes, 0 if there is none. *code
 * receives the character. */
size_t utf8_length(const char *text, size_t size, uint32_t *code);

/* False for C0 and C1 control characters, the line and paragraph separators, and what changes the
 * direction of text: nothing that belongs in one line of a log. */
bool utf8_is_printable(uint32_t code);

#endif
