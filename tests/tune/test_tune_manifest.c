/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/cases.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tune/commands/ladder_internal.h"

static const FrameRate film = {24, 1}, fast = {60, 1};

static StreamFacts facts_of(const char *codec, const char *profile, int level)
{
    StreamFacts facts = {.level = level, .width = 1920, .height = 1080, .bit_depth = 8};
    strcpy(facts.codec, codec);
    strcpy(facts.profile, profile);
    return facts;
}

static void expect_name(const char *codec, const char *profile, int level, const char *name)
{
    char text[CODEC_STRING_SIZE];
    const StreamFacts facts = facts_of(codec, profile, level);
    assert_int_equal(codec_string(&facts, film, text), *name != '\0');
    assert_string_equal(text, name);
}

/* Names that Apple, the DASH industry forum and the codecs' own documents use as examples. */
CASE(given_streams_then_their_names_are_those_of_players)
{
    expect_name("h264", "High", 40, "avc1.640028");
    expect_name("h264", "Main", 31, "avc1.4D001F");
    expect_name("h264", "Constrained Baseline", 30, "avc1.42E01E");
    expect_name("h264", "Baseline", 30, "avc1.42001E");
    expect_name("h264", "High 10", 51, "avc1.6E0033");
    expect_name("h264", "High 4:2:2", 41, "avc1.7A0029");
    expect_name("h264", "High 4:4:4 Predictive", 40, "avc1.F40028");
    expect_name("hevc", "Main", 120, "hvc1.1.6.L120.B0");
    expect_name("hevc", "Main 10", 153, "hvc1.2.4.L153.B0");
    expect_name("av1", "Main", 8, "av01.0.08M.08");
    expect_name("av1", "High", 13, "av01.1.13M.08");
    expect_name("vp9", "Profile 0", 41, "vp09.00.41.08");
    expect_name("vvc", "Main 10", 64, "vvc1.1.L64");
}

CASE(given_ten_bits_then_names_tell)
{
    char text[CODEC_STRING_SIZE];
    StreamFacts facts = facts_of("av1", "Main", 0);
    facts.bit_depth = 10;
    assert_true(codec_string(&facts, film, text));
    assert_string_equal(text, "av01.0.00M.10");
    facts = facts_of("vp9", "Profile 2", 50);
    facts.bit_depth = 10;
    assert_true(codec_string(&facts, film, text));
    assert_string_equal(text, "vp09.02.50.10");
}

CASE(given_no_level_then_it_is_computed_or_there_is_no_name)
{
    char text[CODEC_STRING_SIZE];
    StreamFacts facts = facts_of("vp9", "Profile 0", -99);
    assert_true(codec_string(&facts, film, text));
    assert_string_equal(text, "vp09.00.40.08");
    assert_true(codec_string(&facts, fast, text));
    assert_string_equal(text, "vp09.00.41.08");
    facts.width = 65535; /* too large for all: the highest there is */
    facts.height = 65535;
    assert_true(codec_string(&facts, film, text));
    assert_string_equal(text, "vp09.00.62.08");
    facts = facts_of("av1", "Main", -99);
    assert_true(codec_string(&facts, film, text));
    assert_string_equal(text, "av01.0.08M.08");
    assert_true(codec_string(&facts, fast, text));
    assert_string_equal(text, "av01.0.09M.08");
    expect_name("h264", "High", -99, "");
    expect_name("hevc", "Main", -99, "");
    expect_name("vvc", "Main 10", -99, "");
}

CASE(given_what_no_manifest_knows_then_there_is_no_name)
{
    expect_name("prores", "HQ", -99, "");
    expect_name("h264", "unknown", 40, "");
    expect_name("hevc", "Scc", 120, "");
    expect_name("av1", "unknown", 8, "");
    expect_name("vp9", "unknown", 40, "");
}

/* -- sizes -- */

static TuneSource source_of(unsigned width, unsigned height, enum VmafPixelFormat layout)
{
    TuneSource source = {.pixel_format = "yuv"};
    source.format = (VideoFormat){.pixel_format = layout, .width = width, .height = height};
    return source;
}

static int sizes_of(const TuneSource *source, const char *const *names, size_t n, bool larger,
                    LadderSize **sizes, size_t *n_sizes)
{
    Message why;
    const TextList list = {(char **)names, n};
    return ladder_sizes(&list, source, larger, sizes, n_sizes, &why);
}

static void expect_sizes(const LadderSize *sizes, size_t n, const int wanted[][2], size_t many)
{
    assert_int_equal(n, many);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(sizes[i].width, wanted[i][0]);
        assert_int_equal(sizes[i].height, wanted[i][1]);
    }
}

CASE(given_no_sizes_then_usual_heights_of_the_source_s_shape)
{
    static const int wanted[][2] = {{426, 240}, {640, 360}, {960, 540}, {1280, 720}, {1920, 1080}};
    static const int wide[][2] = {{574, 240}, {860, 360}, {1290, 540}, {1720, 720}, {1912, 800}};
    const TuneSource source = source_of(1920, 1080, VMAF_PIX_FMT_YUV420P);
    const TuneSource odd = source_of(1913, 801, VMAF_PIX_FMT_YUV420P);
    LadderSize *sizes;
    size_t n;
    assert_int_equal(sizes_of(&source, NULL, 0, false, &sizes, &n), 0);
    expect_sizes(sizes, n, wanted, 5);
    free(sizes);
    assert_int_equal(sizes_of(&odd, NULL, 0, false, &sizes, &n), 0);
    expect_sizes(sizes, n, wide, 5);
    free(sizes);
}

CASE(given_sizes_then_each_once_from_small_to_large)
{
    static const int wanted[][2] = {{320, 180}, {640, 360}, {1280, 720}};
    const char *const names[] = {"1280x720", "320x180", "640x360", "320x180"};
    const TuneSource source = source_of(1280, 720, VMAF_PIX_FMT_YUV420P);
    LadderSize *sizes;
    size_t n;
    assert_int_equal(sizes_of(&source, names, 4, false, &sizes, &n), 0);
    expect_sizes(sizes, n, wanted, 3);
    free(sizes);
}

static int try_size(const char *name, enum VmafPixelFormat layout, bool larger)
{
    const TuneSource source = source_of(640, 360, layout);
    const char *const names[] = {name};
    LadderSize *sizes;
    size_t n;
    const int err = sizes_of(&source, names, 1, larger, &sizes, &n);
    free(sizes);
    return err;
}

CASE(given_sizes_that_cannot_be_then_refused)
{
    static const char *const bad[] = {"",         "640",     "640x",   "x360",
                                      "640x360p", "0x360",   "-2x-2",  "640x-360",
                                      "99999x10", "640 360", "640X360"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(try_size(bad[i], VMAF_PIX_FMT_YUV420P, true), -EINVAL);
    assert_int_equal(try_size("639x360", VMAF_PIX_FMT_YUV420P, false), -EINVAL);
    assert_int_equal(try_size("640x359", VMAF_PIX_FMT_YUV420P, false), -EINVAL);
    assert_int_equal(try_size("639x360", VMAF_PIX_FMT_YUV422P, false), -EINVAL);
    assert_int_equal(try_size("640x359", VMAF_PIX_FMT_YUV422P, false), 0);
    assert_int_equal(try_size("639x359", VMAF_PIX_FMT_YUV444P, false), 0);
    assert_int_equal(try_size("642x360", VMAF_PIX_FMT_YUV420P, false), -EINVAL);
    assert_int_equal(try_size("640x362", VMAF_PIX_FMT_YUV420P, false), -EINVAL);
    assert_int_equal(try_size("1280x720", VMAF_PIX_FMT_YUV420P, true), 0);
}

/* -- targets -- */

static int targets_of(const char *goal, NumberList *targets)
{
    Message why;
    char *const words[] = {(char *)goal};
    const TextList list = {(char **)words, 1};
    return ladder_targets(&list, targets, &why);
}

CASE(given_goals_then_their_numbers_rise)
{
    NumberList targets = {0};
    assert_int_equal(targets_of("vmaf=95,60.5,88", &targets), 0);
    assert_int_equal(targets.n, 3);
    assert_true(targets.value[0] == 60.5 && targets.value[1] == 88 && targets.value[2] == 95);
    free(targets.value);
}

CASE(given_goals_that_are_none_then_refused)
{
    static const char *const bad[] = {"vmaf",    "vmaf=",   "vmaf=a",     "vmaf=95,", "vmaf=101",
                                      "vmaf=-1", "psnr=40", "vmaf.p1=80", "95",       "vmaf=95;80"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        NumberList targets = {0};
        assert_int_equal(targets_of(bad[i], &targets), -EINVAL);
        free(targets.value);
    }
}

/* -- bitrates of files -- */

CASE(given_segments_then_the_peak_is_of_those_that_last_about_as_long_as_one)
{
    static const TrackSegment even[] = {{1000, 2}, {3000, 2}, {2000, 2}};
    static const TrackSegment tail[] = {{1000, 2}, {1000, 2}, {900, 0.1}};
    static const TrackSegment one[] = {{500, 0.4}};
    assert_true(track_peak_kbps(even, 3, 2) == 12);
    assert_true(fabs(track_peak_kbps(tail, 3, 2) - 1900 * 8 / 1000.0 / 2.1) < 1e-9);
    assert_true(track_peak_kbps(one, 1, 2) == 10);
    assert_true(track_peak_kbps(NULL, 0, 2) == 0);
}
