/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What surrounds the calls of an emulated runtime: faults, counters, threads; the machine file; the
 * variables of the environment, and the log. */
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine_fixture.h"
#include "toy_runtime.h"

static void configure(const char *text)
{
    assert_int_equal(machine_configure(text, NULL), 0);
}

/* -- faults -- */

TEST(a_call_fails_when_it_is_its_turn)
{
    configure("fail toyOpen 2 TOY_BAD; fail toyOpen 3 -5; fail toyWork 1 TOY_NEGATIVE");
    assert_int_equal(toyOpen(), 0);
    assert_int_equal(toyOpen(), TOY_BAD);
    assert_int_equal(toyOpen(), -5);
    assert_int_equal(toyOpen(), 0);
    assert_int_equal(toyWork(), TOY_NEGATIVE);
    assert_int_equal(toyWork(), 0);
}

TEST(call_is_any_function)
{
    configure("fail call 3 5; fail call 4 6; fail toyOpen 2 7");
    assert_int_equal(toyOpen(), 0);
    assert_int_equal(toyWork(), 0);
    assert_int_equal(toyWork(), 5);
    assert_int_equal(toyOpen(), 7); /* the fourth call: what names the function comes first */
    assert_int_equal(toyOpen(), 0);
}

TEST(a_lost_device_is_told_the_runtime)
{
    configure("lose toyOpen 2; lose call 3 TOY_BAD");
    assert_int_equal(toyOpen(), 0);
    assert_int_equal(toy_lost, 0);
    assert_int_equal(toyOpen(), TOY_UNKNOWN);
    assert_int_equal(toy_lost, TOY_UNKNOWN);
    assert_int_equal(toyWork(), TOY_BAD);
    assert_int_equal(toy_lost, TOY_BAD);
}

static void arm_for_once(void)
{
    static const MachineFault fault = {.kind = MACHINE_ILLEGAL};
    machine_arm(&fault);
    assert_ptr_equal(machine_armed(), &fault);
}

TEST(what_a_runtime_arms_ends_with_the_call)
{
    toy_during_work = arm_for_once;
    toyWork();
    toy_during_work = NULL;
    toyWork();
    assert_int_equal(toy_armed, -1);
}

static void count_work(void)
{
    static const char *const words[] = {"launch", "submission", "run"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        assert_null(machine_count(words[i]));
        const MachineFault *fault = machine_count(words[i]);
        assert_non_null(fault);
        assert_int_equal(fault->error, (int)i + 1);
        assert_null(machine_count(words[i]));
    }
}

TEST(work_has_faults_of_its_own)
{
    configure("lose launch 2 1; lose submission 2 2; lose run 2 3");
    toy_during_work = count_work;
    toyWork();
    assert_int_equal(machine_counted("launch"), 3);
    assert_int_equal(machine_counted("submission"), 3);
    assert_int_equal(machine_counted("run"), 3);
}

/* -- counters -- */

TEST(calls_within_calls_do_not_count)
{
    configure("fail toyWork 1 7");
    assert_int_equal(toyOuter(), 0);
    assert_int_equal(machine_counted("toyOuter"), 1);
    assert_int_equal(machine_counted("toyWork"), 0);
    assert_int_equal(machine_counted("call"), 1);
    assert_int_equal(toyWork(), 7);
    assert_int_equal(machine_counted("toyWork"), 1);
    assert_int_equal(machine_counted("call"), 2);
    assert_int_equal(machine_counted("toyClose"), 0);
}

static void complain(void)
{
    machine_complain("%s is wrong", "this");
}

TEST(another_machine_begins_anew)
{
    configure("fail toyOpen 1 7");
    assert_int_equal(toyOpen(), 7);
    const int forgotten = toy_forgotten, set_up = toy_set_up;
    configure("device; device; fail toyOpen 1 8");
    assert_int_equal(toy_forgotten, forgotten + 1);
    assert_int_equal(toy_set_up, set_up + 1);
    assert_int_equal(emulated_machine.n_devices, 2);
    assert_int_equal(machine_counted("toyOpen"), 0);
    assert_int_equal(machine_counted("call"), 0);
    assert_int_equal(toyOpen(), 8);
    configure(NULL);
    assert_int_equal(emulated_machine.n_devices, 1);
    assert_int_equal(toyOpen(), 0);
}

TEST(a_machine_that_is_not_understood_changes_nothing)
{
    configure("driver 7; fail toyOpen 2 7");
    assert_int_equal(toyOpen(), 0);
    const int forgotten = toy_forgotten;
    assert_int_equal(machine_configure("driver 8; nonsense", "early"), -1);
    assert_int_equal(machine_configure("driver 8", "soon"), -1);
    assert_int_equal(machine_configure("driver 8", "12x"), -1);
    assert_int_equal(toy_forgotten, forgotten);
    assert_int_equal(emulated_machine.driver, 7);
    assert_int_equal(machine_order, MACHINE_LATE);
    assert_int_equal(machine_counted("toyOpen"), 1);
    assert_int_equal(toyOpen(), 7);
    assert_string_equal(machine_why, "");
}

/* -- the lock -- */

static void *open_from_thread(void *unused)
{
    (void)unused;
    toyOpen();
    return NULL;
}

static void run_thread(void *(*function)(void *))
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, function, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void let_others_in(void)
{
    MachineCall call;
    machine_note(" before");
    machine_pause(&call);
    run_thread(open_from_thread);
    assert_int_equal(toyOpen(), 0); /* as a callback does */
    machine_resume(&call);
    assert_non_null(machine_armed());
    assert_int_equal(machine_armed()->kind, MACHINE_HANG);
}

TEST(a_call_can_be_paused)
{
    configure("hang toyWork 1");
    toy_during_work = let_others_in;
    toyWork();
    toy_during_work = NULL;
    assert_int_equal(machine_counted("toyOpen"), 2);
    assert_int_equal(machine_counted("toyWork"), 1);
    toyWork();
    assert_int_equal(toy_armed, -1);
}

static void *end_within_call(void *unused)
{
    (void)unused;
    machine_begin("toyWork");
    return NULL;
}

TEST(a_thread_that_ends_within_a_call_holds_up_nobody)
{
    run_thread(end_within_call);
    assert_int_equal(toyOpen(), 0);
    assert_int_equal(machine_counted("complaint"), 1);
    run_thread(open_from_thread);
    assert_int_equal(machine_counted("toyOpen"), 2);
    assert_int_equal(machine_counted("complaint"), 1);
}

static jmp_buf outside;

static void leave(void)
{
    longjmp(outside, 1);
}

TEST(a_call_that_was_left_holds_up_nobody)
{
    toy_during_work = leave;
    if (setjmp(outside) == 0)
        toyWork();
    toy_during_work = NULL;
    assert_int_equal(machine_counted("toyWork"), 1);
    assert_int_equal(machine_counted("complaint"), 1);
    run_thread(open_from_thread);
    assert_int_equal(toyOpen(), 0);
    assert_int_equal(machine_counted("toyOpen"), 2);
    assert_int_equal(machine_counted("complaint"), 1);
}

/* -- the file -- */

static Machine machine;
static char why[MACHINE_ERROR_SIZE];

/* The first device of a machine as the text describes it. */
static const MachineDevice *read_text(const char *text)
{
    why[0] = '\0';
    machine_default(&machine);
    if (!machine_read(&machine, text, why))
        fail_msg("%s: %s", text, why);
    assert_string_equal(why, "");
    return &machine.devices[0];
}

static void assert_refused(const char *text, const char *reason)
{
    why[0] = '\0';
    machine_default(&machine);
    if (machine_read(&machine, text, why))
        fail_msg("%s: is taken", text);
    if (strcmp(why, reason) != 0)
        fail_msg("%s: %s, not %s", text, why, reason);
}

CASE(uuids_are_32_digits)
{
    static const unsigned char expected[16] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                               0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
    const MachineDevice *device = read_text("uuid 00112233445566778899aabbccddeeff");
    assert_memory_equal(device->uuid, expected, 16);
    device = read_text("uuid 00112233-4455-6677-8899-AABBCCDDEEFF");
    assert_memory_equal(device->uuid, expected, 16);
    read_text("device; device");
    assert_memory_not_equal(machine.devices[0].uuid, machine.devices[1].uuid, 16);
}

CASE(lines_end_and_comments_begin)
{
    const MachineDevice *device = read_text(
        "# all\n\n \t\n  memory\t1K  # bytes; busy\r\n;;colour 9;speed 2\n#kind integrated");
    assert_int_equal(device->memory, 1024);
    assert_int_equal(device->own[TOY_COLOUR], 9);
    assert_true(device->speed == 2);
    assert_true(device->is_busy); /* ';' ends a comment, too */
    assert_false(device->is_integrated);
}

static void assert_fault(int i, enum MachineFaultKind kind, const char *what, uint64_t at,
                         int error)
{
    assert_true(i < machine.n_faults);
    assert_int_equal(machine.faults[i].kind, kind);
    assert_string_equal(machine.faults[i].what, what);
    assert_int_equal(machine.faults[i].at, at);
    assert_int_equal(machine.faults[i].error, error);
}

CASE(faults_name_calls_and_errors)
{
    read_text("fail toyOpen 2 TOY_BAD; fail call 1 0x10; fail toyWork 3 -5\n"
              "hang launch 4; lose run 5; lose submission 6 TOY_NEGATIVE\n"
              "illegal-address toyWork 7");
    assert_int_equal(machine.n_faults, 7);
    assert_fault(0, MACHINE_FAIL, "toyOpen", 2, TOY_BAD);
    assert_fault(1, MACHINE_FAIL, "call", 1, 16);
    assert_fault(2, MACHINE_FAIL, "toyWork", 3, -5);
    assert_fault(3, MACHINE_HANG, "launch", 4, TOY_UNKNOWN);
    assert_fault(4, MACHINE_LOSE, "run", 5, TOY_UNKNOWN);
    assert_fault(5, MACHINE_LOSE, "submission", 6, TOY_NEGATIVE);
    assert_fault(6, MACHINE_ILLEGAL, "toyWork", 7, TOY_UNKNOWN);
}

CASE(what_is_not_understood_is_named)
{
    static const char *const rejected[][2] = {
        {"busy\n\nbusi", "line 3: the word busi is not known"},
        {"busy;Kind discrete", "line 2: the word Kind is not known"},
        {"kind", "line 1: kind takes 1 values, not 0"},
        {"kind discrete card", "line 1: kind takes 1 values, not 2"},
        {"busy 1", "line 1: busy takes 0 values, not 1"},
        {"fail toyOpen 1", "line 1: fail takes 3 values, not 2"},
        {"hang toyOpen 1 2", "line 1: hang takes 2 values, not 3"},
        {"lose toyOpen 1 2 3", "line 1: lose takes 3 values, not 4"},
        {"device a b c d e f", "line 1: has too many words"},
        {"kind virtual", "line 1: the kind virtual is not known"},
        {"pci 01:00.0", "line 1: pci takes an address such as 0000:01:00.0, not 01:00.0"},
        {"pci 0:1:0.1", "line 1: pci takes an address such as 0000:01:00.0, not 0:1:0.1"},
        {"pci 0:1:0.00", "line 1: pci takes an address such as 0000:01:00.0, not 0:1:0.00"},
        {"ids 8086", "line 1: ids takes numbers such as 8086:56a0, not 8086"},
        {"ids 8086:56a0:1", "line 1: ids takes numbers such as 8086:56a0, not 8086:56a0:1"},
        {"uuid 00112233445566778899aabbccddeef", "line 1: uuid takes 32 hexadecimal digits"},
        {"uuid 00112233445566778899aabbccddee", "line 1: uuid takes 32 hexadecimal digits"},
        {"uuid 00112233445566778899aabbccddeeff0", "line 1: uuid takes 32 hexadecimal digits"},
        {"uuid 00112233445566778899aabbccddeexx", "line 1: uuid takes 32 hexadecimal digits"},
        {"memory much", "line 1: much is no number"},
        {"memory -1", "line 1: -1 is no number"},
        {"memory 1Q", "line 1: 1Q is no number"},
        {"memory 1KB", "line 1: 1KB is no number"},
        {"copy-engines two", "line 1: two is no number"},
        {"multiprocessors 1.5", "line 1: 1.5 is no number"},
        {"speed 0", "line 1: 0 is no number above 0"},
        {"speed 2x", "line 1: 2x is no number above 0"},
        {"hang-limit -1", "line 1: -1 is no number above 0"},
        {"out-of-memory after 1", "line 1: out-of-memory takes at or beyond, not after"},
        {"out-of-memory at x", "line 1: x is no number"},
        {"fail toyClose 1 1", "line 1: toyClose is no function"},
        {"fail allocation 1 1", "line 1: allocation is no function"},
        {"fail toyOpen 0 1", "line 1: 0 is no number of a call"},
        {"fail toyOpen 1 TOY_GOOD", "line 1: there is no error TOY_GOOD"},
        {"fail toyOpen 1 7x", "line 1: there is no error 7x"},
        {"driver 1000", "line 1: version 1000 is none of toys"}, /* a word of the runtime */
    };
    for (size_t i = 0; i < sizeof(rejected) / sizeof(rejected[0]); i++)
        assert_refused(rejected[i][0], rejected[i][1]);
}

static void assert_most(const char *line, int most, const char *reason)
{
    char text[4096] = "";
    for (int i = 0; i < most; i++)
        strcat(text, line);
    read_text(text);
    strcat(text, line);
    assert_refused(text, reason);
}

CASE(there_is_room_for_so_many)
{
    char line[300];
    assert_most("device\n", MACHINE_MAX_DEVICES, "line 17: more than 16 devices");
    assert_most("hang toyWork 1\n", MACHINE_MAX_FAULTS, "line 33: more than 32 faults");
    memset(line, ' ', sizeof(line));
    line[255] = '\0';
    read_text(line);
    line[255] = ' ';
    line[256] = '\0';
    assert_refused(line, "line 1: is too long");
}

CASE(errors_have_names)
{
    assert_string_equal(machine_error(TOY_BAD)->name, "TOY_BAD");
    assert_string_equal(machine_error(TOY_NEGATIVE)->text, "it is below zero");
    assert_null(machine_error(1));
}

/* -- the environment -- */

static char path[] = "/tmp/vmaf_machine_XXXXXX", log_path[] = "/tmp/vmaf_machine_XXXXXX";

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
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

CASE(variables_are_read)
{
    static const char lines[] = "! this is wrong\ntoyOuter size=8 -> 0\ntoyOpen -> 7\n";
    const char *const variables[] = {"VMAF_EMULATED_TOY",
                                     path,
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
        {"VMAF_EMULATED_TOY", path, path, "line 2: the word x is not known", 5},
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
    return close(mkstemp(path)) != 0 || close(mkstemp(log_path)) != 0;
}

static int remove_files(void **state)
{
    unlink(log_path);
    return unlink(path);
}

CASES_SHARE(make_files, remove_files);

int main(int argc, char **argv)
{
    if (take_argument(&argc, &argv, "--again"))
        return be_child();
    return run_cases(argc, argv);
}
