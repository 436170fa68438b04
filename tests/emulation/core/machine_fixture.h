/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CORE_MACHINE_FIXTURE_H
#define TESTS_EMULATION_CORE_MACHINE_FIXTURE_H

#include <signal.h>
#include <unistd.h>

#include "support/cases.h"

/* What the tests of all runtimes share. */

/* A case on a machine of its own: the default one, late, unless it starts another. These two are
 * each runtime's. */
void fixture_start(const char *machine, const char *order);
int fixture_tear_down(void **state);

static inline int fixture_set_up(void **state)
{
    (void)state;
    fixture_start(NULL, "late");
    return 0;
}

#define TEST(name) CASE_WITH(name, fixture_set_up, fixture_tear_down)

/* Runs this program again, alone with the argument --again and with these variables (a name, a
 * value, and so on up to NULL), which it has to be the first one to read. What it says on both
 * outputs, up to the next call. */
const char *fixture_run_again(const char *const *variables);
/* All of a file, up to the next call, which is removed. */
const char *fixture_take_file(const char *path);

/* -- what ends a program: each statement runs in a process of its own -- */

/* Whether this is that process; otherwise it has ended when the function returns. */
bool fixture_is_apart(void);
/* Whether it died by the signal, and said so on the standard error ("": anything). */
bool fixture_has_died(int signal, const char *text);

#define assert_dies(signal, text, ...)                                                             \
    do {                                                                                           \
        if (fixture_is_apart()) {                                                                  \
            __VA_ARGS__;                                                                           \
            _exit(0);                                                                              \
        }                                                                                          \
        assert_true(fixture_has_died(signal, text));                                               \
    } while (0)
#define assert_aborts(text, ...) assert_dies(SIGABRT, text, __VA_ARGS__)
#define assert_crashes(...)      assert_dies(SIGSEGV, "", __VA_ARGS__)
#define assert_survives(...)     assert_dies(0, "", __VA_ARGS__)

void read_byte(const void *at);
void write_byte(void *at);

#endif
