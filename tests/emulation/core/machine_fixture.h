/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CORE_MACHINE_FIXTURE_H
#define TESTS_EMULATION_CORE_MACHINE_FIXTURE_H

#include <stdbool.h>

/* What ends a program, for tests: each function runs in a process of its own. */

/* Whether it dies by the signal, and says so on the standard error ("": anything). */
bool fixture_dies(int signal, const char *text, void (*function)(void *), void *argument);
bool fixture_aborts(const char *text, void (*function)(void *), void *argument);
/* Whether it dies by SIGSEGV; either way is as expected, and nothing is said. */
bool fixture_crashes(void (*function)(void *), void *argument);

#endif
