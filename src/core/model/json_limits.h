/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_MODEL_JSON_LIMITS_H
#define CORE_MODEL_JSON_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Bounds of what a model file may hold. Published files have 0.5 MB, 6 levels, 10 features with 4
 * options and 21 models; the bounds leave room beyond that, and keep a hostile file from taking the
 * memory or the stack of the program that reads it.
 */
enum {
    JSON_MAX_FILE_SIZE = 16 << 20,
    JSON_MAX_DEPTH = 32,
    JSON_MAX_OPTIONS = 1 << 16, /* of a feature */
    JSON_MAX_MODELS = 1024,     /* of a collection */
};

/*
 * Whether the first value in the text has more than JSON_MAX_DEPTH arrays and objects around some
 * part of it. To be asked before the text is parsed: Jansson calls itself for every level, which a
 * small stack does not hold. The text may be anything; where it is no JSON, the answer covers what
 * a parser can reach before it sees that.
 */
bool json_text_is_nested_too_deeply(const char *text, size_t size);

#endif
