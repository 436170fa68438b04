/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/command_line/options.h"

#include "tune/command_line/option_values.h"

#include "common/messages.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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
    Message *why;
} Scanner;

/* How well a row has the name whose first `length` characters are `name`: 2 exactly, 1 begins so.
 */
static int name_fits(const char *row, const char *name, size_t length)
{
    if (!row || strncmp(row, name, length))
        return 0;
    return row[length] ? 1 : 2;
}

static int suggest(const Scanner *scanner, const char *name, size_t length)
{
    char written[64];
    snprintf(written, sizeof written, "%.*s", (int)length, name);
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
            int fits = name_fits(row->name, name, length);
            int fits_other = name_fits(row->other_name, name, length);
            fits = fits > fits_other ? fits : fits_other;
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
static int find(const Scanner *scanner, const char *argument, Found *found, const char **value)
{
    *value = NULL;
    if (argument[1] != '-') {
        if (argument[2])
            *value = argument + 2;
        return find_short(scanner, argument[1], found);
    }
    const char *name = argument + 2;
    size_t length = strcspn(name, "=");
    if (name[length])
        *value = name + length + 1;
    return find_long(scanner, name, length, found);
}

static int take_option(Scanner *scanner, const char *argument)
{
    Found found = {0};
    const char *value;
    int error = find(scanner, argument, &found, &value);
    if (error)
        return error;
    bool is_flag = found.option->type == TUNE_FLAG || found.option->type == TUNE_FLAG_OFF;
    if (is_flag && value)
        return message_set(scanner->why, -EINVAL, "--%s takes no argument", found.option->name);
    if (!is_flag && !value) {
        if (scanner->next >= scanner->argc)
            return message_set(scanner->why, -EINVAL, "--%s needs an argument: %s",
                               found.option->name, found.option->argument);
        value = scanner->argv[scanner->next++];
    }
    return tune_option_set(found.option, found.structure, value, scanner->why);
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
    Scanner scanner = {groups, n_groups, argc, 0, argv, why};
    bool only_words = false;
    words->n = 0;
    while (scanner.next < argc) {
        const char *argument = argv[scanner.next++];
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
