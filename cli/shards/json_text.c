/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "shards/json_text.h"

#include "common/messages.h"

#include <stdlib.h>

json_t *json_text_make(const char *text)
{
    json_t *made = json_string(text);
    char *mended = made ? NULL : text_mended(text);
    if (mended)
        made = json_string(mended);
    free(mended);
    return made;
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
