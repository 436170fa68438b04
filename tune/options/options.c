/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/options/options.h"

#include "common/messages.h"
#include "common/output_guard.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- places -- */

bool option_at(const OptionGroup *groups, size_t n_groups, size_t index, OptionPlace *place)
{
    for (size_t g = 0; g < n_groups; index -= groups[g++].n)
        if (index < groups[g].n) {
            *place = (OptionPlace){&groups[g], &groups[g].options[index]};
            return true;
        }
    return false;
}

static void *member(const OptionPlace *place)
{
    return (char *)place->group->target + place->option->target;
}

static bool is_flag(const TuneOption *option)
{
    return option->type == TUNE_FLAG || option->type == TUNE_FLAG_OFF ||
           option->type == TUNE_CHOSEN;
}

/* -- values -- */

static int out_of_memory(Message *why)
{
    return message_set(why, -ENOMEM, "out of memory");
}

int text_list_add(TextList *list, const char *format, ...)
{
    char **grown = realloc(list->text, (list->n + 1) * sizeof(*grown));
    va_list arguments;
    if (!grown)
        return -ENOMEM;
    list->text = grown;
    va_start(arguments, format);
    const int length = vasprintf(&grown[list->n], format, arguments);
    va_end(arguments);
    if (length < 0)
        return -ENOMEM;
    list->n++;
    return 0;
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

/* "vmaf=93" behind --target, another name of --target-vmaf, says whose score it is. */
static const char *without_metric(const TuneOption *option, const char *text)
{
    static const char target[] = "target-";
    if (strncmp(option->name, target, strlen(target)) != 0)
        return text;
    const char *metric = option->name + strlen(target);
    const size_t length = strlen(metric);
    return !strncmp(text, metric, length) && text[length] == '=' ? text + length + 1 : text;
}

/* Any number; an int is one as well. */
static int take_number(const TuneOption *option, const char *text, double *value, Message *why)
{
    const bool is_whole = option->type == TUNE_INTEGER || option->type == TUNE_INTEGERS;
    const bool has_range = option->lowest != 0 || option->highest != 0;
    const char *digits = without_metric(option, text);
    char *end;
    *value = strtod(digits, &end);
    const double unit = unit_seconds(option, end);
    const bool is_int = !digits[strspn(digits, "+-0123456789")] && fabs(*value) <= INT_MAX;
    if (end == digits || unit == 0 || !isfinite(*value) || (is_whole && !is_int))
        return message_set(why, -EINVAL, "--%s is to be a %snumber, not \"%s\"", option->name,
                           is_whole ? "whole " : "", text);
    *value *= unit;
    if (has_range && !(*value >= option->lowest && *value <= option->highest))
        return message_set(why, -EINVAL, "--%s is to be from %.15g to %.15g, not %.15g",
                           option->name, option->lowest, option->highest, *value);
    return 0;
}

/* The same for a member that is an int, or a double. */
static int set_number(const TuneOption *option, const char *text, void *target, Message *why)
{
    double value;
    const int error = take_number(option, text, &value, why);
    if (!error && (option->type == TUNE_INTEGER || option->type == TUNE_INTEGERS))
        *(int *)target = (int)value;
    else if (!error)
        *(double *)target = value;
    return error;
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

static int add_item(const TuneOption *option, void *list, const char *item, Message *why)
{
    const size_t size = option->type == TUNE_INTEGERS ? sizeof(int) : sizeof(double);
    NumberList *numbers = list; /* or of int */
    if (option->type == TUNE_NAMES)
        return text_list_add(list, "%s", item) ? out_of_memory(why) : 0;
    void *grown = realloc(numbers->value, (numbers->n + 1) * size);
    if (!grown)
        return out_of_memory(why);
    numbers->value = grown;
    const int error = set_number(option, item, (char *)grown + numbers->n * size, why);
    numbers->n += !error;
    return error;
}

static int add_items(const TuneOption *option, void *list, const char *text, Message *why)
{
    int error = 0;
    for (bool is_last = false; !is_last && !error;) {
        char item[256];
        const size_t length = strcspn(text, ",");
        if (!length || length >= sizeof item)
            return message_set(why, -EINVAL, "--%s: an item of the list is empty or too long",
                               option->name);
        snprintf(item, sizeof item, "%.*s", (int)length, text);
        error = add_item(option, list, item, why);
        is_last = !text[length];
        text += length + 1;
    }
    return error;
}

/* Sets the option's member of the structure; `value` is NULL for flags. 0; -EINVAL or -ENOMEM, and
 * says why. */
static int set_option(const OptionPlace *place, const char *value, Message *why)
{
    const TuneOption *option = place->option;
    void *target = member(place);
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
        return text_list_add(target, "%s", value) ? out_of_memory(why) : 0;
    case TUNE_INTEGER:
    case TUNE_NUMBER:
        return set_number(option, value, target, why);
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

void tune_options_free(const OptionGroup *groups, size_t n_groups)
{
    OptionPlace place;
    for (size_t i = 0; option_at(groups, n_groups, i, &place); i++) {
        const TuneOptionType type = place.option->type;
        const bool has_texts = type == TUNE_TEXTS || type == TUNE_NAMES;
        TextList *list = member(&place); /* or of numbers */
        if (!has_texts && type != TUNE_INTEGERS && type != TUNE_NUMBERS)
            continue;
        for (size_t k = 0; k < list->n && has_texts; k++)
            free(list->text[k]);
        free(list->text);
        *list = (TextList){0};
    }
}

/* -- files that options name -- */

/* A model may be path=FILE:OPTION=VALUE. */
static int read_text(OutputGuard *guard, const char *text, const char *label, Message *why)
{
    static const char prefix[] = "path=";
    if (!text || strncmp(text, prefix, strlen(prefix)) != 0)
        return output_guard_read(guard, text, label, why);
    char *path = strdup(text + strlen(prefix));
    if (!path)
        return out_of_memory(why);
    path[strcspn(path, ":")] = '\0';
    const int err = output_guard_read(guard, path, label, why);
    free(path);
    return err;
}

static int note_read(OutputGuard *guard, const OptionPlace *place, Message *why)
{
    char label[64];
    int err = 0;
    snprintf(label, sizeof label, "the file of --%s", place->option->name);
    if (place->option->type == TUNE_TEXT)
        return read_text(guard, *(const char *const *)member(place), label, why);
    const TextList *list = member(place);
    for (size_t i = 0; i < list->n && !err; i++)
        err = read_text(guard, list->text[i], label, why);
    return err;
}

static int note_written(OutputGuard *guard, const OptionPlace *place, bool overwrites, Message *why)
{
    char name[64];
    snprintf(name, sizeof name, "--%s", place->option->name);
    const GuardedOutput output = {
        .path = *(const char *const *)member(place),
        .name = name,
        .overwrites = overwrites || place->option->file == TUNE_FILE_WRITTEN,
    };
    return output_guard_write(guard, &output, why);
}

int tune_options_check_files(const OptionGroup *groups, size_t n_groups, const OptionWords *words,
                             Message *why)
{
    OutputGuard guard = {0};
    OptionPlace place;
    bool overwrites = false;
    int err = 0;
    for (size_t i = 0; option_at(groups, n_groups, i, &place) && !err; i++) {
        if (!strcmp(place.option->name, "overwrite"))
            overwrites = *(const bool *)member(&place);
        if (place.option->file == TUNE_FILE_READ)
            err = note_read(&guard, &place, why);
    }
    for (size_t i = 0; i < words->n && !err; i++)
        err = output_guard_read(&guard, words->word[i], "a file that is read", why);
    for (size_t i = 0; option_at(groups, n_groups, i, &place) && !err; i++)
        if (place.option->file == TUNE_FILE_TEXT || place.option->file == TUNE_FILE_WRITTEN)
            err = note_written(&guard, &place, overwrites, why);
    if (!err)
        err = output_guard_trace(&guard, why);
    output_guard_free(&guard);
    return err;
}

/* -- help -- */

void tune_option_help(const OptionPlace *place, char text[OPTION_HELP_SIZE])
{
    const char *help = place->option->help, *begin = strchr(help, '{'), *end = strchr(help, '}');
    const OptionPlace usual = {place->group, &(TuneOption){.target = place->option->usual
                                                                         ? place->option->usual
                                                                         : place->option->target}};
    char number[32] = "";
    const char *value = number;
    if (place->option->type == TUNE_TEXT)
        value = *(const char *const *)member(&usual);
    else if (place->option->type == TUNE_INTEGER && *(const int *)member(&usual) > 0)
        snprintf(number, sizeof number, "%d", *(const int *)member(&usual));
    else if (place->option->type == TUNE_NUMBER && *(const double *)member(&usual) > 0)
        snprintf(number, sizeof number, "%.15g", *(const double *)member(&usual));
    if (!begin || !end)
        snprintf(text, OPTION_HELP_SIZE, "%s", help);
    else if (value && *value)
        snprintf(text, OPTION_HELP_SIZE, "%.*s%s%s", (int)(begin - help), help, value, end + 1);
    else
        snprintf(text, OPTION_HELP_SIZE, "%.*s%.*s%s", (int)(begin - help), help,
                 (int)(end - begin - 1), begin + 1, end + 1);
}

static void print_option(const OptionPlace *place)
{
    enum { TEXT_COLUMN = 30 };
    const TuneOption *option = place->option;
    const char *argument = option->values ? option->values : option->argument;
    char dash[] = "-x, ", name[256], help[OPTION_HELP_SIZE];
    dash[1] = option->short_name;
    snprintf(name, sizeof name, "%s--%s%s%s", option->short_name ? dash : "", option->name,
             argument ? " " : "", argument ? argument : "");
    tune_option_help(place, help);
    print_help_row(name, TEXT_COLUMN, help);
}

void tune_options_print(const OptionGroup *groups, size_t n_groups)
{
    OptionPlace place;
    for (size_t g = 0; g < n_groups; g++) {
        printf("\n%.*s:\n", (int)strcspn(groups[g].title, ":"), groups[g].title);
        for (size_t i = 0; option_at(&groups[g], 1, i, &place); i++)
            if (place.option->help)
                print_option(&place);
    }
}

/* -- parsing -- */

typedef struct Scanner {
    const OptionGroup *groups;
    size_t n_groups;
    int argc, next;
    char **argv;
    OptionWords *words;
    Message *why;
} Scanner;

int names_fit(const char *name, const char *others, const char *wanted, size_t length)
{
    const char *const all[] = {name, others ? others : ""};
    int best = 0;
    for (int i = 0; i < 2; i++)
        for (const char *row = all[i]; *row;) {
            const size_t n = strcspn(row, "|");
            const int fits = n < length || strncmp(row, wanted, length) ? 0 : n > length ? 1 : 2;
            best = fits > best ? fits : best;
            row += n + (row[n] == '|');
        }
    return best;
}

static int suggest(const Scanner *scanner, const char *name, size_t length)
{
    char written[64];
    OptionPlace place;
    snprintf(written, sizeof written, "%.*s", (int)length, name);
    scanner->words->unknown = name;
    Suggestion suggestion = {.wanted = written};
    for (size_t i = 0; option_at(scanner->groups, scanner->n_groups, i, &place); i++)
        suggestion_offer(&suggestion, place.option->name);
    const char *meant = suggestion_result(&suggestion);
    if (meant)
        return message_set(scanner->why, -EINVAL, "unknown option --%s; did you mean --%s?",
                           written, meant);
    return message_set(scanner->why, -EINVAL, "unknown option --%s (see --help)", written);
}

static int find_long(const Scanner *scanner, const char *name, size_t length, OptionPlace *found)
{
    int best = 0;
    const TuneOption *other = NULL;
    OptionPlace place;
    for (size_t i = 0; option_at(scanner->groups, scanner->n_groups, i, &place); i++) {
        const int fits = names_fit(place.option->name, place.option->other_name, name, length);
        if (fits > best) {
            *found = place;
            other = NULL;
            best = fits;
        } else if (fits && fits == best) {
            other = place.option;
        }
    }
    if (!best)
        return suggest(scanner, name, length);
    if (other && best == 1)
        return message_set(scanner->why, -EINVAL, "--%.*s may be --%s or --%s", (int)length, name,
                           found->option->name, other->name);
    return 0;
}

static int find_short(const Scanner *scanner, char name, OptionPlace *found)
{
    for (size_t i = 0; option_at(scanner->groups, scanner->n_groups, i, found); i++)
        if (found->option->short_name == name)
            return 0;
    return message_set(scanner->why, -EINVAL, "unknown option -%c (see --help)", name);
}

/* Finds the option of an argument; *value is what is attached to it, or NULL. */
static int find(const Scanner *scanner, char *argument, OptionPlace *found, char **value)
{
    char *name = argument + 2;
    const bool is_long = argument[1] == '-';
    const size_t length = is_long ? strcspn(name, "=") : 0;
    *value = !name[length] ? NULL : is_long ? name + length + 1 : name;
    return is_long ? find_long(scanner, name, length, found)
                   : find_short(scanner, argument[1], found);
}

/* KEY=VALUE behind another option's text. */
static int take_setting(const Scanner *scanner, const TuneOption *owner, char *setting)
{
    OptionPlace found = {0};
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
    return set_option(&found, value, scanner->why);
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
    OptionPlace found = {0};
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
    error = set_option(&found, value, scanner->why);
    return error ? error : take_settings(scanner, found.option, settings);
}

/* -h is help unless an option has that name. */
static bool is_help(const Scanner *scanner, const char *argument)
{
    OptionPlace found;
    if (!strcmp(argument, "--help"))
        return true;
    return !strcmp(argument, "-h") && find_short(scanner, 'h', &found);
}

int tune_options_parse(const OptionGroup *groups, size_t n_groups, int argc, char **argv,
                       OptionWords *words, Message *why)
{
    Scanner scanner = {groups, n_groups, argc, 0, argv, words, why};
    bool only_words = false;
    int error = 0;
    *words = (OptionWords){.topic = ""};
    while (scanner.next < argc && !error) {
        char *argument = argv[scanner.next++];
        const bool is_word = only_words || argument[0] != '-' || !argument[1];
        if (is_word && words->n == OPTION_MAX_WORDS) {
            error = message_set(why, -EINVAL, "too many arguments that are no options");
        } else if (is_word) {
            words->word[words->n++] = argument;
        } else if (!strcmp(argument, "--")) {
            only_words = true;
        } else if (is_help(&scanner, argument)) {
            if (scanner.next < argc)
                words->topic = argv[scanner.next];
            return 1;
        } else {
            error = take_option(&scanner, argument);
        }
    }
    return error;
}
