/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TEXT_JSON_STRING_H
#define TEXT_JSON_STRING_H

#include <stdio.h>

/* Prints UTF-8 as a JSON string, quotation marks included. */
void json_string_print(FILE *out, const char *text);

#endif
