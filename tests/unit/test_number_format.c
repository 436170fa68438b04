/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"
#include "support/cases.h"

static void assert_printed(double value, const char *format, const char *expected)
{
    char text[NUMBER_TEXT_SIZE];
    size_t length = number_print(text, value, format);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

CASE(small_fractions_have_sixteen_decimals)
{
    /* libvmaf 3.2 reference texts. */
    assert_printed(12.5, NULL, "12.500000");
    assert_printed(1.0000002316781935, NULL, "1.0000002316781935");
    assert_printed(0, NULL, "0.000000");
    assert_printed(-0.0, NULL, "-0.000000");
    assert_printed(1e-7, NULL, "0.0000001000000000");
    assert_printed(2147483648.5, NULL, "2147483648.500000");

    assert_printed(-1e-7, NULL, "-0.0000001000000000");
    assert_printed(88.088684460453138, NULL, "88.088684");
    assert_printed(5e-324, NULL, "0.0000000000000000");
    assert_printed(-5e-324, NULL, "-0.0000000000000000");
    assert_printed(2147483647.5, NULL, "2147483647.500000");
    assert_printed(0x1.fffffffc00002p+30, NULL, "2147483647.0000004768371582");
    assert_printed(-0x1.fffffffc00002p+30, NULL, "-2147483647.0000004768371582");
}

CASE(the_threshold_is_that_of_rounded_products)
{
    static const struct {
        double value; /* neighbours in binary64 */
        int decimals;
    } cases[] = {
        {0x1.0c6f7a0b5ed8bp-20, 16},
        {0x1.0c6f7a0b5ed8cp-20, 16},
        {0x1.0c6f7a0b5ed8dp-20, 6},
        {0x1.0c6f7a0b5ed8ep-20, 6},
        {0x1.000010c6f7a0ap+0, 16},
        {0x1.000010c6f7a0bp+0, 16},
        {0x1.000010c6f7a0cp+0, 6},
        {0x1.000008637bd05p+1, 16},
        {0x1.000008637bd06p+1, 6},
        {0x1.fffffffffffffp+30, 6},
        {0x1p+31, 6},
        {0x1.0000000000001p+31, 6},
        {0, 6},
        {1, 6},
        {2147483647, 6},
        {DBL_MIN, 16},
        {DBL_TRUE_MIN, 16},
        {DBL_MAX, 6},
        {0.5, 6},
        {1e-5, 6},
        {INFINITY, 6},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        assert_int_equal(number_decimals(cases[i].value), cases[i].decimals);
        assert_int_equal(number_decimals(-cases[i].value), cases[i].decimals);
    }
    assert_int_equal(number_decimals(NAN), 6);
}

CASE(the_largest_numbers_have_all_digits)
{
    char text[NUMBER_TEXT_SIZE];
    /* 10^300 is not a binary64 number; these are the digits of the nearest one. */
    assert_int_equal(number_print(text, 1e300, NULL), 301 + 7);
    assert_memory_equal(text, "1000000000000000052504760255204420248704468581108159154915854115",
                        64);
    assert_string_equal(text + 301, ".000000");
    assert_int_equal(number_print(text, -DBL_MAX, NULL), 1 + 309 + 7);
    assert_memory_equal(text, "-17976931348623157081452742373170435679", 39);
}

CASE(not_finite_numbers_have_names_and_signs)
{
    static const char *const formats[] = {NULL, "%.17g", "%.3f"};
    for (size_t i = 0; i < 3; i++) {
        assert_printed(INFINITY, formats[i], "inf");
        assert_printed(-INFINITY, formats[i], "-inf");
        assert_printed(copysign(NAN, 1), formats[i], "nan");
        assert_printed(copysign(NAN, -1), formats[i], "-nan");
    }
    assert_printed(copysign(NAN, -1), "%08.2f", "    -nan");
    assert_printed(copysign(NAN, 1), "%-+7.2e", "+nan   ");
    assert_printed(INFINITY, "% #g", " inf");
}

CASE(a_score_format_replaces_the_rule)
{
    assert_printed(88.088684460453138, "%.17g", "88.088684460453138");
    assert_printed(1e-7, "%.6f", "0.000000");
    assert_printed(100, "%.3g", "100");
    assert_printed(2.5, "%+08.2f", "+0002.50");
    assert_printed(0.1, "%a", "0x1.999999999999ap-4");

    char text[NUMBER_TEXT_SIZE];
    assert_int_equal(number_print(text, -DBL_MAX, "%.999f"), NUMBER_TEXT_SIZE - 1);
}

CASE(only_one_conversion_of_a_double_is_a_score_format)
{
    static const char *const good[] = {"%f",    "%e",       "%g",      "%a",        "%.17g",
                                       "%.6f",  "%.f",      "%12.4f",  "%-12.4f",   "%+.3e",
                                       "% .3f", "%#010.4g", "%-+ #0f", "%999.999f", "%00007f"};
    static const char *const bad[] = {"",        "f",     "%",
                                      "%%",      "%d",    "%s",
                                      "%n",      "%p",    "%lf",
                                      "%Lf",     "%*f",   "%.*f",
                                      "%f%f",    "%f%%",  "%%%f",
                                      "x%f",     "%f ",   " %f",
                                      "%.-1f",   "%..3f", "%1000f",
                                      "%.1000f", "%F",    "%E",
                                      "%G",      "%A",    "%1$f",
                                      "%'f",     "%hf",   "%.17",
                                      "%5",      "%.",    "%99999999999999999999f",
                                      "%.6f\n"};
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
        assert_int_equal(report_check_score_format(good[i]), 0);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_int_equal(report_check_score_format(bad[i]), -EINVAL);
    assert_int_equal(report_check_score_format(NULL), -EINVAL);
}

/* What is printed without a format are the digits of the C library, exact ties included. */
static void expect_digits_of_the_c_library(double value)
{
    char expected[NUMBER_TEXT_SIZE];
    snprintf(expected, sizeof(expected), "%.*f", number_decimals(value), value);
    assert_printed(value, NULL, expected);
}

CASE(digits_are_those_of_the_c_library)
{
    /* clang-format off */
    static const double ties[] = {
        0.5, 0x1p-7, 0x3p-7, 0x5p-7, 0x1p-17, 0x3p-17, 0x1p-20, 0x1.8p-20, 0x1p-55, 0x3p-54,
        4294967295, 4294967296, 4294967295.9999995, 99.9999995, 99.9999985, 0.9999995, 0x1p-54,
        0x1.fffffffffffffp-1, 1e-16, 5e-17,
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof(ties) / sizeof(ties[0]); i++) {
        expect_digits_of_the_c_library(ties[i]);
        expect_digits_of_the_c_library(-ties[i]);
        expect_digits_of_the_c_library(nextafter(ties[i], 0));
        expect_digits_of_the_c_library(nextafter(ties[i], INFINITY));
    }
    /* All 7-bit binary fractions round at six decimals, half of them as ties. */
    for (int i = 0; i < 4096; i++)
        expect_digits_of_the_c_library(i / 128.0);
    uint64_t random = 1;
    for (int i = 0; i < 200000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const int exponent = (int)(random >> 58) - 40;
        expect_digits_of_the_c_library(ldexp((double)(random >> 11), exponent - 53));
    }
}
