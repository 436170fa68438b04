/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TEXT_JSON_STRING_H
#define TEXT_JSON_STRING_H

#include <stdio.h>

/* Prints a text as a JSON string, quotation marks included. Bytes that are not UTF-8, as names of
 * files may have, become U+FFFD. */
void json_string_print(FILE *out, const char *text);

#endif
