/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "model/json_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "support/dictionary.h"

/* Returns the position after the closing quote, or the end of the text; `c` is after the opening
 * one. */
static const char *skip_string(const char *c, const char *end)
{
    while (c < end && *c != '"')
        c += *c == '\\' && c + 1 < end ? 2 : 1;
    return c < end ? c + 1 : end;
}

bool json_text_is_nested_too_deeply(const char *text, size_t size)
{
    const char *const end = text + size;
    unsigned depth = 0;
    for (const char *c = text; c < end;) {
        switch (*c++) {
        case '"':
            c = skip_string(c, end);
            break;
        case '[':
        case '{':
            if (++depth > JSON_MAX_DEPTH)
                return true;
            break;
        case ']':
        case '}':
            if (depth <= 1)
                return false; /* the end of the value; the rest of the text is not read */
            depth--;
            break;
        default:
            break;
        }
    }
    return false;
}

/*
 * Finding options that are given twice in a model file. From here on, functions rely on the text
 * being valid JSON: every string, array and object in it ends.
 */

typedef struct Span {
    const char *begin, *end;
} Span;

/* One option of a dictionary: its name as a Jansson string, its value as text. */
typedef struct Option {
    json_t *name;
    Span value;
} Option;

typedef struct OptionList {
    Option *options;
    size_t count, capacity;
} OptionList;

static const char *skip_space(const char *c)
{
    return c + strspn(c, " \t\r\n");
}

/* Skips a string: from the opening quote to after the closing one. */
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

/* Skips a member of an object; `c` is at its name. Returns the next name, or the closing brace. */
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

static int append(OptionList *list, Span name, Span value)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 16;
        Option *options = reallocarray(list->options, capacity, sizeof(*options));
        if (!options)
            return -ENOMEM;
        list->options = options;
        list->capacity = capacity;
    }
    json_t *decoded = decode(name); /* the file may spell it with escapes */
    if (!decoded)
        return -ENOMEM;
    list->options[list->count++] = (Option){decoded, value};
    return 0;
}

static void clear(OptionList *list)
{
    for (size_t i = 0; i < list->count; i++)
        json_decref(list->options[i].name);
    free(list->options);
    *list = (OptionList){0};
}

static int by_name(const void *a, const void *b)
{
    const Option *x = a, *y = b;
    return strcmp(json_string_value(x->name), json_string_value(y->name));
}

bool option_text_from_json(const json_t *value, char buffer[32], const char **text)
{
    if (json_is_boolean(value)) {
        *text = json_is_true(value) ? "true" : "false";
    } else if (json_is_string(value)) {
        *text = json_string_value(value);
    } else if (json_is_number(value)) {
        char digits[64];
        size_t size = json_dumpb(value, digits, sizeof(digits) - 1,
                                 JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
        if (size == 0 || size >= sizeof(digits))
            return false;
        digits[size] = '\0';
        *text = option_value_normalise(digits, buffer);
        if (*text != buffer)
            return false;
    } else {
        return false;
    }
    return true;
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

/* Equal names are neighbours once they are sorted. */
static int check_list(const OptionList *list, Reason *why)
{
    if (list->count < 2)
        return 0;
    qsort(list->options, list->count, sizeof(*list->options), by_name);
    for (size_t i = 1; i < list->count; i++) {
        const Option *a = &list->options[i - 1], *b = &list->options[i];
        if (!by_name(a, b) && !same_option_text(a->value, b->value))
            return reason_set(why, -EINVAL, "feature_opts_dicts: an option has two values");
    }
    return 0;
}

/* `c` is at the first member of an object, or at its closing brace. */
static int check_object(const char *c, Reason *why)
{
    OptionList list = {0};
    Span name, value;
    int err = 0;
    while (*c != '}' && !err) {
        c = next_member(c, &name, &value);
        err = append(&list, name, value);
    }
    err = err ? reason_set(why, err, "out of memory") : check_list(&list, why);
    clear(&list);
    return err;
}

static int check_array(const char *c, Reason *why)
{
    for (c = skip_space(c + 1); *c == '{';) {
        int err = check_object(skip_space(c + 1), why);
        if (err)
            return err;
        c = skip_space(value_end(c));
        if (*c == ',')
            c = skip_space(c + 1);
    }
    return 0;
}

int json_text_check_options(const char *text, Reason *why)
{
    static const char key[] = "\"feature_opts_dicts\"";
    /* A quote inside a string is escaped: the key with both quotes can only be a whole string. */
    while ((text = strstr(text, key))) {
        text = skip_space(text + sizeof(key) - 1);
        if (*text != ':')
            continue;
        const char *value = skip_space(text + 1);
        int err = *value == '[' ? check_array(value, why) : 0;
        if (err)
            return err;
    }
    return 0;
}
