/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/command_line/options.h"

#include "common/messages.h"
#include "common/output_guard.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- values -- */

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

/* What a unit behind a number of seconds stands for; 0: it is none. */
static double unit_seconds(const TuneOption *option, const char *unit)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"ms", 1e-3}};
    const bool is_time = option->argument && !strcmp(option->argument, "S");
    for (size_t i = 0; i < (is_time ? sizeof units / sizeof *units : 1); i++)
        if (!strcmp(units[i].name, unit))
            return units[i].seconds;
    return 0;
}

static int take_number(const TuneOption *option, const char *text, double *value, Message *why)
{
    char *end;
    *value = strtod(text, &end);
    const double unit = unit_seconds(option, end);
    if (end == text || unit == 0 || !isfinite(*value))
        return message_set(why, -EINVAL, "--%s is to be a number, not \"%s\"", option->name, text);
    *value *= unit;
    return check_range(option, *value, why);
}

static int take_range(const TuneOption *option, const char *text, double *values, Message *why)
{
    char low[64];
    const size_t length = strcspn(text, ":");
    if (!text[length] || length >= sizeof low)
        return message_set(why, -EINVAL, "--%s is to be two numbers, LOW:HIGH, not \"%s\"",
                           option->name, text);
    snprintf(low, sizeof low, "%.*s", (int)length, text);
    const int error = take_number(option, low, &values[0], why);
    return error ? error : take_number(option, text + length + 1, &values[1], why);
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

/* Sets the option's member of the structure; `value` is NULL for flags. 0; -EINVAL or -ENOMEM, and
 * says why. */
static int tune_option_set(const TuneOption *option, void *structure, const char *value,
                           Message *why)
{
    void *target = member(option, structure);
    switch (option->type) {
    case TUNE_FLAG:
    case TUNE_FLAG_OFF:
        *(bool *)target = option->type == TUNE_FLAG;
        return 0;
    case TUNE_CHOSEN:
        *(int *)target = (int)option->lowest;
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
    case TUNE_RANGE:
        return take_range(option, value, target, why);
    case TUNE_CHOICE:
        return take_choice(option, value, target, why);
    case TUNE_NAMES:
    case TUNE_INTEGERS:
    case TUNE_NUMBERS:
        return add_items(option, target, value, why);
    }
    return -EINVAL;
}

/* Frees what it holds, if it is a list. */
static void tune_option_free(const TuneOption *option, void *structure)
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

/* -- files that options name -- */

typedef struct Files {
    OutputGuard guard;
    bool overwrites;
    Message *why;
} Files;

/* A model may be path=FILE:OPTION=VALUE. */
static int read_text(Files *files, const char *text, const char *label)
{
    static const char prefix[] = "path=";
    if (!text || strncmp(text, prefix, strlen(prefix)) != 0)
        return output_guard_read(&files->guard, text, label, files->why);
    char *path = strdup(text + strlen(prefix));
    if (!path)
        return out_of_memory(files->why);
    path[strcspn(path, ":")] = '\0';
    const int err = output_guard_read(&files->guard, path, label, files->why);
    free(path);
    return err;
}

static int take_read(Files *files, const TuneOption *option, const OptionGroup *group)
{
    char label[64];
    int err = 0;
    snprintf(label, sizeof label, "the file of --%s", option->name);
    if (option->file != TUNE_FILE_READ)
        return 0;
    if (option->type == TUNE_TEXT)
        return read_text(files, *(const char *const *)member(option, group->target), label);
    const TextList *list = member(option, group->target);
    for (size_t i = 0; i < list->n && !err; i++)
        err = read_text(files, list->text[i], label);
    return err;
}

static int take_written(Files *files, const TuneOption *option, const OptionGroup *group)
{
    char name[64];
    snprintf(name, sizeof name, "--%s", option->name);
    if (option->file != TUNE_FILE_TEXT && option->file != TUNE_FILE_WRITTEN)
        return 0;
    const GuardedOutput output = {
        .path = *(const char *const *)member(option, group->target),
        .name = name,
        .overwrites = files->overwrites || option->file == TUNE_FILE_WRITTEN,
    };
    return output_guard_write(&files->guard, &output, files->why);
}

static int look_for_overwrite(Files *files, const TuneOption *option, const OptionGroup *group)
{
    if (!strcmp(option->name, "overwrite"))
        files->overwrites = *(const bool *)member(option, group->target);
    return 0;
}

static int for_all(Files *files, const OptionGroup *groups, size_t n_groups,
                   int (*take)(Files *, const TuneOption *, const OptionGroup *))
{
    int err = 0;
    for (size_t g = 0; g < n_groups; g++)
        for (size_t i = 0; i < groups[g].n && !err; i++)
            err = take(files, &groups[g].options[i], &groups[g]);
    return err;
}

int tune_options_check_files(const OptionGroup *groups, size_t n_groups, const OptionWords *words,
                             Message *why)
{
    Files files = {.why = why};
    int err = for_all(&files, groups, n_groups, look_for_overwrite);
    if (!err)
        err = for_all(&files, groups, n_groups, take_read);
    for (size_t i = 0; i < words->n && !err; i++)
        err = output_guard_read(&files.guard, words->word[i], "a file that is read", why);
    if (!err)
        err = for_all(&files, groups, n_groups, take_written);
    if (!err)
        err = output_guard_trace(&files.guard, why);
    output_guard_free(&files.guard);
    return err;
}

/* -- help -- */

static void print_option(const TuneOption *option)
{
    enum { TEXT_COLUMN = 30 };
    const char *argument = option->values ? option->values : option->argument;
    char dash[] = "-x, ", name[256];
    dash[1] = option->short_name;
    snprintf(name, sizeof name, "%s--%s%s%s", option->short_name ? dash : "", option->name,
             argument ? " " : "", argument ? argument : "");
    print_help_row(name, TEXT_COLUMN, option->help);
}

void tune_options_print(const OptionGroup *groups, size_t n_groups)
{
    for (size_t g = 0; g < n_groups; g++) {
        printf("\n%s:\n", groups[g].title);
        for (size_t i = 0; i < groups[g].n; i++)
            if (groups[g].options[i].help)
                print_option(&groups[g].options[i]);
    }
}

/* -- parsing -- */

/* An option, and the structure that it is for. */
typedef struct Found {
    const TuneOption *option;
    void *structure;
} Found;

typedef struct Scanner {
    const OptionGroup *groups;
    size_t n_groups;
    int argc, next;
    char **argv;
    OptionWords *words;
    Message *why;
} Scanner;

/* The same of one of several names that have | between them. */
static int name_fits(const char *row, size_t row_length, const char *name, size_t length)
{
    if (row_length < length || strncmp(row, name, length))
        return 0;
    return row_length > length ? 1 : 2;
}

int tune_option_fits(const TuneOption *option, const char *name, size_t length)
{
    int best = name_fits(option->name, strlen(option->name), name, length);
    const char *other = option->other_name;
    while (other && *other) {
        const size_t n = strcspn(other, "|");
        const int fits = name_fits(other, n, name, length);
        best = fits > best ? fits : best;
        other += n + (other[n] == '|');
    }
    return best;
}

static int suggest(const Scanner *scanner, const char *name, size_t length)
{
    char written[64];
    snprintf(written, sizeof written, "%.*s", (int)length, name);
    scanner->words->unknown = name;
    Suggestion suggestion = {.wanted = written};
    for (size_t g = 0; g < scanner->n_groups; g++)
        for (size_t i = 0; i < scanner->groups[g].n; i++)
            suggestion_offer(&suggestion, scanner->groups[g].options[i].name);
    const char *meant = suggestion_result(&suggestion);
    if (meant)
        return message_set(scanner->why, -EINVAL, "unknown option --%s; did you mean --%s?",
                           written, meant);
    return message_set(scanner->why, -EINVAL, "unknown option --%s (see --help)", written);
}

static int find_long(const Scanner *scanner, const char *name, size_t length, Found *found)
{
    int best = 0;
    const TuneOption *other = NULL;
    for (size_t g = 0; g < scanner->n_groups; g++) {
        const OptionGroup *group = &scanner->groups[g];
        for (size_t i = 0; i < group->n; i++) {
            const TuneOption *row = &group->options[i];
            const int fits = tune_option_fits(row, name, length);
            if (fits > best) {
                *found = (Found){row, group->target};
                other = NULL;
                best = fits;
            } else if (fits && fits == best) {
                other = row;
            }
        }
    }
    if (!best)
        return suggest(scanner, name, length);
    if (other && best == 1)
        return message_set(scanner->why, -EINVAL, "--%.*s may be --%s or --%s", (int)length, name,
                           found->option->name, other->name);
    return 0;
}

static int find_short(const Scanner *scanner, char name, Found *found)
{
    for (size_t g = 0; g < scanner->n_groups; g++)
        for (size_t i = 0; i < scanner->groups[g].n; i++)
            if (scanner->groups[g].options[i].short_name == name) {
                *found = (Found){&scanner->groups[g].options[i], scanner->groups[g].target};
                return 0;
            }
    return message_set(scanner->why, -EINVAL, "unknown option -%c (see --help)", name);
}

/* Finds the option of an argument; *value is what is attached to it, or NULL. */
static int find(const Scanner *scanner, char *argument, Found *found, char **value)
{
    *value = NULL;
    if (argument[1] != '-') {
        if (argument[2])
            *value = argument + 2;
        return find_short(scanner, argument[1], found);
    }
    char *name = argument + 2;
    size_t length = strcspn(name, "=");
    if (name[length])
        *value = name + length + 1;
    return find_long(scanner, name, length, found);
}

static bool is_flag(const TuneOption *option)
{
    return option->type == TUNE_FLAG || option->type == TUNE_FLAG_OFF ||
           option->type == TUNE_CHOSEN;
}

/* KEY=VALUE behind another option's text. */
static int take_setting(const Scanner *scanner, const TuneOption *owner, char *setting)
{
    Found found = {0};
    const size_t length = strcspn(setting, "=");
    char *value = setting[length] ? setting + length + 1 : NULL;
    int error = find_long(scanner, setting, length, &found);
    if (error || is_flag(found.option) != !value) {
        scanner->words->unknown = NULL;
        value = setting;
        error = find_long(scanner, "enc", 3, &found);
    }
    if (error)
        return message_set(scanner->why, -EINVAL, "--%s: \"%s\" is no setting", owner->name,
                           setting);
    return tune_option_set(found.option, found.structure, value, scanner->why);
}

static int take_settings(const Scanner *scanner, const TuneOption *owner, char *settings)
{
    int error = 0;
    while (settings && !error) {
        char *next = strchr(settings, ':');
        if (next)
            *next++ = '\0';
        error = take_setting(scanner, owner, settings);
        settings = next;
    }
    return error;
}

static int take_option(Scanner *scanner, char *argument)
{
    Found found = {0};
    char *value, *settings = NULL;
    int error = find(scanner, argument, &found, &value);
    if (error)
        return error;
    if (is_flag(found.option) && value)
        return message_set(scanner->why, -EINVAL, "--%s takes no argument", found.option->name);
    if (!is_flag(found.option) && !value) {
        if (scanner->next >= scanner->argc)
            return message_set(
                scanner->why, -EINVAL, "--%s needs an argument: %s", found.option->name,
                found.option->values ? found.option->values : found.option->argument);
        value = scanner->argv[scanner->next++];
    }
    if (found.option->has_settings && (settings = strchr(value, ':')))
        *settings++ = '\0';
    error = tune_option_set(found.option, found.structure, value, scanner->why);
    return error ? error : take_settings(scanner, found.option, settings);
}

static int take_word(OptionWords *words, const char *word, Message *why)
{
    if (words->n == OPTION_MAX_WORDS)
        return message_set(why, -EINVAL, "too many arguments that are no options");
    words->word[words->n++] = word;
    return 0;
}

/* -h is help unless an option has that name. */
static bool is_help(const Scanner *scanner, const char *argument)
{
    Found found;
    if (!strcmp(argument, "--help"))
        return true;
    return !strcmp(argument, "-h") && find_short(scanner, 'h', &found);
}

int tune_options_parse(const OptionGroup *groups, size_t n_groups, int argc, char **argv,
                       OptionWords *words, Message *why)
{
    Scanner scanner = {groups, n_groups, argc, 0, argv, words, why};
    bool only_words = false;
    words->n = 0;
    words->unknown = NULL;
    while (scanner.next < argc) {
        char *argument = argv[scanner.next++];
        int error = 0;
        if (only_words || argument[0] != '-' || !argument[1])
            error = take_word(words, argument, why);
        else if (!strcmp(argument, "--"))
            only_words = true;
        else if (is_help(&scanner, argument))
            return 1;
        else
            error = take_option(&scanner, argument);
        if (error)
            return error;
    }
    return 0;
}

void tune_options_free(const OptionGroup *groups, size_t n_groups)
{
    for (size_t g = 0; g < n_groups; g++)
        for (size_t i = 0; i < groups[g].n; i++)
            tune_option_free(&groups[g].options[i], groups[g].target);
}
