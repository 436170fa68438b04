/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/json_schema.h"

#include <stdio.h>
#include <string.h>

typedef struct Check {
    const json_t *root;
    char *why;
    char path[192];
} Check;

static bool check_value(Check *check, const json_t *schema, const json_t *value);

static bool reason_set(Check *check, const char *what)
{
    snprintf(check->why, 256, "%s: %s", check->path, what);
    return false;
}

static bool has_type(const char *type, const json_t *value)
{
    if (!strcmp(type, "object"))
        return json_is_object(value);
    if (!strcmp(type, "array"))
        return json_is_array(value);
    if (!strcmp(type, "string"))
        return json_is_string(value);
    if (!strcmp(type, "integer"))
        return json_is_integer(value);
    if (!strcmp(type, "number"))
        return json_is_number(value);
    if (!strcmp(type, "boolean"))
        return json_is_boolean(value);
    return !strcmp(type, "null") && json_is_null(value);
}

static bool check_type(Check *check, const json_t *type, const json_t *value)
{
    if (json_is_string(type))
        return has_type(json_string_value(type), value) || reason_set(check, "wrong type");
    size_t i;
    json_t *one;
    json_array_foreach(type, i, one)
    {
        if (has_type(json_string_value(one), value))
            return true;
    }
    return reason_set(check, "none of the types");
}

static bool check_enum(Check *check, const json_t *values, const json_t *value)
{
    size_t i;
    json_t *one;
    json_array_foreach(values, i, one)
    {
        if (json_equal(one, value))
            return true;
    }
    return reason_set(check, "none of the values");
}

/* Checks a value one level down. */
static bool check_below(Check *check, const char *step, const json_t *schema, const json_t *value)
{
    size_t length = strlen(check->path);
    snprintf(check->path + length, sizeof(check->path) - length, "/%s", step);
    bool accepted = check_value(check, schema, value);
    if (accepted)
        check->path[length] = '\0';
    return accepted;
}

static bool check_required(Check *check, const json_t *names, const json_t *value)
{
    size_t i;
    json_t *name;
    json_array_foreach(names, i, name)
    {
        if (json_is_object(value) && !json_object_get(value, json_string_value(name)))
            return reason_set(check, json_string_value(name));
    }
    return true;
}

static bool check_members(Check *check, const json_t *schema, const json_t *value)
{
    const json_t *properties = json_object_get(schema, "properties");
    const json_t *additional = json_object_get(schema, "additionalProperties");
    const char *name;
    json_t *member;
    json_object_foreach((json_t *)value, name, member)
    {
        const json_t *known = json_object_get(properties, name);
        const json_t *applies = known ? known : additional;
        if (applies && !check_below(check, name, applies, member))
            return false;
    }
    return true;
}

static bool check_items(Check *check, const json_t *schema, const json_t *value)
{
    size_t i;
    json_t *item;
    json_array_foreach(value, i, item)
    {
        char step[24];
        snprintf(step, sizeof(step), "%zu", i);
        if (!check_below(check, step, schema, item))
            return false;
    }
    return true;
}

static bool check_reference(Check *check, const char *target, const json_t *value)
{
    static const char prefix[] = "#/definitions/";
    const json_t *definitions = json_object_get(check->root, "definitions");
    const json_t *schema = strncmp(target, prefix, sizeof(prefix) - 1)
                               ? NULL
                               : json_object_get(definitions, target + sizeof(prefix) - 1);
    return schema ? check_value(check, schema, value) : reason_set(check, "unknown reference");
}

static bool check_keyword(Check *check, const json_t *schema, const char *keyword,
                          const json_t *operand, const json_t *value)
{
    static const char *const silent[] = {"$schema", "title", "description", "definitions"};
    for (size_t i = 0; i < sizeof(silent) / sizeof(silent[0]); i++) {
        if (!strcmp(keyword, silent[i]))
            return true;
    }
    if (!strcmp(keyword, "type"))
        return check_type(check, operand, value);
    if (!strcmp(keyword, "enum"))
        return check_enum(check, operand, value);
    if (!strcmp(keyword, "minimum"))
        return !json_is_number(value) || json_number_value(value) >= json_number_value(operand) ||
               reason_set(check, "too small");
    if (!strcmp(keyword, "required"))
        return check_required(check, operand, value);
    if (!strcmp(keyword, "properties") || !strcmp(keyword, "additionalProperties"))
        return check_members(check, schema, value);
    if (!strcmp(keyword, "items"))
        return check_items(check, operand, value);
    if (!strcmp(keyword, "$ref"))
        return check_reference(check, json_string_value(operand), value);
    return reason_set(check, "the schema uses a keyword that is not understood");
}

static bool check_value(Check *check, const json_t *schema, const json_t *value)
{
    const char *keyword;
    json_t *operand;
    json_object_foreach((json_t *)schema, keyword, operand)
    {
        if (!check_keyword(check, schema, keyword, operand, value))
            return false;
    }
    return true;
}

bool json_schema_accepts(const json_t *schema, const json_t *value, char why[256])
{
    Check check = {.root = schema, .why = why};
    why[0] = '\0';
    return check_value(&check, schema, value);
}
