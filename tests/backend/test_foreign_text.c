/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/cases.h"

#include <errno.h>
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include "backend/discovery/plugin.h"
#include "backend/foreign_text.h"

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

static void given_text_when_copied_then_it_is_printable_utf8(void **state)
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
static void given_any_character_then_only_those_that_steer_a_terminal_are_replaced(void **state)
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

static void given_a_small_target_then_no_sequence_is_cut(void **state)
{
    char target[5];
    foreign_text(target, sizeof(target), "abc\303\251", 5);
    assert_string_equal(target, "abc");
    foreign_text(target, sizeof(target), "ab\303\251x", 5);
    assert_string_equal(target, "ab\303\251");
    foreign_text(target, 1, "abc", 3);
    assert_string_equal(target, "");
}

static void given_results_of_plugins_then_each_is_an_errno(void **state)
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

static void given_a_guard_when_left_then_rounding_and_errno_are_back(void **state)
{
    errno = ERANGE;
    PluginGuard guard = plugin_enter();
    errno = EIO;
    fesetround(FE_DOWNWARD);
    plugin_leave(&guard);
    assert_int_equal(errno, ERANGE);
    assert_int_equal(fegetround(), FE_TONEAREST);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_text_when_copied_then_it_is_printable_utf8),
        cmocka_unit_test(given_any_character_then_only_those_that_steer_a_terminal_are_replaced),
        cmocka_unit_test(given_a_small_target_then_no_sequence_is_cut),
        cmocka_unit_test(given_results_of_plugins_then_each_is_an_errno),
        cmocka_unit_test(given_a_guard_when_left_then_rounding_and_errno_are_back),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
