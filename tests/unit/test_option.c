/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Options, and those of every extractor. */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/framework/extractor.h"
#include "support/cases.h"

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

CASE(given_no_dictionary_then_defaults_apply_unchecked)
{
    Options options;
    assert_int_equal(options_parse(&options, specs, NULL, NULL, NULL, NULL), 0);
    assert_false(options.flag);
    assert_int_equal(options.count, 0);
    assert_true(options.limit == 1.5);
    assert_string_equal(options.name, "nearest");
}

CASE(given_texts_then_values_are_accepted_as_libvmaf_does)
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
        {"count", "010", 0, 10},
        {"count", "0x10", -EINVAL, 0},
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

CASE(given_unknown_names_then_they_are_reported)
{
    Dictionary *dict = dictionary_create();
    assert_int_equal(dictionary_set(dict, "limits", "1"), 0);
    Options options;
    const char *unknown = NULL;
    assert_int_equal(options_parse(&options, specs, dict, remember, &unknown, NULL), 0);
    assert_string_equal(unknown, "limits");
    dictionary_destroy(dict);
}

CASE(given_two_option_sets_then_comparison_looks_at_the_wanted_kind)
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

/* Every option of every extractor, at its limits and one step outside, from the option tables. */

static int parse(const FeatureExtractor *extractor, const OptionSpec *spec, const char *text,
                 Reason *why)
{
    Dictionary *dict = dictionary_create();
    assert_int_equal(dictionary_set(dict, spec->name, text), 0);
    void *options = calloc(1, extractor->options_size + 1);
    int err = options_parse(options, extractor->options, dict, NULL, NULL, why);
    free(options);
    dictionary_destroy(dict);
    return err;
}

static void expect_accepted(const FeatureExtractor *extractor, const OptionSpec *spec, double value)
{
    char text[64];
    Reason why = {""};
    snprintf(text, sizeof(text), spec->type == VMAF_OPTION_TYPE_INT ? "%.0f" : "%.17g", value);
    if (parse(extractor, spec, text, &why))
        fail_msg("%s: %s=%s refused: %s", extractor->name, spec->name, text, why.text);
}

static void expect_refused(const FeatureExtractor *extractor, const OptionSpec *spec, double value)
{
    char text[64], low[32], high[32];
    Reason why = {""};
    snprintf(text, sizeof(text), spec->type == VMAF_OPTION_TYPE_INT ? "%.0f" : "%.17g", value);
    if (parse(extractor, spec, text, &why) != -EINVAL)
        fail_msg("%s: %s=%s accepted", extractor->name, spec->name, text);
    snprintf(low, sizeof(low), "%.10g", spec->min);
    snprintf(high, sizeof(high), "%.10g", spec->max);
    assert_non_null(strstr(why.text, spec->name));
    assert_non_null(strstr(why.text, low));
    assert_non_null(strstr(why.text, high));
}

static void check_number(const FeatureExtractor *extractor, const OptionSpec *spec)
{
    const double step = spec->type == VMAF_OPTION_TYPE_INT ? 1 : 0;
    assert_true(spec->min < spec->max);
    expect_accepted(extractor, spec, spec->min);
    expect_accepted(extractor, spec, spec->max);
    expect_refused(extractor, spec, step != 0 ? spec->min - step : nextafter(spec->min, -INFINITY));
    if (spec->max < DBL_MAX)
        expect_refused(extractor, spec,
                       step != 0 ? spec->max + step : nextafter(spec->max, INFINITY));
    Reason why = {""};
    /* None of them may wrap around to a small number. */
    static const char *const large[] = {"4294967297", "9999999999", "-4294967295",
                                        "18446744073709551617", "-18446744073709551615"};
    for (size_t i = 0; spec->type == VMAF_OPTION_TYPE_INT && i < sizeof(large) / sizeof(*large);
         i++)
        assert_int_equal(parse(extractor, spec, large[i], &why), -EINVAL);
    static const char *const no_numbers[] = {"nan", "-nan", "inf", "-inf", "many"};
    for (size_t i = 0; i < sizeof(no_numbers) / sizeof(no_numbers[0]); i++)
        assert_int_equal(parse(extractor, spec, no_numbers[i], &why), -EINVAL);
    assert_non_null(strstr(why.text, spec->name));
}

CASE(given_every_numeric_option_then_exactly_its_range_is_accepted)
{
    unsigned n_checked = 0;
    const FeatureExtractor *extractor;
    for (unsigned e = 0; (extractor = registry_get(e)); e++) {
        for (const OptionSpec *spec = extractor->options; spec->name; spec++) {
            if (spec->type != VMAF_OPTION_TYPE_INT && spec->type != VMAF_OPTION_TYPE_DOUBLE)
                continue;
            check_number(extractor, spec);
            n_checked++;
        }
    }
    assert_true(n_checked > 20);
}

CASE(given_every_switch_then_only_true_and_false_are_accepted)
{
    const FeatureExtractor *extractor;
    for (unsigned e = 0; (extractor = registry_get(e)); e++) {
        for (const OptionSpec *spec = extractor->options; spec->name; spec++) {
            if (spec->type != VMAF_OPTION_TYPE_BOOL)
                continue;
            Reason why = {""};
            assert_int_equal(parse(extractor, spec, "true", &why), 0);
            assert_int_equal(parse(extractor, spec, "false", &why), 0);
            static const char *const wrong[] = {"1", "0", "yes", "TRUE", "true ", ""};
            for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
                assert_int_equal(parse(extractor, spec, wrong[i], &why), -EINVAL);
            assert_non_null(strstr(why.text, spec->name));
        }
    }
}

CASE(given_the_tables_then_names_are_unique_and_described)
{
    const FeatureExtractor *extractor;
    for (unsigned e = 0; (extractor = registry_get(e)); e++) {
        assert_non_null(extractor->summary);
        assert_ptr_equal(registry_find(extractor->name), extractor);
        for (const OptionSpec *spec = extractor->options; spec->name; spec++) {
            assert_non_null(spec->help);
            assert_ptr_equal(option_find(extractor->options, spec->name), spec);
            assert_true(spec->offset < extractor->options_size);
        }
        for (const FeatureOutput *output = extractor->outputs; output->name; output++) {
            const FeatureExtractor *provider = registry_find_provider(output->name);
            if (output->flags & OUTPUT_PROVIDED)
                assert_ptr_equal(provider, extractor);
        }
    }
}
