/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_JSON_TEXT_H
#define CLI_JSON_TEXT_H

/* JSON of files of stored records. */

#include <jansson.h>

#include <stdbool.h>

/* A new text; bytes that are not UTF-8 become U+FFFD. NULL without memory. */
json_t *json_text_make(const char *text);

/* Take the value over; one that could not be made is left out. */
void json_text_put(json_t *object, const char *key, json_t *value);
void json_text_append(json_t *array, json_t *value);

/* The text of a member; NULL: it is none. */
const char *json_text_get(const json_t *object, const char *key);
/* A number from 0 to `most`. False: it is none. */
bool json_text_get_number(const json_t *object, const char *key, unsigned most, unsigned *number);

#endif
