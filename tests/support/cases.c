/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PATTERNS = 64 };

static struct {
    const char *text;
    bool has_matched;
} patterns[MAX_PATTERNS];
static size_t n_patterns;
static bool list_only;

static DefinedCase *first_case;
static CMFixtureFunction shared_set_up, shared_tear_down;

static void add_pattern(const char *text)
{
    if (n_patterns == MAX_PATTERNS) {
        fprintf(stderr, "more than %d patterns\n", MAX_PATTERNS);
        exit(EXIT_FAILURE);
    }
    if (!strcmp(text, "--list"))
        list_only = true;
    else
        patterns[n_patterns++].text = text;
}

bool take_argument(int *argc, char ***argv, const char *word)
{
    if (*argc < 2 || strcmp((*argv)[1], word))
        return false;
    --*argc;
    ++*argv;
    return true;
}

void select_cases(int argc, char **argv)
{
    const char *variable = getenv("VMAF_TEST_CASES");
    for (int i = 1; i < argc; i++)
        add_pattern(argv[i]);
    if (argc > 1 || !variable)
        return;
    static char words[4096];
    snprintf(words, sizeof(words), "%s", variable);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        add_pattern(word);
}

static bool matches(const char *pattern, const char *name)
{
    if (*pattern == '*')
        return matches(pattern + 1, name) || (*name && matches(pattern, name + 1));
    if (!*pattern || !*name)
        return *pattern == *name;
    return (*pattern == '?' || *pattern == *name) && matches(pattern + 1, name + 1);
}

bool case_is_selected(const char *name)
{
    bool is_selected = n_patterns == 0;
    for (size_t i = 0; i < n_patterns; i++) {
        if (matches(patterns[i].text, name))
            is_selected = patterns[i].has_matched = true;
    }
    if (is_selected && list_only)
        puts(name);
    return is_selected && !list_only;
}

static bool is_above(const DefinedCase *a, const DefinedCase *b)
{
    const int order = strcmp(a->file, b->file);
    return order ? order < 0 : a->line < b->line;
}

/* The order in which compilers have constructors called is their own. */
void define_case(DefinedCase *defined)
{
    DefinedCase **next = &first_case;
    while (*next && is_above(*next, defined))
        next = &(*next)->next;
    defined->next = *next;
    *next = defined;
}

void define_shared(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    shared_set_up = set_up;
    shared_tear_down = tear_down;
}

int run_defined_cases(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    size_t n = 0;
    for (const DefinedCase *c = first_case; c; c = c->next)
        n++;
    struct CMUnitTest *tests = calloc(n + 1, sizeof(*tests));
    if (!tests)
        return 1;
    n = 0;
    for (const DefinedCase *c = first_case; c; c = c->next)
        tests[n++] = c->test;
    const int failed = run_case_group_of("tests", tests, n, set_up, tear_down);
    free(tests);
    return failed;
}

int run_case_group_of(const char *name, const struct CMUnitTest *cases, size_t n,
                      CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    struct CMUnitTest *selected = calloc(n + 1, sizeof(*selected));
    size_t n_selected = 0;
    if (!selected)
        return 1;
    for (size_t i = 0; i < n; i++) {
        if (case_is_selected(cases[i].name))
            selected[n_selected++] = cases[i];
    }
    int failed = 0;
    if (n_selected)
        failed = _cmocka_run_group_tests(name, selected, n_selected, set_up, tear_down);
    free(selected);
    return failed;
}

int end_cases(int n_failed)
{
    for (size_t i = 0; i < n_patterns; i++) {
        if (!patterns[i].has_matched) {
            fprintf(stderr, "no case matches %s\n", patterns[i].text);
            n_failed = 1;
        }
    }
    return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int run_cases(int argc, char **argv)
{
    select_cases(argc, argv);
    if (!first_case) {
        fprintf(stderr, "there is no case\n");
        return EXIT_FAILURE;
    }
    return end_cases(run_defined_cases(shared_set_up, shared_tear_down));
}
