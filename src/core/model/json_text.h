/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_MODEL_JSON_TEXT_H
#define CORE_MODEL_JSON_TEXT_H

/* Texts of JSON that come from elsewhere: what is checked before and besides parsing them. */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "support/log.h"

/*
 * Limits for model files. Published files have up to 0.5 MB, 6 levels, 10 features with 4 options
 * and 21 models; the limits leave room beyond that, and keep a hostile file from exhausting memory
 * or the stack of the program that reads it.
 */
enum {
    JSON_MAX_FILE_SIZE = 16 << 20,
    JSON_MAX_DEPTH = 32,
    JSON_MAX_OPTIONS = 1 << 16, /* of a feature */
    JSON_MAX_MODELS = 1024,     /* of a collection */
};

/*
 * True if the first value in the text nests arrays and objects more than JSON_MAX_DEPTH deep. Call
 * it before parsing: Jansson recurses once per level, which would overflow a small stack. The text
 * may be anything; if it is not JSON, the answer covers what a parser reaches before it notices.
 */
bool json_text_is_nested_too_deeply(const char *text, size_t size);

/* The text of an option value. False for null, arrays and objects. The result lives in the value or
 * in the buffer. */
bool option_text_from_json(const json_t *value, char buffer[32], const char **text);

/*
 * Checks that no option dictionary in this valid JSON text gives a name two different values:
 * -EINVAL with a reason. Jansson keeps only the last value of a repeated name, so the text has to
 * be searched. 0, -ENOMEM. Takes the time of sorting the names.
 */
int json_text_check_options(const char *text, Reason *why);

#endif
