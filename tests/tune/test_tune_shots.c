/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/cases.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tune/measure/shots.h"

enum { SIZE = 64, N_FRAMES = 60 };

static uint8_t luma(int t, int x, int y)
{
    if (t < 20)
        return (uint8_t)((7 * x + 13 * y + 3 * t) & 255);
    if (t < 22)
        return 30;
    return (uint8_t)((((x >> 3) * 9 + (y >> 3) * 5 + 2 * t) & 127) + 40);
}

static void fill_8(int t, uint8_t *samples)
{
    for (int i = 0; i < SIZE * SIZE; i++)
        samples[i] = luma(t, i % SIZE, i / SIZE);
}

static LumaPlane plane_of(const void *samples, int bit_depth)
{
    return (LumaPlane){.samples = samples,
                       .stride = SIZE * (bit_depth > 8 ? 2 : 1),
                       .width = SIZE,
                       .height = SIZE,
                       .bit_depth = bit_depth};
}

/* Frames that a function fills, through a detector. Their shots; free. */
static int detect(ShotOptions options, int frames, const void *(*frame_at)(int t),
                  const LumaPlane *format, Shot **shots)
{
    ShotDetector *detector = shot_detector_create(&options);
    assert_non_null(detector);
    for (int t = 0; t < frames; t++) {
        LumaPlane now = *format, before = *format;
        if (t)
            before.samples = frame_at(t - 1);
        now.samples = frame_at(t);
        assert_int_equal(shot_detector_put(detector, &now, t ? &before : NULL), 0);
    }
    const int n = shot_detector_finish(detector, shots);
    shot_detector_free(detector);
    return n;
}

static const void *known_frame(int t)
{
    static uint8_t frames[2][SIZE * SIZE];
    fill_8(t, frames[t % 2]);
    return frames[t % 2];
}

static int detect_known(ShotOptions options, Shot **shots)
{
    const LumaPlane format = plane_of(NULL, 8);
    return detect(options, N_FRAMES, known_frame, &format, shots);
}

static void assert_shot(const Shot *shot, const char *expected)
{
    char line[96];
    snprintf(line, sizeof line, "%zu,%zu,%zu,%.6f,%.6f", shot->first, shot->end - 1,
             shot_frames(shot), shot->complexity, shot->motion);
    assert_string_equal(line, expected);
}

CASE(given_the_known_video_then_its_shots_are_known)
{
    Shot *shots;
    assert_int_equal(detect_known((ShotOptions){.threshold = 12, .min_frames = 4}, &shots), 2);
    assert_shot(&shots[0], "0,19,20,0.083189,0.021876");
    assert_shot(&shots[1], "20,59,40,0.022888,0.037001");
    free(shots);
}

CASE(given_a_lower_threshold_then_shots_are_as_known)
{
    static const size_t starts[] = {0, 4, 8, 12, 16, 20, 25, 29, 33, 37, 41, 45, 50, 55};
    Shot *shots;
    const int n = detect_known((ShotOptions){.threshold = 5, .min_frames = 4}, &shots);
    assert_int_equal(n, 14);
    for (int i = 0; i < n; i++) {
        assert_int_equal(shots[i].first, starts[i]);
        assert_int_equal(shots[i].end, i + 1 < n ? starts[i + 1] : N_FRAMES);
    }
    assert_shot(&shots[5], "20,24,5,0.009097,0.159051");
    free(shots);
}

static int deep_bits;

/* The same with more bits, up to the rounding of peaks, and some samples beyond the peak. */
static const void *deep_frame(int t)
{
    static uint8_t frame[SIZE * SIZE];
    static uint16_t frames[2][SIZE * SIZE];
    fill_8(t, frame);
    const double scale = ((1 << deep_bits) - 1) / 255.0;
    for (int i = 0; i < SIZE * SIZE; i++)
        frames[t % 2][i] = frame[i] == 255 ? 0xffff : (uint16_t)rint(frame[i] * scale);
    return frames[t % 2];
}

CASE(given_more_bits_then_shots_are_alike)
{
    static const ShotOptions options = {.threshold = 12, .min_frames = 4};
    Shot *expected;
    assert_int_equal(detect_known(options, &expected), 2);
    for (deep_bits = 9; deep_bits <= 16; deep_bits++) {
        const LumaPlane format = plane_of(NULL, deep_bits);
        Shot *shots;
        assert_int_equal(detect(options, N_FRAMES, deep_frame, &format, &shots), 2);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(shots[i].first, expected[i].first);
            assert_true(fabs(shots[i].complexity - expected[i].complexity) < 1e-3);
            assert_true(fabs(shots[i].motion - expected[i].motion) < 1e-3);
        }
        free(shots);
    }
    free(expected);
}

/* Two pictures of the same mean and little difference of it: only their histograms tell. */
static const void *similar_frame(int t)
{
    static uint8_t frames[2][SIZE * SIZE];
    for (int i = 0; i < SIZE * SIZE; i++)
        frames[t % 2][i] = (uint8_t)(t < 20 ? 100 : i % 2 ? 93 : 107);
    return frames[t % 2];
}

CASE(given_similar_means_then_histograms_find_the_cut)
{
    const LumaPlane format = plane_of(NULL, 8);
    for (int kind = 0; kind < 2; kind++) {
        const ShotOptions options = {.kind = kind ? SHOTS_BY_HISTOGRAM : SHOTS_BY_DIFFERENCE,
                                     .threshold = 12,
                                     .min_frames = 4};
        Shot *shots;
        assert_int_equal(detect(options, 40, similar_frame, &format, &shots), kind ? 2 : 1);
        assert_int_equal(shots[0].end, kind ? 20 : 40);
        free(shots);
    }
}

/* -- by content: made scenes with known cuts -- */

enum { SCENE_WIDTH = 128, SCENE_HEIGHT = 72, SCENE_FRAMES = 60 };

static double hashed(int scene, int x, int y)
{
    uint32_t h =
        (uint32_t)scene * 0x9e3779b1u + (uint32_t)x * 0x85ebca6bu + (uint32_t)y * 0xc2b2ae35u;
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    h = (h ^ (h >> 12)) * 0x297a2d39u;
    return (double)(h ^ (h >> 15)) / UINT32_MAX;
}

/* A picture of 0 to 1 that is smooth and has no end. */
static double scene_at(int scene, double x, double y)
{
    const double cell = 12, u = x / cell, v = y / cell;
    const int i = (int)floor(u), j = (int)floor(v);
    const double a = u - i, b = v - j;
    const double top = hashed(scene, i, j) * (1 - a) + hashed(scene, i + 1, j) * a;
    const double bottom = hashed(scene, i, j + 1) * (1 - a) + hashed(scene, i + 1, j + 1) * a;
    return top * (1 - b) + bottom * b;
}

typedef struct Take {
    const char *name;
    double (*luma)(int t, int x, int y); /* 0 to 1 */
    int cuts[4];                         /* then 0 */
} Take;

static double take_cuts(int t, int x, int y)
{
    return scene_at(t < 20 ? 1 : t < 41 ? 2 : 3, x, y);
}

static double take_dark(int t, int x, int y)
{
    return 0.06 + 0.1 * take_cuts(t, x, y);
}

static double take_noise(int t, int x, int y)
{
    return 0.25 + 0.5 * take_cuts(t, x, y) + 0.25 * (hashed(99 + t, x, y) - 0.5);
}

static double take_white_flash(int t, int x, int y)
{
    return t == 30 || t == 31 ? 1 : scene_at(4, x + t / 4.0, y);
}

static double take_other_flash(int t, int x, int y)
{
    return scene_at(t >= 30 && t < 33 ? 6 : 5, x, y);
}

static double take_pan(int t, int x, int y)
{
    return scene_at(7, x + 9 * t, y + 2 * t);
}

static double take_zoom(int t, int x, int y)
{
    const double scale = 1 + 0.01 * t;
    return scene_at(8, (x - 64) / scale, (y - 36) / scale);
}

static double take_still(int t, int x, int y)
{
    (void)t;
    return scene_at(9, x, y);
}

/* Black from frame 28 to 33. */
static double take_fade(int t, int x, int y)
{
    const double level = t < 31 ? (28 - t) / 14.0 : (t - 33) / 14.0;
    return scene_at(t < 31 ? 10 : 11, x, y) * fmax(0, fmin(1, level));
}

static const Take takes[] = {
    {"cuts", take_cuts, {20, 41}},
    {"dark", take_dark, {20, 41}},
    {"noise", take_noise, {20, 41}},
    {"white flash", take_white_flash, {0}},
    {"other flash", take_other_flash, {0}},
    {"pan", take_pan, {0}},
    {"zoom", take_zoom, {0}},
    {"still", take_still, {0}},
    {"fade", take_fade, {31}},
};

static const Take *taken;

static const void *take_frame(int t)
{
    static uint8_t frames[2][SCENE_WIDTH * SCENE_HEIGHT];
    for (int i = 0; i < SCENE_WIDTH * SCENE_HEIGHT; i++)
        frames[t % 2][i] = (uint8_t)lround(255 * taken->luma(t, i % SCENE_WIDTH, i / SCENE_WIDTH));
    return frames[t % 2];
}

static int detect_take(const Take *take, double threshold, Shot **shots)
{
    const LumaPlane format = {NULL, SCENE_WIDTH, SCENE_WIDTH, SCENE_HEIGHT, 8};
    const ShotOptions options = {.kind = SHOTS_BY_CONTENT, .threshold = threshold, .min_frames = 4};
    taken = take;
    return detect(options, SCENE_FRAMES, take_frame, &format, shots);
}

CASE(given_scenes_with_known_cuts_then_content_finds_these_alone)
{
    for (size_t i = 0; i < sizeof takes / sizeof *takes; i++) {
        Shot *shots;
        const int n = detect_take(&takes[i], -1, &shots);
        int expected = 0;
        while (takes[i].cuts[expected])
            expected++;
        if (n != expected + 1)
            fail_msg("%s: %d shots", takes[i].name, n);
        for (int cut = 0; cut < expected; cut++)
            assert_int_equal(shots[cut + 1].first, takes[i].cuts[cut]);
        free(shots);
    }
}

CASE(given_a_threshold_that_nothing_reaches_then_content_finds_no_cut)
{
    Shot *shots;
    assert_int_equal(detect_take(&takes[0], 150, &shots), 1);
    assert_int_equal(shots[0].end, SCENE_FRAMES);
    free(shots);
}

/* -- shots of one sample, whose level changes as a text says: a letter for each frame -- */

static const char *levels;

static const void *level_frame(int t)
{
    static uint8_t frames[2];
    frames[t % 2] = (uint8_t)(levels[t] * 2);
    return &frames[t % 2];
}

static int detect_levels(ShotOptions options, const char *text, Shot **shots)
{
    const LumaPlane format = {NULL, 1, 1, 1, 8};
    options.threshold = 12;
    levels = text;
    return detect(options, (int)strlen(text), level_frame, &format, shots);
}

static void assert_starts(const Shot *shots, int n, const size_t *starts, size_t end)
{
    for (int i = 0; i < n; i++) {
        assert_int_equal(shots[i].first, starts[i]);
        assert_int_equal(shots[i].end, i + 1 < n ? starts[i + 1] : end);
    }
}

CASE(given_too_many_shots_then_refused)
{
    static char text[MAX_SHOTS + 2];
    Shot *shots;
    for (int i = 0; i < MAX_SHOTS; i++)
        text[i] = i % 2 ? 'A' : 'Z';
    assert_int_equal(detect_levels((ShotOptions){.min_frames = 1}, text, &shots), MAX_SHOTS);
    free(shots);
    text[MAX_SHOTS] = 'Z';
    assert_int_equal(detect_levels((ShotOptions){.min_frames = 1}, text, &shots), -E2BIG);
    assert_null(shots);
    text[MAX_SHOTS / 2] = '\0';
    assert_int_equal(detect_levels((ShotOptions){.min_frames = 1, .max_frames = 0.1}, text, &shots),
                     MAX_SHOTS / 2);
    free(shots);
    memset(text, 'A', MAX_SHOTS + 1);
    assert_int_equal(detect_levels((ShotOptions){.min_frames = 1, .max_frames = 1}, text, &shots),
                     -E2BIG);
}

CASE(given_long_shots_then_they_are_cut_into_equal_parts)
{
    static const size_t starts[] = {0, 10, 18, 26, 35};
    Shot *shots;
    assert_int_equal(detect_levels((ShotOptions){.min_frames = 1, .max_frames = 10},
                                   "AAAAAAAAAA"
                                   "ZZZZZZZZZZZZZZZZZZZZZZZZZ"
                                   "A",
                                   &shots),
                     5);
    assert_starts(shots, 5, starts, 36);
    assert_true(shots[1].motion == shots[3].motion && shots[0].motion != shots[1].motion);
    free(shots);
}

CASE(given_a_limit_that_is_not_whole_then_parts_are_as_few_as_it_allows)
{
    static char text[97];
    const ShotOptions options = {.max_frames = 2 * 24000.0 / 1001};
    Shot *shots;
    memset(text, 'A', 95); /* 3.962 s at 24000/1001 */
    assert_int_equal(detect_levels(options, text, &shots), 2);
    assert_int_equal(shots[0].end, 47);
    free(shots);
    text[95] = 'A';
    assert_int_equal(detect_levels(options, text, &shots), 3);
    free(shots);
    assert_int_equal(detect_levels((ShotOptions){.max_frames = 0.25}, "AAA", &shots), 3);
    assert_starts(shots, 3, (const size_t[]){0, 1, 2}, 3);
    free(shots);
}

CASE(given_short_shots_then_they_join_the_neighbour_like_them)
{
    static const size_t starts[] = {0, 12};
    Shot *shots;
    /* Shots of one sample differ in motion alone. */
    const ShotOptions options = {.min_frames = 2, .join_below = 6};
    assert_int_equal(detect_levels(options, "AAAAAAAAAAAAAAAAAAAAHHHHZUZUZUZUZUZU", &shots), 2);
    assert_int_equal(shots[1].first, 20);
    free(shots);
    assert_int_equal(detect_levels(options, "ZUZUZUZUZUZUHHHHAAAAAAAAAAAAAAAAAAAA", &shots), 2);
    assert_int_equal(shots[1].first, 16);
    assert_true(fabs(shots[0].motion - (11 * 10 + 26) / 16.0 / 255) < 1e-12);
    free(shots);
    /* Cuts in a row are one shot, and do not fall to the still ones beside it. */
    assert_int_equal(detect_levels(options, "AAAAAAAAAAAAZZZAAAZZZAAAZZZZZZZZZZZZ", &shots), 3);
    assert_starts(shots, 2, starts, 24);
    assert_int_equal(shots[2].first, 24);
    free(shots);
    assert_int_equal(detect_levels(options, "AAZZ", &shots), 1);
    assert_int_equal(shots[0].end, 4);
    free(shots);
}

static const FrameRate film = {24000, 1001};

CASE(given_one_window_then_it_is_in_the_middle)
{
    SampleWindow window;
    assert_int_equal(sample_by_time(2400, film, 10, 1, &window), 1);
    /* (100.1 - 10) / 2 s, times 23.976 */
    assert_int_equal(window.first, 1080);
    assert_int_equal(window.frames, 240);
    assert_int_equal(window.stands_for, 2400);
    assert_int_equal(sample_by_time(2400, film, 0, 1, &window), 1);
    assert_int_equal(window.frames, 2400);
    assert_int_equal(sample_by_time(2400, film, 101, 1, &window), 1);
    assert_int_equal(window.frames, 2400);
    assert_int_equal(sample_by_time(2400, film, 0.001, 1, &window), 1);
    assert_int_equal(window.frames, 1);
}

CASE(given_several_windows_then_they_are_in_the_middles_of_parts)
{
    SampleWindow windows[4];
    const FrameRate rate = {25, 1};
    assert_int_equal(sample_by_time(1000, rate, 8, 4, windows), 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(windows[i].first, 100 + 250 * i);
        assert_int_equal(windows[i].frames, 50);
        assert_int_equal(windows[i].stands_for, 250);
    }
    assert_int_equal(sample_by_time(0, rate, 8, 4, windows), -EINVAL);
    assert_int_equal(sample_by_time(10, rate, 8, 0, windows), -EINVAL);
    assert_int_equal(sample_by_time(10, (FrameRate){25, 0}, 8, 1, windows), -EINVAL);
    assert_int_equal(sample_by_time(10, rate, -1, 1, windows), -EINVAL);
    assert_int_equal(sample_by_time(10, rate, NAN, 1, windows), -EINVAL);
}

CASE(given_windows_of_unequal_parts_then_each_counts_by_what_it_stands_for)
{
    SampleWindow windows[3];
    assert_int_equal(sample_by_time(100, (FrameRate){25, 1}, 1, 3, windows), 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(windows[i].stands_for, i == 2 ? 34 : 33);
}
