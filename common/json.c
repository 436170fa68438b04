/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "json.h"

#include "common/messages.h"
#include "platform/text.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* -- writing -- */

void double_text(char text[DOUBLE_TEXT_SIZE], double number, int digits)
{
    do
        snprintf(text, DOUBLE_TEXT_SIZE, "%.*g", digits, number);
    while (strtod(text, NULL) != number && ++digits <= 17);
}

/* With a sign that it is a number of floating point. */
static void print_real(FILE *out, double real)
{
    char text[DOUBLE_TEXT_SIZE];
    double_text(text, real, 15);
    fputs(text, out);
    if (!strpbrk(text, ".e"))
        fputs(".0", out);
}

typedef struct Printer {
    FILE *out;
    unsigned indent;
} Printer;

static int print_value(const Printer *printer, const json_t *json, unsigned depth);

static void print_break(const Printer *printer, unsigned depth, bool is_first)
{
    if (printer->indent)
        fprintf(printer->out, "%s\n%*s", is_first ? "" : ",", (int)(printer->indent * depth), "");
    else if (!is_first)
        fputs(", ", printer->out);
}

/* What closes an object or array stands in a line of its own. */
static void print_end(const Printer *printer, unsigned depth)
{
    if (printer->indent)
        print_break(printer, depth, true);
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* To be freed. */
static const char **sorted_keys(const json_t *object, size_t *n)
{
    const char *key;
    json_t *value;
    const char **keys = calloc(json_object_size(object) + 1, sizeof(*keys));
    *n = 0;
    if (!keys)
        return NULL;
    json_object_foreach((json_t *)object, key, value) keys[(*n)++] = key;
    qsort(keys, *n, sizeof(*keys), compare_keys);
    return keys;
}

static int print_object(const Printer *printer, const json_t *object, unsigned depth)
{
    size_t n;
    const char **keys = sorted_keys(object, &n);
    int err = keys ? 0 : -ENOMEM;
    fputc('{', printer->out);
    for (size_t i = 0; i < n && !err; i++) {
        print_break(printer, depth + 1, !i);
        json_string_print(printer->out, keys[i]);
        fputs(": ", printer->out);
        err = print_value(printer, json_object_get(object, keys[i]), depth + 1);
    }
    if (n)
        print_end(printer, depth);
    fputc('}', printer->out);
    free(keys);
    return err;
}

static int print_array(const Printer *printer, const json_t *array, unsigned depth)
{
    int err = 0;
    size_t i;
    json_t *value;
    fputc('[', printer->out);
    json_array_foreach(array, i, value)
    {
        print_break(printer, depth + 1, !i);
        err = print_value(printer, value, depth + 1);
        if (err)
            break;
    }
    if (i)
        print_end(printer, depth);
    fputc(']', printer->out);
    return err;
}

static int print_value(const Printer *printer, const json_t *json, unsigned depth)
{
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        return print_object(printer, json, depth);
    case JSON_ARRAY:
        return print_array(printer, json, depth);
    case JSON_STRING:
        json_string_print(printer->out, json_string_value(json));
        break;
    case JSON_INTEGER:
        fprintf(printer->out, "%lld", (long long)json_integer_value(json));
        break;
    case JSON_REAL:
        print_real(printer->out, json_real_value(json));
        break;
    case JSON_TRUE:
        fputs("true", printer->out);
        break;
    case JSON_FALSE:
        fputs("false", printer->out);
        break;
    case JSON_NULL:
        fputs("null", printer->out);
    }
    return 0;
}

int json_document_print(const json_t *json, unsigned indent, FILE *out)
{
    VmafCLocaleScope locale;
    int err = vmaf_c_locale_enter(&locale);
    const Printer printer = {out, indent};
    if (!err)
        err = print_value(&printer, json, 0);
    vmaf_c_locale_leave(&locale);
    return !err && ferror(out) ? -EIO : err;
}

/* -- values -- */

json_t *json_number_or_null(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

json_t *json_text_or_null(const char *text)
{
    if (!text)
        return json_null();
    json_t *whole = json_string(text);
    char *mended = whole ? NULL : text_mended(text);
    if (mended)
        whole = json_string(mended);
    free(mended);
    return whole;
}

int json_put(json_t *object, const char *key, json_t *value)
{
    if (!value)
        return -ENOMEM;
    json_t *name = json_text_or_null(key);
    int err = name ? 0 : -ENOMEM;
    if (err)
        json_decref(value);
    else if (json_object_set_new(object, json_string_value(name), value))
        err = -ENOMEM;
    json_decref(name);
    return err;
}

int json_put_number(json_t *object, const char *key, double number)
{
    return json_put(object, key, json_number_or_null(number));
}

int json_put_text(json_t *object, const char *key, const char *text)
{
    return json_put(object, key, json_text_or_null(text));
}

int json_put_integer(json_t *object, const char *key, json_int_t number)
{
    return json_put(object, key, json_integer(number));
}

int json_put_flag(json_t *object, const char *key, bool flag)
{
    return json_put(object, key, json_boolean(flag));
}

static int put_all(json_t *object, const char *keys, va_list values)
{
    int err = 0;
    for (size_t length; *keys; keys += length + 2, keys += *keys == ' ') {
        char key[64];
        length = strcspn(keys, ":");
        snprintf(key, sizeof(key), "%.*s", (int)length, keys);
        switch (keys[length + 1]) {
        case 'i':
            err |= json_put_integer(object, key, va_arg(values, int));
            break;
        case 'l':
            err |= json_put_integer(object, key, va_arg(values, int64_t));
            break;
        case 'z':
            err |= json_put_integer(object, key, (json_int_t)va_arg(values, size_t));
            break;
        case 'n':
            err |= json_put_number(object, key, va_arg(values, double));
            break;
        case 't':
            err |= json_put_text(object, key, va_arg(values, const char *));
            break;
        case 'b':
            err |= json_put_flag(object, key, va_arg(values, int));
            break;
        default:
            err |= json_put(object, key, va_arg(values, json_t *));
        }
    }
    return err;
}

int json_put_all(json_t *object, const char *keys, ...)
{
    va_list values;
    va_start(values, keys);
    const int err = put_all(object, keys, values);
    va_end(values);
    return err;
}

json_t *json_object_of(const char *keys, ...)
{
    json_t *object = json_object();
    va_list values;
    va_start(values, keys);
    const int err = put_all(object, keys, values);
    va_end(values);
    return json_unless(err, object);
}

json_t *json_unless(int err, json_t *json)
{
    if (!err)
        return json;
    json_decref(json);
    return NULL;
}

double json_number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

const char *json_text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

int json_numbers_of(const json_t *array, size_t n, double *numbers)
{
    if (json_array_size(array) != n)
        return -EINVAL;
    for (size_t i = 0; i < n; i++) {
        const json_t *number = json_array_get(array, i);
        if (!json_is_number(number))
            return -EINVAL;
        numbers[i] = json_number_value(number);
    }
    return 0;
}

/* -- reading -- */

/* The length of a token that Python writes for what is not finite; 0: it is something else. */
static size_t not_finite(const char *text, size_t left)
{
    static const char *const tokens[] = {"NaN", "Infinity", "-Infinity"};
    for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
        const size_t length = strlen(tokens[i]);
        if (left >= length && !memcmp(text, tokens[i], length))
            return length;
    }
    return 0;
}

static const char null_token[] = {'n', 'u', 'l', 'l'};

static bool is_separator(char c)
{
    return strchr(" \t\r\n,:[]{}", c);
}

/* A copy with null for such tokens, outside of strings; lines stay as they are. To be freed. */
static char *with_nulls(const char *text, size_t size, size_t *new_size)
{
    char *copy = malloc(2 * size + 1); /* "NaN" is one shorter */
    bool is_string = false;
    size_t n = 0;
    for (size_t i = 0; copy && i < size;) {
        const bool begins = !i || is_separator(text[i - 1]);
        const size_t length = !is_string && begins ? not_finite(text + i, size - i) : 0;
        if (length) {
            memcpy(copy + n, null_token, sizeof(null_token));
            n += sizeof(null_token);
            i += length;
            continue;
        }
        if (is_string && text[i] == '\\' && i + 1 < size)
            copy[n++] = text[i++];
        else if (text[i] == '"')
            is_string = !is_string;
        copy[n++] = text[i++];
    }
    *new_size = n;
    return copy;
}

json_t *json_document_parse(const char *text, size_t size, Message *message, int *err)
{
    VmafCLocaleScope locale;
    json_error_t error;
    size_t new_size;
    char *copy = with_nulls(text, size, &new_size);
    json_t *json = NULL;
    *err = copy ? vmaf_c_locale_enter(&locale) : -ENOMEM;
    if (!*err) {
        json = json_loadb(copy, new_size, JSON_REJECT_DUPLICATES, &error);
        vmaf_c_locale_leave(&locale);
        if (!json)
            *err = json_error_code(&error) == json_error_out_of_memory ? -ENOMEM : -EINVAL;
    }
    free(copy);
    if (*err == -ENOMEM)
        message_set(message, *err, "out of memory");
    else if (*err)
        message_set(message, *err, "line %d: %s", error.line, error.text);
    return json;
}
