/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What emulated machines read from the environment, and their log. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/cases.h"
#include "toy_runtime.h"

/* The environment is read once in a process: path of this program, which the tests run again. */
static const char *program;

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

static char *read_file(const char *path)
{
    static char text[4096];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* Runs this program with variables, up to NULL; what it said on both outputs is in "said". */
static void run_child(const char *const *variables)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        for (; *variables; variables += 2)
            setenv(variables[0], variables[1], 1);
        if (freopen("said", "w", stdout) && dup2(fileno(stdout), STDERR_FILENO) >= 0)
            execl(program, program, "--again", (char *)NULL);
        _exit(1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void write_machine(const char *text)
{
    FILE *file = fopen("machine", "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void variables_are_read(void **state)
{
    (void)state;
    write_machine("driver 3\n");
    remove("log");
    const char *const variables[] = {"VMAF_EMULATED_TOY",
                                     "machine",
                                     "VMAF_EMULATED_TOY_FAULTS",
                                     "fail toyOpen 1 7; hang toyWork 1",
                                     "VMAF_EMULATED_TOY_ORDER",
                                     "early",
                                     "VMAF_EMULATED_TOY_LOG",
                                     "log",
                                     NULL};
    run_child(variables);
    assert_string_equal(read_file("said"), "emulated Toy: this is wrong\n7 1 3 |");
    run_child(variables); /* the log is appended to */
    static const char lines[] = "! this is wrong\ntoyOuter size=8 -> 0\ntoyOpen -> 7\n";
    char twice[2 * sizeof(lines)];
    snprintf(twice, sizeof(twice), "%s%s", lines, lines);
    assert_string_equal(read_file("log"), twice);
}

static void without_variables_it_is_the_default(void **state)
{
    (void)state;
    run_child((const char *const[]){"VMAF_EMULATED_TOY", "", "VMAF_EMULATED_TOY_ORDER", "", NULL});
    assert_string_equal(read_file("said"), "emulated Toy: this is wrong\n0 0 42 |");
}

static void what_is_wrong_with_variables_is_said(void **state)
{
    (void)state;
    static const char wrong[] = "emulated Toy: this is wrong\n";
    static const struct {
        const char *variable, *value, *where, *why;
        int driver;
    } cases[] = {
        {"VMAF_EMULATED_TOY", "absent", "absent", "cannot be read", 42},
        {"VMAF_EMULATED_TOY", "machine", "machine", "line 2: the word x is not known", 5},
        {"VMAF_EMULATED_TOY_FAULTS", "driver 6; y", "its environment",
         "line 2: the word y is not known", 6},
        {"VMAF_EMULATED_TOY_ORDER", "soon", "its environment", "there is no order soon", 42},
    };
    write_machine("driver 5\nx\n");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char expected[256];
        run_child((const char *const[]){cases[i].variable, cases[i].value, NULL});
        snprintf(expected, sizeof(expected), "emulated Toy: %s: %s\n%s0 0 %d %s|", cases[i].where,
                 cases[i].why, wrong, cases[i].driver, cases[i].why);
        assert_string_equal(read_file("said"), expected);
    }
}

/* Files are in a folder of their own. */
static int enter_folder(void **state)
{
    (void)state;
    static char folder[] = "/tmp/vmaf_machine_XXXXXX";
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    char folder[256];
    (void)state;
    remove("said");
    remove("machine");
    remove("log");
    return getcwd(folder, sizeof(folder)) && chdir("/") == 0 ? rmdir(folder) : -1;
}

int main(int argc, char **argv)
{
    if (take_argument(&argc, &argv, "--again"))
        return be_child();
    program = realpath(argv[0], NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_are_read),
        cmocka_unit_test(without_variables_it_is_the_default),
        cmocka_unit_test(what_is_wrong_with_variables_is_said),
    };
    return run_cases(argc, argv, tests, enter_folder, leave_folder);
}
