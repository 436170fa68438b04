/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/encoders/arguments.h"

#include "common/messages.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Lists ---- */

/* Takes the text, which may be NULL: out of memory. */
static void add_owned(ArgumentList *list, char *text)
{
    if (!text)
        list->error = -ENOMEM;
    if (!list->error && list->n + 2 > list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 16;
        char **grown = realloc(list->items, capacity * sizeof(*grown));
        if (grown) {
            list->items = grown;
            list->capacity = capacity;
        } else {
            list->error = -ENOMEM;
        }
    }
    if (list->error) {
        free(text);
        return;
    }
    list->items[list->n++] = text;
    list->items[list->n] = NULL;
}

void arguments_add(ArgumentList *list, const char *argument)
{
    if (!list->error)
        add_owned(list, strdup(argument));
}

static void print(ArgumentList *list, const char *format, va_list values)
    __attribute__((format(printf, 2, 0)));

static void print(ArgumentList *list, const char *format, va_list values)
{
    char *text = NULL;
    if (!list->error)
        add_owned(list, vasprintf(&text, format, values) < 0 ? NULL : text);
}

void arguments_print(ArgumentList *list, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print(list, format, values);
    va_end(values);
}

void arguments_option(ArgumentList *list, const char *name, const char *format, ...)
{
    va_list values;
    arguments_add(list, name);
    va_start(values, format);
    print(list, format, values);
    va_end(values);
}

void arguments_add_setting(ArgumentList *list, const char *setting)
{
    const char *value = strchr(setting, '=');
    arguments_print(list, "-%.*s", (int)(value ? value - setting : (ptrdiff_t)strlen(setting)),
                    setting);
    arguments_add(list, value ? value + 1 : "");
}

void arguments_add_list(ArgumentList *list, const ArgumentList *more)
{
    for (size_t i = 0; i < more->n; i++)
        arguments_add(list, more->items[i]);
    if (!list->error)
        list->error = more->error;
}

void arguments_free(ArgumentList *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->items[i]);
    free(list->items);
    *list = (ArgumentList){0};
}

/* One that is no option's value. */
static size_t find_option(const ArgumentList *list, const char *name, size_t from)
{
    for (size_t i = from; i + 1 < list->n; i++)
        if (!strcmp(list->items[i], name))
            return i;
    return list->n;
}

static void remove_pair(ArgumentList *list, size_t at)
{
    free(list->items[at]);
    free(list->items[at + 1]);
    memmove(&list->items[at], &list->items[at + 2], (list->n - at - 1) * sizeof(*list->items));
    list->n -= 2;
}

void arguments_merge(ArgumentList *list, const char *name)
{
    const size_t first = find_option(list, name, 0);
    while (!list->error) {
        const size_t next = find_option(list, name, first + 2);
        if (next >= list->n)
            return;
        const char *before = list->items[first + 1], *more = list->items[next + 1];
        char *joined = NULL;
        if (asprintf(&joined, "%s%s%s", before, *before && *more ? ":" : "", more) < 0) {
            list->error = -ENOMEM;
            return;
        }
        free(list->items[first + 1]);
        list->items[first + 1] = joined;
        remove_pair(list, next);
    }
}

void arguments_add_path(ArgumentList *list, const char *path)
{
    /* What is before a colon would be a protocol, and what begins with a minus sign an option. */
    arguments_print(list, "file:%s", path);
}

void arguments_seconds(ArgumentList *list, double seconds)
{
    const long long us = llround(seconds * 1e6), size = us < 0 ? -us : us;
    arguments_print(list, "%s%lld.%06lld", us < 0 ? "-" : "", size / 1000000, size % 1000000);
}

/* Adds the text that was printed; `err`: it is not to be added. */
static int end_text(ArgumentList *list, TextBuffer *buffer, int err)
{
    char *text = text_end(buffer, err);
    if (text)
        arguments_add(list, text);
    else if (!err)
        err = -ENOMEM;
    free(text);
    return err ? err : list->error;
}

int arguments_add_joined(ArgumentList *list, const ArgumentList *parts, const char *separator)
{
    TextBuffer buffer;
    FILE *out = parts->error ? NULL : text_begin(&buffer);
    if (!out)
        return -ENOMEM;
    for (size_t i = 0; i < parts->n; i++)
        fprintf(out, "%s%s", i > 0 ? separator : "", parts->items[i]);
    return end_text(list, &buffer, 0);
}

/* ---- Lines ---- */

static bool is_plain(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./@%";
    return *text && text[strspn(text, plain)] == '\0';
}

static void print_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fputc(*text, out);
    }
    fputc('\'', out);
}

static char *line_of(const ArgumentList *list, bool quotes_all)
{
    TextBuffer buffer;
    FILE *out = list->error ? NULL : text_begin(&buffer);
    if (!out)
        return NULL;
    for (size_t i = 0; i < list->n; i++) {
        if (i > 0)
            fputc(' ', out);
        if (!quotes_all && is_plain(list->items[i]))
            fputs(list->items[i], out);
        else
            print_quoted(out, list->items[i]);
    }
    return text_end(&buffer, 0);
}

char *arguments_shell_line(const ArgumentList *list)
{
    return line_of(list, false);
}

char *arguments_quoted_line(const ArgumentList *list)
{
    return line_of(list, true);
}

/* ---- Templates ---- */

static const char *const names[N_PLACEHOLDERS] = {
    [PLACE_ENCODER] = "encoder",
    [PLACE_PRESET] = "preset",
    [PLACE_Q] = "q",
    [PLACE_VALUE] = "value",
    [PLACE_KBPS] = "kbps",
    [PLACE_RATE] = "rate",
    [PLACE_LOG] = "log",
    [PLACE_GRAIN] = "grain",
    [PLACE_TRANSFER] = "transfer",
    [PLACE_TRANSFER_NUMBER] = "transfer_number",
    [PLACE_MATRIX] = "matrix",
    [PLACE_MATRIX_NUMBER] = "matrix_number",
    [PLACE_RANGE] = "range",
    [PLACE_RANGE_WORD] = "range_word",
    [PLACE_RANGE_NUMBER] = "range_number",
    [PLACE_MASTERING_INTEGERS] = "mastering_integers",
    [PLACE_MASTERING_DECIMALS] = "mastering_decimals",
    [PLACE_LIGHT] = "light",
};

/* The placeholder at an opening brace, and how long it is with its braces; -1: there is none. */
static int placeholder_at(const char *brace, size_t *length)
{
    const size_t inside = strcspn(brace + 1, "{}");
    *length = inside + (brace[inside + 1] == '}' ? 2 : 1);
    if (brace[inside + 1] != '}')
        return -1;
    for (int i = 0; i < N_PLACEHOLDERS; i++)
        if (strlen(names[i]) == inside && !strncmp(names[i], brace + 1, inside))
            return i;
    return -1;
}

const char *template_find_unknown(const char *text, size_t *length)
{
    for (const char *brace = text; (brace = strchr(brace, '{')); brace += *length)
        if (placeholder_at(brace, length) < 0)
            return brace;
    return NULL;
}

static void print_value(FILE *out, const char *value, bool is_parameters)
{
    for (; *value; value++) {
        if (is_parameters && strchr("\\': \t", *value))
            fputc('\\', out);
        fputc(*value, out);
    }
}

static int print_expanded(FILE *out, const char *text, const TemplateValues *values,
                          bool is_parameters)
{
    while (*text) {
        size_t length = strcspn(text, "{");
        fwrite(text, 1, length, out);
        text += length;
        if (!*text)
            break;
        const int place = placeholder_at(text, &length);
        if (place < 0 || !values->of[place])
            return -EINVAL;
        print_value(out, values->of[place], is_parameters);
        text += length;
    }
    return 0;
}

int template_add(ArgumentList *list, const char *text, const TemplateValues *values,
                 bool is_parameters)
{
    TextBuffer buffer;
    FILE *out = text_begin(&buffer);
    if (!out)
        return -ENOMEM;
    return end_text(list, &buffer, print_expanded(out, text, values, is_parameters));
}

int template_add_all(ArgumentList *list, const ArgumentList *templates,
                     const TemplateValues *values, const char *parameters_option)
{
    int err = 0;
    for (size_t i = 0; i < templates->n && !err; i++) {
        const bool is_parameters =
            i > 0 && parameters_option && !strcmp(templates->items[i - 1], parameters_option);
        err = template_add(list, templates->items[i], values, is_parameters);
    }
    return err;
}
