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

typedef struct KnownFile {
    const char *scene, *distortion, *strength, *size, *format, *depth, *frames, *seed;
    size_t bytes;
    const char *sha256;
} KnownFile;

static const KnownFile known_files[] = {
    {"flat", "identical", "2", "5x3", "444", "8", "1", "7", 86,
     "f3a5e8020850ef729888c770b7ba991829c24e3d5a00ca872fbb11584d27ba49"},
    {"gradient", "quant", "1", "33x17", "420", "8", "2", "1", 1787,
     "608b6387d944962c7f8632154c8b786dc3f6c617268610316687531825104bae"},
    {"gradient", "quant", "1", "33x17", "400", "10", "2", "1", 2296,
     "297fc9aec6e301e6fa1460ba0e97d648b5979e94d8046175b230eb1741bf0b29"},
    {"texture", "identical", "2", "48x32", "420", "8", "2", "1", 4661,
     "9bc291e28f4618c37de2c4e464d49d7e2a37b46762cd93e979d307337e0bc566"},
    {"texture", "hadamard", "2", "48x32", "420", "8", "2", "1", 4661,
     "79c2ba762194742606dec80b2281e0d1328e7fc6a06d5140dd038a6a9eff78b6"},
    {"texture", "hadamard", "3", "19x13", "422", "12", "2", "5", 2080,
     "2324926a23609e1e9522b03115d69b36c03a8184046f5e70ab9a806cc7cacd05"},
    {"static", "sharpen", "3", "32x24", "444", "10", "2", "2", 9268,
     "1816265242a34530f5398bdefb21837bb03f9eb4674a1c7399376012bdbe3808"},
    {"edges", "blur", "1", "37x29", "420", "8", "3", "3", 4988,
     "417227ebda565f551275888203b35dd5b5703893703465b05a9478dc75eb7fc6"},
    {"edges", "shift", "3", "24x24", "422", "8", "2", "3", 2353,
     "2195924f5fbb724b6bcdbb2ecc22de9ddb30f3db37e17afea276c00c1044e5af"},
    {"grain", "noise", "4", "24x16", "420", "16", "2", "9", 2356,
     "1fc3759e1b78bd4793b84ee31d08b1c2d3eaa220750d75725939b3f5f48fb1b6"},
    {"grain", "block", "4", "21x19", "444", "8", "2", "9", 2443,
     "ede5da8be913d7de4cd5d339eb8411cfd7a02fff981ece9bf764e28d28eac3b8"},
    {"dark", "offset", "1", "64x40", "420", "10", "3", "1", 23098,
     "b93eb691378bca20a3f0b112256246f29a9aa661c9129f3faa1f32012d4acf7f"},
    {"cut", "freeze", "1", "16x16", "420", "8", "5", "4", 1991,
     "a0b1a321636229b95cb9cf8a8e3120a2f3cede8cc1e36c8b31c2a4cea55006b0"},
    {"cut", "delay", "2", "16x16", "422", "12", "5", "4", 5190,
     "0ab03f86d279b6bc984652eaac936f38af5e6496113a3afd7d806d5cff1b48c2"},
    {"extreme", "identical", "2", "18x14", "420", "12", "6", "1", 4612,
     "683ee30f0d709aa89bfa3ad3405393684cabb6af99dadbdece3f91a57ff2e400"},
    {"noise", "negate", "2", "9x9", "444", "16", "2", "4294967295", 1022,
     "cd65c0368e19191a91e2ae79a8fbd0b21affe80a006897f3821d749b429f7531"},
    {"noise", "nearest", "2", "17x11", "420", "8", "2", "11", 643,
     "a9008abc8e0995dc6822d6aa0648b89b68ba31ded4bf15e4e1a3eed2743597cc"},
    {"chirp", "bilinear", "1", "40x30", "420", "8", "2", "1", 3653,
     "5947b20eb07002fc36d81340d2b8aec065e49ed30377c34f2686addaf699540a"},
    {"chirp", "bilinear", "2", "31x23", "422", "10", "1", "2", 2944,
     "e134b0499f9c7a4f08d2c302a5dc228df5bfd8a0204e92f2cbac2b80d5c11ee2"},
    {"chroma", "gain", "3", "26x18", "444", "8", "2", "1", 2857,
     "e583d6f62993957fbe271007c0582bd658de93b2f54761686f04975d36afb78f"},
    {"chroma", "fade", "2", "27x15", "420", "9", "2", "1", 2567,
     "87d3d8033fc23458c78972b5f4e5fe094838793f5bf303c6edec6543349575f0"},
    {"texture", "block", "2", "1x1", "420", "8", "2", "1", 57,
     "fffca3caf299ad4cedc85b5af66c0b70ede997cd972321de0ed9c1a700e5c149"},
    {"edges", "hadamard", "2", "2x3", "444", "8", "3", "6", 107,
     "6797d9b1833ff98d27e44da89c2bbfe6d7bb5e6ecbbec7ebdb42cda4607ea8a9"},
};

static SynthClip clip_of(const KnownFile *known)
{
    SynthClip clip = synth_default();
    assert_int_equal(synth_set(&clip, "scene", known->scene), 0);
    assert_int_equal(synth_set(&clip, "distortion", known->distortion), 0);
    assert_int_equal(synth_set(&clip, "strength", known->strength), 0);
    assert_int_equal(synth_set(&clip, "size", known->size), 0);
    assert_int_equal(synth_set(&clip, "format", known->format), 0);
    assert_int_equal(synth_set(&clip, "depth", known->depth), 0);
    assert_int_equal(synth_set(&clip, "frames", known->frames), 0);
    assert_int_equal(synth_set(&clip, "seed", known->seed), 0);
    return clip;
}

CASE(files_equal_the_check_sums)
{
    for (size_t i = 0; i < sizeof known_files / sizeof known_files[0]; ++i) {
        const SynthClip clip = clip_of(&known_files[i]);
        unsigned char *data = NULL;
        char hex[SHA256_HEX_SIZE];
        size_t size = 0;
        assert_int_equal(synth_write_memory(&clip, SYNTH_Y4M, &data, &size), 0);
        assert_int_equal(size, known_files[i].bytes);
        sha256_hex(data, size, hex);
        free(data);
        assert_string_equal(hex, known_files[i].sha256);
    }
}

CASE(raw_files_are_y4m_without_the_lines)
{
    SynthClip clip = clip_of(&known_files[0]); /* 5x3, 4:4:4, one frame */
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
