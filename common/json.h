/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef COMMON_JSON_H
#define COMMON_JSON_H

/* Documents in JSON: how programs make, print and read them. */

#include "common/messages.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Prints with sorted keys, in one line (indent 0) or in lines that are indented; without a line
 * feed at the end. Numbers are the shortest of at least 15 digits that read back to the same
 * double, whatever the locale. 0; -ENOMEM; -EIO.
 */
int json_document_print(const json_t *json, unsigned indent, FILE *out);

enum { DOUBLE_TEXT_SIZE = 40 };

/* Prints a number with the fewest digits, at least `digits`, that read back to it. */
void double_text(char text[DOUBLE_TEXT_SIZE], double number, int digits);

/* New references, NULL without memory. Not finite: null. */
json_t *json_number_or_null(double number);
/* Bytes that are not UTF-8 become U+FFFD; NULL becomes null. */
json_t *json_text_or_null(const char *text);

/* Sets a key to a new reference, which may be NULL for one that could not be made. 0; -ENOMEM. */
int json_put(json_t *object, const char *key, json_t *value);
/* The same. Not finite and NULL: null. */
int json_put_number(json_t *object, const char *key, double number);
int json_put_text(json_t *object, const char *key, const char *text);
int json_put_integer(json_t *object, const char *key, json_int_t number);
int json_put_flag(json_t *object, const char *key, bool flag);

/*
 * Sets several keys, "width:i ratio:n src:t": of an int (i), an int64_t (l), a size_t (z), a double
 * (n), a text (t), a flag (b), or a new reference (o), each as above. 0; -ENOMEM, and all
 * references are taken over.
 */
int json_put_all(json_t *object, const char *keys, ...);
/* The same as a new object; NULL without memory. */
json_t *json_object_of(const char *keys, ...);

/* The value; after an error NULL, and the reference is given up. */
json_t *json_unless(int err, json_t *json);

/*
 * Reads a document; NaN, Infinity and -Infinity are read as null. NULL with a message ("line 3:
 * ..." or about memory) and *err -EINVAL or -ENOMEM.
 */
json_t *json_document_parse(const char *text, size_t size, Message *message, int *err);

/* A member that is a number, else NAN; a text, else NULL. NULL objects are allowed. */
double json_number_of(const json_t *object, const char *key);
const char *json_text_of(const json_t *object, const char *key);

/* Reads an array of `n` numbers. 0; -EINVAL: it is something else. */
int json_numbers_of(const json_t *array, size_t n, double *numbers);

#endif
