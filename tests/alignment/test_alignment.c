/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Videos made of signatures: what is found in them, where, and above all what is not. */
#include "media/alignment/alignment.h"
#include "media/autocrop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/cases.h"

enum { COLUMNS = SIGNATURE_COLUMNS, ROWS = SIGNATURE_ROWS, NONE = 1000 };

/* How the reference moves. */
typedef enum Scene { SCENE_PAN, SCENE_SLOW, SCENE_STILL, SCENE_CUTS, SCENE_FADE, SCENES } Scene;

/* As exact as pictures are, and most of the time would go into sin. */
static double wave(double x)
{
    enum { STEPS = 1 << 14 };
    static const double steps_of_one = STEPS / (2 * 3.14159265358979323846);
    static double values[STEPS];
    if (values[STEPS / 4] == 0)
        for (int i = 0; i < STEPS; i++)
            values[i] = sin(i / steps_of_one);
    return values[lrint(x * steps_of_one) & (STEPS - 1)];
}

/* A fixed pattern: three waves, no two places alike. */
static double pattern(double x, double y)
{
    return 110 + 30 * wave(0.41 * x + 0.13 * y) + 25 * wave(0.17 * x - 0.53 * y + 1) +
           20 * wave(0.71 * x + 0.37 * y + 2);
}

static double scene_at(Scene scene, double i, double j, double t)
{
    switch (scene) {
    case SCENE_PAN:
        return pattern(i + 0.23 * t, j + 0.05 * t);
    case SCENE_SLOW:
        return pattern(i + 0.012 * t, j);
    case SCENE_CUTS:
        return pattern(i + 0.02 * t + 977 * floor(t / 20), j);
    case SCENE_FADE:
        return 16 + (pattern(i + 0.02 * t, j) - 16) * (0.5 + 0.5 * cos(0.05 * t));
    default:
        return pattern(i, j);
    }
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* One side of a pair. */
typedef struct Side {
    Scene scene;
    unsigned frames;
    int (*frame_at)(int frame); /* of the scene; NULL: the same */
    double noise;               /* levels of 8 bits, up to */
    double gain, lift;          /* 0: 1 */
    unsigned letterbox;         /* rows of blocks */
    int black_from;             /* frame, or NONE */
} Side;

static const Side plain = {.scene = SCENE_PAN, .frames = 300, .black_from = NONE};

static Signature side_at(const Side *side, int frame, uint32_t *seed)
{
    const int t = side->frame_at ? side->frame_at(frame) : frame;
    Signature signature;
    for (int j = 0; j < ROWS; j++) {
        for (int i = 0; i < COLUMNS; i++) {
            const double random = (double)(next_random(seed) % 2001) / 1000 - 1;
            const double gain = side->gain > 0 ? side->gain : 1;
            double value =
                gain * scene_at(side->scene, i, j, t) + side->lift + side->noise * random;
            const int edge = j < ROWS - 1 - j ? j : ROWS - 1 - j;
            if (edge < (int)side->letterbox || frame >= side->black_from)
                value = 16;
            signature.mean[j * COLUMNS + i] = (uint16_t)(256 * fmin(fmax(value, 0), 255));
        }
    }
    return signature;
}

/* What a whole run finds. */
typedef struct Found {
    unsigned count;
    AlignmentFinding findings[64];
    bool certain; /* of the first offset */
    int first_offset;
} Found;

static Found look(Side reference, Side distorted)
{
    Found found = {0};
    Alignment *alignment;
    uint32_t seeds[2] = {1, 2};
    assert_int_equal(alignment_create(&alignment), 0);
    enum { AHEAD = 72 }; /* one side of the other */
    const unsigned shorter =
        reference.frames < distorted.frames ? reference.frames : distorted.frames;
    const unsigned most = shorter + AHEAD;
    for (unsigned frame = 0; frame < most; frame++) {
        if (frame < reference.frames) {
            const Signature signature = side_at(&reference, (int)frame, &seeds[0]);
            alignment_add_signature(alignment, ALIGNMENT_REFERENCE, &signature);
        }
        if (frame < distorted.frames) {
            const Signature signature = side_at(&distorted, (int)frame, &seeds[1]);
            alignment_add_signature(alignment, ALIGNMENT_DISTORTED, &signature);
        }
    }
    alignment_end(alignment);
    for (const AlignmentFinding *next; (next = alignment_finding(alignment, found.count));)
        found.findings[found.count++] = *next;
    found.certain = alignment_first_offset(alignment, &found.first_offset);
    alignment_destroy(alignment);
    return found;
}

static void expect_nothing(Side reference, Side distorted)
{
    const Found found = look(reference, distorted);
    for (unsigned i = 0; i < found.count; i++) {
        Message line;
        alignment_describe(&found.findings[i], "the distorted video", true, &line);
        print_message("scene %d, noise %g: %s\n", distorted.scene, distorted.noise, line.text);
    }
    assert_int_equal(found.count, 0);
    assert_true(!found.certain || !found.first_offset);
}

static void expect_offset(Side reference, Side distorted, int offset)
{
    const Found found = look(reference, distorted);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.findings[0].kind, ALIGNMENT_OFFSET);
    assert_int_equal(found.findings[0].offset, offset);
    assert_int_equal(found.findings[0].frame, 0);
    assert_true(found.certain);
    assert_int_equal(found.first_offset, offset);
}

/* -- offsets -- */

static int shift; /* of the distorted video; late is positive */

static int shifted(int frame)
{
    return frame - shift;
}

CASE(given_a_shift_then_it_is_found)
{
    const Scene moving[] = {SCENE_PAN, SCENE_SLOW, SCENE_CUTS};
    const double noises[] = {0, 1, 6};
    for (size_t s = 0; s < sizeof(moving) / sizeof(moving[0]); s++) {
        for (size_t n = 0; n < sizeof(noises) / sizeof(noises[0]); n++) {
            for (shift = -12; shift <= 12; shift++) {
                Side reference = plain, distorted = plain;
                reference.scene = distorted.scene = moving[s];
                distorted.frame_at = shifted;
                /* The coding of a slow scene hides less of it. */
                distorted.noise = moving[s] == SCENE_PAN ? noises[n] : noises[n] / 6;
                if (shift)
                    expect_offset(reference, distorted, shift);
                else
                    expect_nothing(reference, distorted);
            }
        }
    }
}

CASE(given_a_shift_out_of_reach_then_nothing_is_said)
{
    for (shift = 20; shift <= 60; shift += 8) {
        Side distorted = plain;
        distorted.frame_at = shifted;
        assert_int_equal(look(plain, distorted).count, 0);
    }
}

/* 24 frames that overlap at the offset are enough, and fewer are not. */
CASE(given_short_videos_then_only_enough_frames_tell)
{
    Side reference = plain, distorted = plain;
    distorted.frame_at = shifted;
    for (shift = -3; shift <= 3; shift++) {
        for (unsigned frames = 0; frames <= 75; frames++) {
            reference.frames = distorted.frames = frames;
            const unsigned overlap = frames - (unsigned)abs(shift);
            if (shift && frames >= 24 && overlap >= 24)
                expect_offset(reference, distorted, shift);
            else
                expect_nothing(reference, distorted);
        }
    }
}

CASE(given_another_range_then_the_shift_is_found)
{
    Side distorted = plain;
    distorted.gain = 255.0 / 219;
    distorted.lift = -16 * distorted.gain;
    distorted.frame_at = shifted;
    shift = 3;
    expect_offset(plain, distorted, 3);
    distorted.frame_at = NULL;
    expect_nothing(plain, distorted);
}

CASE(given_videos_of_different_length_then_what_overlaps_is_judged)
{
    Side distorted = plain;
    distorted.frame_at = shifted;
    shift = -4;
    for (unsigned frames = 60; frames < 300; frames += 17) {
        distorted.frames = frames;
        expect_offset(plain, distorted, -4);
    }
}

/* -- changes -- */

static int place; /* where frames are dropped or repeated */

static int dropped(int frame)
{
    return frame < place ? frame : frame + 1;
}

static int repeated(int frame)
{
    return frame <= place ? frame : frame - 1;
}

static int dropped_and_repeated(int frame)
{
    return frame < place ? frame : frame < place + 120 ? frame + 2 : frame;
}

static void expect_change(Side distorted, int offset)
{
    const Found found = look(plain, distorted);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.findings[0].kind, ALIGNMENT_OFFSET);
    assert_int_equal(found.findings[0].offset, offset);
    assert_in_range(found.findings[0].frame, place - 1, place + 1);
    assert_true(found.certain);
    assert_int_equal(found.first_offset, 0);
}

CASE(given_a_dropped_or_repeated_frame_then_its_place_is_found)
{
    Side distorted = plain;
    distorted.noise = 2;
    for (place = 50; place <= 250; place += 7) {
        distorted.frame_at = dropped;
        expect_change(distorted, -1);
        distorted.frame_at = repeated;
        expect_change(distorted, 1);
    }
}

CASE(given_videos_that_come_in_line_again_then_both_places_are_found)
{
    Side distorted = plain;
    distorted.frame_at = dropped_and_repeated;
    place = 90;
    const Found found = look(plain, distorted);
    assert_int_equal(found.count, 2);
    assert_int_equal(found.findings[0].offset, -2);
    assert_in_range(found.findings[0].frame, 89, 93);
    assert_int_equal(found.findings[1].offset, 0);
    assert_in_range(found.findings[1].frame, 207, 213);
}

/* 24 frames per second of 23.976: one frame more in 1001. Here one in 100. */
static int drifting(int frame)
{
    return frame - frame / 100;
}

CASE(given_rates_that_differ_then_every_step_is_found)
{
    Side reference = plain, distorted = plain;
    reference.frames = distorted.frames = 1000;
    distorted.frame_at = drifting;
    const Found found = look(reference, distorted);
    assert_int_equal(found.count, 9);
    for (int i = 0; i < 9; i++) {
        assert_int_equal(found.findings[i].offset, i + 1);
        assert_in_range(found.findings[i].frame, 100 * (i + 1) - i - 2, 100 * (i + 1) - i + 1);
    }
}

/* -- silence -- */

CASE(given_frames_in_line_then_nothing_is_said)
{
    for (Scene scene = SCENE_PAN; scene < SCENES; scene++) {
        for (double noise = 0; noise < 40; noise = noise * 2 + 1) {
            Side reference = plain, distorted = plain;
            reference.scene = distorted.scene = scene;
            distorted.noise = noise;
            expect_nothing(reference, distorted);
            reference.noise = noise;
            distorted.noise = 0;
            expect_nothing(reference, distorted);
        }
    }
}

static int every_second(int frame)
{
    return frame / 2 * 2;
}

/* A very low rate: every second frame is coded as the one before. It is late by half a frame. */
CASE(given_frames_that_lag_by_a_half_then_no_offset_is_said)
{
    Side reference = plain, distorted = plain;
    reference.scene = distorted.scene = SCENE_SLOW;
    distorted.frame_at = every_second;
    assert_int_equal(look(reference, distorted).count, 0);
}

CASE(given_still_pictures_then_a_shift_cannot_be_seen)
{
    Side reference = plain, distorted = plain;
    reference.scene = distorted.scene = SCENE_STILL;
    distorted.frame_at = shifted;
    shift = 5;
    reference.noise = distorted.noise = 3;
    expect_nothing(reference, distorted);
}

CASE(given_unrelated_videos_then_no_offset_is_said)
{
    for (Scene a = SCENE_PAN; a < SCENES; a++) {
        for (Scene b = SCENE_PAN; b < SCENES; b++) {
            Side reference = plain, distorted = plain;
            reference.scene = a;
            distorted.scene = b;
            shift = 5000;
            distorted.frame_at = shifted;
            const Found found = look(reference, distorted);
            for (unsigned i = 0; i < found.count; i++)
                assert_int_not_equal(found.findings[i].kind, ALIGNMENT_OFFSET);
        }
    }
}

/* A movement that repeats itself fits at several offsets. */
static int swinging(int frame)
{
    return frame % 6 < 3 ? frame % 6 : 6 - frame % 6;
}

CASE(given_a_movement_with_a_period_then_aligned_videos_stay_silent)
{
    Side reference = plain, distorted = plain;
    reference.frame_at = distorted.frame_at = swinging;
    distorted.noise = 3;
    expect_nothing(reference, distorted);
}

/* -- stillness, blackness, borders -- */

static int stops_late(int frame)
{
    return frame < 2 ? 0 : frame < 102 ? frame - 2 : 100;
}

static int stops(int frame)
{
    return frame < 100 ? frame : 100;
}

CASE(given_a_frozen_video_then_it_is_said_once)
{
    Side distorted = plain;
    distorted.frame_at = stops;
    const Found found = look(plain, distorted);
    unsigned frozen = 0;
    for (unsigned i = 0; i < found.count; i++) {
        if (found.findings[i].kind == ALIGNMENT_FROZEN) {
            assert_in_range(found.findings[i].frame, 100, 101);
            frozen++;
        }
        assert_int_not_equal(found.findings[i].kind, ALIGNMENT_REPEATED);
    }
    assert_int_equal(frozen, 1);
    Side still = plain;
    still.scene = SCENE_STILL;
    expect_nothing(still, still); /* both stand still */
}

CASE(given_a_black_video_then_it_is_said_once)
{
    Side reference = plain, distorted = plain;
    distorted.black_from = 120;
    const Found found = look(reference, distorted);
    unsigned black = 0;
    for (unsigned i = 0; i < found.count; i++) {
        if (found.findings[i].kind == ALIGNMENT_BLACK) {
            assert_int_equal(found.findings[i].frame, 120);
            black++;
        }
        assert_int_not_equal(found.findings[i].kind, ALIGNMENT_FROZEN);
    }
    assert_int_equal(black, 1);
    reference.black_from = 120;
    expect_nothing(reference, distorted);
    reference.black_from = NONE;
    distorted.black_from = 0; /* which are no borders */
    assert_int_equal(look(reference, distorted).count, 1);
}

/* A window that is certain, and nothing certain after it. */
CASE(given_a_shift_that_shows_once_then_it_is_said_at_the_end)
{
    Side reference = plain, distorted = plain;
    reference.frame_at = stops;
    distorted.frame_at = stops_late;
    const Found found = look(reference, distorted);
    assert_int_equal(found.findings[0].kind, ALIGNMENT_OFFSET);
    assert_int_equal(found.findings[0].offset, 2);
}

CASE(given_borders_on_one_side_then_that_side_is_named)
{
    for (unsigned side = 0; side < 2; side++) {
        Side sides[2] = {plain, plain};
        sides[side].letterbox = 2;
        const Found found = look(sides[0], sides[1]);
        assert_int_equal(found.count, 1);
        assert_int_equal(found.findings[0].kind, ALIGNMENT_BORDERS);
        assert_int_equal(found.findings[0].side, side);
    }
    Side both = plain;
    both.letterbox = 2;
    expect_nothing(both, both);
}

static int every_fifth_again(int frame)
{
    return frame / 5 * 4 + (frame % 5 < 4 ? frame % 5 : 3);
}

/* 24 frames per second made 30. */
CASE(given_frames_that_repeat_then_they_are_counted)
{
    Side distorted = plain;
    distorted.frame_at = every_fifth_again;
    Found found = look(plain, distorted);
    unsigned repeats = 0;
    for (unsigned i = 0; i < found.count; i++) {
        if (found.findings[i].kind == ALIGNMENT_REPEATED) {
            assert_int_equal(found.findings[i].side, ALIGNMENT_DISTORTED);
            assert_int_equal(found.findings[i].frame, 4);
            assert_int_equal(found.findings[i].count, 60);
            repeats++;
        }
    }
    assert_int_equal(repeats, 1);
    expect_nothing(distorted, distorted); /* both do */
}

CASE(given_two_repeats_then_they_are_no_pattern_and_three_are)
{
    for (unsigned repeats = 2; repeats <= 3; repeats++) {
        PairWatch watch = {.frames = 0};
        uint32_t seed = 1;
        unsigned long long first;
        for (int frame = 0; frame < 16; frame++) {
            const bool again = frame % 4 == 3 && frame / 4 < (int)repeats;
            const Signature reference = side_at(&plain, frame, &seed);
            const Signature distorted = side_at(&plain, again ? frame - 1 : frame, &seed);
            pair_watch_add(&watch, &reference, &distorted);
        }
        assert_int_equal(pair_watch_repeats(&watch, 1, &first), repeats < 3 ? 0 : 3);
    }
}

enum { SMALL = 160, LARGE = 2 * SMALL };

/* Luma of 100 on the left, of 100 and a part of 4 on the right, which the mean of 4 samples rounds.
 */
static VmafPicture halves(unsigned side, unsigned left, unsigned right)
{
    VmafPicture picture;
    assert_int_equal(vmaf_picture_alloc(&picture, VMAF_PIX_FMT_YUV400P, 8, side, side), 0);
    for (unsigned y = 0; y < side; y++) {
        uint8_t *row = (uint8_t *)picture.data[0] + y * picture.stride[0];
        for (unsigned x = 0; x < side; x++) {
            const unsigned quarters = x < side / 2 ? left : right;
            row[x] = (uint8_t)(100 + quarters / 4 + (y % 2 * 2 + x % 2 < quarters % 4));
        }
    }
    return picture;
}

static double distance_of(unsigned left, unsigned right)
{
    Borders *large = borders_create(LARGE, LARGE), *small = borders_create(SMALL, SMALL);
    VmafPicture quarters = halves(LARGE, left, right);
    VmafPicture rounded = halves(SMALL, (left + 2) / 4 * 4, (right + 2) / 4 * 4);
    assert_non_null(large);
    assert_non_null(small);
    assert_int_equal(borders_add(large, 0, &quarters), 0);
    assert_int_equal(borders_add(small, 0, &rounded), 0);
    const double distance = borders_distance(large, (MediaCrop){0}, small, (MediaCrop){0});
    vmaf_picture_unref(&quarters);
    vmaf_picture_unref(&rounded);
    borders_destroy(large);
    borders_destroy(small);
    return distance;
}

CASE(given_means_of_samples_then_small_frames_have_the_nearest_level)
{
    for (unsigned left = 0; left < 4; left++)
        assert_true(distance_of(left, 8 + 3 - left) < 1e-9);
}

static void expect_line(AlignmentFinding finding, bool can_apply, const char *text)
{
    Message line;
    alignment_describe(&finding, "the distorted video", can_apply, &line);
    assert_string_equal(line.text, text);
}

CASE(given_findings_then_lines_say_what_to_do)
{
    expect_line((AlignmentFinding){.kind = ALIGNMENT_OFFSET, .offset = 2}, true,
                "alignment: the distorted video is 2 frames late: scores compare different "
                "frames; try --align auto");
    expect_line((AlignmentFinding){.kind = ALIGNMENT_OFFSET, .offset = -1}, false,
                "alignment: the distorted video is 1 frame early: scores compare different frames");
    expect_line((AlignmentFinding){.kind = ALIGNMENT_OFFSET, .offset = 1, .frame = 812}, true,
                "alignment: from frame 812 on the distorted video is 1 frame late: a frame was "
                "dropped or repeated");
    expect_line((AlignmentFinding){.kind = ALIGNMENT_OFFSET, .frame = 812}, true,
                "alignment: from frame 812 on the distorted video is in line again");
}
