/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/encode/arguments.h"

#include "common/messages.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Lists ---- */

/* A text that was allocated for it; NULL: out of memory. */
static void take(ArgumentList *list, char *argument)
{
    if (!argument && !list->error)
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
        free(argument);
        return;
    }
    list->items[list->n++] = argument;
    list->items[list->n] = NULL;
}

void arguments_add(ArgumentList *list, const char *argument)
{
    if (!list->error)
        take(list, strdup(argument));
}

void arguments_add_all(ArgumentList *list, const char *const *arguments)
{
    for (; *arguments; arguments++)
        arguments_add(list, *arguments);
}

static void print(ArgumentList *list, const char *format, va_list values)
    __attribute__((format(printf, 2, 0)));

static void print(ArgumentList *list, const char *format, va_list values)
{
    char *text = NULL;
    if (!list->error)
        take(list, vasprintf(&text, format, values) < 0 ? NULL : text);
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
    arguments_print(list, "-%.*s", (int)strcspn(setting, "="), setting);
    arguments_add(list, value ? value + 1 : "");
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

char *arguments_line(const ArgumentList *list, const char *separator, Quotes quotes)
{
    TextBuffer buffer;
    FILE *out = text_begin(&buffer);
    for (size_t i = 0; out && i < list->n; i++) {
        fputs(i > 0 ? separator : "", out);
        if (quotes == QUOTES_NEVER || (quotes == QUOTES_WHERE_NEEDED && is_plain(list->items[i])))
            fputs(list->items[i], out);
        else
            print_quoted(out, list->items[i]);
    }
    return text_end(&buffer, list->error);
}

void arguments_take_list(ArgumentList *list, const char *before, ArgumentList *parts,
                         const char *separator, const char *behind)
{
    char *joined = arguments_line(parts, separator, QUOTES_NEVER);
    if (joined)
        arguments_print(list, "%s%s%s", before, joined, behind);
    else
        list->error = -ENOMEM;
    free(joined);
    arguments_free(parts);
}

bool word_is_among(const char *words, const char *word, size_t length)
{
    for (const char *at = words; *at; at += strspn(at, " ")) {
        const size_t here = strcspn(at, " ");
        if (here == length && !strncmp(at, word, length))
            return true;
        at += here;
    }
    return false;
}

/* ---- Templates ---- */

/*
 * value: name of a q, of encoders whose values have names. kbps: bitrate of the first pass. rate:
 * frames in a second, 24000/1001. log: begin of names of files for statistics. Colours are
 * FFmpeg's names and numbers of ITU-T H.273. mastering_integers:
 * G(x,y)B(x,y)R(x,y)WP(x,y)L(highest,lowest) in 1/50000 and 1/10000. light: MaxCLL,MaxFALL.
 */
static const char placeholders[] =
    "encoder preset q value kbps rate log grain transfer transfer_number matrix matrix_number "
    "range "
    "range_word range_number mastering_integers mastering_decimals light";

/* The length of what is at an opening brace, with its braces. */
static size_t length_at(const char *brace)
{
    const size_t inside = strcspn(brace + 1, "{}");
    return inside + (brace[inside + 1] == '}' ? 2 : 1);
}

const char *template_find_unknown(const char *text, size_t *length)
{
    for (const char *brace = text; (brace = strchr(brace, '{')); brace += *length) {
        *length = length_at(brace);
        if (*length < 2 || brace[*length - 1] != '}' ||
            !word_is_among(placeholders, brace + 1, *length - 2))
            return brace;
    }
    return NULL;
}

static const char *find_value(const ArgumentList *values, const char *name, size_t length)
{
    for (size_t i = 0; i < values->n; i++)
        if (!strncmp(values->items[i], name, length) && values->items[i][length] == '=')
            return values->items[i] + length + 1;
    return NULL;
}

void template_add(ArgumentList *list, const char *text, const ArgumentList *values,
                  bool is_parameters)
{
    TextBuffer buffer;
    FILE *out = text_begin(&buffer);
    int err = values->error;
    while (out && *text && !err) {
        const size_t plain = strcspn(text, "{");
        fwrite(text, 1, plain, out);
        text += plain;
        if (!*text)
            break;
        const size_t length = length_at(text);
        const char *value = find_value(values, text + 1, length - 2);
        err = value ? 0 : -EINVAL;
        for (; value && *value; value++) {
            if (is_parameters && strchr("\\': \t", *value))
                fputc('\\', out);
            fputc(*value, out);
        }
        text += length;
    }
    char *expanded = text_end(&buffer, err);
    if (err && !list->error)
        list->error = err;
    take(list, expanded);
}
