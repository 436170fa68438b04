/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What emulated machines read from the environment, and their log. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine_fixture.h"
#include "support/cases.h"
#include "toy_runtime.h"

static char machine[] = "/tmp/vmaf_machine_XXXXXX", log_path[] = "/tmp/vmaf_machine_XXXXXX";

static void complain(void)
{
    machine_complain("%s is wrong", "this");
}

static int be_child(void)
{
    toy_during_work = complain;
    toyOuter();
    toy_during_work = NULL;
    printf("%d %d %d %s|", toyOpen(), (int)machine_order, emulated_machine.driver, machine_why);
    return 0;
}

static void write_machine(const char *text)
{
    FILE *file = fopen(machine, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

CASE(variables_are_read)
{
    static const char lines[] = "! this is wrong\ntoyOuter size=8 -> 0\ntoyOpen -> 7\n";
    const char *const variables[] = {"VMAF_EMULATED_TOY",
                                     machine,
                                     "VMAF_EMULATED_TOY_FAULTS",
                                     "fail toyOpen 1 7; hang toyWork 1",
                                     "VMAF_EMULATED_TOY_ORDER",
                                     "early",
                                     "VMAF_EMULATED_TOY_LOG",
                                     log_path,
                                     NULL};
    char twice[2 * sizeof(lines)];
    write_machine("driver 3\n");
    assert_string_equal(fixture_run_again(variables), "emulated Toy: this is wrong\n7 1 3 |");
    fixture_run_again(variables); /* the log is appended to */
    snprintf(twice, sizeof(twice), "%s%s", lines, lines);
    assert_string_equal(fixture_take_file(log_path), twice);
}

CASE(without_variables_it_is_the_default)
{
    const char *const empty[] = {"VMAF_EMULATED_TOY", "", "VMAF_EMULATED_TOY_ORDER", "", NULL};
    assert_string_equal(fixture_run_again(empty), "emulated Toy: this is wrong\n0 0 42 |");
}

CASE(what_is_wrong_with_variables_is_said)
{
    static const char wrong[] = "emulated Toy: this is wrong\n";
    static const struct {
        const char *variable, *value, *where, *why;
        int driver;
    } cases[] = {
        {"VMAF_EMULATED_TOY", "absent", "absent", "cannot be read", 42},
        {"VMAF_EMULATED_TOY", machine, machine, "line 2: the word x is not known", 5},
        {"VMAF_EMULATED_TOY_FAULTS", "driver 6; y", "its environment",
         "line 2: the word y is not known", 6},
        {"VMAF_EMULATED_TOY_ORDER", "soon", "its environment", "there is no order soon", 42},
    };
    write_machine("driver 5\nx\n");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char expected[256];
        snprintf(expected, sizeof(expected), "emulated Toy: %s: %s\n%s0 0 %d %s|", cases[i].where,
                 cases[i].why, wrong, cases[i].driver, cases[i].why);
        assert_string_equal(
            fixture_run_again((const char *const[]){cases[i].variable, cases[i].value, NULL}),
            expected);
    }
}

static int make_files(void **state)
{
    return close(mkstemp(machine)) || close(mkstemp(log_path));
}

static int remove_files(void **state)
{
    unlink(log_path);
    return unlink(machine);
}

CASES_SHARE(make_files, remove_files);

int main(int argc, char **argv)
{
    if (take_argument(&argc, &argv, "--again"))
        return be_child();
    return run_cases(argc, argv);
}
