/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/cases.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tune/engine/cache_key.h"

#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"

/* FIPS 180-4 has the first two as examples. */
CASE(given_data_in_parts_then_hashes_are_known)
{
    static const struct {
        const char *text, *hash;
    } cases[] = {
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const size_t size = strlen(cases[i].text);
        for (size_t part = 1; part <= size + 1; part++) {
            Sha256 hash;
            char text[SHA256_TEXT_SIZE];
            sha256_start(&hash);
            for (size_t at = 0; at < size; at += part)
                sha256_add(&hash, cases[i].text + at, size - at < part ? size - at : part);
            sha256_text(&hash, text);
            assert_string_equal(text, cases[i].hash);
        }
    }
    /* A million times "a". */
    Sha256 hash;
    char text[SHA256_TEXT_SIZE], block[1000];
    memset(block, 'a', sizeof(block));
    sha256_start(&hash);
    for (int i = 0; i < 1000; i++)
        sha256_add(&hash, block, sizeof(block));
    sha256_text(&hash, text);
    assert_string_equal(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* Of {"adapter_version":"2","crf":23,"encoder":"libx264", ... "v":1}. */
CASE(given_fields_then_the_key_is_known)
{
    const KeyField fields[] = {
        key_text("adapter_version", "2"),
        key_integer("crf", 23),
        key_text("encoder", "libx264"),
        key_text("ffmpeg_version", "5.1"),
        key_text("preset", "medium"),
        key_text("src_sha256", ZEROS),
        key_integer("v", 1),
    };
    char key[SHA256_TEXT_SIZE];
    assert_int_equal(key_of_fields(fields, sizeof(fields) / sizeof(fields[0]), key), 0);
    assert_string_equal(key, "ba062078307fb0ec3950e393dac674772679a5d3a7be777d76e546e0389c946d");
}

static void assert_key_of_text(const KeyField *fields, size_t n, const char *json)
{
    char key[SHA256_TEXT_SIZE], expected[SHA256_TEXT_SIZE];
    Sha256 hash;
    sha256_start(&hash);
    sha256_add(&hash, json, strlen(json));
    sha256_text(&hash, expected);
    assert_int_equal(key_of_fields(fields, n, key), 0);
    assert_string_equal(key, expected);
}

CASE(given_lists_and_special_characters_then_one_json_text_is_hashed)
{
    static const char *const list[] = {"-crf", "a\"b\\c\n", "\xc3\xa9"};
    const KeyField fields[] = {
        key_integer("a", -7),
        key_list("b", list, 3),
        key_list("c", NULL, 0),
    };
    assert_key_of_text(fields, 3,
                       "{\"a\":-7,\"b\":[\"-crf\",\"a\\\"b\\\\c\\u000a\",\"\xc3\xa9\"],\"c\":[]}");
    assert_key_of_text(fields, 0, "{}");
}

CASE(given_incomplete_fields_then_no_key)
{
    static const char *const list[] = {"a", NULL};
    char key[SHA256_TEXT_SIZE];
    const KeyField missing = key_text("a", NULL), hole = key_list("a", list, 2);
    assert_int_equal(key_of_fields(&missing, 1, key), -EINVAL);
    assert_int_equal(key_of_fields(&hole, 1, key), -EINVAL);
}
