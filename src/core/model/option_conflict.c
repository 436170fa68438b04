/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Finds options that are given twice in a model file. All functions walk over text that is known
 * to be valid JSON, so that they need not look for the ends of things that have none.
 */

#include <stdlib.h>
#include <string.h>

#include "model/model_json.h"

typedef struct Span {
    const char *begin, *end;
} Span;

static const char *skip_space(const char *c)
{
    return c + strspn(c, " \t\r\n");
}

/* From the opening quote to behind the closing one. */
static const char *string_end(const char *c)
{
    for (c++; *c != '"'; c++)
        if (*c == '\\')
            c++;
    return c + 1;
}

static const char *value_end(const char *c)
{
    size_t depth = 0;
    do {
        c += strspn(c, " \t\r\n,:"); /* between the parts of arrays and objects */
        if (*c == '"') {
            c = string_end(c);
        } else if (*c == '[' || *c == '{') {
            depth++;
            c++;
        } else if (*c == ']' || *c == '}') {
            depth--;
            c++;
        } else {
            c += strcspn(c, "]}, \t\r\n"); /* a number, true, false or null */
        }
    } while (depth > 0);
    return c;
}

/* Steps over one member of an object; `c` is at its name. Returns the next name, or the brace. */
static const char *next_member(const char *c, Span *name, Span *value)
{
    name->begin = c;
    name->end = string_end(c);
    value->begin = skip_space(skip_space(name->end) + 1);
    value->end = value_end(value->begin);
    c = skip_space(value->end);
    return *c == ',' ? skip_space(c + 1) : c;
}

static json_t *decode(Span span)
{
    return json_loadb(span.begin, (size_t)(span.end - span.begin),
                      JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
}

static bool same_text(Span a, Span b)
{
    size_t size = (size_t)(a.end - a.begin);
    return size == (size_t)(b.end - b.begin) && memcmp(a.begin, b.begin, size) == 0;
}

static bool has_escape(Span span)
{
    return memchr(span.begin, '\\', (size_t)(span.end - span.begin));
}

static bool same_name(Span a, Span b)
{
    if (!has_escape(a) && !has_escape(b))
        return same_text(a, b);
    json_t *name_a = decode(a), *name_b = decode(b);
    bool same = json_equal(name_a, name_b);
    json_decref(name_a);
    json_decref(name_b);
    return same;
}

static bool same_option_text(Span a, Span b)
{
    char buffer_a[32], buffer_b[32];
    const char *text_a, *text_b;
    json_t *value_a = decode(a), *value_b = decode(b);
    bool same = option_text_from_json(value_a, buffer_a, &text_a) &&
                option_text_from_json(value_b, buffer_b, &text_b) && !strcmp(text_a, text_b);
    json_decref(value_a);
    json_decref(value_b);
    return same;
}

/* `c` is at the first member of an object, or at its closing brace. */
static bool conflict_in_object(const char *c)
{
    Span name, value, later_name, later_value;
    while (*c != '}') {
        c = next_member(c, &name, &value);
        for (const char *d = c; *d != '}';) {
            d = next_member(d, &later_name, &later_value);
            if (same_name(name, later_name) && !same_option_text(value, later_value))
                return true;
        }
    }
    return false;
}

static bool conflict_in_array(const char *c)
{
    for (c = skip_space(c + 1); *c == '{';) {
        if (conflict_in_object(skip_space(c + 1)))
            return true;
        c = skip_space(value_end(c));
        if (*c == ',')
            c = skip_space(c + 1);
    }
    return false;
}

bool json_text_has_option_conflict(const char *text)
{
    static const char key[] = "\"feature_opts_dicts\"";
    /* A quote inside a string is escaped: the key with both quotes can only be a whole string. */
    while ((text = strstr(text, key))) {
        text = skip_space(text + sizeof(key) - 1);
        if (*text != ':')
            continue;
        const char *value = skip_space(text + 1);
        if (*value == '[' && conflict_in_array(value))
            return true;
    }
    return false;
}
