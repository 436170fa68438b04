/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CORE_MACHINE_FIXTURE_H
#define TESTS_EMULATION_CORE_MACHINE_FIXTURE_H

#include <stdbool.h>

/* What the tests of all runtimes share. */

/* Runs this program again, alone with the argument --again and with these variables (a name, a
 * value, and so on up to NULL), which it has to be the first one to read. What it says on both
 * outputs, up to the next call. */
const char *fixture_run_again(const char *const *variables);
/* All of a file, up to the next call, which is removed. */
const char *fixture_take_file(const char *path);

/* -- what ends a program: each function runs in a process of its own -- */

/* Whether it dies by the signal, and says so on the standard error ("": anything). */
bool fixture_dies(int signal, const char *text, void (*function)(void *), void *argument);
bool fixture_aborts(const char *text, void (*function)(void *), void *argument);
/* Whether it dies by SIGSEGV; either way is as expected, and nothing is said. */
bool fixture_crashes(void (*function)(void *), void *argument);

#endif
