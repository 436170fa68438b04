/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Modules of src/platform. That libraries are missing, or symbols:
 * tests/backend/test_hostile_loading.c. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/module.h"
#include "support/cases.h"

static void only_code_of_files_is_code(void **state)
{
    static const char constant[] = "read only";
    static char data[16];
    void *block = malloc(16);
    assert_true(vmaf_module_has_code((VmafCodeAddress)only_code_of_files_is_code));
    assert_true(vmaf_module_has_code((VmafCodeAddress)vmaf_module_index));
    const void *const others[] = {constant, data, block, &block, (const void *)(uintptr_t)16};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        VmafCodeAddress address;
        memcpy(&address, &others[i], sizeof(address));
        assert_false(vmaf_module_has_code(address));
    }
    free(block);
}

static void the_folder_of_code_is_that_of_its_file(void **state)
{
    static const char here = 0;
    char own[4096], *folder;
    const ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
    if (length < 0)
        skip();
    own[length] = '\0';
    *strrchr(own, '/') = '\0';
    assert_int_equal(vmaf_module_folder_of(&here, &folder), 0);
    assert_string_equal(folder, own);
    free(folder);
    void *block = malloc(1);
    assert_int_equal(vmaf_module_folder_of(block, &folder), -ENOENT);
    assert_null(folder);
    free(block);
}

static void note_cmocka(void *cookie, const char *path)
{
    assert_int_equal(path[0], '/');
    if (strstr(path, "libcmocka"))
        *(bool *)cookie = true;
}

static void modules_are_listed_by_their_files(void **state)
{
    bool found = false;
    if (!vmaf_module_can_load())
        skip(); /* cmocka is no module there */
    if (vmaf_module_list(note_cmocka, &found))
        assert_true(found);
}

static void what_cannot_be_loaded_is_told(void **state)
{
    char why[64] = "";
    assert_int_equal(vmaf_module_load("/etc/passwd", why, sizeof(why)), -ENOEXEC);
    assert_non_null(strstr(why, "/etc/passwd"));
    char cut[8] = "";
    assert_int_equal(vmaf_module_load("/nothing/here.so", cut, sizeof(cut)), -ENOEXEC);
    assert_int_equal(strlen(cut), sizeof(cut) - 1);
}

static void a_program_without_a_dynamic_linker_says_that_it_loads_nothing(void **state)
{
    char why[128] = "";
    vmaf_module_load("/etc/passwd", why, sizeof(why));
    assert_int_equal(!vmaf_module_can_load(), strstr(why, "linked statically") != NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_code_of_files_is_code),
        cmocka_unit_test(the_folder_of_code_is_that_of_its_file),
        cmocka_unit_test(modules_are_listed_by_their_files),
        cmocka_unit_test(what_cannot_be_loaded_is_told),
        cmocka_unit_test(a_program_without_a_dynamic_linker_says_that_it_loads_nothing),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
