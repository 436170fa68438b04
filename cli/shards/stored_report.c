/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "shards/stored_report.h"

#include "common/messages.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum Type { TEXT, INTEGER, SECONDS, FLAG, TWO_NUMBERS, OBJECT } Type;

typedef struct Member {
    const char *key;
    Type type;
    const struct Member *members; /* of an object; ends with a NULL key */
} Member;

static const Member display_members[] = {
    {"red", TWO_NUMBERS, NULL},   {"green", TWO_NUMBERS, NULL},     {"blue", TWO_NUMBERS, NULL},
    {"white", TWO_NUMBERS, NULL}, {"luminance", TWO_NUMBERS, NULL}, {NULL, TEXT, NULL},
};

static const Member light_members[] = {
    {"max", INTEGER, NULL},
    {"max_frame_average", INTEGER, NULL},
    {NULL, TEXT, NULL},
};

/* The members that input_print_members prints, in its order and with its formats. */
static const Member report_members[] = {
    {"width", INTEGER, NULL},
    {"height", INTEGER, NULL},
    {"pixel_format", TEXT, NULL},
    {"bit_depth", INTEGER, NULL},
    {"range", TEXT, NULL},
    {"matrix", TEXT, NULL},
    {"primaries", TEXT, NULL},
    {"transfer", TEXT, NULL},
    {"container", TEXT, NULL},
    {"codec", TEXT, NULL},
    {"profile", TEXT, NULL},
    {"level", INTEGER, NULL},
    {"frame_rate", TEXT, NULL},
    {"sample_aspect_ratio", TEXT, NULL},
    {"duration", SECONDS, NULL},
    {"rotation", INTEGER, NULL},
    {"interlaced", FLAG, NULL},
    {"mastering_display", OBJECT, display_members},
    {"content_light", OBJECT, light_members},
    {"decoder", TEXT, NULL},
    {"crop", TEXT, NULL},
    {NULL, TEXT, NULL},
};

static bool put_members(FILE *out, const json_t *object, const Member *members);

static bool put_two(FILE *out, const json_t *pair)
{
    const json_t *first = json_array_get(pair, 0), *second = json_array_get(pair, 1);
    fprintf(out, "[%.9g, %.9g]", json_number_value(first), json_number_value(second));
    return json_array_size(pair) == 2 && json_is_number(first) && json_is_number(second);
}

static bool put_value(FILE *out, const json_t *value, const Member *member)
{
    switch (member->type) {
    case TEXT:
        json_string_print(out, json_is_string(value) ? json_string_value(value) : "");
        return json_is_string(value);
    case INTEGER:
        fprintf(out, "%lld", (long long)json_integer_value(value));
        return json_is_integer(value);
    case SECONDS:
        fprintf(out, "%.6f", json_number_value(value));
        return json_is_number(value);
    case FLAG:
        fputs(json_is_true(value) ? "true" : "false", out);
        return json_is_boolean(value);
    case TWO_NUMBERS:
        return put_two(out, value);
    case OBJECT:
        break;
    }
    fputc('{', out);
    const bool is_right = put_members(out, value, member->members);
    fputc('}', out);
    return is_right;
}

/* Writes the members of an object. False if one of them is unknown, or not what it has to be. */
static bool put_members(FILE *out, const json_t *object, const Member *members)
{
    size_t count = 0;
    bool is_right = json_is_object(object);
    for (const Member *member = members; member->key && is_right; member++) {
        const json_t *value = json_object_get(object, member->key);
        if (!value)
            continue;
        fprintf(out, "%s\"%s\": ", count || members == report_members ? ", " : "", member->key);
        is_right = put_value(out, value, member);
        count++;
    }
    return is_right && count == json_object_size(object);
}

char *stored_report_text(const json_t *report)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    const bool is_right = put_members(out, report, report_members);
    if (!fclose(out) && is_right)
        return text;
    free(text);
    return NULL;
}
