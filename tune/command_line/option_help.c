/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/command_line/options.h"

#include <stdio.h>
#include <string.h>

enum { HELP_COLUMNS = 80, HELP_INDENT = 30 };

static int print_name(const TuneOption *option)
{
    int n = option->short_name ? printf("  -%c, --%s", option->short_name, option->name)
                               : printf("  --%s", option->name);
    const char *argument = option->values ? option->values : option->argument;
    if (argument)
        n += printf(" %s", argument);
    return n;
}

/* Prints words from `column` on, in lines that begin at HELP_INDENT. */
static void print_words(const char *text, int column)
{
    while (*text) {
        int n = (int)strcspn(text, " ");
        if (column > HELP_INDENT && column + 1 + n > HELP_COLUMNS) {
            printf("\n%*s", HELP_INDENT, "");
            column = HELP_INDENT;
        }
        column += printf("%s%.*s", column > HELP_INDENT ? " " : "", n, text);
        text += n + (text[n] == ' ');
    }
    printf("\n");
}

static void print_option(const TuneOption *option)
{
    int column = print_name(option);
    if (column + 2 > HELP_INDENT) {
        printf("\n");
        column = 0;
    }
    printf("%*s", HELP_INDENT - column, "");
    print_words(option->help, HELP_INDENT);
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
