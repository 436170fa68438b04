/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/encoders/template.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[N_PLACEHOLDERS] = {
    [PLACE_ENCODER] = "encoder",
    [PLACE_PRESET] = "preset",
    [PLACE_Q] = "q",
    [PLACE_VALUE] = "value",
    [PLACE_KBPS] = "kbps",
    [PLACE_RATE] = "rate",
    [PLACE_LOG] = "log",
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

bool template_uses(const char *text, Placeholder place)
{
    size_t length;
    for (const char *brace = text; (brace = strchr(brace, '{')); brace += length)
        if (placeholder_at(brace, &length) == (int)place)
            return true;
    return false;
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
    char *expanded = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&expanded, &size);
    if (!out)
        return -ENOMEM;
    int err = print_expanded(out, text, values, is_parameters);
    const bool failed = ferror(out);
    if (fclose(out) != 0 || failed)
        err = -ENOMEM;
    if (!err) {
        arguments_add(list, expanded);
        err = list->error;
    }
    free(expanded);
    return err;
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
