/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Names of backends, and text that comes from plugins. */
#include <errno.h>
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include "backend/availability.h"
#include "backend/discovery/plugin.h"
#include "backend/discovery/plugin_file.h"
#include "backend/names.h"
#include "libvmaf/backend.h"
#include "support/cases.h"

CASE(given_names_when_checked_then_only_legal_ones_pass)
{
    static const char *const legal[] = {"cuda", "ab", "a1", "abcdefghijklmnop", "cpus", "aut0"};
    /* clang-format off */
    static const char *const illegal[] = {
        "", "a", "cpu", "auto", "1a", "Cuda", "a_b", "a-b", "a.b", "abcdefghijklmnopq",
        "caf\303\251", "a b", "a/b",
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof(legal) / sizeof(legal[0]); i++)
        assert_true(backend_name_is_valid(legal[i], strlen(legal[i])));
    for (size_t i = 0; i < sizeof(illegal) / sizeof(illegal[0]); i++)
        assert_false(backend_name_is_valid(illegal[i], strlen(illegal[i])));
}

CASE(given_paths_when_read_then_the_name_of_a_plugin_is_found)
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

CASE(given_backends_when_sorted_then_native_ones_come_first)
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

CASE(given_suffixes_when_split_then_backend_and_stem_are_found)
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

CASE(given_states_then_documents_have_words_for_them)
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

static void expect(const char *text, size_t size, const char *expected)
{
    char target[64];
    /* On the heap, so that a sanitizer sees what is read beyond. */
    char *source = malloc(size ? size : 1);
    assert_non_null(source);
    memcpy(source, text, size);
    foreign_text(target, sizeof(target), source, size);
    free(source);
    assert_string_equal(target, expected);
}

CASE(given_text_when_copied_then_it_is_printable_utf8)
{
    expect("plain", 5, "plain");
    expect("no end", 2, "no");
    expect("ends\0here", 9, "ends");
    expect("", 0, "");
    expect("tab\tline\nreturn\r", 16, "tab line return ");
    expect("bell\a esc\033[1m del\177", 18, "bell? esc?[1m del?");
    expect("caf\303\251 \342\202\254 \360\237\216\254", 14,
           "caf\303\251 \342\202\254 \360\237\216\254");
    expect("\303", 1, "?");                       /* cut */
    expect("\300\257 \355\240\200", 6, "?? ???"); /* overlong, surrogate */
    expect("\364\220\200\200 \377", 6, "???? ?");
    expect("\302\205 \342\200\256 \342\201\246", 10, "? ? ?"); /* C1, direction */
}

/* UTF-8 as RFC 3629 defines it. */
static size_t encode(char text[4], uint32_t code)
{
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, code >>= 6)
        text[i] = (char)(0x80 | (code & 0x3f));
    text[0] = (char)((length > 1 ? 0xf00 >> length & 0xff : 0) | code);
    return length;
}

/* Control characters, separators of lines and paragraphs, and every character with the property
 * Bidi_Control: all that is replaced, beside what is no character at all. */
CASE(given_any_character_then_only_those_that_steer_a_terminal_are_replaced)
{
    static const uint32_t steering[] = {
        0x061c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b,
        0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069,
    };
    for (uint32_t code = 1; code < 0x110000; code++) {
        if (code >= 0xd800 && code < 0xe000)
            continue; /* surrogates are no characters */
        bool replaced = code < 0x20 || (code >= 0x7f && code < 0xa0);
        for (size_t i = 0; i < sizeof(steering) / sizeof(steering[0]); i++)
            replaced |= code == steering[i];
        char text[5] = "", target[8], expected[5] = "";
        size_t length = encode(text, code);
        bool blank = code == '\t' || code == '\n' || code == '\r';
        memcpy(expected, replaced ? (blank ? " " : "?") : text, replaced ? 1 : length);
        foreign_text(target, sizeof(target), text, length);
        if (strcmp(target, expected) != 0)
            fail_msg("U+%04X becomes \"%s\"", (unsigned)code, target);
    }
}

CASE(given_a_small_target_then_no_sequence_is_cut)
{
    char target[5];
    foreign_text(target, sizeof(target), "abc\303\251", 5);
    assert_string_equal(target, "abc");
    foreign_text(target, sizeof(target), "ab\303\251x", 5);
    assert_string_equal(target, "ab\303\251");
    foreign_text(target, 1, "abc", 3);
    assert_string_equal(target, "");
}

CASE(given_results_of_plugins_then_each_is_an_errno)
{
    static const int pairs[][2] = {
        {VMAF_BACKEND_OK, 0},
        {VMAF_BACKEND_DEVICE_LOST, -ENODEV},
        {VMAF_BACKEND_OUT_OF_MEMORY, -ENOMEM},
        {VMAF_BACKEND_INVALID, -EINVAL},
        {VMAF_BACKEND_NOT_SUPPORTED, -ENOTSUP},
        {VMAF_BACKEND_FAILED, -EIO},
        {VMAF_BACKEND_TIMED_OUT, -ETIMEDOUT},
        {VMAF_BACKEND_CANCELLED, -ECANCELED},
        {VMAF_BACKEND_NO_DRIVER, -ENODEV},
        {-1000, -EIO},
        {7, -EIO},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        assert_int_equal(plugin_error(pairs[i][0]), pairs[i][1]);
}

CASE(given_a_guard_when_left_then_rounding_and_errno_are_back)
{
    errno = ERANGE;
    PluginGuard guard = plugin_enter();
    errno = EIO;
    fesetround(FE_DOWNWARD);
    plugin_leave(&guard);
    assert_int_equal(errno, ERANGE);
    assert_int_equal(fegetround(), FE_TONEAREST);
}
