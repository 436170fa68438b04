/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_SUPPORT_CASES_H
#define TESTS_SUPPORT_CASES_H

/* cmocka, after what it needs: a test includes none of these itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/*
 * A case is a function that its program runs, after those above it:
 *
 *     CASE(equal_pictures_get_the_maximum)
 *     {
 *         assert_true(psnr(&pair) == 60);
 *     }
 *
 * Nothing else has to name it, and programs need no main: cases_main.c has one. The function has
 * the parameter `void **state` of cmocka.
 */
#define CASE(name) CASE_WITH(name, NULL, NULL)

/* One with what is called before and after it; either may be NULL. */
#define CASE_WITH(name, set_up, tear_down)                                                         \
    static void name(void **state);                                                                \
    __attribute__((constructor)) static void define_##name(void)                                   \
    {                                                                                              \
        static DefinedCase defined = {                                                             \
            {#name, name, set_up, tear_down, NULL}, __FILE__, __LINE__, NULL};                     \
        define_case(&defined);                                                                     \
    }                                                                                              \
    static void name(void **state)

/* What is called before the first case of the program and after the last one. */
#define CASES_SHARE(set_up, tear_down)                                                             \
    __attribute__((constructor)) static void define_what_cases_share(void)                         \
    {                                                                                              \
        define_shared(set_up, tear_down);                                                          \
    }                                                                                              \
    struct CMUnitTest /* for the semicolon */

typedef struct DefinedCase {
    struct CMUnitTest test;
    const char *file;
    int line;
    struct DefinedCase *next;
} DefinedCase;
void define_case(DefinedCase *defined);
void define_shared(CMFixtureFunction set_up, CMFixtureFunction tear_down);

/*
 * A case by its name. The command line of every test program ends with
 *
 *     [--list | PATTERN...]
 *
 * which lists its cases, or runs those that match one of the patterns (* and ? as in a shell)
 * instead of all; a pattern that matches none is a failure. Arguments of a program's own come
 * before, so that patterns can follow what CTest passes. If nothing follows, the environment
 * variable VMAF_TEST_CASES is read, which separates patterns by spaces.
 */

/* Run the cases, and return the exit status of the program: for a main that does more than that. */
int run_cases(int argc, char **argv);

/* Whether argv[1] is that word of a program's own, which is then taken off. */
bool take_argument(int *argc, char ***argv, const char *word);

/* The same in steps, for programs with several groups, or with cases that are no functions. */
void select_cases(int argc, char **argv); /* by what follows argv[0] */
bool case_is_selected(const char *name);  /* with --list, print it */
int end_cases(int n_failed);              /* the exit status */

/* Run those of the cases that are selected, and return how many failed. */
int run_defined_cases(CMFixtureFunction set_up, CMFixtureFunction tear_down);

/* The same for an array of CMUnitTest: cases that run only at times, or have a state. */
#define run_case_group(cases, set_up, tear_down)                                                   \
    run_case_group_of(#cases, cases, sizeof(cases) / sizeof((cases)[0]), set_up, tear_down)
int run_case_group_of(const char *name, const struct CMUnitTest *cases, size_t n,
                      CMFixtureFunction set_up, CMFixtureFunction tear_down);
#define run_cases_of(argc, argv, cases)                                                            \
    (select_cases(argc, argv), end_cases(run_case_group(cases, NULL, NULL)))

#endif
