/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TEXT_UTF8_H
#define TEXT_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Length of the well-formed UTF-8 character at the start of a text that ends with 0; 0 if there is
 * none. *code receives the character. */
size_t utf8_character(const char *text, uint32_t *code);

#endif
