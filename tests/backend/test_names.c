/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/cases.h"

#include <stdlib.h>
#include <string.h>

#include "backend/availability.h"
#include "backend/discovery/plugin_file.h"
#include "backend/names.h"
#include "libvmaf/backend.h"

static void given_names_when_checked_then_only_legal_ones_pass(void **state)
{
    static const char *const legal[] = {"cuda", "ab", "a1", "abcdefghijklmnop", "cpus", "aut0"};
    static const char *const illegal[] = {"",
                                          "a",
                                          "cpu",
                                          "auto",
                                          "1a",
                                          "Cuda",
                                          "a_b",
                                          "a-b",
                                          "a.b",
                                          "abcdefghijklmnopq",
                                          "caf\303\251",
                                          "a b",
                                          "a/b"};
    for (size_t i = 0; i < sizeof(legal) / sizeof(legal[0]); i++)
        assert_true(backend_name_is_valid(legal[i], strlen(legal[i])));
    for (size_t i = 0; i < sizeof(illegal) / sizeof(illegal[0]); i++)
        assert_false(backend_name_is_valid(illegal[i], strlen(illegal[i])));
}

static void given_paths_when_read_then_the_name_of_a_plugin_is_found(void **state)
{
    char name[BACKEND_NAME_SIZE];
    assert_true(plugin_file_name(name, "/a/b.c/libvmaf-backend-foo.so"));
    assert_string_equal(name, "foo");
    assert_true(plugin_file_name(name, "libvmaf-backend-abcdefghijklmnop.so"));
    assert_string_equal(name, "abcdefghijklmnop");
    static const char *const others[] = {
        "libvmaf-backend-.so",
        "libvmaf-backend-foo.so.1",
        "libvmaf-backend-Foo.so",
        "vmaf-backend-foo.so",
        "libvmaf-backend-cpu.so",
        "libvmaf-backend-foo.la",
        "/libvmaf-backend-foo.so/x.so",
        "",
        "/",
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_false(plugin_file_name(name, others[i]));
}

typedef struct Named {
    const char *name;
    uint32_t class;
} Named;

static int compare(const void *a, const void *b)
{
    const Named *left = a, *right = b;
    return backend_name_compare(left->name, left->class, right->name, right->class);
}

static void given_backends_when_sorted_then_native_ones_come_first(void **state)
{
    const uint32_t native = VMAF_BACKEND_CLASS_NATIVE, portable = VMAF_BACKEND_CLASS_PORTABLE;
    /* What a known backend says of its class does not move it. */
    Named backends[] = {{"zeta", portable},  {"vulkan", native}, {"beta", native}, {"metal", 0},
                        {"alpha", portable}, {"hip", portable},  {"unknown", 0},   {"cuda", native},
                        {"aleph", native},   {"sycl", native}};
    static const char *const expected[] = {"cuda", "sycl",   "hip",   "metal",   "aleph",
                                           "beta", "vulkan", "alpha", "unknown", "zeta"};
    qsort(backends, 10, sizeof(backends[0]), compare);
    for (int i = 0; i < 10; i++)
        assert_string_equal(backends[i].name, expected[i]);
}

static void given_suffixes_when_split_then_backend_and_stem_are_found(void **state)
{
    char stem[8];
    assert_ptr_equal(backend_name_of_suffix("psnr_cuda", stem, sizeof(stem)),
                     backend_known_names[0]);
    assert_string_equal(stem, "psnr");
    assert_string_equal(backend_name_of_suffix("a_b_foo", stem, sizeof(stem)), "foo");
    assert_string_equal(stem, "a_b");
    assert_null(backend_name_of_suffix("psnr", stem, sizeof(stem)));
    assert_null(backend_name_of_suffix("_cuda", stem, sizeof(stem)));
    assert_null(backend_name_of_suffix("psnr_", stem, sizeof(stem)));
    assert_null(backend_name_of_suffix("psnr_cpu", stem, sizeof(stem)));
    assert_null(backend_name_of_suffix("too_long__cuda", stem, sizeof(stem)));
}

static void given_states_then_documents_have_words_for_them(void **state)
{
    assert_null(backend_reason_name(BACKEND_USABLE));
    assert_string_equal(backend_reason_name(BACKEND_PLUGIN_NOT_FOUND), "plugin_not_found");
    assert_string_equal(backend_reason_name(BACKEND_UNSUPPORTED_OS), "unsupported_os");
    assert_null(backend_reason_name((BackendState)1000));
    BackendAvailability availability;
    assert_int_equal(
        backend_availability_set(&availability, BACKEND_NO_DEVICE, -19, "%d of %s", 3, "x"), -19);
    assert_int_equal(availability.state, BACKEND_NO_DEVICE);
    assert_int_equal(availability.error, -19);
    assert_string_equal(availability.why.text, "3 of x");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_names_when_checked_then_only_legal_ones_pass),
        cmocka_unit_test(given_paths_when_read_then_the_name_of_a_plugin_is_found),
        cmocka_unit_test(given_backends_when_sorted_then_native_ones_come_first),
        cmocka_unit_test(given_suffixes_when_split_then_backend_and_stem_are_found),
        cmocka_unit_test(given_states_then_documents_have_words_for_them),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
