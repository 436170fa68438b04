/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The generator of test video reproduces the files listed in SYNTH.md, byte for byte. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "support/cases.h"
#include "support/sha256.h"
#include "support/synth.h"

CASE(sha256_of_the_standards_examples)
{
    static const struct {
        const char *text, *hex;
    } examples[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrl"
         "m"
         "nopqrsmnopqrstnopqrstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    };
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; ++i) {
        char hex[SHA256_HEX_SIZE];
        sha256_hex(examples[i].text, strlen(examples[i].text), hex);
        assert_string_equal(hex, examples[i].hex);
    }
}

CASE(sha256_of_a_million_letters)
{
    const size_t n = 1000000;
    char *text = malloc(n), hex[SHA256_HEX_SIZE];
    assert_non_null(text);
    memset(text, 'a', n);
    sha256_hex(text, n, hex);
    free(text);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

CASE(raw_files_are_y4m_without_the_lines)
{
    SynthClip clip = synth_default();
    assert_int_equal(synth_set(&clip, "size", "5x3"), 0);
    assert_int_equal(synth_set(&clip, "format", "444"), 0);
    assert_int_equal(synth_set(&clip, "frames", "1"), 0);
    unsigned char *y4m = NULL, *raw = NULL;
    size_t y4m_size = 0, raw_size = 0;
    assert_int_equal(synth_write_memory(&clip, SYNTH_Y4M, &y4m, &y4m_size), 0);
    assert_int_equal(synth_write_memory(&clip, SYNTH_RAW, &raw, &raw_size), 0);
    assert_int_equal(raw_size, 3 * 5 * 3);
    assert_true(y4m_size > raw_size);
    assert_memory_equal(y4m + y4m_size - raw_size, raw, raw_size);
    free(y4m);
    free(raw);
}

CASE(unacceptable_parameters_are_refused)
{
    SynthClip clip = synth_default();
    uint16_t samples[4];
    assert_int_equal(synth_plane(&clip, 0, 0, samples), -EINVAL); /* no size yet */
    assert_int_equal(synth_set(&clip, "scene", "nosuch"), -EINVAL);
    assert_int_equal(synth_set(&clip, "size", "64"), -EINVAL);
    assert_int_equal(synth_set(&clip, "size", "0x4"), -EINVAL);
    assert_int_equal(synth_set(&clip, "depth", "17"), -EINVAL);
    assert_int_equal(synth_set(&clip, "strength", "-1"), -EINVAL);
    assert_int_equal(synth_set(&clip, "nosuch", "1"), -ENOENT);
    assert_int_equal(synth_set(&clip, "size", "2x2"), 0);
    assert_int_equal(synth_plane(&clip, 0, 0, samples), 0);
    assert_int_equal(synth_plane(&clip, 1, 0, samples), -EINVAL);
    assert_int_equal(synth_plane(&clip, 0, 3, samples), -EINVAL);
}
