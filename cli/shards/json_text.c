/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "shards/json_text.h"

#include "common/messages.h"

#include <stdlib.h>

/* By way of its text, in which bad bytes are replaced. */
static json_t *make_readable(const char *text)
{
    char *quoted = NULL;
    size_t size;
    json_error_t error;
    FILE *out = open_memstream(&quoted, &size);
    if (!out)
        return NULL;
    json_string_print(out, text);
    json_t *made = fclose(out) ? NULL : json_loads(quoted, JSON_DECODE_ANY, &error);
    free(quoted);
    return made;
}

json_t *json_text_make(const char *text)
{
    json_t *made = json_string(text);
    return made ? made : make_readable(text);
}

void json_text_put(json_t *object, const char *key, json_t *value)
{
    if (value)
        (void)json_object_set_new(object, key, value);
}

void json_text_append(json_t *array, json_t *value)
{
    if (value)
        (void)json_array_append_new(array, value);
}

const char *json_text_get(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

bool json_text_get_number(const json_t *object, const char *key, unsigned most, unsigned *number)
{
    const json_t *value = json_object_get(object, key);
    const json_int_t integer = json_integer_value(value);
    *number = (unsigned)integer;
    return json_is_integer(value) && integer >= 0 && (unsigned long long)integer <= most;
}
