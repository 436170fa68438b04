/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_SUPPORT_JSON_SCHEMA_H
#define TESTS_SUPPORT_JSON_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>

/*
 * Checks a value against a JSON Schema (draft 7) made of type, enum, minimum, required, properties,
 * additionalProperties (as a schema), items (as a schema) and $ref to "#/definitions/...". A schema
 * that uses anything else is rejected, so nothing goes unchecked. On failure `why` (256 bytes) says
 * where and what.
 */
bool json_schema_accepts(const json_t *schema, const json_t *value, char why[256]);

#endif
