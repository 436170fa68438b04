/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/cases.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tune/engine/shots.h"

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

/* The known video, through a detector. */
static size_t detect(ShotDetector *detector, ShotOptions options, const Shot **shots)
{
    static uint8_t frames[2][SIZE * SIZE];
    *detector = (ShotDetector){.options = options};
    for (int t = 0; t < N_FRAMES; t++) {
        fill_8(t, frames[t % 2]);
        const LumaPlane now = plane_of(frames[t % 2], 8), before = plane_of(frames[(t + 1) % 2], 8);
        FrameSignature signature;
        assert_int_equal(frame_signature(&now, t ? &before : NULL, &signature), 0);
        assert_int_equal(shot_detector_put(detector, &signature), 0);
    }
    return (size_t)shot_detector_finish(detector, shots);
}

static void shot_line(const Shot *shot, size_t i, const ShotPlan *plan, char line[96])
{
    snprintf(line, 96, "%zu,%zu,%zu,%zu,%.6f,%.6f,%.2f", i, shot->first, shot->end - 1,
             shot_frames(shot), shot->complexity, shot->motion, shot_predicted_q(shot, plan));
}

CASE(given_the_known_video_then_its_shots_are_known)
{
    static const char *const expected[] = {"0,0,19,20,0.083189,0.021876,21.89",
                                           "1,20,59,40,0.022888,0.037001,25.50"};
    const ShotPlan plan = {.target = 93, .lowest = 18, .highest = 35};
    ShotDetector detector;
    const Shot *shots;
    const size_t n = detect(&detector, (ShotOptions){.threshold = 12, .min_frames = 4}, &shots);
    assert_int_equal(n, 2);
    for (size_t i = 0; i < n; i++) {
        char line[96];
        shot_line(&shots[i], i, &plan, line);
        assert_string_equal(line, expected[i]);
    }
    shot_detector_free(&detector);
}

CASE(given_a_lower_threshold_then_shots_are_as_known)
{
    static const size_t starts[] = {0, 4, 8, 12, 16, 20, 25, 29, 33, 37, 41, 45, 50, 55};
    const ShotPlan plan = {.target = 93, .lowest = 20, .highest = 40};
    ShotDetector detector;
    const Shot *shots;
    const size_t n = detect(&detector, (ShotOptions){.threshold = 5, .min_frames = 4}, &shots);
    assert_int_equal(n, 14);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(shots[i].first, starts[i]);
        assert_int_equal(shots[i].end, i + 1 < n ? starts[i + 1] : N_FRAMES);
    }
    char line[96];
    shot_line(&shots[5], 5, &plan, line);
    assert_string_equal(line, "5,20,24,5,0.009097,0.159051,28.97");
    shot_detector_free(&detector);
}

/* 16-bit samples of the same picture have the same signature, up to the rounding of peaks. */
CASE(given_more_bits_then_signatures_are_alike)
{
    static uint8_t now_8[SIZE * SIZE], before_8[SIZE * SIZE];
    static uint16_t now_16[SIZE * SIZE], before_16[SIZE * SIZE];
    for (int bit_depth = 9; bit_depth <= 16; bit_depth++) {
        FrameSignature a, b;
        fill_8(3, before_8);
        fill_8(20, now_8);
        const double scale = ((1 << bit_depth) - 1) / 255.0;
        for (int i = 0; i < SIZE * SIZE; i++) {
            now_16[i] = (uint16_t)rint(now_8[i] * scale);
            before_16[i] = (uint16_t)rint(before_8[i] * scale);
        }
        LumaPlane now = plane_of(now_8, 8), before = plane_of(before_8, 8);
        assert_int_equal(frame_signature(&now, &before, &a), 0);
        now = plane_of(now_16, bit_depth);
        before = plane_of(before_16, bit_depth);
        assert_int_equal(frame_signature(&now, &before, &b), 0);
        assert_true(fabs(a.mean - b.mean) < 1e-3);
        assert_true(fabs(a.complexity - b.complexity) < 1e-3);
        assert_true(fabs(a.motion - b.motion) < 1e-3 && a.motion > 0.1);
        assert_int_equal(b.histogram[7], SIZE * SIZE); /* 30 of 255 */
        assert_int_equal(a.histogram[7], SIZE * SIZE);
    }
}

CASE(given_samples_beyond_their_depth_then_they_count_as_the_largest)
{
    static uint16_t samples[SIZE * SIZE];
    memset(samples, 0xff, sizeof(samples));
    const LumaPlane plane = plane_of(samples, 10);
    FrameSignature signature;
    assert_int_equal(frame_signature(&plane, &plane, &signature), 0);
    assert_true(signature.mean == 1 && signature.complexity == 0 && signature.motion == 0);
    assert_int_equal(signature.histogram[63], SIZE * SIZE);
}

CASE(given_a_bad_plane_then_refused)
{
    static uint8_t samples[SIZE * SIZE];
    FrameSignature signature;
    LumaPlane plane = plane_of(samples, 8), other = plane;
    plane.bit_depth = 7;
    assert_int_equal(frame_signature(&plane, NULL, &signature), -EINVAL);
    plane.bit_depth = 17;
    assert_int_equal(frame_signature(&plane, NULL, &signature), -EINVAL);
    plane.bit_depth = 8;
    plane.width = 0;
    assert_int_equal(frame_signature(&plane, NULL, &signature), -EINVAL);
    plane.width = SIZE;
    other.height--;
    assert_int_equal(frame_signature(&plane, &other, &signature), -EINVAL);
}

/* Two pictures of the same mean and little difference of it: only their histograms tell. */
CASE(given_similar_means_then_histograms_find_the_cut)
{
    for (int kind = 0; kind < 2; kind++) {
        ShotDetector detector = {
            .options = {.kind = kind ? SHOTS_BY_HISTOGRAM : SHOTS_BY_DIFFERENCE,
                        .threshold = 12,
                        .min_frames = 4}};
        for (int t = 0; t < 40; t++) {
            FrameSignature signature = {.samples = 1000, .motion = t == 20 ? 7.0 / 255 : 0.01};
            signature.histogram[t < 20 ? 10 : 12] = 1000;
            assert_int_equal(shot_detector_put(&detector, &signature), 0);
        }
        const Shot *shots;
        assert_int_equal(shot_detector_finish(&detector, &shots), kind ? 2 : 1);
        assert_int_equal(shots[0].end, kind ? 20 : 40);
        shot_detector_free(&detector);
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

static void put_take(const Take *take, ShotDetector *detector)
{
    static uint8_t samples[2][SCENE_WIDTH * SCENE_HEIGHT];
    for (int t = 0; t < SCENE_FRAMES; t++) {
        for (int i = 0; i < SCENE_WIDTH * SCENE_HEIGHT; i++)
            samples[t % 2][i] =
                (uint8_t)lround(255 * take->luma(t, i % SCENE_WIDTH, i / SCENE_WIDTH));
        LumaPlane now = {samples[t % 2], SCENE_WIDTH, SCENE_WIDTH, SCENE_HEIGHT, 8}, before = now;
        before.samples = samples[(t + 1) % 2];
        FrameSignature signature;
        assert_int_equal(frame_signature(&now, t ? &before : NULL, &signature), 0);
        assert_int_equal(shot_detector_put(detector, &signature), 0);
    }
}

CASE(given_scenes_with_known_cuts_then_content_finds_these_alone)
{
    for (size_t i = 0; i < sizeof takes / sizeof *takes; i++) {
        ShotDetector detector = {
            .options = {.kind = SHOTS_BY_CONTENT, .threshold = -1, .min_frames = 4}};
        const Shot *shots;
        put_take(&takes[i], &detector);
        const int n = shot_detector_finish(&detector, &shots);
        int expected = 0;
        while (takes[i].cuts[expected])
            expected++;
        if (n != expected + 1)
            fail_msg("%s: %d shots", takes[i].name, n);
        for (int cut = 0; cut < expected; cut++)
            assert_int_equal(shots[cut + 1].first, takes[i].cuts[cut]);
        shot_detector_free(&detector);
    }
}

CASE(given_a_threshold_that_nothing_reaches_then_content_finds_no_cut)
{
    ShotDetector detector = {
        .options = {.kind = SHOTS_BY_CONTENT, .threshold = 150, .min_frames = 4}};
    const Shot *shots;
    put_take(&takes[0], &detector);
    assert_int_equal(shot_detector_finish(&detector, &shots), 1);
    assert_int_equal(shots[0].end, SCENE_FRAMES);
    shot_detector_free(&detector);
}

CASE(given_too_many_shots_then_refused)
{
    ShotDetector detector = {.options = {.threshold = 12, .min_frames = 1}};
    const FrameSignature cut = {.motion = 1, .samples = 1};
    const Shot *shots;
    for (int i = 0; i < MAX_SHOTS; i++)
        assert_int_equal(shot_detector_put(&detector, &cut), 0);
    assert_int_equal(shot_detector_finish(&detector, &shots), MAX_SHOTS);
    assert_int_equal(shot_detector_put(&detector, &cut), 0);
    assert_int_equal(shot_detector_finish(&detector, &shots), -E2BIG);
    shot_detector_free(&detector);
    assert_int_equal(shot_detector_finish(&detector, &shots), 0);
    shot_detector_free(&detector);
}

CASE(given_long_shots_then_they_are_cut_into_equal_parts)
{
    const Shot shots[] = {{0, 10, 0.1, 0.2}, {10, 35, 0.3, 0.4}, {35, 36, 0.5, 0.6}};
    Shot *parts;
    const int n = shots_split(shots, 3, 10, &parts);
    static const size_t starts[] = {0, 10, 18, 26, 35, 36};
    assert_int_equal(n, 5);
    for (int i = 0; i < n; i++) {
        assert_int_equal(parts[i].first, starts[i]);
        assert_int_equal(parts[i].end, starts[i + 1]);
    }
    assert_true(parts[2].complexity == 0.3 && parts[4].motion == 0.6);
    free(parts);
    assert_int_equal(shots_split(shots, 3, 0, &parts), -EINVAL);
    assert_int_equal(shots_split(shots, 3, NAN, &parts), -EINVAL);
}

CASE(given_a_limit_that_is_not_whole_then_parts_are_as_few_as_it_allows)
{
    const Shot shot = {100, 195, 0.1, 0.2}; /* 3.962 s at 24000/1001 */
    Shot *parts;
    assert_int_equal(shots_split(&shot, 1, 2 * 24000.0 / 1001, &parts), 2);
    assert_int_equal(parts[0].end, 147);
    free(parts);
    const Shot one_more = {0, 96, 0.1, 0.2};
    assert_int_equal(shots_split(&one_more, 1, 2 * 24000.0 / 1001, &parts), 3);
    free(parts);
    const Shot tiny = {7, 10, 0.1, 0.2};
    assert_int_equal(shots_split(&tiny, 1, 0.25, &parts), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(parts[i].first, 7 + i);
        assert_int_equal(parts[i].end, 8 + i);
    }
    free(parts);
}

CASE(given_short_shots_then_they_join_the_neighbour_like_them)
{
    Shot shots[] = {{0, 50, 0.1, 0.01},
                    {50, 53, 0.2, 0.5}, /* like the next */
                    {53, 100, 0.2, 0.4},
                    {100, 102, 0.1, 0.01}, /* at the end */
                    {102, 103, 0.2, 0.4}};
    assert_int_equal(shots_join_short(shots, 5, 10), 2);
    assert_int_equal(shots[0].end, 50);
    assert_int_equal(shots[1].first, 50);
    assert_int_equal(shots[1].end, 103);
    const double motion = (3 * 0.5 + 47 * 0.4 + 2 * 0.01 + 0.4) / 53;
    assert_true(fabs(shots[1].motion - motion) < 1e-12);
    /* A pan that was cut to pieces is one shot, and does not fall to the still ones beside it. */
    Shot pan[20] = {{0, 40, 0.1, 0.001}};
    for (size_t i = 1; i < 19; i++)
        pan[i] = (Shot){36 + 4 * i, 40 + 4 * i, 0.1, i % 2 ? 0.05 : 0.002};
    pan[19] = (Shot){112, 150, 0.1, 0.001};
    assert_int_equal(shots_join_short(pan, 20, 24), 3);
    assert_int_equal(pan[1].first, 40);
    assert_int_equal(pan[2].first, 112);
    Shot flash[] = {{0, 2, 0.1, 0.1}, {2, 4, 0.1, 0.1}};
    assert_int_equal(shots_join_short(flash, 2, 10), 1);
    assert_int_equal(flash[0].end, 4);
    assert_int_equal(shots_join_short(flash, 0, 10), 0);
}

CASE(given_extreme_shots_then_predictions_stay_in_range)
{
    const ShotPlan plan = {.target = 100, .lowest = 18, .highest = 35};
    const Shot busy = {0, 100, 0.2, 1}, still = {0, 100, 0, 0}, quick = {0, 23, 0, 1};
    assert_true(shot_predicted_q(&still, &plan) == 18 + 17 / 2.0 - 0.15 * 17);
    assert_true(fabs(shot_predicted_q(&busy, &plan) - (26.5 - 0.15 * 17)) < 1e-12);
    assert_true(fabs(shot_predicted_q(&quick, &plan) - (26.5 + 0.1 * 17 - 0.15 * 17)) < 1e-12);
    const Shot long_and_quick = {0, 24, 0, 1};
    assert_true(fabs(shot_predicted_q(&long_and_quick, &plan) - (26.5 + 0.05 * 17)) < 1e-12);
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
    /* The long shot has two of three places, so its window has two thirds of the frames. */
    const Shot shots[] = {{0, 90, 0.05, 0.3}, {90, 300, 0.05, 0.01}};
    assert_int_equal(sample_by_shots(shots, 2, (FrameRate){25, 1}, 3, 3, windows), 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(windows[i].stands_for, 100);
    const Shot short_one[] = {{0, 25, 0.05, 0.3}, {25, 29, 0.05, 0.2}, {29, 100, 0.05, 0.01}};
    size_t stood = 0;
    const int n = sample_by_shots(short_one, 3, (FrameRate){25, 1}, 3, 2, windows);
    for (int i = 0; i < n; i++) {
        assert_int_equal(windows[i].stands_for, 50);
        stood += windows[i].stands_for;
    }
    assert_int_equal(stood, 100);
}

static void assert_windows(const SampleWindow *windows, int n, const Shot *shots, size_t n_shots)
{
    size_t end = 0, stands_for = 0;
    for (int i = 0; i < n; i++) {
        assert_true(windows[i].frames >= 1 && windows[i].first >= end);
        end = windows[i].first + windows[i].frames;
        bool inside = false;
        for (size_t s = 0; s < n_shots; s++)
            inside |= windows[i].first >= shots[s].first && end <= shots[s].end;
        assert_true(inside);
        stands_for += windows[i].stands_for;
    }
    assert_int_equal(stands_for, shots[n_shots - 1].end);
}

CASE(given_shots_then_windows_are_within_them_and_of_every_kind)
{
    /* Half of the video does not move, a quarter moves a little, a quarter a lot. */
    const Shot shots[] = {{0, 100, 0.05, 0.3},   {100, 300, 0.05, 0.0},  {300, 400, 0.05, 0.02},
                          {400, 600, 0.05, 0.0}, {600, 700, 0.05, 0.02}, {700, 800, 0.05, 0.3}};
    SampleWindow windows[4];
    const FrameRate rate = {25, 1};
    const int n = sample_by_shots(shots, 6, rate, 3.2, 4, windows);
    assert_int_equal(n, 4);
    assert_windows(windows, n, shots, 6);
    int still = 0, slow = 0, fast = 0;
    for (int i = 0; i < n; i++)
        for (int s = 0; s < 6; s++)
            if (windows[i].first >= shots[s].first && windows[i].first < shots[s].end) {
                still += shots[s].motion == 0;
                slow += shots[s].motion == 0.02;
                fast += shots[s].motion == 0.3;
            }
    assert_int_equal(still, 2);
    assert_int_equal(slow, 1);
    assert_int_equal(fast, 1);
}

CASE(given_one_window_of_shots_then_it_is_in_the_most_ordinary_one)
{
    const Shot shots[] = {{0, 100, 0.05, 0.3}, {100, 200, 0.05, 0.0}, {200, 300, 0.05, 0.02}};
    SampleWindow window;
    assert_int_equal(sample_by_shots(shots, 3, (FrameRate){25, 1}, 2, 1, &window), 1);
    assert_int_equal(window.first, 225);
    assert_int_equal(window.frames, 50);
    assert_int_equal(window.stands_for, 300);
}

CASE(given_any_shots_then_windows_never_cross_cuts)
{
    srand(5);
    for (int round = 0; round < 500; round++) {
        Shot shots[20];
        size_t end = 0;
        const size_t n_shots = 1 + (size_t)(rand() % 20);
        for (size_t i = 0; i < n_shots; i++) {
            shots[i] = (Shot){end, end + 1 + (size_t)(rand() % 90), rand() % 100 / 999.0,
                              rand() % 100 / 999.0};
            end = shots[i].end;
        }
        SampleWindow windows[12];
        const size_t wanted = 1 + (size_t)(rand() % 12);
        const double seconds = (double)end / 25 * (rand() % 90) / 100;
        const int n = sample_by_shots(shots, n_shots, (FrameRate){25, 1}, seconds, wanted, windows);
        assert_true(n >= 1 && n <= (int)wanted);
        if (seconds > 0)
            assert_windows(windows, n, shots, n_shots);
        else
            assert_int_equal(windows[0].frames, end);
    }
    Shot bad = {5, 5, 0, 0};
    SampleWindow window;
    assert_int_equal(sample_by_shots(&bad, 1, (FrameRate){25, 1}, 1, 1, &window), -EINVAL);
    assert_int_equal(sample_by_shots(&bad, 0, (FrameRate){25, 1}, 1, 1, &window), -EINVAL);
}
