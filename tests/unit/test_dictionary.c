/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdio.h>
#include <string.h>

#include "support/cases.h"
#include "support/dictionary.h"

static void assert_entry(const Dictionary *dict, size_t i, const char *name, const char *value)
{
    const char *found_name, *found_value;
    dictionary_entry(dict, i, &found_name, &found_value);
    assert_string_equal(found_name, name);
    assert_string_equal(found_value, value);
}

CASE(entries_keep_their_order)
{
    Dictionary *dict = dictionary_create();
    assert_non_null(dict);
    char name[16];
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof(name), "n%d", i * 7 % 40);
        assert_int_equal(dictionary_set(dict, name, "v"), 0);
    }
    assert_int_equal(dictionary_size(dict), 40);
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof(name), "n%d", i * 7 % 40);
        assert_entry(dict, (size_t)i, name, "v");
    }
    dictionary_destroy(dict);
}

CASE(setting_a_name_again_replaces_in_place)
{
    Dictionary *dict = dictionary_create();
    assert_int_equal(dictionary_set(dict, "a", "1"), 0);
    assert_int_equal(dictionary_set(dict, "b", ""), 0);
    assert_int_equal(dictionary_set(dict, "a", "three"), 0);
    assert_int_equal(dictionary_size(dict), 2);
    assert_entry(dict, 0, "a", "three");
    assert_entry(dict, 1, "b", "");
    /* A value that is the dictionary's own memory. */
    assert_int_equal(dictionary_set(dict, "a", dictionary_get(dict, "a")), 0);
    assert_string_equal(dictionary_get(dict, "a"), "three");
    assert_null(dictionary_get(dict, "A"));
    dictionary_destroy(dict);
}

CASE(no_dictionary_is_an_empty_one)
{
    assert_int_equal(dictionary_size(NULL), 0);
    assert_null(dictionary_get(NULL, "a"));
    assert_null(dictionary_copy(NULL));
    dictionary_destroy(NULL);

    Dictionary *dict = dictionary_create();
    assert_int_equal(dictionary_merge(dict, NULL), 0);
    assert_int_equal(dictionary_size(dict), 0);
    dictionary_destroy(dict);
}

CASE(merging_overrides_and_appends)
{
    Dictionary *into = dictionary_create();
    Dictionary *from = dictionary_create();
    dictionary_set(into, "a", "1");
    dictionary_set(into, "b", "2");
    dictionary_set(from, "c", "3");
    dictionary_set(from, "a", "4");

    Dictionary *copy = dictionary_copy(into);
    assert_non_null(copy);
    assert_int_equal(dictionary_merge(into, from), 0);
    dictionary_destroy(from);

    assert_int_equal(dictionary_size(into), 3);
    assert_entry(into, 0, "a", "4");
    assert_entry(into, 1, "b", "2");
    assert_entry(into, 2, "c", "3");
    assert_int_equal(dictionary_size(copy), 2);
    assert_entry(copy, 0, "a", "1");
    dictionary_destroy(into);
    dictionary_destroy(copy);
}

CASE(numbers_become_six_digits_of_binary32)
{
    static const struct {
        const char *value, *stored;
    } cases[] = {
        {"1.0", "1"},
        {"0x10", "16"},
        {"0x1.8p1", "3"},
        {"0.1234567", "0.123457"},
        {"1234567", "1.23457e+06"},
        {"999999", "999999"},
        {"-0", "-0"},
        {".5", "0.5"},
        {"5.", "5"},
        {"+3", "3"},
        {"1e3", "1000"},
        {"1e39", "inf"}, /* beyond binary32 */
        {"1e-46", "0"},  /* below its least subnormal number */
        {"16777217", "1.67772e+07"},
        {" \t\n2.50", "2.5"},
        {"2.50 \r\n", "2.5"},
        {"inf", "inf"},
        {"-INFINITY", "-inf"},
        {"nan", "nan"},
        /* Not one number and nothing else: as they are. */
        {"true", "true"},
        {"abc", "abc"},
        {"", ""},
        {"  ", "  "},
        {"1 2", "1 2"},
        {"3abc", "3abc"},
        {"1,5", "1,5"},
        {"0x", "0x"},
        {"1.0.0", "1.0.0"},
        {"--1", "--1"},
        {"infinit", "infinit"},
        {"bt1886", "bt1886"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char buffer[32];
        assert_string_equal(option_value_normalise(cases[i].value, buffer), cases[i].stored);
    }
}

CASE(what_is_no_number_is_not_copied)
{
    char buffer[32];
    const char *text = "bilinear";
    assert_ptr_equal(option_value_normalise(text, buffer), text);

    char long_number[2000];
    memset(long_number, '1', sizeof(long_number) - 1);
    long_number[0] = '.';
    long_number[sizeof(long_number) - 1] = '\0';
    assert_string_equal(option_value_normalise(long_number, buffer), "0.111111");
}
