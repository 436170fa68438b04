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
 * A case by its name. The command line of every test program ends with
 *
 *     [--list | PATTERN...]
 *
 * which lists its cases, or runs those that match one of the patterns (* and ? as in a shell)
 * instead of all; a pattern that matches none is a failure. Arguments of a program's own come
 * before, so that patterns can follow what CTest passes. If nothing follows, the environment
 * variable VMAF_TEST_CASES is read, which separates patterns by spaces.
 */

/* Run the cases of an array of CMUnitTest, and return the exit status of the program. */
#define run_cases(argc, argv, cases, set_up, tear_down)                                            \
    (select_cases(argc, argv), end_cases(run_case_group(cases, set_up, tear_down)))

/* Whether argv[1] is that word of a program's own, which is then taken off. */
bool take_argument(int *argc, char ***argv, const char *word);

/* The same in steps, for programs with several groups, or with cases that are no functions. */
void select_cases(int argc, char **argv); /* by what follows argv[0] */
bool case_is_selected(const char *name);  /* with --list, print it */
int end_cases(int n_failed);              /* the exit status */

/* Run those of a group that are selected, and return how many failed. */
#define run_case_group(cases, set_up, tear_down)                                                   \
    run_case_group_of(#cases, cases, sizeof(cases) / sizeof((cases)[0]), set_up, tear_down)
int run_case_group_of(const char *name, const struct CMUnitTest *cases, size_t n,
                      CMFixtureFunction set_up, CMFixtureFunction tear_down);

#endif
