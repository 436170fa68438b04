/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/cases.h"

#include <errno.h>
#include <string.h>

#include "feature/option.h"

typedef struct Options {
    bool flag;
    int count;
    double limit;
    const char *name;
} Options;

static const OptionSpec specs[] = {
    {.name = "flag", .type = VMAF_OPTION_TYPE_BOOL, .offset = offsetof(Options, flag)},
    {.name = "count",
     .type = VMAF_OPTION_TYPE_INT,
     .flags = OPTION_ACCUMULATE,
     .offset = offsetof(Options, count),
     .default_value = 0, /* below the minimum: defaults are not checked */
     .min = 2,
     .max = 200},
    {.name = "limit",
     .type = VMAF_OPTION_TYPE_DOUBLE,
     .flags = OPTION_NAMED,
     .offset = offsetof(Options, limit),
     .default_value = 1.5,
     .min = 0,
     .max = 100},
    {.name = "name",
     .type = VMAF_OPTION_TYPE_STRING,
     .offset = offsetof(Options, name),
     .default_string = "nearest"},
    {0},
};

static int parse_one(Options *options, const char *name, const char *value)
{
    Dictionary *dict = dictionary_create();
    assert_int_equal(dictionary_set(dict, name, value), 0);
    Reason why = {"none"};
    int err = options_parse(options, specs, dict, NULL, NULL, &why);
    if (err)
        assert_non_null(strstr(why.text, name));
    dictionary_destroy(dict);
    return err;
}

static void given_no_dictionary_then_defaults_apply_unchecked(void **state)
{
    Options options;
    assert_int_equal(options_parse(&options, specs, NULL, NULL, NULL, NULL), 0);
    assert_false(options.flag);
    assert_int_equal(options.count, 0);
    assert_true(options.limit == 1.5);
    assert_string_equal(options.name, "nearest");
}

static void given_texts_then_values_are_accepted_as_libvmaf_does(void **state)
{
    static const struct {
        const char *name, *value;
        int expected;
        double number;
    } cases[] = {
        {"flag", "true", 0, 1},
        {"flag", "false", 0, 0},
        {"flag", "1", -EINVAL, 0},
        {"flag", "True", -EINVAL, 0},
        {"count", "3", 0, 3},
        {"count", "3abc", 0, 3},
        {"count", "2", 0, 2},
        {"count", "200", 0, 200},
        {"count", "1", -EINVAL, 0},
        {"count", "201", -EINVAL, 0},
        {"count", "abc", -EINVAL, 0},
        {"count", "4.9", 0, 4},
        {"count", "2.5e+01", 0, 2},
        {"limit", "2.5", 0, 2.5},
        {"limit", "1.0junk", 0, 1},
        {"limit", "0", 0, 0},
        {"limit", "100", 0, 100},
        {"limit", "100.5", -EINVAL, 0},
        {"limit", "-1", -EINVAL, 0},
        {"limit", "-0", -EINVAL, 0},
        {"limit", ".0", -EINVAL, 0},
        {"limit", "0x1p3", 0, 8},
        {"limit", "inf", -EINVAL, 0},
        {"limit", "-inf", -EINVAL, 0},
        {"limit", "1e999", -EINVAL, 0},
        {"limit", "nan", -EINVAL, 0},
        {"limit", "-nan", -EINVAL, 0},
        {"limit", "NAN(1)", -EINVAL, 0},
        {"limit", "", -EINVAL, 0},
        {"count", "9999999999", -EINVAL, 0},
        {"count", "-9999999999", -EINVAL, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        Options options;
        assert_int_equal(parse_one(&options, cases[i].name, cases[i].value), cases[i].expected);
        if (cases[i].expected)
            continue;
        double number = !strcmp(cases[i].name, "flag")    ? options.flag
                        : !strcmp(cases[i].name, "count") ? options.count
                                                          : options.limit;
        assert_true(number == cases[i].number);
    }
}

static void remember(void *cookie, const char *name)
{
    *(const char **)cookie = name;
}

static void given_unknown_names_then_they_are_reported(void **state)
{
    Dictionary *dict = dictionary_create();
    assert_int_equal(dictionary_set(dict, "limits", "1"), 0);
    Options options;
    const char *unknown = NULL;
    assert_int_equal(options_parse(&options, specs, dict, remember, &unknown, NULL), 0);
    assert_string_equal(unknown, "limits");
    dictionary_destroy(dict);
}

static void given_two_option_sets_then_comparison_looks_at_the_wanted_kind(void **state)
{
    Options a, b;
    options_parse(&a, specs, NULL, NULL, NULL, NULL);
    b = a;
    b.flag = true;
    assert_true(options_equal(&a, &b, specs, OPTION_ACCUMULATE));
    assert_false(options_equal(&a, &b, specs, 0));
    b.count = 7;
    assert_false(options_equal(&a, &b, specs, OPTION_ACCUMULATE));
    assert_true(options_equal(&a, &b, specs, OPTION_NAMED));
    assert_false(option_is_default(&b, option_find(specs, "count")));
    assert_true(option_is_default(&b, option_find(specs, "name")));
    assert_null(option_find(specs, "nam"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_no_dictionary_then_defaults_apply_unchecked),
        cmocka_unit_test(given_texts_then_values_are_accepted_as_libvmaf_does),
        cmocka_unit_test(given_unknown_names_then_they_are_reported),
        cmocka_unit_test(given_two_option_sets_then_comparison_looks_at_the_wanted_kind),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
