/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ROWS_JSON_DOCUMENT_H
#define TUNE_ROWS_JSON_DOCUMENT_H

/* JSON as the program writes it, and reads it. */

#include "common/messages.h"

#include <jansson.h>

#include <stddef.h>
#include <stdio.h>

/*
 * Prints with sorted keys, in one line (indent 0) or in lines that are indented; without a line
 * feed at the end. Numbers are the shortest of at least 15 digits that read back to the same
 * double, whatever the locale. 0; -ENOMEM; -EIO.
 */
int json_document_print(const json_t *json, unsigned indent, FILE *out);

/* New references, NULL without memory. Not finite: null. */
json_t *json_number_or_null(double number);
/* Bytes that are not UTF-8 become U+FFFD; NULL becomes null. */
json_t *json_text_or_null(const char *text);

/* Sets a key to a new reference, which may be NULL for one that could not be made. 0; -ENOMEM. */
int json_put(json_t *object, const char *key, json_t *value);

/*
 * Reads a document; NaN, Infinity and -Infinity are read as null. NULL with a message ("line 3:
 * ..." or about memory) and *err -EINVAL or -ENOMEM.
 */
json_t *json_document_parse(const char *text, size_t size, Message *message, int *err);

/* A member that is a number, else NAN; a text, else NULL. NULL objects are allowed. */
double json_number_of(const json_t *object, const char *key);
const char *json_text_of(const json_t *object, const char *key);

#endif
