/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/command_line/option_values.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int out_of_memory(Message *why)
{
    return message_set(why, -ENOMEM, "out of memory");
}

static void *member(const TuneOption *option, void *structure)
{
    return (char *)structure + option->target;
}

static bool has_range(const TuneOption *option)
{
    return option->lowest != 0 || option->highest != 0;
}

static int check_range(const TuneOption *option, double value, Message *why)
{
    if (has_range(option) && !(value >= option->lowest && value <= option->highest))
        return message_set(why, -EINVAL, "--%s is to be from %.15g to %.15g, not %.15g",
                           option->name, option->lowest, option->highest, value);
    return 0;
}

static int take_integer(const TuneOption *option, const char *text, int *value, Message *why)
{
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (end == text || *end || errno || number > INT_MAX || number < INT_MIN)
        return message_set(why, -EINVAL, "--%s is to be a whole number, not \"%s\"", option->name,
                           text);
    *value = (int)number;
    return check_range(option, (double)number, why);
}

static int take_number(const TuneOption *option, const char *text, double *value, Message *why)
{
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end || !isfinite(*value))
        return message_set(why, -EINVAL, "--%s is to be a number, not \"%s\"", option->name, text);
    return check_range(option, *value, why);
}

static int take_choice(const TuneOption *option, const char *text, int *choice, Message *why)
{
    size_t length = strlen(text);
    const char *word = option->values;
    for (int i = 0; *word; i++) {
        size_t n = strcspn(word, "|");
        if (n == length && !strncmp(word, text, n)) {
            *choice = i;
            return 0;
        }
        word += n + (word[n] == '|');
    }
    return message_set(why, -EINVAL, "--%s is to be one of %s, not \"%s\"", option->name,
                       option->values, text);
}

/* Room for one more of `n` elements, at the end of *list. NULL: no memory. */
static void *grow(void *list, size_t n, size_t size)
{
    void **elements = list;
    void *grown = realloc(*elements, (n + 1) * size);
    if (!grown)
        return NULL;
    *elements = grown;
    return (char *)grown + n * size;
}

static int add_text(TextList *list, const char *text, size_t length, Message *why)
{
    char **place = grow(&list->text, list->n, sizeof *list->text);
    char *copy = place ? malloc(length + 1) : NULL;
    if (!copy)
        return out_of_memory(why);
    memcpy(copy, text, length);
    copy[length] = '\0';
    *place = copy;
    list->n++;
    return 0;
}

static int add_integer(const TuneOption *option, const char *text, IntegerList *list, Message *why)
{
    int *place = grow(&list->value, list->n, sizeof *list->value);
    if (!place)
        return out_of_memory(why);
    int error = take_integer(option, text, place, why);
    if (!error)
        list->n++;
    return error;
}

static int add_number(const TuneOption *option, const char *text, NumberList *list, Message *why)
{
    double *place = grow(&list->value, list->n, sizeof *list->value);
    if (!place)
        return out_of_memory(why);
    int error = take_number(option, text, place, why);
    if (!error)
        list->n++;
    return error;
}

static int add_item(const TuneOption *option, void *list, const char *text, size_t length,
                    Message *why)
{
    char item[256];
    if (!length || length >= sizeof item)
        return message_set(why, -EINVAL, "--%s: an item of the list is empty or too long",
                           option->name);
    memcpy(item, text, length);
    item[length] = '\0';
    switch (option->type) {
    case TUNE_INTEGERS:
        return add_integer(option, item, list, why);
    case TUNE_NUMBERS:
        return add_number(option, item, list, why);
    default:
        return add_text(list, item, length, why);
    }
}

static int add_items(const TuneOption *option, void *list, const char *text, Message *why)
{
    for (;;) {
        size_t length = strcspn(text, ",");
        int error = add_item(option, list, text, length, why);
        if (error)
            return error;
        if (!text[length])
            return 0;
        text += length + 1;
    }
}

int tune_option_set(const TuneOption *option, void *structure, const char *value, Message *why)
{
    void *target = member(option, structure);
    switch (option->type) {
    case TUNE_FLAG:
    case TUNE_FLAG_OFF:
        *(bool *)target = option->type == TUNE_FLAG;
        return 0;
    case TUNE_TEXT:
        *(const char **)target = value;
        return 0;
    case TUNE_TEXTS:
        return add_text(target, value, strlen(value), why);
    case TUNE_INTEGER:
        return take_integer(option, value, target, why);
    case TUNE_NUMBER:
        return take_number(option, value, target, why);
    case TUNE_CHOICE:
        return take_choice(option, value, target, why);
    case TUNE_NAMES:
    case TUNE_INTEGERS:
    case TUNE_NUMBERS:
        return add_items(option, target, value, why);
    }
    return -EINVAL;
}

void tune_option_free(const TuneOption *option, void *structure)
{
    if (option->type == TUNE_TEXTS || option->type == TUNE_NAMES) {
        TextList *list = member(option, structure);
        for (size_t i = 0; i < list->n; i++)
            free(list->text[i]);
        free(list->text);
        *list = (TextList){0};
    } else if (option->type == TUNE_INTEGERS) {
        IntegerList *list = member(option, structure);
        free(list->value);
        *list = (IntegerList){0};
    } else if (option->type == TUNE_NUMBERS) {
        NumberList *list = member(option, structure);
        free(list->value);
        *list = (NumberList){0};
    }
}
