/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Every option of every extractor, at its limits and one step outside, from the option tables. */

#include "support/cases.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feature/registry.h"

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

static void given_every_numeric_option_then_exactly_its_range_is_accepted(void **state)
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

static void given_every_switch_then_only_true_and_false_are_accepted(void **state)
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

static void given_the_tables_then_names_are_unique_and_described(void **state)
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_every_numeric_option_then_exactly_its_range_is_accepted),
        cmocka_unit_test(given_every_switch_then_only_true_and_false_are_accepted),
        cmocka_unit_test(given_the_tables_then_names_are_unique_and_described),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
