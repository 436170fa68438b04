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
CASE(given_fields_in_any_order_then_the_key_is_known)
{
    KeyField fields[] = {
        {.name = "v", .kind = KEY_INTEGER, .integer = 1},
        {.name = "src_sha256", .kind = KEY_TEXT, .text = ZEROS},
        {.name = "encoder", .kind = KEY_TEXT, .text = "libx264"},
        {.name = "preset", .kind = KEY_TEXT, .text = "medium"},
        {.name = "crf", .kind = KEY_INTEGER, .integer = 23},
        {.name = "adapter_version", .kind = KEY_TEXT, .text = "2"},
        {.name = "ffmpeg_version", .kind = KEY_TEXT, .text = "5.1"},
    };
    enum { N = sizeof(fields) / sizeof(fields[0]) };
    for (int i = 0; i < N; i++) {
        char key[SHA256_TEXT_SIZE];
        assert_int_equal(key_of_fields(fields, N, key), 0);
        assert_string_equal(key,
                            "ba062078307fb0ec3950e393dac674772679a5d3a7be777d76e546e0389c946d");
        const KeyField first = fields[0];
        memmove(fields, fields + 1, (N - 1) * sizeof(*fields));
        fields[N - 1] = first;
    }
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
        {.name = "b", .kind = KEY_LIST, .list = list, .n = 3},
        {.name = "a", .kind = KEY_INTEGER, .integer = -7},
        {.name = "c", .kind = KEY_LIST},
    };
    assert_key_of_text(fields, 3,
                       "{\"a\":-7,\"b\":[\"-crf\",\"a\\\"b\\\\c\\u000a\",\"\xc3\xa9\"],\"c\":[]}");
    assert_key_of_text(fields, 0, "{}");
}

CASE(given_incomplete_fields_then_no_key)
{
    static const char *const list[] = {"a", NULL};
    char key[SHA256_TEXT_SIZE];
    const KeyField missing = {.name = "a", .kind = KEY_TEXT};
    assert_int_equal(key_of_fields(&missing, 1, key), -EINVAL);
    const KeyField hole = {.name = "a", .kind = KEY_LIST, .list = list, .n = 2};
    assert_int_equal(key_of_fields(&hole, 1, key), -EINVAL);
    const KeyField twice[] = {{.name = "a", .kind = KEY_INTEGER},
                              {.name = "a", .kind = KEY_INTEGER}};
    assert_int_equal(key_of_fields(twice, 2, key), -EINVAL);
    KeyField many[MAX_KEY_FIELDS + 1];
    char names[MAX_KEY_FIELDS + 1][12];
    for (int i = 0; i <= MAX_KEY_FIELDS; i++) {
        snprintf(names[i], sizeof(names[i]), "%d", i);
        many[i] = (KeyField){.name = names[i], .kind = KEY_INTEGER};
    }
    assert_int_equal(key_of_fields(many, MAX_KEY_FIELDS, key), 0);
    assert_int_equal(key_of_fields(many, MAX_KEY_FIELDS + 1, key), -EINVAL);
}

static const char *const arguments[] = {"-c:v", "libx264", "-preset", "medium", "-crf", "23"};
static const char *const other_arguments[] = {"-c:v", "libx264", "-preset", "medium", "-crf 23"};
static const SampleWindow windows[] = {{.first = 0, .frames = 48}, {.first = 120, .frames = 48}};

static EncodeIdentity an_encode(void)
{
    return (EncodeIdentity){
        .source_sha256 = ZEROS,
        .width = 1920,
        .height = 1080,
        .pixel_format = "yuv420p",
        .frame_rate = {24000, 1001},
        .windows = windows,
        .n_windows = 2,
        .scaled_width = 1920,
        .scaled_height = 1080,
        .encoder = "libx264",
        .preset = "medium",
        .q = 23,
        .rate_control = "crf",
        .arguments = arguments,
        .n_arguments = 6,
        .adapter_version = "1",
        .ffmpeg_version = "ffmpeg version 5.1",
        .encoder_version = "libx264-164",
    };
}

enum { N_ENCODE_CHANGES = 21 };

/* Everything that an encode depends on, changed one after another. */
static EncodeIdentity changed_encode(int change)
{
    EncodeIdentity encode = an_encode();
    switch (change) {
    case 0:
        encode.source_sha256 = "1";
        break;
    case 1:
        encode.width++;
        break;
    case 2:
        encode.height++;
        break;
    case 3:
        encode.pixel_format = "yuv420p10le";
        break;
    case 4:
        encode.frame_rate.numerator = 24;
        break;
    case 5:
        encode.frame_rate.denominator = 1000;
        break;
    case 6:
        encode.windows = windows + 1;
        encode.n_windows = 1;
        break;
    case 7:
        encode.n_windows = 1;
        break;
    case 8:
        encode.n_windows = 0;
        break;
    case 9:
        encode.scaled_width = 1280;
        break;
    case 10:
        encode.scaled_height = 720;
        break;
    case 11:
        encode.encoder = "libx265";
        break;
    case 12:
        encode.preset = "slow";
        break;
    case 13:
        encode.q = 24;
        break;
    case 14:
        encode.rate_control = "crf2pass";
        break;
    case 15:
        encode.arguments = other_arguments;
        encode.n_arguments = 5;
        break;
    case 16:
        encode.n_arguments = 5;
        break;
    case 17:
        encode.adapter_version = "2";
        break;
    case 18:
        encode.ffmpeg_version = "ffmpeg version 5.1.1";
        break;
    case 19:
        encode.encoder_version = "libx264-165";
        break;
    case 20:
        encode.processors = 3;
        break;
    default:
        break;
    }
    return encode;
}

CASE(given_encodes_that_differ_then_their_keys_differ)
{
    char keys[N_ENCODE_CHANGES + 1][SHA256_TEXT_SIZE], again[SHA256_TEXT_SIZE];
    for (int i = 0; i <= N_ENCODE_CHANGES; i++) {
        const EncodeIdentity encode = changed_encode(i);
        assert_int_equal(encode_key(&encode, keys[i]), 0);
        assert_int_equal(encode_key(&encode, again), 0);
        assert_string_equal(keys[i], again);
        for (int j = 0; j < i; j++)
            if (!strcmp(keys[i], keys[j]))
                fail_msg("changes %d and %d make no difference", i, j);
    }
    EncodeIdentity encode = an_encode();
    encode.encoder_version = NULL;
    assert_int_equal(encode_key(&encode, again), -EINVAL);
}

CASE(given_scores_that_differ_then_their_keys_differ)
{
    static const char *const models[] = {"vmaf_v0.6.1", "vmaf_4k_v0.6.1"};
    static const char *const metrics[] = {"psnr", "ssimulacra2"};
    char keys[8][SHA256_TEXT_SIZE];
    for (int i = 0; i < 8; i++) {
        ScoreIdentity score = {.encode_key = ZEROS,
                               .models = models,
                               .n_models = 1,
                               .metrics = metrics,
                               .n_metrics = 2,
                               .scorer_version = "3.2",
                               .backend = "exact",
                               .scale_filter = ""};
        switch (i) {
        case 0:
            score.encode_key = "1";
            break;
        case 1:
            score.models = models + 1;
            break;
        case 2:
            score.n_models = 2;
            break;
        case 3:
            score.n_metrics = 1;
            break;
        case 4:
            score.scorer_version = "3.3";
            break;
        case 5:
            score.backend = "a device";
            break;
        case 6:
            score.scale_filter = "bicubic";
            break;
        default:
            break;
        }
        assert_int_equal(score_key(&score, keys[i]), 0);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(keys[i], keys[j]);
    }
    const ScoreIdentity incomplete = {.encode_key = ZEROS};
    assert_int_equal(score_key(&incomplete, keys[0]), -EINVAL);
}
