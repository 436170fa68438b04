/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The words of machine files, and what is not understood. */
#include <string.h>

#include "support/cases.h"
#include "toy_runtime.h"

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
